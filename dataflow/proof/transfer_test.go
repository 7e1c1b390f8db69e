package proof_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// values are those of the analysis in which a proof can be between its puts, with tags.
var values = []synch.State{
	{Value: synch.CS}, {Value: synch.Cons}, {Value: synch.NoSyncP, Tags: synch.MakeTags(3)}, {Value: synch.NoSyncP, Tags: synch.MakeTags(3, 4)},
	{Value: synch.NoSync}, {Value: synch.U},
}

// facts of one generation.
func facts(generation int) []proof.Fact {
	return []proof.Fact{
		{Generation: generation, PEs: proof.Consumer}, {Generation: generation, PEs: proof.Next}, {Generation: generation, PEs: proof.Everybody},
		{Under: 3, Generation: generation, PEs: proof.Next}, {Under: 4, Generation: generation, PEs: proof.Next},
	}
}

// holds reports whether a state has a fact; of what is known nothing is under way.
func holds(s synch.State, f proof.Fact) bool {
	known := f
	known.Under = 0
	return s.Has(f) != 0 || s.Has(known) != 0
}

// someNodes is a graph with a node of each kind for communications 1 to 4.
func someNodes() *cfg.Graph {
	b := cfg.NewBuilder()
	for ref := 1; ref <= 4; ref++ {
		flavours := []string{"shift"}
		if ref < 3 {
			flavours = []string{"shift", "recv", "send"}
		}
		for _, flavour := range flavours {
			b.Node(cfg.Comm, 1, ref, "").Flavour = flavour
		}
		b.Node(cfg.CommOver, 1, ref, "")
		b.Node(cfg.UseOver, 1, ref, "")
	}
	b.Node(cfg.Reduce, 1, 9, "")
	b.Node(cfg.Barrier, 1, 0, "")
	b.Node(cfg.Stmt, 1, 0, "")
	return b.Finish()
}

// TestTransfer: what the checker lets through a node is what the transfer function of the
// analysis makes of it, for all values of all generations and all kinds of nodes. The two
// are written independently.
func TestTransfer(t *testing.T) {
	g := someNodes()
	checked := 0
	for _, o := range []proof.Obligation{
		proof.Shared(1, 1), proof.Shared(1, 2), proof.Ring(1, 1, true), proof.Ring(1, 2, false), proof.Ring(1, 2, true), proof.Ring(1, 3, false),
	} {
		for _, kills := range [][]proof.Kill{nil, {{Comm: 3, Nth: 1}}, {{Comm: 3, Nth: 1}, {Comm: 4, Nth: 1}}, {{Comm: 3, Nth: 2}, {Comm: 4, Nth: 1}}, {{Comm: 1, Nth: 1}}} {
			if slices.ContainsFunc(kills, func(k proof.Kill) bool { return k.Nth > o.Ring || k.Comm == 1 && o.Ring == 1 }) {
				continue
			}
			c := &proof.Certificate{Use: o.Use, Puts: []int{o.Put}, Ring: o.Ring, Staged: o.Staged, Kills: kills}
			follows := proof.Transfer(c, g)
			each(o.Ring, func(in []synch.State) {
				for _, n := range g.Nodes[1 : len(g.Nodes)-1] {
					if impossible(o, in, n) {
						continue
					}
					out, claim := behind(in, n, o, kills), claimOf(in)
					for a, state := range out {
						for _, f := range facts(a) {
							checked++
							if want, got := holds(state, f), follows(n.ID, claim, f); got != want {
								t.Fatalf("%v, kills %v: %v through %s %s: %+v is %t, and %v of generation %d", o, kills, in, n.Name(), n.Flavour, f, got, state, a)
							}
						}
					}
				}
			})
		}
	}
	if checked < 100_000 {
		t.Errorf("only %d cases", checked)
	}
}

// each calls do with all values of so many generations.
func each(ring int, do func(in []synch.State)) {
	in := make([]synch.State, ring)
	var fill func(k int)
	fill = func(k int) {
		if k == ring {
			do(in)
			return
		}
		for _, v := range values {
			in[k] = v
			fill(k + 1)
		}
	}
	fill(0)
}

// impossible leaves out what does not come about: a put that is not shown to be free,
// which a proof does not have; a communication that is posted while it is under way; the
// end of a use that has not begun.
func impossible(o proof.Obligation, in []synch.State, n *cfg.Node) bool {
	oldest := in[o.Ring-1].Value
	return proof.Puts(n, o.Put) && oldest != synch.NoSync && oldest != synch.U ||
		n.Kind == cfg.Comm && slices.ContainsFunc(in, func(s synch.State) bool { return s.Tags.Has(n.Ref) }) ||
		o.Ends(n) && in[0].Value == synch.U
}

// claimOf is all facts that the values have.
func claimOf(in []synch.State) proof.Claim {
	var out []proof.Fact
	for a, s := range in {
		for _, f := range facts(a) {
			if s.Has(f) != 0 {
				out = append(out, f)
			}
		}
	}
	return proof.MakeClaim(out...)
}

// behind is the transfer function of the analysis.
func behind(in []synch.State, n *cfg.Node, o proof.Obligation, kills []proof.Kill) []synch.State {
	if !o.Own() {
		return []synch.State{synch.SynchApply(in[0], n, proof.Shared(o.Use, o.Put), func(y, _, nth int) bool { return slices.Contains(kills, proof.Kill{Comm: y, Nth: nth}) })}
	}
	u := synch.State{Value: synch.U}
	v := synch.Generations{u, u, u, u}
	copy(v[:], in)
	v = synch.Apply(v, n, proof.Ring(o.Use, o.Ring, o.Staged), func(y, _, nth int) bool { return slices.Contains(kills, proof.Kill{Comm: y, Nth: nth}) })
	return v[:o.Ring]
}

// TestObligationInWords: obligations say what they are about.
func TestObligationInWords(t *testing.T) {
	for o, want := range map[proof.Obligation]string{
		proof.Shared(1, 2):      "use 1 put 2",
		proof.Ring(3, 2, true):  "use 3 put 3, ring of 2, staged",
		proof.Ring(3, 1, false): "use 3 put 3",
	} {
		if got := o.String(); got != want {
			t.Errorf("%s, want %s", strconv.Quote(got), want)
		}
	}
}
