package codegen_test

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// TestPhases: loops over columns are functions in a long program, and not in a short one. They
// get what they mention, the index of a loop around as an int, and return what they change.
func TestPhases(t *testing.T) {
	program := func(nests int) string {
		var b strings.Builder
		b.WriteString(`program p
  implicit none
  integer, parameter :: n = 60
  double precision :: a(n,n), d(n), f, g
  integer :: i, j, k, l
!HPF$ DISTRIBUTE a(CYCLIC,*)
!HPF$ ALIGN d(i) WITH a(i,*)
  a = 1.0d0
  d = 2.0d0
  g = 1.0d0
  do i = 2, n
    l = i - 1
`)
		for range nests {
			b.WriteString(`    do j = 1, l
      f = g + d(j) + i
      do k = j, l
        a(k,j) = a(k,j) - f*d(k)
      end do
    end do
    d(i) = f
`)
		}
		b.WriteString("  end do\n  print *, f, a(3,3)\nend program p\n")
		return b.String()
	}
	const head = "f = func(f float64, g float64, i int, l int32) float64 {"
	for _, c := range []struct{ nests, want int }{{1, 0}, {8, 8}} {
		code := emit(t, "p.hpf", program(c.nests), plan.Elide, codegen.Options{Target: kernel.Auto})
		for _, text := range []string{head, "return f\n", "}(f, g, i, l)"} {
			if got := strings.Count(code, text); got != c.want {
				t.Errorf("%d nests have %q %d times, want %d:\n%s", c.nests, text, got, c.want, code)
			}
		}
	}
}
