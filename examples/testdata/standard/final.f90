! When objects are finalized: gfortran 12 finalizes neither what is assigned to nor values of functions.
! Each image counts its own.
module m
  implicit none
  type t
    integer :: k = 0
  contains
    final :: bye, bye1
    procedure, private :: plus
    generic :: operator(+) => plus
  end type
  type holder
    type(t) :: one
    type(t), allocatable :: some(:)
  end type
  type vault
    real, allocatable :: x(:)
  contains
    final :: empty
  end type
  integer :: n = 0, n1 = 0, freed = 0
contains
  subroutine bye(x)
    type(t), intent(inout) :: x
    n = n + 1
    x%k = -99
  end subroutine
  subroutine bye1(x)
    type(t), intent(inout) :: x(:)
    n1 = n1 + size(x)
    x%k = -99
  end subroutine
  subroutine empty(x)
    type(vault), intent(inout) :: x
    if (allocated(x%x)) deallocate (x%x)
    freed = freed + 1
  end subroutine
  type(t) function plus(a, b)
    class(t), intent(in) :: a
    type(t), intent(in) :: b
    plus%k = a%k + b%k
  end function
  type(t) function make(k)
    integer, intent(in) :: k
    make%k = k
  end function
  type(vault) function filled(n)
    integer, intent(in) :: n
    allocate (filled%x(n))
    filled%x = n
  end function
  subroutine expect(what, scalars, elements, vaults)
    character(*), intent(in) :: what
    integer, intent(in) :: scalars, elements, vaults
    if (n /= scalars .or. n1 /= elements .or. freed /= vaults) then
      print *, what, n, n1, freed
      error stop 'finalized at another time'
    end if
    n = 0
    n1 = 0
    freed = 0
  end subroutine
  subroutine out(x, y)
    type(t), intent(out), optional :: x
    type(t), intent(out), allocatable, optional :: y(:)
    if (present(x)) x%k = 1
    if (present(y)) allocate (y(1))
  end subroutine
end module
program p
  use m
  implicit none
  type(t) :: a, b, v(3)
  type(t), allocatable :: w(:), s
  type(holder) :: h
  type(holder), allocatable :: hs(:)
  type(vault) :: c, d
  a%k = 1
  b = a
  call expect('b = a', 1, 0, 0)
  a = a
  if (a%k /= 1) error stop 'a'
  call expect('a = a', 1, 0, 0)
  a = make(5)
  if (a%k /= 5) error stop 'make'
  call expect('a = make(5)', 2, 0, 0)
  b = a + make(2) + a
  if (b%k /= 12) error stop 'sum'
  call expect('sum', 4, 0, 0)
  a = t(a%k + 1)
  if (a%k /= 6) error stop 'constructor'
  call expect('constructor', 1, 0, 0)
  v = a
  call expect('v = a', 0, 3, 0)
  w = v
  call expect('w = v, new', 0, 0, 0)
  w = v(1:2)
  call expect('w = v, again', 0, 3, 0)
  w(2) = t(3)
  call expect('element', 1, 0, 0)
  call out(a, w)
  call expect('out', 1, 2, 0)
  call out(y=w)
  call expect('out, absent', 0, 1, 0)
  allocate (h%some(2))
  h%some%k = 4
  h = h
  if (any(h%some%k /= 4)) error stop 'h'
  call expect('h = h', 1, 2, 0)
  hs = [h, h]
  call expect('hs', 0, 0, 0)
  hs(1) = h
  call expect('hs(1)', 1, 2, 0)
  deallocate (hs)
  call expect('free hs', 2, 4, 0)
  c = filled(3)
  if (any(c%x /= [3, 3, 3])) error stop 'c'
  call expect('c', 0, 0, 2)
  d = c
  if (any(d%x /= c%x)) error stop 'd'
  call expect('d', 0, 0, 1)
  s = t(2)
  call expect('s', 0, 0, 0)
  s = t(3)
  call expect('s', 1, 0, 0)
  sync all
  if (this_image() == 1) print *, 'right'
end program
