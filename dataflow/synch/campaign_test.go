package synch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/internal/abstract"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/solve"
)

// verdicts are those on the items of a program: by number-1 of the put, then in
// the order of the communications that fill the same cells.
type verdicts [][]Verdict

// analysis gives the verdicts on a program.
type analysis func(b *built) verdicts

// each gives a verdict to each item.
func (b *built) each(of func(it proof.Obligation) Verdict) verdicts {
	out := make(verdicts, b.Comms())
	for x := range out {
		for _, m := range b.Aliases(x + 1) {
			out[x] = append(out[x], of(proof.Shared(m, x+1)))
		}
	}
	return out
}

// rules are the parts of the sound form that a mutation may replace.
type rules struct {
	apply func(in State, n *cfg.Node, it proof.Obligation, kills Kills) State
	meet  func(a, b State) State
	kills func(b *built) Kills
	// read gives the verdict from the states in front of and behind a put.
	read func(in, out State) Verdict
}

func soundRules() *rules {
	return &rules{SynchApply, SynchMeet, (*built).kills, func(in, _ State) Verdict { return verdict(in.Value) }}
}

// verdicts solves all items by the given rules. Mutated rules may not be
// monotone, so the work is capped.
func (r *rules) verdicts(b *built) verdicts {
	flow := solve.New(b.Graph)
	kills := r.kills(b)
	return b.each(func(it proof.Obligation) Verdict {
		p := single.problem(it, kills)
		p.Transfer = func(n *cfg.Node, in State) State { return r.apply(in, n, it, kills) }
		p.Meet = r.meet
		s := solve.InnerFirst(flow, p, 20, false)
		v := Once
		for _, n := range b.Graph.Nodes {
			if puts(n, it.Put) {
				v = min(v, r.read(s.In[n.ID], s.Out[n.ID]))
			}
		}
		return v
	})
}

// sound is the analysis under test.
func sound(b *built) verdicts {
	s, kills := NewSolver(b.Graph), b.kills()
	return b.each(func(it proof.Obligation) Verdict {
		v, _ := s.Verdict(it, kills)
		return v
	})
}

// literal is the printed form with one of the readings of Condition 3. It knows
// references only, so that its verdict is that on all items.
func literal(kind printedKind) analysis {
	return func(b *built) verdicts {
		all := SolveLiteral(b.Graph, b.Comms(), b.literalKills(kind), LiteralLimit, false)
		return b.each(func(it proof.Obligation) Verdict { return all[it.Put-1].Verdict(b.Graph) })
	}
}

// observed is what sampled executions show about the items of a program, indexed
// as verdicts.
type observed struct {
	put      []bool // by number-1: some message was sent
	repeated []bool // by number-1: … to a PE that had used the cells before
	early    [][]bool
	strict   [][]bool // early if every PE uses what is brought, receiver or not
}

// observe replays sampled paths.
func (b *built) observe(rng *rand.Rand, paths, limit int) *observed {
	n := b.Comms()
	o := &observed{make([]bool, n), make([]bool, n), make([][]bool, n), make([][]bool, n)}
	for x := range n {
		aliases := len(b.Aliases(x + 1))
		o.early[x], o.strict[x] = make([]bool, aliases), make([]bool, aliases)
	}
	for range paths {
		path := b.States().Walk(rng, limit)
		seed := rng.Uint64()
		// The same messages in both.
		newReplay(b, rand.New(rand.NewPCG(seed, 1)), o.strict, o, true).run(path)
		newReplay(b, rand.New(rand.NewPCG(seed, 1)), o.early, o, false).run(path)
	}
	return o
}

// pathLimit is the most states that a sampled path has.
const pathLimit = 300

// contradicted lists the items that an analysis calls free and of which an
// execution shows a put that came too early.
func (b *built) contradicted(v verdicts, early [][]bool) []proof.Obligation {
	var out []proof.Obligation
	for x := range b.Comms() {
		for k, m := range b.Aliases(x + 1) {
			if v[x][k] != NeedsSync && early[x][k] {
				out = append(out, proof.Shared(m, x+1))
			}
		}
	}
	return out
}

// tally counts what an analysis did over many programs, by references: one is
// elided when all its items are free.
type tally struct {
	references   int // that sent something on some path
	safe         int // … and never too early
	repeated     int // … of which some path put into used cells
	once, noSync int // elided ones
	kept         int // … that are safe
	keptRepeated int // … and put into used cells
	contradicted int // … that came too early
	badNoSync    int // … by the verdict NoSync
	programs     int // with a contradiction
}

func (t *tally) add(v verdicts, o *observed) {
	bad := false
	for x, items := range v {
		if !o.put[x] {
			continue
		}
		t.references++
		all := slices.Min(items)
		early := slices.Contains(o.early[x], true)
		if !early {
			t.safe++
			if o.repeated[x] {
				t.repeated++
			}
		}
		switch all {
		case NeedsSync:
			continue
		case Once:
			t.once++
		case NoReady:
			t.noSync++
		}
		switch {
		case early:
			t.contradicted++
			bad = true
			if all == NoReady {
				t.badNoSync++
			}
		case o.repeated[x]:
			t.kept++
			t.keptRepeated++
		default:
			t.kept++
		}
	}
	if bad {
		t.programs++
	}
}

func (t *tally) String() string {
	return fmt.Sprintf("elided %d (%d Once, %d NoSync) of %d references; "+
		"contradicted %d = %s of them, %d = %s of the NoSync, in %d programs; "+
		"of %d references safe on every sampled path %s elided, of %d safe ones that put into used cells %s",
		t.once+t.noSync, t.once, t.noSync, t.references,
		t.contradicted, percent(t.contradicted, t.once+t.noSync), t.badNoSync, percent(t.badNoSync, t.noSync), t.programs,
		t.safe, percent(t.kept, t.safe), t.repeated, percent(t.keptRepeated, t.repeated))
}

func percent(a, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(a)/float64(of))
}

// programNumber makes program number i of a campaign, and the source of its
// paths.
func programNumber(seed uint64, i int) (*abstract.Program, *rand.Rand) {
	rng := rand.New(rand.NewPCG(seed, uint64(i)))
	return abstract.Generate(rng), rng
}

// report shows a contradiction: the smallest program found that has one, with the
// values of the sound form.
func report(p *abstract.Program, a analysis, strict bool) string {
	fails := func(q *abstract.Program) bool { return refuted(q, a, strict) != nil }
	if !fails(p) {
		return "none: the few paths that are drawn for every smaller program do not show it in the whole one"
	}
	small := abstract.Shrink(p, fails)
	b := build(small)
	var out strings.Builder
	fmt.Fprintf(&out, "%v", b)
	for _, it := range refuted(small, a, strict) {
		fmt.Fprintf(&out, "%v: %v, but puts come too early; by the sound form:", it, a(b)[it.Put-1][slices.Index(b.Aliases(it.Put), it.Use)])
		s := NewSolver(b.Graph).Solve(it, b.kills(), false)
		for _, n := range b.Graph.Nodes {
			if n.Kind.IsComm() {
				fmt.Fprintf(&out, " %s %v ·", n.Name(), s.In[n.ID])
			}
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// refuted lists the items of p that an analysis calls free wrongly, by paths that
// depend on nothing but p.
func refuted(p *abstract.Program, a analysis, strict bool) []proof.Obligation {
	b := build(p)
	o := b.observe(rand.New(rand.NewPCG(7, 7)), 200, pathLimit)
	if strict {
		return b.contradicted(a(b), o.strict)
	}
	return b.contradicted(a(b), o.early)
}
