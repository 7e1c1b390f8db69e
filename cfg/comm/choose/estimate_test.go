package choose

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/ir/scalar"
)

// TestEstimateIsTheCost: the rows are what the search weighs: the total is the same, and
// a loop costs what those inside of it cost at least.
func TestEstimateIsTheCost(t *testing.T) {
	paths, _ := filepath.Glob("../../../examples/*/*.hpf")
	if len(paths) < 10 {
		t.Fatalf("only %d examples", len(paths))
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p := front.Must(t, front.Program, string(text))
		tree := comm.Analyze(p, scalar.Analyze(p))
		total, _ := cost(tree)
		e := NewEstimate(tree, 0)
		if got, want := e.Total.Total()+textCost*float64(size(tree.IR.Body)), total; math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s: the rows make %v, the search says %v", path, got, want)
		}
		top := 0.0
		for i, r := range e.Rows {
			if r.Depth == 0 {
				top += r.Cost.Total()
			}
			inner := 0.0
			for _, x := range e.Rows[i+1:] {
				if x.Depth <= r.Depth {
					break
				}
				if x.Depth == r.Depth+1 {
					inner += x.Cost.Total()
				}
			}
			if inner > r.Cost.Total()*(1+1e-9) {
				t.Errorf("%s: line %d, %s costs %v, the loops inside %v", path, r.Line, r.Text, r.Cost.Total(), inner)
			}
		}
		if top > e.Total.Total()*(1+1e-9) {
			t.Errorf("%s: the loops cost %v, the program %v", path, top, e.Total.Total())
		}
	}
}
