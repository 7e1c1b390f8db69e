package synch

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/solve"
)

// analysis gives the verdict on every communication of a program, by number-1.
type analysis func(b *built) []Verdict

// rules are the parts of the sound form that a mutation may replace.
type rules struct {
	apply func(in State, n *cfg.Node, it Item, kills Kills) State
	meet  func(a, b State) State
	kills func(b *built) Kills
	mates func(b *built, x int) []int
	read  func(in Value) Verdict
}

func soundRules() rules {
	return rules{SynchApply, SynchMeet, (*built).kills, func(b *built, x int) []int { return b.classes[x-1] }, verdict}
}

// verdicts solves all items by the given rules. Mutated rules may not be
// monotone, so the work is capped.
func (r rules) verdicts(b *built) []Verdict {
	flow := solve.New(b.graph)
	kills := r.kills(b)
	out := make([]Verdict, len(b.comms))
	for x := range out {
		out[x] = Once
		for _, m := range r.mates(b, x+1) {
			it := Item{m, x + 1}
			p := problem(it, kills)
			p.Transfer = func(n *cfg.Node, in State) State { return r.apply(in, n, it, kills) }
			p.Meet = r.meet
			s := solve.InnerFirst(flow, p, 20, false)
			for _, n := range b.graph.Nodes {
				if puts(n, x+1) {
					out[x] = min(out[x], r.read(s.In[n.ID].Value))
				}
			}
		}
	}
	return out
}

// sound is the analysis under test.
func sound(b *built) []Verdict {
	s, kills := NewSolver(b.graph), b.kills()
	out := make([]Verdict, len(b.comms))
	for x := range out {
		out[x] = Once
		for _, m := range b.classes[x] {
			v, _ := s.Verdict(Item{m, x + 1}, kills)
			out[x] = min(out[x], v)
		}
	}
	return out
}

// literal is the printed form with one of the readings of Condition 3.
func literal(kind printedKind) analysis {
	return func(b *built) []Verdict {
		out := make([]Verdict, len(b.comms))
		for i, s := range SolveLiteral(b.graph, len(b.comms), b.literalKills(kind), LiteralLimit, false) {
			out[i] = s.Verdict(b.graph)
		}
		return out
	}
}

// observed is what sampled executions show about the communications of a
// program, by number-1.
type observed struct {
	put    []bool // some message was sent
	early  []bool // a put came too early
	strict []bool // … if every PE uses what is brought, receiver or not
}

// observe replays sampled paths.
func (b *built) observe(rng *rand.Rand, paths, limit int) *observed {
	n := len(b.comms)
	o := &observed{make([]bool, n), make([]bool, n), make([]bool, n)}
	for range paths {
		path := b.states().walk(rng, limit)
		seed := rng.Uint64()
		for _, strict := range []bool{false, true} {
			// The same messages in both.
			r := newReplay(b, rand.New(rand.NewPCG(seed, 1)), strict)
			r.run(path)
			for i := range n {
				if strict {
					o.strict[i] = o.strict[i] || r.early[i]
				} else {
					o.put[i] = o.put[i] || r.put[i]
					o.early[i] = o.early[i] || r.early[i]
				}
			}
		}
	}
	return o
}

// pathLimit is the most states that a sampled path has.
const pathLimit = 300

// contradicted lists the communications that an analysis elides and that an
// execution shows to put too early.
func contradicted(verdicts []Verdict, early []bool) []int {
	var out []int
	for i, v := range verdicts {
		if v != NeedsSync && early[i] {
			out = append(out, i+1)
		}
	}
	return out
}

// tally counts what an analysis did over many programs.
type tally struct {
	references   int // that sent something on some path
	safe         int // … and were never early
	once, noSync int // verdicts on the references that sent something
	kept         int // of those that are safe, elided
	contradicted int
	programs     int // with a contradiction
}

func (t *tally) add(verdicts []Verdict, o *observed) {
	bad := false
	for i, v := range verdicts {
		if !o.put[i] {
			continue
		}
		t.references++
		if !o.early[i] {
			t.safe++
		}
		switch v {
		case NeedsSync:
			continue
		case Once:
			t.once++
		case NoReady:
			t.noSync++
		}
		if o.early[i] {
			t.contradicted++
			bad = true
		} else {
			t.kept++
		}
	}
	if bad {
		t.programs++
	}
}

func (t *tally) String() string {
	elided := t.once + t.noSync
	return fmt.Sprintf("%d references, %d safe on every sampled path; elided %d (%d Once, %d NoSync), contradicted %d = %s of the elided, in %d programs; elided of the safe %d = %s",
		t.references, t.safe, elided, t.once, t.noSync, t.contradicted, percent(t.contradicted, elided), t.programs, t.kept, percent(t.kept, t.safe))
}

func percent(a, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(a)/float64(of))
}

// programNumber makes program number i of a campaign, and the source of its
// paths.
func programNumber(seed uint64, i int) (*program, *rand.Rand) {
	rng := rand.New(rand.NewPCG(seed, uint64(i)))
	return generate(rng), rng
}

// report shows a contradiction: the smallest program found that has one.
func report(p *program, a analysis, strict bool) string {
	small := shrink(p, func(q *program) bool { return refuted(q, a, strict) != nil })
	b := build(small)
	var out strings.Builder
	fmt.Fprintf(&out, "%v", b)
	fmt.Fprintf(&out, "verdicts %v, too early %v\n", a(b), refuted(small, a, strict))
	s, kills := NewSolver(b.graph), b.kills()
	for _, x := range refuted(small, a, strict) {
		for _, m := range b.classes[x-1] {
			sol := s.Solve(Item{m, x}, kills, false)
			fmt.Fprintf(&out, "%v, sound form:", sol.Item)
			for _, n := range b.graph.Nodes {
				if n.Kind.IsComm() {
					fmt.Fprintf(&out, " %s %v ·", n.Name(), sol.In[n.ID])
				}
			}
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// refuted lists the communications of p that an analysis elides wrongly, by
// paths that depend on nothing but p.
func refuted(p *program, a analysis, strict bool) []int {
	b := build(p)
	o := b.observe(rand.New(rand.NewPCG(7, 7)), 60, pathLimit)
	if strict {
		return contradicted(a(b), o.strict)
	}
	return contradicted(a(b), o.early)
}
