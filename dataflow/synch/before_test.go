package synch

import (
	"testing"

	"github.com/spmdc/spmdc/dataflow/proof"
)

// TestBefore: a solution for what leads to the puts, in the memory of the one before it,
// has there what the whole solution has, and U elsewhere.
func TestBefore(t *testing.T) {
	inside, outside := 0, 0
	for i := range 200 {
		p, _ := programNumber(5, i)
		b := build(p)
		solver, kills, after := NewSolver(b.Graph), b.kills(), b.killsAfter()
		for put := 1; put <= b.Comms(); put++ {
			leads := solver.leadTo(put)
			for _, use := range b.Aliases(put) {
				it := proof.Shared(use, put)
				all, some := solver.Solve(it, kills, false), solver.Before(it, kills).(*Solution)
				for id := range all.In {
					want := [2]State{all.In[id], all.Out[id]}
					if !leads[id] {
						want = [2]State{{Value: U}, {Value: U}}
						outside++
					} else if want[0].Value != U {
						inside++
					}
					if got := [2]State{some.In[id], some.Out[id]}; got != want {
						t.Fatalf("program %d, %v, node %d: %v, want %v\n%v", i, it, id, got, want, b)
					}
				}
			}
			slots := proof.Ring(put, 2, false)
			all, some := solver.SolveRing(slots, after, false), solver.Before(slots, after).(*RingSolution)
			for id := range all.In {
				want := unseen
				if leads[id] {
					want = all.In[id]
				}
				if some.In[id] != want {
					t.Fatalf("program %d, %+v, node %d: %v, want %v\n%v", i, slots, id, some.In[id], want, b)
				}
			}
		}
	}
	if inside == 0 || outside == 0 {
		t.Errorf("%d values compared, %d left out", inside, outside)
	}
}
