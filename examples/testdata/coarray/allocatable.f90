! Allocatable coarrays with extents and codimensions not known before run time, and what asks
! about codimensions.
module grid
implicit none
real, allocatable :: g(:,:)[:,:]
contains
subroutine setup(n, p)
integer, intent(in) :: n, p
allocate (g(n, n)[p, *])
g = this_image()
end subroutine
subroutine total(a, m, s)
integer, intent(in) :: m
real, intent(inout) :: a(m, m)[2, *]
real, intent(out) :: s
s = sum(a) + a(1,1)[1,1]
end subroutine
subroutine work(n)
integer, intent(in) :: n
integer, allocatable :: t(:)[:]
allocate (t(n)[*])
t = this_image()*10
sync all
print *, 'work', this_image(), n, t(n)[num_images()]
sync all
end subroutine
subroutine halo
real(8), allocatable :: u(:)[:], v(:)
integer, allocatable :: cnt[:]
integer :: me, np, n, i, step, co(1)
me = this_image()
np = num_images()
n = 8
allocate (u(0:n+1)[*], v(n))
allocate (cnt[*])
u = 0
cnt = 0
do i = 1, n
  u(i) = (me - 1)*n + i
end do
do step = 1, 5
  sync all
  if (me > 1) u(n+1)[me-1] = u(1)
  if (me < np) u(0)[me+1] = u(n)
  sync all
  do i = 1, n
    v(i) = 0.25d0*u(i-1) + 0.5d0*u(i) + 0.25d0*u(i+1)
  end do
  u(1:n) = v
end do
cnt = nint(sum(u(1:n)))
sync all
if (me == 1) then
  do i = 1, np
    print *, 'sum', i, cnt[i], allocated(u), lbound(u,1), ubound(u,1)
  end do
end if
co = this_image(u)
print *, me, co, lcobound(u,1), ucobound(u,1)
deallocate (u, cnt)
print *, 'end', allocated(u), allocated(cnt)
end subroutine
end module
program main
use grid
implicit none
integer :: n, p, me, c(2), q, k
real :: s
integer :: tab(3)[0:*]
me = this_image()
n = 3 + num_images()
p = 2
call setup(n, p)
c = this_image(g)
sync all
print *, me, c, this_image(g,1), this_image(g,2), image_index(g, [c(1), c(2)]), image_index(g, c)
print *, 'bounds', me, lcobound(g,1), ucobound(g,1), lcobound(g,2), ucobound(g,2), image_index(g,[3,1]), this_image(tab,1)
q = num_images()
print *, 'far', me, g(2,2)[1,1], g(n,n)[mod(q-1,2)+1, (q-1)/2+1]
call total(g, n, s)
print *, 'total', me, s
sync all
deallocate (g)
call setup(2*n, 1)
sync all
print *, 'again', me, size(g,1), g(2*n,1)[1,q]
sync all
do k = 1, 3
  call work(k*2)
end do
deallocate (g)
call halo
end program
