package codegen_test

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// TestShortLoops: loops of a few iterations are unrolled, those of more, or with more
// statements, or of a number that is not known, are not.
func TestShortLoops(t *testing.T) {
	for _, c := range []struct {
		loop string
		want int // copies of the body
	}{
		{"do k = 1, 4\n x(k) = x(k)*y(k)\n end do", 4},
		{"do k = 7, 3, -1\n x(k) = x(k+1)*y(k)\n end do", 5},
		{"do k = 2, 4\n a(i,k) = a(i,k-1) + x(k)\n end do", 3},
		{"do k = 1, 2\n if (x(k) > 0) a(i,k) = a(i,k+1)\n end do", 2},
		{"do k = 1, 8\n x(k) = x(k)*y(k)\n end do", 0},
		{"do k = 1, m\n x(k) = x(k)*y(k)\n end do", 0},
		{"do k = 1, 7, 2\n x(k) = x(k)*y(k)\n end do", 0},
		{"do k = 1, 7\n x(k) = 1\n y(k) = 2\n a(i,k) = 3\n a(i+1,k) = 4\n a(i+2,k) = 5\n end do", 0},
	} {
		code := emit(t, "p.hpf", `program p
  implicit none
  integer, parameter :: n = 20
  double precision :: a(n,n), x(n), y(n)
  integer :: i, k, m
  read *, i, m
`+c.loop+`
  print *, a(1,1), x(1), y(1)
end program p
`, plan.Elide, codegen.Options{})
		if _, err := check(t, code); err != nil {
			t.Errorf("%s\n%v\n%s", c.loop, err, code)
		}
		if got := strings.Count(code, "const t = "); got != c.want {
			t.Errorf("%s\nis unrolled %d times, want %d:\n%s", c.loop, got, c.want, code)
		}
	}
}

// TestShortReduction: a loop over distant elements is a kernel in which short reductions are unrolled, as in the lattice
// Boltzmann method, where each point has nine values.
func TestShortReduction(t *testing.T) {
	code := emit(t, "p.hpf", `program p
  implicit none
  integer, parameter :: n = 200
  double precision :: f(0:8,n), g(0:8,n), w(0:8), rho
  integer :: i, k
  f = 1
  w = 2
  do i = 1, n
    rho = 0
    do k = 0, 8
      rho = rho + f(k,i)
    end do
    do k = 0, 8
      g(k,i) = f(k,i) - 1.5d0*(f(k,i) - w(k)*rho*(1 + 3*rho + 4.5d0*rho**2))
    end do
  end do
  print *, g(3,7)
end program p
`, plan.Elide, codegen.Options{})
	if strings.Contains(code, "spmd.FoldSum") {
		t.Errorf("a reduction of nine values is a kernel:\n%s", code)
	}
}

// TestShortGather: a loop around a short one that gathers is the kernel, and not the short one; what subscripts that do
// not vary add to a picked index is computed once.
func TestShortGather(t *testing.T) {
	code := emit(t, "p.hpf", `program p
  implicit none
  integer, parameter :: n = 200
  double precision :: f(9,n,n), g(9,n,n), h(n,n+1)
  integer :: cx(9), cy(9), i, j, k, ip, jp
  read *, cx, cy
  g = 1
  h = 2
  do j = 1, n
    do i = 1, n
      do k = 1, 9
        ip = mod(i - cx(k) - 1 + n, n) + 1
        jp = mod(j - cy(k) - 1 + n, n) + 1
        f(k,i,j) = g(k,ip,jp)*h(ip,j+1)
      end do
    end do
  end do
  print *, f(2,17,33)
end program p
`, plan.Elide, codegen.Options{Target: "auto"})
	if !strings.Contains(code, "kernelL10(") || strings.Contains(code, "kernelL11(") || !strings.Contains(code, "(j + 1) * h.Stride(1, 1)") {
		t.Errorf("the loop over nine values is a kernel, or each element computes its column:\n%s", code)
	}
}

// TestWhileInLeaf: what a DO WHILE uses is addressed in front of the loop around it, or in front
// of itself where it is no part of one.
func TestWhileInLeaf(t *testing.T) {
	const sift = "do while (k > 1)\n if (x(k-1) <= y(i)) exit\n x(k) = x(k-1)\n k = k - 1\n if (k == m) cycle\n a(k,i) = x(k)\n end do\n"
	for _, loops := range []string{
		"do i = 2, n\n k = i\n " + sift + " x(k) = y(i)\n end do",
		"do i = 2, n\n k = i\n do j = 1, m\n x(j) = 0.5*y(j)\n end do\n " + sift + " end do",
		"k = n\n" + sift,
		"k = n\n do while (k > 1)\n" + strings.ReplaceAll(sift, "k > 1", "k > i") + " k = k - 1\n end do\n",
	} {
		code := emit(t, "p.hpf", `program p
  implicit none
  integer, parameter :: n = 20
  double precision :: a(n,n), x(n), y(n)
  integer :: i, j, k, m
  read *, i, m, x, y, a
`+loops+`
  print *, a(1,1), x(1), y(1)
end program p
`, plan.Elide, codegen.Options{})
		if _, err := check(t, code); err != nil {
			t.Errorf("%s\n%v\n%s", loops, err, code)
		}
		for _, element := range []string{"x.Data[x.At1(int(k", "a.Data[a.At2(int(k)"} {
			if strings.Contains(code, element) {
				t.Errorf("%s\nhas %s in it:\n%s", loops, element, code)
			}
		}
	}
}
