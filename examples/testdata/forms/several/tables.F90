module tables
  use sizes, only: most
  integer :: a(most)
!HPF$ DISTRIBUTE a(BLOCK)
contains
  subroutine fill(n)
    integer, intent(in) :: n
    integer i
#ifdef CUBES
    integer, parameter :: power = 3
#else
    integer, parameter :: power = 2
#endif
    do i = 1, n
      a(i) = i**power
    end do
  end subroutine
end module
