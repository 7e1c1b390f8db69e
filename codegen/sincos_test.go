package codegen_test

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// TestSinesWithCosines: a statement computes sine and cosine of one argument at once, if it surely
// evaluates both.
func TestSinesWithCosines(t *testing.T) {
	for _, c := range []struct {
		statement string
		want      int
	}{
		{"z = cmplx(cos(s/r), -sin(s/r), 8)", 1},
		{"x(k) = sin(x(m))*cos(x(m)) + sin(r)/cos(r)", 2},
		{"x(k) = sin(x(m))*cos(x(k))", 0},
		{"x(k) = sin(s)*sin(s)", 0},
		{"x(k) = sin(sin(s) + cos(s)) + cos(sin(s) + cos(s))", 1},
		{"f = sin(s) > 0 .and. cos(s) > 0", 0},
		{"z = sin(z)*cos(z)", 0},
		{"x(k) = merge(sin(s), cos(s), r > 0)", 0},
		{"do m = 1, k\n a = r*m\n c = cos(a)\n s = sin(a)\n z = z*cmplx(c, s, 8)\n end do", 1},
		{"do m = 1, k\n s = cos(s)\n r = sin(s)\n z = z + r\n end do", 0},
		{"do m = 1, k\n a = cos(x(m))\n c = 2*sin(x(m)) + a\n z = z + a*c\n end do", 0},
		{"do m = 1, k\n x(m) = cos(s)\n r = sin(s)\n z = z + r*cos(z)\n end do", 0},
	} {
		code := emit(t, "p.hpf", `program p
  implicit none
  complex(8) :: z
  real(8) :: x(20), a, c, r, s
  logical :: f
  integer :: k, m
  read *, r, s, k, m, z, x
  f = .false.
  `+c.statement+`
  print *, z, x, f
end program p
`, plan.Elide, codegen.Options{})
		if _, err := check(t, code); err != nil {
			t.Errorf("%s\n%v\n%s", c.statement, err, code)
		}
		if got := strings.Count(code, "elementary.SinCos("); got != c.want {
			t.Errorf("%s\ncomputes %d at once, want %d:\n%s", c.statement, got, c.want, code)
		}
	}
}
