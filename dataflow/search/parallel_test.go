package search_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/procfunc"
)

// TestWorkers: the plan of a program with many communications is the same however many
// workers prove it, and the race detector sees how they share the program.
func TestWorkers(t *testing.T) {
	var b strings.Builder
	b.WriteString(`program many
  integer, parameter :: n = 24
  real(8) :: a(n,n), b(n,n), c(n,n), d(n)
  integer :: i, j, it, k
!HPF$ DISTRIBUTE a(BLOCK,BLOCK)
!HPF$ ALIGN (i,j) WITH a(i,j) :: b, c
!HPF$ ALIGN d(i) WITH a(i,*)
  do j = 1, n
    d(j) = 4
    do i = 1, n
      a(i,j) = i
      b(i,j) = j
      c(i,j) = 3
    end do
  end do
  do it = 1, 3
`)
	for k := range 40 {
		x, y := string("abc"[k%3]), string("abc"[(k+1)%3])
		fmt.Fprintf(&b, `    do j = 2, n - 1
      do i = 2, n - 1
        %s(i,j) = %s(i-1,j) + %[2]s(i,j+1) + %[2]s(i+1,j)
      end do
    end do
`, x, y)
		if k%4 == 0 {
			fmt.Fprintf(&b, `    do k = 2, n
      do i = 1, n
        d(i) = d(i) + %s(k,i)
      end do
    end do
`, x)
		}
	}
	b.WriteString("  end do\n  print *, a(3,3), b(3,3), c(3,3), d(3)\nend program many\n")

	var want string
	for _, procs := range []int{1, 4} {
		before := runtime.GOMAXPROCS(procs)
		c := front.Must(t, front.SPMD, b.String())
		got := search.Make(c, plan.Elide, procfunc.Analyze(c, c.Graph()), search.Options{}).Explain()
		runtime.GOMAXPROCS(before)
		if len(c.Comms) < 100 {
			t.Fatalf("the program has %d communications", len(c.Comms))
		}
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("another plan on %d processors", procs)
		}
	}
}
