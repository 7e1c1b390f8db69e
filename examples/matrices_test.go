package examples_test

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/examples/internal/eigen"
	"github.com/spmdc/spmdc/internal/effort"
)

// matrices are the inputs of tred2 with their extreme eigenvalues, which other
// programs computed (EISPACK's tred2 and tqlrat; see testdata/README.md).
var matrices = []struct {
	path              string
	n                 int
	smallest, largest float64
}{
	{"tred2/nos4.mtx", 100, 5.3795283693e-4, 0.84913778378},
	{"testdata/bcsstk01.mtx", 48, 3417.26756, 3.0151790899e9},
	{"testdata/494_bus.mtx", 494, 0.01242237513, 30005.1417641},
}

// eigenTolerance is relative: the known eigenvalues have nine digits or more.
const eigenTolerance = 1e-8

// TestTred2Matrices: the tridiagonal matrix that tred2 prints has the
// eigenvalues of its input, by a computation that shares nothing with it, and
// tred2's own verdicts on residual and orthogonality are good. The digits of d
// and e themselves say nothing: a changed order of additions moves most of them.
func TestTred2Matrices(t *testing.T) {
	counts := []int{1, 2, 3, 4, 7, 16}
	if testing.Short() {
		counts = []int{1, 3}
	}
	for _, plan := range plansOfExamples() {
		t.Run(plan, func(t *testing.T) {
			t.Parallel()
			program := build(t, "tred2/tred2.hpf", plan)
			for _, m := range matrices {
				for _, pes := range counts {
					if m.n > 200 && !effort.All() && (pes != 2 || plan != plans[0]) {
						continue // long
					}
					t.Run(fmt.Sprintf("%s/%d", filepath.Base(m.path), pes), func(t *testing.T) {
						out := run(t, m.path, program, "-n", fmt.Sprint(pes))
						d, e, err := eigen.ReadTred2(strings.NewReader(out))
						if err != nil {
							t.Fatal(err)
						}
						if len(d) != m.n {
							t.Fatalf("order %d, want %d", len(d), m.n)
						}
						smallest, largest, err := eigen.Extremes(d, e)
						if err != nil {
							t.Fatal(err)
						}
						near(t, "smallest", smallest, m.smallest)
						near(t, "largest", largest, m.largest)
						for _, verdict := range []string{"residual within bounds T", "orthogonality within bounds T"} {
							if !strings.Contains(out, verdict) {
								t.Errorf("no %q at the end of the output: %q", verdict, out[max(0, len(out)-80):])
							}
						}
					})
				}
			}
		})
	}
}

func near(t *testing.T, which string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > eigenTolerance*math.Abs(want) {
		t.Errorf("%s eigenvalue %.12g, want %.12g", which, got, want)
	}
}
