! Coarrays declared with CLASS, of scalars and arrays: gfortran 12 does not compile an extension's component
! of another image in SELECT TYPE, and fails inside on such coarrays as arguments.
module cells
  implicit none
  type :: cell
    integer :: v = 3
  contains
    procedure :: total => cell_total
  end type
  type, extends(cell) :: heavy
    real(8) :: w = 0.5d0
    integer :: k(2) = [1, 2]
  contains
    procedure :: total => heavy_total
  end type
  type, extends(cell) :: list
    integer, allocatable :: items(:)
  contains
    procedure :: total => list_total
  end type
contains
  integer function cell_total(self)
    class(cell), intent(in) :: self
    cell_total = self%v
  end function
  integer function heavy_total(self)
    class(heavy), intent(in) :: self
    heavy_total = self%v + int(2*self%w) + sum(self%k)
  end function
  integer function list_total(self)
    class(list), intent(in) :: self
    list_total = self%v + sum(self%items)
  end function
  subroutine fill(x, base)
    class(cell), intent(inout) :: x(:)
    integer, intent(in) :: base
    integer :: i
    do i = 1, size(x)
      x(i)%v = base + i
    end do
    select type (x)
    type is (heavy)
      x%w = base
      do i = 1, size(x)
        x(i)%k = [base, i]
      end do
    class is (list)
      error stop 'a list'
    end select
  end subroutine
  integer function neighbour(x, p)
    class(cell), intent(in) :: x[*]
    integer, intent(in) :: p
    neighbour = x[p]%v
    select type (x)
    type is (heavy)
      neighbour = neighbour + 1000*x[p]%k(2)
    end select
  end function
  subroutine renew(x, n)
    class(cell), allocatable, intent(inout) :: x(:)[:]
    integer, intent(in) :: n
    if (allocated(x)) deallocate (x)
    allocate (heavy :: x(n)[*])
  end subroutine
  integer function bounds(x)
    class(cell), intent(in) :: x(:)[0:*]
    bounds = 100*lcobound(x, 1) + 10*ucobound(x, 1) + this_image(x, 1) + x(1)[0]%v
  end function
end module
program main
  use cells
  implicit none
  class(cell), allocatable :: a(:)[:], x[:], local(:), b(:)[:], s[:]
  type(heavy) :: h
  integer :: me, np, p, st
  me = this_image(); np = num_images()
  p = merge(1, me + 1, me == np)
  if (allocated(a) .or. allocated(x)) error stop 1
  allocate (a(2)[*])
  allocate (heavy :: x[*])
  if (a(2)%v /= 3 .or. x%v /= 3 .or. x%total() /= 7) error stop 2
  call fill(a, 10*me)
  x%v = 5*me
  select type (x)
  type is (heavy)
    x%k = me
  end select
  sync all
  if (a(2)[p]%v /= 10*p + 2 .or. any(a(:)[p]%v /= 10*p + [1, 2])) error stop 3
  if (neighbour(x, p) /= 5*p + 1000*p) error stop 4
  if (bounds(a) /= 10*(np - 1) + me - 1 + 11) error stop 5
  if (same_type_as(a, x) .or. .not. extends_type_of(x, a)) error stop 6
  sync all
  deallocate (a)
  call renew(a, 3)
  if (.not. allocated(a) .or. size(a) /= 3 .or. any(a%v /= 3)) error stop 7
  call fill(a, 100*me)
  sync all
  allocate (local, source=a)
  if (sum(a(:)[p]%v) /= 300*p + 6 .or. local(3)%total() /= 100*me + 3 + 200*me + 100*me + 3) error stop 8
  select type (a)
  type is (heavy)
    if (a(3)[p]%k(2) /= 3 .or. a(3)[p]%k(1) /= 100*p) error stop 9
    sync all
    a(1)[p]%k(1) = -me
    sync all
    if (a(1)%k(1) /= -merge(np, me - 1, me == 1)) error stop 10
  class default
    error stop 11
  end select
  select type (local)
  type is (heavy)
    if (local(1)%k(1) /= 100*me) error stop 12
  class default
    error stop 13
  end select
  h%v = 40 + me
  h%k = [me, 8]
  allocate (b(2)[*], source=h)
  if (b(2)[p]%v /= 40 + p .or. b(1)%total() /= 40 + 2*me + 9) error stop 14
  if (.not. same_type_as(b, h)) error stop 15
  deallocate (x, stat=st)
  if (st /= 0 .or. allocated(x)) error stop 16
  deallocate (x, stat=st)
  if (st == 0) error stop 17
  allocate (list :: s[*], stat=st)
  if (st /= 0) error stop 18
  select type (s)
  type is (list)
    allocate (s%items(me), source=me)
    sync all
    if (size(s[p]%items) /= p .or. s[p]%items(p) /= p) error stop 19
  class default
    error stop 20
  end select
  if (s%total() /= 3 + me*me) error stop 21
  sync all
  deallocate (a, b, s)
  if (allocated(a) .or. allocated(b) .or. allocated(s)) error stop 22
  print *, me, 'is through'
end program
