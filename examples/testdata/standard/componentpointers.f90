! Pointer components of coarrays that point to variables of their own images: other images read and
! change what they point to.
module own
  type view
    integer, pointer :: line(:)
    real, pointer :: one
    real(8), pointer :: plane(:,:)
    complex, pointer :: far(:) => null()
  end type
  type(view), save :: v[0:1,0:*]
  real(8), target :: table(4,6)
contains
  subroutine attach(x, t, k)
    type(view), intent(inout) :: x[*]
    integer, target :: t(:)
    integer, intent(in) :: k
    x%line(0:) => t(k::2)
  end subroutine
end module
program componentpointers
  use own
  implicit none
  integer, target, save :: temp(7), other(5)
  integer, pointer :: here(:)
  real, target :: single
  type(view), allocatable :: w[:]
  integer :: me, np, p, q, i, bad
  integer :: got(3)
  me = this_image()
  np = num_images()
  p = merge(1, me + 1, me == np)
  q = merge(np, me - 1, me == 1)
  temp = [(10*me + i, i = 1, 7)]
  single = me + 0.5
  table = reshape([(me + i*0.25d0, i = 1, 24)], [4, 6])
  v%line => temp(1:5:2)
  v%one => single
  v%plane => table(2:3,::2)
  allocate (w[*])
  allocate (w%far(2:me+2))
  w%far = cmplx(me, -1)
  allocate (w%plane(2,2))
  w%plane = me
  sync all
  bad = 0
  if (at(v%line(2)) /= 10*me + 3) bad = 1
  if (v[mod(p-1,2),(p-1)/2]%line(2) /= 10*p + 3) bad = 2
  if (v[mod(p-1,2),(p-1)/2]%one /= p + 0.5) bad = 3
  if (v[mod(p-1,2),(p-1)/2]%plane(2,3) /= p + 4.75d0) bad = 4
  got = v[mod(p-1,2),(p-1)/2]%line
  if (any(got /= 10*p + [1, 3, 5])) bad = 5
  if (any(v[mod(p-1,2),(p-1)/2]%line(3:1:-2) /= 10*p + [5, 1])) bad = 6
  if (size(v[mod(p-1,2),(p-1)/2]%plane, 2) /= 3) bad = 7
  if (any(v[mod(p-1,2),(p-1)/2]%plane(:,2) /= p + [2.5d0, 2.75d0])) bad = 8
  if (lbound(w[p]%far, 1) /= 2 .or. ubound(w[p]%far, 1) /= p + 2) bad = 9
  if (w[p]%far(p+2) /= cmplx(p, -1) .or. w[p]%plane(2,1) /= p) bad = 10
  sync all
  v[mod(p-1,2),(p-1)/2]%line(3) = -me
  v[mod(p-1,2),(p-1)/2]%one = 2.0*me
  v[mod(p-1,2),(p-1)/2]%plane(:,1) = [me, me + 1]
  w[p]%far(2) = (0., 3.)
  sync all
  if (any(temp /= [10*me + 1, 10*me + 2, 10*me + 3, 10*me + 4, -q, 10*me + 6, 10*me + 7])) bad = 11
  if (single /= 2.0*q .or. any(table(2:3,1) /= [q, q + 1]) .or. table(1,1) /= me + 0.25d0) bad = 12
  if (w%far(2) /= (0., 3.)) bad = 13
  here => v%line
  here(1) = 77
  if (temp(1) /= 77 .or. .not. associated(here, v%line)) bad = 14
  other = me*[1, 2, 3, 4, 5]
  sync all
  if (mod(me, 2) == 1) then
    v%line => other
  else
    nullify (v%line)
  end if
  sync all
  if (mod(p, 2) == 1) then
    if (sum(v[mod(p-1,2),(p-1)/2]%line) /= 15*p) bad = 15
  end if
  sync all
  call attach(v, temp, 2)
  sync all
  if (v[mod(p-1,2),(p-1)/2]%line(0) /= 10*p + 2 .or. v[mod(p-1,2),(p-1)/2]%line(2) /= 10*p + 6) bad = 16
  if (lbound(v[mod(p-1,2),(p-1)/2]%line, 1) /= 0 .or. ubound(v[mod(p-1,2),(p-1)/2]%line, 1) /= 2) bad = 17
  sync all
  print *, 'image', me, bad
contains
  integer function at(x)
    integer, intent(in) :: x
    at = x
  end function
end program
