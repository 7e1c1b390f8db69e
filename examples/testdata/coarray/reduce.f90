! CO_REDUCE by functions of the program.
program reduce
implicit none
integer :: n, m, i, a(3), b(2,-1:1)
real(8) :: x
real(8), allocatable :: y(:)
logical :: l
n = this_image() + 1
m = this_image()
x = 1d0 + this_image()
l = this_image() < 3
call co_reduce(n, product2)
call co_reduce(m, larger, result_image=1)
call co_reduce(x, sum8)
call co_reduce(l, both)
print *, this_image(), n, x, l
if (this_image() == 1) print *, 'max', m
a = [1, 2, 3]*this_image()
do i = 1, 3
  call co_reduce(a(i), larger)
end do
print *, this_image(), a
b = reshape([1, 2, 3, 4, 5, 6], [2, 3])*this_image()
do i = 1, 2
  call co_reduce(b, larger)
end do
print *, this_image(), b
allocate (y(2))
y = this_image()
call co_reduce(y(2:1:-1), sum8, result_image=1)
if (this_image() == 1) print *, 'y', y
contains
pure function product2(a, b) result(c)
integer, intent(in) :: a, b
integer :: c
c = a*b
end function
pure integer function larger(a, b)
integer, intent(in) :: a, b
larger = a
if (b > a) larger = b
end function
pure real(8) function sum8(a, b)
real(8), intent(in) :: a, b
sum8 = a + b
end function
pure logical function both(a, b)
logical, intent(in) :: a, b
both = a .and. b
end function
end program
