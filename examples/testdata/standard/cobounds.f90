! Allocatable components of coarrays whose codimensions are not [*].
module cells
  implicit none
  type cell
    integer, allocatable :: v(:)
  end type
  type pair
    type(cell) :: a
    integer :: k = 0
  end type
  type(cell), save :: m[2, 0:*]
contains
  integer function at(c, i, j)
    type(cell), intent(in) :: c[0:1, 5:*]
    integer, intent(in) :: i, j
    at = c[i, j]%v(1)
  end function
  integer function third(c, i)
    type(cell), intent(in) :: c[*]
    integer, intent(in) :: i
    third = c[i]%v(2) + size(c[i]%v)
  end function
end module
program cobounds
  use cells, only: cell, pair, at, third, m, other => m
  implicit none
  type(cell), save :: x[0:*]
  type(pair), save :: y[0:1, 0:*]
  type(cell), allocatable :: z[:, :]
  integer :: me, i, np
  me = this_image(); np = num_images()
  allocate (x%v(me + 1), y%a%v(2*me), m%v(me + 2))
  allocate (z[2, 0:*])
  allocate (z%v(3*me))
  x%v = me; y%a%v = 10*me; z%v = 100*me; m%v = 1000*me
  sync all
  if (me == 1) then
    do i = 1, np
      print *, i, x[i - 1]%v(1), size(x[i - 1]%v), sum(x[i - 1]%v(:))
      print *, i, y[mod(i - 1, 2), (i - 1)/2]%a%v(2), size(y[mod(i - 1, 2), (i - 1)/2]%a%v)
      print *, i, z[mod(i - 1, 2) + 1, (i - 1)/2]%v(3), m[mod(i - 1, 2) + 1, (i - 1)/2]%v(3)
      print *, i, at(x, mod(i - 1, 2), 5 + (i - 1)/2), third(x, i), at(y%a, mod(i - 1, 2), 5 + (i - 1)/2), third(z, i)
      print *, i, allocated(other[mod(i - 1, 2) + 1, (i - 1)/2]%v)
    end do
  end if
  sync all
  x[mod(me, np)]%v(1) = -me
  z[1 + mod(np - me, 2), (np - me)/2]%v(1:2) = [me, -me]
  sync all
  print *, me, x%v(1), z%v(1:2), this_image(x), this_image(y), lcobound(z), ucobound(m, 1)
  deallocate (z)
end program
