package codegen_test

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// TestFewIterations: where the number of iterations changes as the program runs, the first ones are in Go, and
// elements whose distance is a variable are none that an index picks.
func TestFewIterations(t *testing.T) {
	for _, c := range []struct {
		loop         string
		few, stepped bool
	}{
		{loop: "do i = 0, half-1\n v = x(i+half)*w(i*far)\n x(i+half) = x(i) - v\n x(i) = x(i) + v\n end do", few: true, stepped: true},
		{loop: "do i = 0, m-1\n v = x(i+m)*w(i*far)\n x(i+m) = x(i) - v\n x(i) = x(i) + v\n end do", few: false, stepped: true},
		{loop: "do i = 0, half-1\n v = w(i)*w(1+(i-half)*far)\n x(i) = v\n end do", few: true, stepped: true},
		{loop: "do i = half, 1, -1\n x(i) = x(i) + w(3*(2*i+1)*far)*w(i+far)\n end do", few: true, stepped: true},
		{loop: "do i = 0, half-1\n if (real(x(i)) > 0) x(i) = w(i*far)\n end do", few: true, stepped: false},
		{loop: "do i = 0, half-1\n x(i) = x(i)*x(512+i*far)\n end do", few: false, stepped: false},
	} {
		code := emit(t, "p.hpf", `program p
  implicit none
  complex(8) :: x(0:1023), w(0:1023), v
  integer :: i, half, far, m
  read *, m, x, w
  half = 1
  do while (half < 64)
    far = 64/half
    `+c.loop+`
    half = 2*half
  end do
  print *, x
end program p
`, plan.Elide, codegen.Options{Target: "auto"})
		if got := strings.Contains(code, "if nT <= "); got != c.few {
			t.Errorf("%s\nhas few iterations in Go: %t, want %t:\n%s", c.loop, got, c.few, code)
		}
		if got := strings.Contains(code, ".Stride(0, "); got != c.stepped {
			t.Errorf("%s\nhas elements at a distance that is passed: %t, want %t:\n%s", c.loop, got, c.stepped, code)
		}
	}
}
