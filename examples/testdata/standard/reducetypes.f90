! CO_REDUCE of derived types: moments of samples, and where the largest ones are.
module statistics
implicit none
type :: place
   integer :: image = 0, sample = 0
end type place
type :: moments
   integer :: n = 0
   real(8) :: mean = 0, m2 = 0
   real(8) :: range(2) = [1d30, -1d30]
   type(place) :: most
end type moments
contains
pure function combine(a, b) result(c)
   type(moments), intent(in) :: a, b
   type(moments) :: c
   real(8) :: d
   c%n = a%n + b%n
   if (c%n == 0) return
   d = b%mean - a%mean
   c%mean = a%mean + d*b%n/c%n
   c%m2 = a%m2 + b%m2 + d*d*a%n*b%n/c%n
   c%range = [min(a%range(1), b%range(1)), max(a%range(2), b%range(2))]
   c%most = merge(a%most, b%most, a%range(2) >= b%range(2))
end function combine
subroutine sample(me, all, some)
   integer, intent(in) :: me
   type(moments), intent(out) :: all, some(2)
   integer :: i, k
   real(8) :: x
   do i = 1, 4
      x = mod(7*me + 3*i, 11)
      all = combine(all, moments(1, x, 0d0, [x, x], place(me, i)))
      k = 1 + mod(i, 2)
      some(k) = combine(some(k), moments(1, x, 0d0, [x, x], place(me, i)))
   end do
end subroutine sample
end module statistics
program main
use iso_fortran_env
use statistics
implicit none
type(moments) :: all, some(2), grid(2, 0:1)
type(team_type) :: half
integer :: me, status
me = this_image()
call sample(me, all, some)
grid(1, :) = some
grid(2, :) = all
call co_reduce(all, combine)
print '(a, i2, i4, 4f8.3, 2i3)', 'all', me, all
status = 1
call co_reduce(some, operation=combine, result_image=num_images(), stat=status)
if (me == num_images()) then
   print '(a, i2, i4, 4f8.3, 2i3)', 'first', me, some(1)
   print '(a, i2, i4, 4f8.3, 2i3)', 'second', me, some(2)
end if
if (me == 1) print *, 'status', status
call co_reduce(grid(:, 0), combine)
if (me == 1) print '(a, i2, i4, 4f8.3, 2i3)', 'grid', me, grid(1, 0)
form team (1 + mod(me, 2), half)
change team (half)
   call co_reduce(grid(1, 1), combine)
   print '(a, i2, i4, 4f8.3, 2i3)', 'team', me, grid(1, 1)
end team
end program main
