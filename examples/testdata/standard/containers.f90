! Objects whose types the run chooses, in arrays of containers, with allocatable components of all kinds,
! and functions whose value is an ALLOCATABLE scalar; gfortran 12 does not run some of this.
module shapes
  implicit none
  type, abstract :: shape
    character(len=:), allocatable :: name
  contains
    procedure(area_i), deferred :: area
  end type
  abstract interface
    real function area_i(self)
      import shape
      class(shape), intent(in) :: self
    end function
  end interface
  type, extends(shape) :: circle
    real :: r = 1
  contains
    procedure :: area => circle_area
  end type
  type, extends(shape) :: poly
    real, allocatable :: x(:), y(:)
  contains
    procedure :: area => poly_area
  end type
  type box
    class(shape), allocatable :: item
    integer :: count = 0
  end type
contains
  real function circle_area(self)
    class(circle), intent(in) :: self
    circle_area = 3*self%r**2
  end function
  real function poly_area(self)
    class(poly), intent(in) :: self
    poly_area = sum(self%x*self%y)
  end function
  function make(k) result(s)
    integer, intent(in) :: k
    class(shape), allocatable :: s
    if (mod(k, 2) == 0) then
      allocate (circle :: s)
      s%name = 'circle'
      select type (s)
      type is (circle)
        s%r = k
      end select
    else
      s = poly(name='poly', x=[1.0*k, 2.0], y=[1.0, 1.0*k])
    end if
  end function
  function vec(n) result(p)
    integer, intent(in) :: n
    type(poly), allocatable :: p
    integer :: i
    allocate (p)
    p%name = repeat('v', n)
    p%x = [(real(i), i=1, n)]
    p%y = p%x
  end function
  subroutine check(s, what, name, area, at)
    class(shape), intent(in) :: s
    character(*), intent(in) :: what, name
    integer, intent(in) :: area, at
    character(8) :: is
    select type (s)
    type is (poly)
      is = 'poly'
    class default
      is = 'other'
    end select
    if (is /= what .or. s%name /= name .or. len(s%name) /= len(name) .or. nint(s%area()) /= area) then
      print *, at, is, s%name, s%area()
      error stop 'a container'
    end if
  end subroutine
end module
program containers
  use shapes
  implicit none
  type(box) :: b(4), c(4)
  type(box), allocatable :: d(:)
  class(shape), allocatable :: t, u
  type(poly), allocatable :: q
  integer :: i, total
  do i = 1, 4
    allocate (b(i)%item, source=make(i))
    b(i)%count = i
  end do
  c = b
  b(1)%item = circle(name='changed', r=5.0)
  b(3)%item%name = 'renamed'
  call check(b(1)%item, 'other', 'changed', 75, 1)
  call check(c(1)%item, 'poly', 'poly', 3, 2)
  call check(b(2)%item, 'other', 'circle', 12, 3)
  call check(b(3)%item, 'poly', 'renamed', 9, 4)
  call check(c(3)%item, 'poly', 'poly', 9, 5)
  call check(c(4)%item, 'other', 'circle', 48, 6)
  call move_alloc(c(1)%item, t)
  if (allocated(c(1)%item) .or. .not. allocated(t)) error stop 'MOVE_ALLOC'
  allocate (u, source=t)
  t%name = 'moved'
  call check(u, 'poly', 'poly', 3, 7)
  call check(t, 'poly', 'moved', 3, 8)
  t = make(4)
  call check(t, 'other', 'circle', 48, 9)
  deallocate (t)
  allocate (poly :: t)
  select type (t)
  type is (poly)
    if (allocated(t%x) .or. allocated(t%name)) error stop 'components of a new object'
    t%x = [4.0, 5.0]
    t%y = [1.0, 1.0]
    t%name = 'again'
  end select
  call check(t, 'poly', 'again', 9, 10)
  d = b(2:3)
  d(1)%item = d(2)%item
  call check(d(1)%item, 'poly', 'renamed', 9, 11)
  if (d(1)%count /= 2 .or. size(d) /= 2) error stop 'an array of containers'
  q = vec(3)
  call check(q, 'poly', 'vvv', 14, 12)
  d(2)%item = vec(2)
  call check(d(2)%item, 'poly', 'vv', 5, 13)
  deallocate (d)
  call move_alloc(b(4)%item, b(1)%item)
  if (allocated(b(4)%item)) error stop 'MOVE_ALLOC of elements'
  call check(b(1)%item, 'other', 'circle', 48, 14)
  t = b(1)%item
  call check(t, 'other', 'circle', 48, 15)
  call move_alloc(q, t)
  call check(t, 'poly', 'vvv', 14, 16)
  if (allocated(q)) error stop 'MOVE_ALLOC of an object whose type is known'
  total = nint(t%area()) + this_image()
  call co_sum(total)
  print *, 'image', this_image(), total
end program
