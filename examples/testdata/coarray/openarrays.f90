! Arrays with extents of run time in a program with coarrays: of modules, of procedures, as
! dummy arguments and values of functions, other ones on each image, and distributed ones.
module store
implicit none
integer, parameter :: dp = kind(1d0)
real(dp), allocatable :: field(:,:), old(:,:)
real(dp) :: edge(64, 2)[*]
contains
subroutine setup(n, m)
integer, intent(in) :: n, m
if (allocated(field)) deallocate(field)
allocate(field(0:n+1, m), source=0d0)
end subroutine
subroutine exchange(m)
integer, intent(in) :: m
integer :: me, np, n
me = this_image(); np = num_images()
n = ubound(field, 1) - 1
edge(1:m, 1) = field(1, :)
edge(1:m, 2) = field(n, :)
sync all
if (me > 1) field(0, :) = edge(1:m, 2)[me-1]
if (me < np) field(n+1, :) = edge(1:m, 1)[me+1]
sync all
end subroutine
function averaged(x) result(y)
real(dp), intent(in) :: x(0:, :)
real(dp) :: y(0:size(x,1)-1, size(x,2))
integer :: i
y = x
do i = 1, size(x,1) - 2
  y(i,:) = 0.5d0*(x(i-1,:) + x(i+1,:))
end do
end function
end module
program openarrays
implicit none
call fields()
sync all
call lists()
sync all
call shared()
contains
subroutine fields()
use store
implicit none
integer :: me, np, n, m, it, stat
real(dp) :: total
real(dp), allocatable :: sums(:), mx(:)
character(40) :: msg
me = this_image(); np = num_images()
n = 3 + mod(me, 2); m = 5
call setup(n, m)
call setup(n, m)
field(1:n, :) = spread([(real(it + 10*me, dp), it = 1, n)], 2, m)
do it = 1, 4
  call exchange(m)
  old = field
  field = averaged(field)
  where (field > 25) field = 25
end do
allocate(sums(m))
sums = sum(field(1:n,:), dim=1)
call co_sum(sums)
mx = [maxval(field), minval(field)]
call co_max(mx)
total = sum(sums)
print *, 'image', me, shape(field), lbound(field), shape(old)
if (me == 1) print '(5f10.4)', sums, mx, total
allocate(sums(3), stat=stat, errmsg=msg)
print *, me, stat /= 0, trim(msg)
call co_broadcast(field(1,:), 1)
print '(a,i0,5f9.4)', 'b', me, field(1,:)
critical
  deallocate(sums)
  allocate(sums(me:2*me))
  sums = me
end critical
print *, 'k', me, lbound(sums), ubound(sums), sum(sums)
end subroutine fields
subroutine lists()
implicit none
integer :: me, np, n, i, j, k
integer, allocatable :: a(:), idx(:), r(:,:)
character(5), allocatable :: w(:)
logical, allocatable :: mask(:)
complex, allocatable :: z(:)
integer, save :: mail(10)[*], flag[*]
integer :: q(3)
me = this_image(); np = num_images()
n = 3*me
allocate(a(n), idx(n), mask(n))
forall (i = 1:n) a(i) = mod(7*i, 5)
idx = [(n + 1 - i, i = 1, n)]
a = a(idx)
mask = a > 1
print *, 'a', me, a, count(mask)
a = pack(a, mask)
print *, 'p', me, size(a), a
allocate(w(me), z(-me:me))
w = 'x'
w(me)(2:3) = 'yz'
z = [(cmplx(i, me), i = -me, me)]
print *, 'w', me, w, real(sum(z)), aimag(z(-me))
r = reshape([(i, i = 1, 2*n)], [2, n])
print *, 'r', me, r(2, n:1:-1), shape(transpose(r))
do concurrent (i = 1:n)
  r(1, i) = r(2, i) * me
end do
mail(1:3) = r(1, 1:3)
sync all
do k = 1, np
  q = mail(1:3)[k]
  a = [a, q]
end do
print *, 's', me, size(a), sum(a)
mail(4:) = 0
sync all
j = mod(me, np) + 1
mail(4:3+min(size(a),7))[j] = a(1:min(size(a),7))
sync all
print *, 'm', me, mail
print *, 'x', me, maxloc(a), findloc(a, 4), cshift(a(1:3), 1)
if (me > 1) then
  sync images (me - 1)
  flag = flag[me-1] + size(a)
else
  flag = size(a)
end if
if (me < np) sync images (me + 1)
print *, 'f', me, flag
call tri(me)
end subroutine lists
recursive subroutine tri(k)
integer, intent(in) :: k
real :: buf(k, k)
call random_number(buf)
buf = merge(1., 0., buf < 2.)
print *, 't', k, sum(buf), sum(matmul(buf, buf))
end subroutine tri
subroutine shared()
implicit none
integer :: me, np, n, i, it
real(8), allocatable :: x(:), y(:), g(:,:), h(:,:)
real(8) :: s
real(8), save :: loc[*], part(3)[*]
!HPF$ DISTRIBUTE x(BLOCK)
!HPF$ ALIGN y(i) WITH x(i)
!HPF$ DISTRIBUTE g(BLOCK,*)
!HPF$ ALIGN h(i,j) WITH g(i,j)
me = this_image(); np = num_images()
n = 0
if (me == 1) read *, n
call co_sum(n)
allocate(x(0:n), y(0:n), g(n, n/2), h(n, n/2))
do it = 1, 2
  x = [(i*1d0/it, i = 0, n)]
  y = x
  do i = 1, n-1
    y(i) = (x(i-1) + x(i) + x(i+1))/3
  end do
  where (y > 3) y = -y
  x = y + cshift(y, 2)
  s = sum(x, mask=x > 0)
  loc = s * me
  sync all
  if (me == 1) print '(i2,2f12.5)', it, s, loc[np]/np
  sync all
end do
do i = 1, n
  g(i,:) = i
end do
h = 2*g
g(2:n,:) = h(1:n-1,:) + g(2:n,:)
part = [sum(g), maxval(h), minval(g)] * me
sync all
if (me == np) print '(3f10.3)', part(:)[1]
sync all
call co_sum(part)
if (me == 1) print '(3f10.3)', part / (np*(np+1)/2)
call rows(g, n, n/2)
s = sum(g)
if (me == 1) print '(f10.3)', s
deallocate(x, y)
allocate(x(2*n+1), y(2*n+1))
x = 1
y = x*2
s = dot_product(x, y) + norm2(y)**2
if (me == 1) print '(f10.3)', s
print '(a,2i4)', 'size', size(x), ubound(g, 2)
end subroutine shared
subroutine rows(a, n, m)
integer, intent(in) :: n, m
real(8), intent(inout) :: a(n, m)
real(8) :: t(n, m), c(m)
!HPF$ DISTRIBUTE a(BLOCK,*)
!HPF$ ALIGN t(i,j) WITH a(i,j)
integer :: j
t = a
do j = 2, m
  a(:, j) = t(:, j-1) + j
end do
c = sum(a, 1)
a(1, :) = c
end subroutine rows
end program openarrays
