! Allocatable components of coarrays: each image allocates its own.
program components
implicit none
type field
   integer :: n = 0
   real(8), allocatable :: a(:), b(:,:)
   integer, allocatable :: k
end type
type(field) :: f[*]
type(field), allocatable :: g[:]
real(8) :: s
real(8), allocatable :: copy(:)
integer :: me, np, p, i, round
me = this_image(); np = num_images()
p = mod(me, np) + 1
do round = 1, 2
   allocate (f%a(me + round), f%b(0:me, 2))
   f%n = me + round
   f%a = [(10*me + i, i = 1, f%n)]
   f%b = me
   f%b(0,2) = -me
   if (me == 1) f%k = 7
   sync all
   print *, me, allocated(f[p]%a), size(f[p]%a), allocated(f[p]%k)
   print *, me, f[p]%a(f[p]%n), f[p]%b(0,2)
   s = 0
   do i = 1, np
      s = s + sum(f[i]%a(1:i+round)) + f[i]%b(1,1)
   end do
   copy = f[p]%a(:)
   print *, me, s, copy
   sync all
   f[p]%a(1) = -1
   f[p]%a(2:2) = me
   sync all
   print *, me, f%a
   deallocate (f%a, f%b)
   if (allocated(f%k)) deallocate (f%k)
   sync all
   print *, me, allocated(f[p]%a), allocated(f[1]%k)
   sync all
end do
allocate (g[*])
if (me == np) allocate (g%a(3), source=2d0)
sync all
if (allocated(g[np]%a)) print *, me, allocated(g), allocated(g%a), g[np]%a(3)
end program
