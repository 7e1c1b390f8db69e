package dataflow_test

import (
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/dataflow/verify"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/internal/randprog"
	"github.com/spmdc/spmdc/procfunc"
)

// TestRandomPlanes: of random programs with planes that change places, many have
// planes for slots and many do not; the plans are proved, and executions on a few PEs
// do not contradict them.
func TestRandomPlanes(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many programs")
	}
	programs := effort.Of(150, 30)
	with := 0
	for seed := range uint64(programs) {
		source := randprog.Planes(seed).Source
		program := front.Must(t, front.SPMD, source)
		made := search.Make(program, plan.Elide, procfunc.Analyze(program, program.Graph()), search.Options{})
		if err := verify.Plan(made); err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, source)
		}
		for i := range made.Slots {
			if made.Slots[i].Planes != nil {
				with++
				break
			}
		}
	}
	t.Logf("%d of %d programs have planes for slots", with, programs)
	if with < programs/5 || with > programs*4/5 {
		t.Errorf("%d of %d programs have planes for slots", with, programs)
	}
}
