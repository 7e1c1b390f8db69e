package synch_test

import (
	"fmt"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// Two communications in a time loop answer each other.
func ExampleSolver_Solve() {
	b := cfg.NewBuilder()
	b.BeginLoop(1, "do t = 1, n")
	for r := 1; r <= 2; r++ {
		b.Node(cfg.Comm, 1+r, r, "")
		b.Node(cfg.CommOver, 1+r, r, "")
		b.Node(cfg.UseOver, 1+r, r, "")
	}
	b.EndLoop()
	g := b.Finish()
	s := synch.NewSolver(g).Solve(proof.Shared(1, 1), func(y, put, nth int) bool { return y == 2 }, false)
	for _, n := range g.Nodes {
		if n.Ref > 0 {
			fmt.Println(n.Name(), s.In[n.ID])
		}
	}
	fmt.Println(s.Verdict(g), "after", s.Sweeps, "sweeps")
	// Output:
	// C_1 NoSync
	// CO_1 CS
	// UO_1 CS
	// C_2 Cons
	// CO_2 NoSyncP{2}
	// UO_2 NoSync
	// NoSync after 3 sweeps
}
