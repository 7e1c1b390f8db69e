! Coarrays of derived types, also allocatable, and STAT= of what waits for images.
program particles
implicit none
type particle
  real(8) :: x, v
  integer :: id
end type
type box
  integer :: n = 0
  real(8) :: w(3)
end type
type(particle) :: p(4)[*]
type(particle), allocatable :: q(:)[:]
type(box) :: b[*]
type(particle) :: one
integer :: me, np, i, nx
me = this_image(); np = num_images()
nx = merge(1, me+1, me == np)
do i = 1, 4
  p(i)%x = me + 0.25d0*i
  p(i)%v = -1d0*i
  p(i)%id = me*10 + i
end do
b%w = [1d0, 2d0, 3d0]*me
b%n = me
allocate (q(np)[*])
q%id = 0
sync all
q(me)[nx]%id = me
one = p(2)[nx]
print *, 'one', me, one%x, one%v, one%id
print *, 'comp', me, p(3)[nx]%id, b[nx]%n, b[nx]%w(2)
sync all
p(1)[nx]%x = me*100d0
b[nx]%w(1:2) = [7d0, 8d0]
p(4)[nx] = particle(1d0, 2d0, me)
sync all
print *, 'after', me, p(1)%x, b%w, p(4)%id, sum(q%id)
print *, 'sec', me, b[nx]%w(:)
deallocate (q)
call status
contains
subroutine status
implicit none
integer :: s, me, n
character(len=40) :: msg
integer, save :: x[*]
real, allocatable :: a(:)[:]
me = this_image()
msg = 'none'
s = 5
sync all (stat=s)
print *, me, s
s = 5
sync all (stat=s, errmsg=msg)
if (me <= 2 .and. num_images() >= 2) sync images (3-me, stat=s)
sync memory (stat=s)
sync images (*, stat=s)
print *, me, s, msg
allocate (a(3)[*], stat=s)
print *, me, s
critical
x[1] = me
end critical
n = me
call co_sum(n, stat=s)
call co_max(n, result_image=1, stat=s, errmsg=msg)
print *, s
deallocate (a, stat=s)
print *, s
end subroutine
end program
