package codegen_test

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// TestSmallArrays: a kernel with unrolled loops over small arrays addresses each of them once: their
// columns are one stream, and elements that do not vary one parameter, unless few of them lie
// close to each other, or the loop stores to them.
func TestSmallArrays(t *testing.T) {
	for _, c := range []struct {
		body string
		want []string
		not  string
	}{
		{"s = 0\n do k = 1, 8\n s = s + c(i,k)*x(k)\n end do\n y(i) = s", []string{"c.At2(i, 1):][:nT+56]", "[8]float64(x.Data[x.At1(1):])"}, "c.At2(i, 2)"},
		{"s = 0\n do k = 1, 8\n s = s + c(i,k)*a(k,j)\n end do\n y(i) = s", []string{"[8]float64(t1.Data[t1.At2(1, int(j)):])"}, "t1.At2(2"},
		{"s = 0\n do k = 1, 8\n s = s + c(i,k)*d(j,k)\n end do\n y(i) = s", []string{"d.At2(int(j), 8)"}, "[8]float64"},
		{"s = 0\n do k = 1, 3\n s = s + b(i,k)*x(k)\n end do\n y(i) = s", []string{"b.At2(i, 2)", "x.At1(3)"}, "float64(x"},
		{"do k = 2, 8\n c(i,k) = c(i,k-1)*x(k)\n end do", []string{"c.At2(i, 8)", "[7]float64(x.Data[x.At1(2):])"}, "nT+56"},
	} {
		code := emit(t, "p.hpf", `program p
  implicit none
  integer, parameter :: n = 8
  real(8) :: c(n,n), d(n,n), b(3000,3), a(n,100), x(n), y(n), s
  integer :: i, j, k
!HPF$ DISTRIBUTE a(*,BLOCK)
  read *, j
!HPF$ INDEPENDENT, NEW(s, k)
  do i = 1, n
    `+c.body+`
  end do
  print *, y, c
end program p
`, plan.Elide, codegen.Options{Target: "auto"})
		_, loop, _ := strings.Cut(code, "if i, end := 1, 8")
		for _, text := range c.want {
			if !strings.Contains(loop, text) {
				t.Errorf("%s\nhas no %s:\n%s", c.body, text, code)
			}
		}
		if strings.Contains(loop, c.not) {
			t.Errorf("%s\nhas %s:\n%s", c.body, c.not, code)
		}
	}
}
