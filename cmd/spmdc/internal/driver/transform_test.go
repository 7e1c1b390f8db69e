package driver

import (
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/cfg/comm/choose"
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

// TestLongTransformed: 2,000 lines that are all transformed take less than a
// second too.
func TestLongTransformed(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	for _, inside := range []bool{false, true} {
		text := []byte(steppedProgram(498, inside))
		least := time.Hour
		for range 5 {
			c := New("stepped.hpf", text, Options{})
			start := time.Now()
			if err := Passes().Run(c, RunOptions{StopAfter: "cfg"}); err != nil {
				t.Fatal(err, c.Diags.Err())
			}
			least = min(least, time.Since(start))
			chosen := 0
			for _, d := range c.Transform.Decisions {
				if d.Verdict == choose.Chosen {
					chosen++
				}
			}
			if chosen != 498 {
				t.Fatalf("inside one loop: %v: %d loops are distributed, want 498", inside, chosen)
			}
			if least < time.Second/2 {
				break
			}
		}
		if least > time.Second {
			t.Errorf("inside one loop: %v: 2,000 lines take %v, want less than a second", inside, least)
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
