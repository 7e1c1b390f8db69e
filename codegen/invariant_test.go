package codegen_test

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// TestInvariants: a loop in Go computes quotients, powers and functions of scalars that it
// does not change before its iterations, and nothing that changes, is cheap, can fail, or that
// an iteration may leave out.
func TestInvariants(t *testing.T) {
	for _, c := range []struct {
		body string
		want int // values in front of the loop
	}{
		{"z(i) = z(i)/sqrt(s)", 1},
		{"z(i) = z(i)*exp(cmplx(0.0d0, s/m, 8))", 1},
		{"z(i) = z(i)*(s/3.0d0) + x(i)*(r**m - 1.0d0)", 2},
		{"z(i) = z(i)*(r*s + 1.0d0)", 0},
		{"z(i) = z(i)*x(k/m)", 0},
		{"z(i) = z(i)*sqrt(1.0d0*i)", 0},
		{"z(i) = z(i)*sqrt(x(3))", 0},
		{"z(i) = z(i)/(2.0d0/3.0d0)", 0},
		{"s = s/r + 1.0d0\n z(i) = z(i)/sqrt(s)", 0},
		{"if (x(i) > r/s) z(i) = z(i)*exp(r)", 1},
	} {
		code := emit(t, "p.hpf", `program p
  implicit none
  integer, parameter :: n = 20
  complex(8) :: z(n)
  double precision :: x(n), r, s
  integer :: i, k, m
  read *, r, s, k, m, z, x
  do i = 1, n
`+c.body+`
  end do
  print *, z
end program p
`, plan.Elide, codegen.Options{})
		if _, err := check(t, code); err != nil {
			t.Errorf("%s\n%v\n%s", c.body, err, code)
		}
		got := 0
		for l := range strings.Lines(code) {
			if s := strings.TrimSpace(l); strings.HasPrefix(s, "same") && strings.Contains(s, " := ") {
				got++
			}
		}
		if got != c.want {
			t.Errorf("%s\nhas %d values in front of the loop, want %d:\n%s", c.body, got, c.want, code)
		}
	}
}
