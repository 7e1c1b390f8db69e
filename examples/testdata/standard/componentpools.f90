! Components of other images that are in allocatable components of arrays, in components of
! allocatable components, and behind pointers to a type, also while the image that they are of
! allocates more. OpenCoarrays (gfortran 12) addresses the wrong memory.
module types
  type inner
    real, allocatable :: w(:)
    integer :: k = 0
  end type
  type item
    integer :: x, y
    integer, allocatable :: a(:)
  end type
  type outer
    integer :: x = 0
    integer, allocatable :: b(:)
    real, allocatable :: c(:,:)
    type(inner), allocatable :: list(:)
    type(item), pointer :: p(:)
  end type
end module
program componentpools
  use types
  implicit none
  type(outer), allocatable :: a(:)[:,:]
  type(outer) :: s(3)[0:*]
  integer :: me, np, p, i, j, round, low, high, bad
  me = this_image()
  np = num_images()
  p = merge(1, me + 1, me == np)
  allocate (a(3:5)[1,*])
  allocate (a(3)%b(me:me+3), a(4)%b(2), a(3)%c(2,3), a(5)%list(2))
  a(3)%b = [(10*me + i, i = 1, 4)]
  a(4)%b = me
  a(3)%c = reshape([(me + i*0.5, i = 1, 6)], [2,3])
  do i = 1, 2
    a(5)%list(i)%k = me*100 + i
    a(5)%list(i)%w = [(real(me)*i + j, j = 1, i + me)]
  end do
  s(2)%b = [me, me, me]
  allocate (s(2)%p(3:8))
  allocate (s(2)%p(5)%a(me:me+2))
  s(2)%p(5)%a = me
  s(2)%p(6)%x = 100*me
  sync all
  bad = 0
  if (allocated(a(5)[1,p]%b) .or. .not. allocated(a(3)[1,p]%b)) bad = 1
  low = lbound(a(3)[1,p]%b, 1)
  high = ubound(a(3)[1,p]%b, 1)
  if (low /= p .or. high /= p + 3 .or. size(a(3)[1,p]%b) /= 4) bad = 2
  do i = low, high
    if (a(3)[1,p]%b(i) /= 10*p + i - p + 1) bad = 3
  end do
  if (any(a(3)[1,p]%b(low:high:2) /= [10*p + 1, 10*p + 3])) bad = 4
  if (any(a(3)[1,p]%b /= [(10*p + i, i = 1, 4)])) bad = 5
  if (a(3)[1,p]%c(2,2) /= p + 2) bad = 6
  if (a(5)[1,p]%list(2)%k /= 100*p + 2 .or. a(5)[1,p]%list(2)%w(2) /= 2*p + 2) bad = 7
  if (size(a(5)[1,p]%list(1)%w) /= 1 + p) bad = 8
  if (any(s(2)[p-1]%p(5)%a(p:p+2) /= p) .or. s(2)[p-1]%p(6)%x /= 100*p) bad = 9
  if (lbound(s(2)[p-1]%p, 1) /= 3) bad = 10
  sync all
  a(3)[1,p]%b(p+1) = -me
  a(4)[1,p]%b(:) = [me, 7]
  a(5)[1,p]%list(1)%w(1) = 0.25*me
  s(2)[p-1]%b(2:3) = 5*me
  s(2)[p-1]%p(5)%a(p+1) = 77*me
  s(2)[p-1]%p(7)%y = me
  sync all
  p = merge(np, me - 1, me == 1) ! who has put here
  if (any(a(3)%b /= [10*me + 1, -p, 10*me + 3, 10*me + 4])) bad = 11
  if (any(a(4)%b /= [p, 7])) bad = 12
  if (a(5)%list(1)%w(1) /= 0.25*p .or. any(s(2)%b /= [me, 5*p, 5*p])) bad = 13
  if (any(s(2)%p(5)%a /= [me, 77*p, me]) .or. s(2)%p(7)%y /= p) bad = 14
  p = merge(1, me + 1, me == np)
  sync all
  do round = 1, 60
    if (mod(me, 2) == 1) then
      allocate (s(1)%b(round*20), s(3)%b(round*10))
      s(1)%b = round
      s(3)%b = -round
      if (mod(round, 2) == 0) deallocate (s(1)%b, s(3)%b)
      if (mod(round, 2) == 1) call move(s(1)%b, s(3)%b)
    else
      do i = 1, 3
        s(2)[p-1]%b(i) = s(2)[p-1]%b(i) + 1
      end do
    end if
  end do
  sync all
  p = merge(np, me - 1, me == 1)
  if (np > 1 .and. mod(p, 2) == 0 .and. any(s(2)%b /= [me, 5*p, 5*p] + 60)) bad = 15
  print *, 'image', me, bad
contains
  subroutine move(x, y)
    integer, allocatable, intent(inout) :: x(:), y(:)
    deallocate (x)
    deallocate (y)
  end subroutine
end program
