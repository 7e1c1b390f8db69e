package synch

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/internal/abstract"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/solve"
	_ "github.com/spmdc/spmdc/internal/gcless"
)

var (
	graphs = flag.Int("graphs", 1000, "random programs in TestRandomGraphs")
	seed   = flag.Uint64("seed", 1, "of the random programs; 0 for a fresh one")
)

// TestRandomGraphs replays sampled executions of random abstract programs with
// vector clocks. No put that the sound form elides may come too early; of those
// that the printed form elides some do. For many programs, other ones each time:
//
//	go test ./dataflow/synch -run TestRandomGraphs -v -graphs=10000 -seed=0
func TestRandomGraphs(t *testing.T) {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", *seed)
	var soundly, product, theorem tally
	sweeps := map[int]int{}
	for i := range *graphs {
		p, rng := programNumber(*seed, i)
		b := build(p)
		if err := b.Graph.Check(); err != nil {
			t.Fatalf("seed %d program %d: %v", *seed, i, err)
		}
		o := b.observe(rng, 20, pathLimit)
		v := sound(b)
		for strict, early := range map[bool][][]bool{false: o.early, true: o.strict} {
			if items := b.contradicted(v, early); items != nil {
				t.Fatalf("seed %d program %d: %v: free by the sound form, but puts came too early\n%v\nsmaller:\n%s", *seed, i, items, b, report(p, sound, strict))
			}
		}
		checkSolutions(t, b, rng, v, sweeps)
		soundly.add(v, o)
		product.add(literal(byProduct)(b), o)
		theorem.add(literal(byTheorem)(b), o)
	}
	t.Logf("sound:   %v", &soundly)
	t.Logf("printed, Condition 3 as the product of matrices: %v", &product)
	t.Logf("printed, Condition 3 as in Theorem 2:            %v", &theorem)
	t.Logf("items by the sweeps they took: %v", sweeps)
	if *graphs < 500 {
		return // too few for the shares to mean anything
	}
	if product.contradicted == 0 || theorem.contradicted == 0 {
		t.Errorf("the printed form was never contradicted: the campaign sees nothing")
	}
	if soundly.noSync*10 < soundly.references {
		t.Errorf("the sound form proves %d of %d references: the campaign tests too little", soundly.noSync, soundly.references)
	}
}

// checkSolutions: whatever the order of the sweeps, all items have the same
// fixpoint, which is one, is the one that the verdict was read from, and is
// reached within the bound.
func checkSolutions(t *testing.T, b *built, rng *rand.Rand, want verdicts, sweeps map[int]int) {
	t.Helper()
	kills := b.kills()
	forward := solve.New(b.Graph)
	shuffled, err := solve.NewOrdered(b.Graph, shuffle(b.Graph, rng))
	if err != nil {
		t.Fatal(err)
	}
	for x := range b.Comms() {
		for k, m := range b.Aliases(x + 1) {
			it := proof.Shared(m, x+1)
			s := newSolver(forward).Solve(it, kills, false)
			sweeps[s.Sweeps]++
			if v := s.Verdict(b.Graph); v != want[x][k] {
				t.Fatalf("%v: %v by the solution, %v without it\n%v", it, v, want[x][k], b)
			}
			// U, NoSync, NoSyncP with up to all but use and put, Cons, CS, Sync.
			height := 5 + b.Comms()
			if bound := forward.Bound(height); s.Sweeps > bound {
				t.Fatalf("%d sweeps, more than the bound %d\n%v", s.Sweeps, bound, b)
			}
			other := newSolver(shuffled).Solve(it, kills, false)
			inner := solve.InnerFirst(forward, single.problem(it, kills), 100, false)
			if !inner.Converged {
				t.Fatalf("%v: inner loops first does not converge\n%v", it, b)
			}
			for _, n := range b.Graph.Nodes {
				id := n.ID
				if s.In[id] != other.In[id] || s.Out[id] != other.Out[id] || s.In[id] != inner.In[id] || s.Out[id] != inner.Out[id] {
					t.Fatalf("%v: at %s %v and %v, in another order %v and %v, inner loops first %v and %v\n%v", it, n.Name(), s.In[id], s.Out[id], other.In[id], other.Out[id], inner.In[id], inner.Out[id], b)
				}
			}
			checkFixpoint(t, b, s, kills)
		}
	}
}

// checkFixpoint puts a solution into the equations.
func checkFixpoint(t *testing.T, b *built, s *Solution, kills Kills) {
	t.Helper()
	reached := map[*cfg.Node]bool{}
	for _, n := range b.Graph.RPO() {
		reached[n] = true
	}
	for _, n := range b.Graph.Nodes {
		in := State{Value: U}
		for _, p := range n.Preds {
			if reached[p] {
				in = SynchMeet(in, s.Out[p.ID])
			}
		}
		if in != s.In[n.ID] || s.Out[n.ID] != SynchApply(in, n, s.Obligation, kills) {
			t.Fatalf("%v: no fixpoint at %s\n%v", s.Obligation, n.Name(), b)
		}
		for _, v := range []State{s.In[n.ID], s.Out[n.ID]} {
			if (v.Value == NoSyncP) == v.Tags.Empty() {
				t.Fatalf("%v: %v at %s\n%v", s.Obligation, v, n.Name(), b)
			}
		}
	}
}

// shuffle is a random order of the nodes that the entry reaches.
func shuffle(g *cfg.Graph, rng *rand.Rand) []*cfg.Node {
	order := g.RPO()
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// TestKillsByDefinition compares the test of kills of the campaign with its
// definition, pair by pair, and the pairs with the rule by which they are found
// symbolically: two instances that follow each other are in the same iterations
// of the loops around both, or differ first in a loop that has gone on.
func TestKillsByDefinition(t *testing.T) {
	pairs, killing := 0, 0
	for i := range 300 {
		p, _ := programNumber(11, i)
		b := build(p)
		kills := b.kills()
		for y := 1; y <= b.Comms(); y++ {
			for put := 1; put <= b.Comms(); put++ {
				want := true
				b.following(y, put, func(v, w abstract.Iteration) {
					pairs++
					_, must := b.Messages(y, v)
					may, _ := b.Messages(put, w)
					may.Each(func(p, q int) { want = want && must.Has(q, p) })
					b.checkOrder(t, y, put, v, w)
				})
				if want {
					killing++
				}
				if got := kills(y, put, 1); got != want {
					t.Fatalf("program %d: kills(%d, %d) is %v by all ways at once, %v by pairs\n%v", i, y, put, got, want, b)
				}
			}
		}
	}
	if pairs == 0 || killing == 0 {
		t.Fatalf("%d pairs of instances, %d kills: nothing was tested", pairs, killing)
	}
}

// checkOrder is the rule for one pair.
func (b *built) checkOrder(t *testing.T, y, put int, v, w abstract.Iteration) {
	t.Helper()
	cy, cp := b.putter(y), b.putter(put)
	for i, l := range b.Graph.Loops {
		if !l.Contains(cy.Loop) || !l.Contains(cp.Loop) {
			continue
		}
		if w[i] > v[i] || w[i] == abstract.MaxTrips {
			return // … and the loops inside are free
		}
		if w[i] < v[i] {
			t.Fatalf("%v of communication %d is followed by %v of %d\n%v", v, y, w, put, b)
		}
	}
}
