package driver

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg/comm/choose"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/ir/transform"
)

// steppedProgram is a program of n loops that all PEs would step through
// together: one after another, or all inside one loop.
func steppedProgram(n int, inside bool) string {
	before, after := "  it = 1\n", ""
	if inside {
		before, after = "  do it = 1, 9\n", "  end do\n"
	}
	return `program stepped
  integer :: z(9,9), d(9), i, it
!HPF$ DISTRIBUTE z(BLOCK,*)
!HPF$ ALIGN d(i) WITH z(i,*)
` + before + strings.Repeat(`    do i = 1, 9
      d(i) = z(9,i)
      z(9,i) = it
    end do
`, n) + after + `  print *, d(1)
end program stepped
`
}

// TestLongTransformed: work grows with the program, not with its square, where all
// loops are transformed too.
func TestLongTransformed(t *testing.T) {
	for _, inside := range []bool{false, true} {
		bytes := func(loops int) float64 {
			c := New("stepped.hpf", []byte(steppedProgram(loops, inside)), Options{Without: []transform.Kind{transform.Gather}})
			n := allocated(func() {
				if err := Passes().Run(c, RunOptions{StopAfter: "cfg"}); err != nil {
					t.Fatal(err, c.Diags.Err())
				}
			})
			chosen := 0
			for _, d := range c.Transform.Decisions {
				if d.Verdict == choose.Chosen {
					chosen++
				}
			}
			if chosen != loops {
				t.Fatalf("inside one loop: %v: %d loops are distributed, want %d", inside, chosen, loops)
			}
			return float64(n)
		}
		loops := effort.Of(125, 60)
		small, large := bytes(loops), bytes(4*loops)
		t.Logf("inside one loop: %v: %.0f MB for %d loops, %.0f MB for %d", inside, small/1e6, loops, large/1e6, 4*loops)
		if large > 8*small {
			t.Errorf("inside one loop: %v: four times the loops allocate %.1f times as much", inside, large/small)
		}
	}
}

// TestWithoutTransformations: the passes behind see the program of the source.
func TestWithoutTransformations(t *testing.T) {
	for _, without := range [][]transform.Kind{nil, transform.Kinds} {
		c := New("stepped.hpf", []byte(steppedProgram(1, false)), Options{Without: without})
		if err := Passes().Run(c, RunOptions{Verify: true}); err != nil {
			t.Fatal(err, c.Diags.Err())
		}
		loops := 0
		for _, n := range c.Comm.Notes {
			if n != "" {
				loops++
			}
		}
		if want := len(without) / len(transform.Kinds); loops != want {
			t.Errorf("without %v: %d loops are stepped through, want %d", without, loops, want)
		}
	}
}
