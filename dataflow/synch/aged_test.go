package synch

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/internal/abstract"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/solve"
)

// comingNth gives for every state the messages that the instance of put may send
// that comes as number nth behind it, over all ways.
func (b *built) comingNth(put, nth int) []abstract.Relation {
	c := b.coming(put)
	u := b.States()
	for range nth - 1 {
		// One instance further: from each put on to the one behind it.
		first := c
		c = make([]abstract.Relation, len(u.List))
		for changed := true; changed; {
			changed = false
			for i := len(u.List) - 1; i >= 0; i-- {
				var r abstract.Relation
				for _, t := range u.Next[i] {
					if puts(b.Graph.Nodes[u.List[i].Node], put) {
						r |= first[t]
					} else {
						r |= c[t]
					}
				}
				if r != c[i] {
					c[i], changed = r, true
				}
			}
		}
	}
	return c
}

// killsAfter is the exact test.
func (b *built) killsAfter() Kills {
	type question struct{ y, put, nth int }
	known := map[question]bool{}
	type target struct{ put, nth int }
	coming := map[target][]abstract.Relation{}
	return func(y, put, nth int) bool {
		q := question{y, put, nth}
		if k, ok := known[q]; ok {
			return k
		}
		to := target{put, nth}
		if coming[to] == nil {
			coming[to] = b.comingNth(put, nth)
		}
		u := b.States()
		k := true
		for i, s := range u.List {
			if !puts(b.Graph.Nodes[s.Node], y) {
				continue
			}
			_, must := b.Messages(y, s.At)
			for _, t := range u.Next[i] {
				k = k && coming[to][t].Reversed()&^must == 0
			}
		}
		known[q] = k
		return k
	}
}

// forms are the slots that the tests give each communication.
var agedForms = []proof.Obligation{{Ring: 1}, {Ring: 1, Staged: true}, {Ring: 2}, {Ring: 2, Staged: true}, {Ring: 3}, {Ring: 3, Staged: true}, {Ring: 4}}

// held is an instance in a slot of a PE: the event that ended its use, 0 while
// that is not over.
type held struct {
	there bool
	ended int
}

// agedReplay runs an execution with vector clocks, as replay does, and finds the
// puts that come before the use of the instance that had the slot is known to be
// over, for all forms of slots at once.
type agedReplay struct {
	replay
	// staged, then by number-1, by instance, by PE.
	values [2][][][abstract.MaxPEs]held
	early  [][]bool // by form, then by number-1
	again  [][]bool // … where some put was into a used slot
}

func newAgedReplay(b *built, rng *rand.Rand, strict bool) *agedReplay {
	n := b.Comms()
	r := &agedReplay{replay: *newReplay(b, rng, nil, nil, strict)}
	for i := range r.values {
		r.values[i] = make([][][abstract.MaxPEs]held, n)
	}
	for range agedForms {
		r.early, r.again = append(r.early, make([]bool, n)), append(r.again, make([]bool, n))
	}
	return r
}

// put checks and notes an instance of x.
func (r *agedReplay) put(x int, messages abstract.Relation) {
	for i, f := range agedForms {
		values := r.values[side(f.Staged)][x]
		for k := 0; k <= len(values)-f.Ring; k++ { // those that had the slot, and older ones
			messages.Each(func(p, q int) {
				v := values[k][q]
				if !v.there {
					return
				}
				r.again[i][x] = true
				if v.ended == 0 || v.ended > r.Clocks[p][q] {
					r.early[i][x] = true
				}
			})
		}
	}
	var now [abstract.MaxPEs]held
	messages.Each(func(_, q int) { now[q].there = true })
	for q := range r.b.PEs {
		now[q].there = now[q].there || r.strict
	}
	for i := range r.values {
		r.values[i][x] = append(r.values[i][x], now)
	}
}

func side(staged bool) int {
	if staged {
		return 1
	}
	return 0
}

// end is where the use of x ends on all PEs: of what is still in use, and, if it is
// said to end twice, of the last instance again.
func (r *agedReplay) end(x int, staged bool) {
	values := r.values[side(staged)][x]
	for q := range r.b.PEs {
		r.Clocks[q][q]++
		for k := range values {
			if v := &values[k][q]; v.there && (v.ended == 0 || k == len(values)-1) {
				v.ended = r.Clocks[q][q]
			}
		}
	}
}

func (r *agedReplay) run(path []abstract.State) {
	for _, s := range path {
		n := r.b.Graph.Nodes[s.Node]
		if r.b.Inner(n) || r.b.Pipe(n) != nil {
			continue // pipelined communications have one slot, and kill nothing
		}
		sent := r.Step(n, s.At)
		switch n.Kind {
		case cfg.Comm:
			r.put(n.Ref-1, sent)
		case cfg.CommOver:
			r.end(n.Ref-1, true)
		case cfg.UseOver:
			r.end(n.Ref-1, false)
		}
	}
}

// pipelined lists the communications that pipelined regions have.
func (b *built) pipelined() map[int]bool {
	out := map[int]bool{}
	for _, n := range b.Graph.Nodes {
		if n.Kind == cfg.Comm && (n.Flavour == recv || n.Flavour == send) {
			out[n.Ref] = true
		}
	}
	return out
}

// agedRules are the parts that a mutation may replace.
type agedRules struct {
	apply func(in Generations, n *cfg.Node, s proof.Obligation, kills Kills) Generations
	kills func(Kills) Kills
}

// free gives the verdicts of the rules on one communication in all forms.
func (r *agedRules) verdicts(b *built, x int, kills Kills) []Verdict {
	if r.kills != nil {
		kills = r.kills(kills)
	}
	var out []Verdict
	for _, f := range agedForms {
		f.Use, f.Put = x, x
		p := ring.problem(f, kills)
		p.Transfer = func(n *cfg.Node, in Generations) Generations { return r.apply(in, n, f, kills) }
		s := solve.RoundRobin(solve.New(b.Graph), p, solve.Options[Generations]{Limit: 50})
		out = append(out, (&RingSolution{Obligation: f, In: s.In}).Verdict(b.Graph))
	}
	return out
}

// observeAged replays sampled paths.
func (b *built) observeAged(rng *rand.Rand, paths int) (early, strict, again [][]bool) {
	one, all := newAgedReplay(b, nil, false), newAgedReplay(b, nil, true)
	for range paths {
		path := b.States().Walk(rng, pathLimit)
		seed := rng.Uint64()
		for _, r := range []*agedReplay{one, all} {
			fresh := newAgedReplay(b, rand.New(rand.NewPCG(seed, 1)), r.strict)
			fresh.early, fresh.again = r.early, r.again
			fresh.run(path)
		}
	}
	return one.early, all.early, one.again
}

// TestRandomAges is TestRandomGraphs for communications with stages and several
// slots: no put that the analysis elides comes too early, and the verdict by
// blocks is that of the solution.
//
//	go test ./dataflow/synch -run TestRandomAges -v -graphs=10000 -seed=0
func TestRandomAges(t *testing.T) {
	first := *seed
	if first == 0 {
		first = rand.Uint64()
	}
	t.Logf("seed %d", first)
	type count struct{ safe, elided int }
	counts := make([]count, len(agedForms))
	for i := range *graphs {
		p, rng := programNumber(first+1000, i)
		b := build(p)
		kills := b.killsAfter()
		early, strict, again := b.observeAged(rng, 20)
		pipes, solver := b.pipelined(), NewSolver(b.Graph)
		for x := 1; x <= b.Comms(); x++ {
			if pipes[x] {
				continue
			}
			for k, f := range agedForms {
				f.Use, f.Put = x, x
				s := solver.SolveRing(f, kills, false)
				v := s.Verdict(b.Graph)
				if w, _ := solver.Verdict(f, kills); w != v {
					t.Fatalf("seed %d program %d: %+v: %v by the solution, %v by blocks\n%v", first, i, f, v, w, b)
				}
				if v != NeedsSync && (early[k][x-1] || strict[k][x-1]) {
					t.Fatalf("seed %d program %d: %+v: %v, but puts came too early\n%v", first, i, f, v, b)
				}
				if again[k][x-1] && !early[k][x-1] {
					counts[k].safe++
					if v != NeedsSync {
						counts[k].elided++
					}
				}
			}
		}
	}
	for k, f := range agedForms {
		t.Logf("%d slots, staged %t: of %d communications that are safe on every sampled path and put into used slots %s elided", f.Ring, f.Staged, counts[k].safe, percent(counts[k].elided, counts[k].safe))
		if *graphs >= 500 && counts[k].elided*4 < counts[k].safe {
			t.Errorf("%d slots, staged %t: too little is proved for the campaign to say anything", f.Ring, f.Staged)
		}
	}
}

// agedMutations break one rule each.
var agedMutations = []struct {
	name string
	make func(r *agedRules)
}{
	{"values do not grow older", func(r *agedRules) {
		r.apply = func(in Generations, n *cfg.Node, s proof.Obligation, kills Kills) Generations {
			if !puts(n, s.Use) {
				return Apply(in, n, s, kills)
			}
			old := in
			if in = Apply(in, n, s, kills); in[s.Ring-1].Value != Sync {
				for a := 1; a < s.Ring; a++ {
					in[a] = old[a]
				}
			}
			return in
		}
	}},
	{"answers are for the next put", func(r *agedRules) {
		r.kills = func(k Kills) Kills { return func(y, put, _ int) bool { return k(y, put, 1) } }
	}},
	{"a value grows older and is used up", func(r *agedRules) {
		r.apply = func(in Generations, n *cfg.Node, s proof.Obligation, kills Kills) Generations {
			if puts(n, s.Use) {
				if in[0].Value != Sync && in[0].Value != U {
					in[0] = State{Value: Cons}
				}
			}
			return Apply(in, n, s, kills)
		}
	}},
	{"a communication answers its value of this time", func(r *agedRules) {
		r.apply = func(in Generations, n *cfg.Node, s proof.Obligation, kills Kills) Generations {
			if n.Kind == cfg.CommOver && n.Ref == s.Use && in[0].Value == CS && kills(n.Ref, n.Ref, 1) {
				in[0] = State{Value: NoSync}
				return in
			}
			return Apply(in, n, s, kills)
		}
	}},
	{"a temporary is used up when it arrives", func(r *agedRules) {
		r.apply = func(in Generations, n *cfg.Node, s proof.Obligation, kills Kills) Generations {
			s.Staged = true
			return Apply(in, n, s, kills)
		}
	}},
	{"a stage is free before it is copied", func(r *agedRules) {
		r.apply = func(in Generations, n *cfg.Node, s proof.Obligation, kills Kills) Generations {
			out := Apply(in, n, s, kills)
			switch {
			case puts(n, s.Use) && s.Staged && out[0].Value == CS:
				out[0] = State{Value: Cons}
			case n.Kind == cfg.CommOver && n.Ref == s.Use && s.Staged && in[0].Value > Cons:
				out[0] = in[0]
			}
			return out
		}
	}},
}

// TestAgedMutations: the campaign catches every broken rule, by executions. To
// empty all ages at a put, instead of letting them grow older, is sound, and
// loses: it is shown to prove less.
func TestAgedMutations(t *testing.T) {
	const most = 6000
	missing := map[int]bool{}
	for k := range agedMutations {
		missing[k] = true
	}
	sound := &agedRules{apply: Apply}
	cleared := &agedRules{apply: func(in Generations, n *cfg.Node, s proof.Obligation, kills Kills) Generations {
		out := Apply(in, n, s, kills)
		if puts(n, s.Use) && out[0].Value == CS {
			for a := 1; a < s.Ring; a++ {
				if out[a].Value != U && out[a].Value > Cons {
					out[a] = State{Value: Cons}
				}
			}
		}
		return out
	}}
	proved, lost := 0, 0
	for i := 0; i < most && (len(missing) > 0 || i < 300); i++ {
		p, rng := programNumber(2, i)
		b := build(p)
		kills := b.killsAfter()
		early, _, _ := b.observeAged(rng, 20)
		pipes := b.pipelined()
		for x := 1; x <= b.Comms(); x++ {
			if pipes[x] {
				continue
			}
			for k, m := range agedMutations {
				if !missing[k] {
					continue
				}
				r := &agedRules{apply: Apply}
				m.make(r)
				for f, v := range r.verdicts(b, x, kills) {
					if v != NeedsSync && early[f][x-1] {
						t.Logf("%-50s caught by program %d, %d slots", m.name, i, agedForms[f].Ring)
						delete(missing, k)
						break
					}
				}
			}
			if i >= 300 {
				continue
			}
			less := cleared.verdicts(b, x, kills)
			for f, v := range sound.verdicts(b, x, kills) {
				if agedForms[f].Ring > 1 && v == NoReady {
					proved++
					if less[f] == NeedsSync {
						lost++
					}
				}
			}
		}
	}
	for k := range missing {
		t.Errorf("%q is not caught in %d programs", agedMutations[k].name, most)
	}
	t.Logf("with all ages emptied at each put %d of %d proofs are lost", lost, proved)
	if lost == 0 {
		t.Error("to empty all ages at a put loses nothing")
	}
}

// TestAgedLaws: the meet is that of each age, and the transfer is monotone in
// every age.
func TestAgedLaws(t *testing.T) {
	states := []State{{Value: Sync}, {Value: CS}, {Value: Cons}, {Value: NoSyncP, Tags: MakeTags(2)}, {Value: NoSyncP, Tags: MakeTags(3)}, {Value: NoSyncP, Tags: MakeTags(2, 3)}, {Value: NoSync}, {Value: U}}
	checked := 0
	for count := 1; count <= 2; count++ {
		var all []Generations
		for _, a := range states {
			for _, b := range states {
				v := unseen
				if v[0] = a; count > 1 {
					v[1] = b
				} else if b.Value != U {
					continue
				}
				all = append(all, v)
			}
		}
		lower := func(v, w Generations) bool { return below(v[0], w[0]) && below(v[1], w[1]) }
		for _, v := range all {
			for _, w := range all {
				m := Meet(v, w)
				if m != Meet(w, v) || !lower(m, v) || !lower(m, w) || lower(v, w) != (m == v) {
					t.Fatalf("meet(%v, %v) = %v", v, w, m)
				}
			}
		}
		for _, n := range someNodes() {
			for set := range 16 {
				kills := func(y, put, nth int) bool { return set>>((y+nth)%4)&1 != 0 }
				for _, staged := range []bool{false, true} {
					s := proof.Ring(1, count, staged)
					for _, v := range all {
						out := Apply(v, n, s, kills)
						for _, w := range all {
							checked++
							if lower(v, w) && !lower(out, Apply(w, n, s, kills)) {
								t.Fatalf("%d slots, staged %t, at %s %q: %v becomes %v, and %v becomes %v", count, staged, n.Name(), n.Flavour, v, out, w, Apply(w, n, s, kills))
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d cases", checked)
}

// TestOneSlot: with one slot, which is not staged, the analysis is that of items.
func TestOneSlot(t *testing.T) {
	for i := range 300 {
		p, _ := programNumber(3, i)
		b := build(p)
		solver, kills, after := NewSolver(b.Graph), b.kills(), b.killsAfter()
		pipes := b.pipelined()
		for x := 1; x <= b.Comms(); x++ {
			if pipes[x] {
				continue
			}
			v, _ := solver.Verdict(proof.Shared(x, x), kills)
			if w := solver.SolveRing(proof.Ring(x, 1, false), after, false).Verdict(b.Graph); v != w {
				t.Fatalf("program %d: C_%d is %v as an item, %v with one slot\n%v", i, x, v, w, b)
			}
		}
	}
}

func ExampleSolver_SolveRing() {
	g, err := cfg.Parse(`loop L1
0 entry -> 1
1 loop in L1 -> 2 8
2 comm line 2 in L1 ref 1 shift "a(i-1)" -> 3
3 comm line 2 in L1 ref 2 shift "a(i+1)" -> 4
4 commover line 2 in L1 ref 1 -> 5
5 commover line 2 in L1 ref 2 -> 6
6 useover line 3 in L1 ref 1 -> 7
7 useover line 3 in L1 ref 2 -> 1
8 exit
`)
	if err != nil {
		panic(err)
	}
	left := func(y, put, nth int) bool { return y != put } // each answers the other
	for _, count := range []int{1, 2} {
		s := NewSolver(g).SolveRing(proof.Ring(1, count, false), left, false)
		fmt.Print(count, " slots:")
		for _, n := range g.Nodes[2:7] {
			fmt.Print(" ", n.Name(), " ", s.In[n.ID][:count])
		}
		fmt.Println(" verdict", s.Verdict(g))
	}
	// Output:
	// 1 slots: C_1 [Sync] C_2 [Sync] CO_1 [Sync] CO_2 [Sync] UO_1 [Sync] verdict Sync
	// 2 slots: C_1 [Cons NoSync] C_2 [CS Cons] CO_1 [CS NoSyncP{2}] CO_2 [CS NoSyncP{2}] UO_1 [CS NoSync] verdict NoSync
}
