package search_test

import (
	"testing"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/cfg/comm/choose"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/internal/randprog"
	"github.com/spmdc/spmdc/ir/scalar"
)

// transformed reads a program up to its SPMD form as the compiler does.
func transformed(t testing.TB, text string) *comm.Program {
	t.Helper()
	p := front.Must(t, front.Program, text)
	r := choose.Choose(p, scalar.Analyze(p), choose.Options{})
	return comm.Analyze(r.IR, r.Info)
}

// TestPrecision: of the references of random programs that are safe on every
// sampled path, plan elide elides 966 of 1000 by proofs where the number of PEs is known, 85 of
// 100 for any number; and none that is not safe. For many programs see
// spmdc verify --random=N --yardstick=RUNS.
func TestPrecision(t *testing.T) {
	const programs = 24
	pes := []int{2, 3, 5, 8}
	if testing.Short() {
		pes = []int{4}
	}
	var known, symbolic search.Precision
	for seed := uint64(31337000); seed < uint64(31337000+programs); seed++ {
		var p randprog.Program
		switch { // as spmdc verify --random
		case seed%2 == 0:
			p = randprog.Sample(seed / 2)
		case seed%4 == 1:
			p = randprog.Rounds(seed)
		case seed%12 == 3:
			p = randprog.Planes(seed)
		default:
			p = randprog.Loops(seed)
		}
		c := transformed(t, p.Source)
		k, s, err := search.Measure(c, search.Options{}, pes, 4, seed)
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
	if 1000*known.Proved < 966*known.Safe || 100*symbolic.Proved < 85*symbolic.Safe {
		t.Errorf("less than 96.6 %% with the number of PEs known, or than 85 %% without")
	}
}
