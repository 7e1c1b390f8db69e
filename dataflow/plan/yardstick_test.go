package plan_test

import (
	"testing"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/cfg/comm/choose"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/internal/randprog"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc"
)

// transformed reads a program up to its SPMD form as the compiler does.
func transformed(t testing.TB, text string) *comm.Program {
	t.Helper()
	p := front.Must(t, front.Program, text)
	r := choose.Choose(p, scalar.Analyze(p), choose.Options{})
	return comm.Analyze(r.IR, r.Info)
}

// TestYardstick: of the references of random programs that are safe on every
// sampled path, plan elide elides 97 of 100 by proofs where the number of PEs is known, 85 of
// 100 for any number; and none that is not safe. For many programs see
// spmdc verify --random=N --yardstick=RUNS.
func TestYardstick(t *testing.T) {
	programs, pes := 24, []int{2, 3, 5, 8}
	if testing.Short() {
		programs, pes = 6, []int{4}
	}
	var known, symbolic plan.Yardstick
	for seed := uint64(1); seed <= uint64(programs); seed++ {
		var p randprog.Program
		switch seed % 3 {
		case 0:
			p = randprog.Sample(seed)
		case 1:
			p = randprog.Rounds(seed)
		case 2:
			p = randprog.Loops(seed)
		}
		c := transformed(t, p.Source)
		k, s, err := plan.Measure(c, procfunc.Analyze(c, c.Graph()), plan.Options{}, pes, 4, seed)
		if err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, p.Source)
		}
		known.Add(k)
		symbolic.Add(s)
	}
	t.Logf("number of PEs known: %s; into used slots %s", known.All(), known.Again())
	t.Logf("any number of PEs:   %s; into used slots %s", symbolic.All(), symbolic.Again())
	if known.SafeAgain < 20 || symbolic.SafeAgain < 8 {
		t.Errorf("too few references that put into used slots for the shares to mean anything")
	}
	if 100*known.Proved < 97*known.Safe || 100*symbolic.Proved < 85*symbolic.Safe {
		t.Errorf("less than 97 %% with the number of PEs known, or than 85 %% without")
	}
}
