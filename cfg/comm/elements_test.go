package comm_test

import "testing"

// TestElementalValues: values of elemental operators lie where their operands do, also of a type whose
// components are arrays, so that nothing is sent.
func TestElementalValues(t *testing.T) {
	p := analyze(t, `
module algebra
  type matrix
    real :: c(3,3)
  end type
  interface operator(*)
    module procedure times
  end interface
contains
  elemental function times(a, b) result(c)
    type(matrix), intent(in) :: a, b
    type(matrix) :: c
    c%c = matmul(a%c, b%c)
  end function
  elemental real function trace(a)
    type(matrix), intent(in) :: a
    trace = a%c(1,1) + a%c(2,2) + a%c(3,3)
  end function
end module
program elements
  use algebra
  integer, parameter :: n = 8
  type(matrix) :: u(n), v(n)
!HPF$ DISTRIBUTE u(BLOCK)
!HPF$ ALIGN v(:) WITH u(:)
  do i = 1, n
    u(i)%c = i
    v(i)%c = 0.5
  end do
  v = u*v*(u*u)
  print *, sum(trace(v))
end program
`)
	if len(p.Comms) != 0 || len(p.Reduces) != 1 {
		t.Errorf("%d communications and %d reductions, want the one of the sum", len(p.Comms), len(p.Reduces))
	}
}
