! Sections of allocatable components of other images, which have extents of their own there.
program componentsthere
  implicit none
  type :: body
    real :: x(3) = 0.
    real :: m = 1.
  end type
  type :: cloud
    type(body), allocatable :: b(:)
    integer, allocatable :: k(:, :)
  end type
  type(cloud) :: c[*]
  type(body), allocatable :: q(:)
  integer :: i, j, me, n
  me = this_image()
  n = num_images()
  allocate (c%b(me + 1), c%k(me, 2))
  do i = 1, me + 1
    c%b(i)%x = [1.*i, 10.*me, 0.]
    c%b(i)%m = i
  end do
  c%k = me
  sync all
  j = 1 + mod(me, n)
  if (any(nint([sum(c[j]%b(1:j + 1)%m), sum(c[j]%b(:)%x(2))]) /= [(j + 1)*(j + 2)/2, 10*j*(j + 1)])) error stop 'a sum'
  if (any([size(c[j]%b), size(c[j]%k), sum(c[j]%k(:, 1))] /= [j + 1, 2*j, j*j])) error stop 'a size'
  allocate (q(j + 1))
  q = c[j]%b(:)
  if (any(nint(q%m) /= [(i, i=1, j + 1)]) .or. any(nint(q%x(1)) /= [(i, i=1, j + 1)])) error stop 'a copy'
  print '(a,i0,a,9f6.1)', 'image ', me, ' has ', q%m
  sync all
end program
