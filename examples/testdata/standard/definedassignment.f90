! Assignment of components by procedures of their types (Fortran 2018, 10.2.1.3), which gfortran 12 does
! for some of them only, and defined assignment in WHERE.
module m
  implicit none
  type money
    integer :: cents = 0, set = 0
  contains
    procedure :: assign_money
    generic :: assignment(=) => assign_money
  end type
  type account
    type(money) :: balance
    type(money) :: history(3)
    integer :: id = 0
  end type
  type bank
    type(account) :: a(2)
    type(money), allocatable :: reserve(:)
    type(money), allocatable :: extra
    real :: rate = 0
  end type
  interface assignment(=)
    module procedure from_int
  end interface
contains
  elemental subroutine assign_money(to, from)
    class(money), intent(inout) :: to
    type(money), intent(in) :: from
    to%cents = from%cents
    to%set = to%set + 1
  end subroutine
  elemental subroutine from_int(to, k)
    type(money), intent(inout) :: to
    integer, intent(in) :: k
    to%cents = k
    to%set = -1
  end subroutine
end module
program main
  use m
  implicit none
  type(bank) :: b, c
  type(account) :: x(4), y(4)
  type(money) :: v(6)
  integer :: i
  logical :: odd(6)
  do i = 1, 4
    x(i)%balance%cents = 10*i
    x(i)%history%cents = [i, i + 1, i + 2]
    x(i)%id = i
  end do
  y = x
  y(2) = x(3)
  call check(all(y%balance%cents == [10, 30, 30, 40]) .and. all(y%id == [1, 3, 3, 4]), 'the values')
  call check(all(y%balance%set == [1, 2, 1, 1]), 'scalar components')
  do i = 1, 4
    call check(all(y(i)%history%set == merge(2, 1, i == 2)), 'array components')
  end do
  allocate (b%reserve(2))
  b%reserve%cents = [5, 6]
  b%a(1) = x(1)
  b%rate = 1.5
  c = b
  call check(all(c%a%balance%set == 1) .and. c%rate == 1.5, 'components inside')
  call check(all(c%reserve%cents == [5, 6]) .and. all(c%reserve%set == 1) .and. .not. allocated(c%extra), 'allocatable components')
  allocate (b%extra)
  b%extra%cents = 77
  c = b
  call check(c%extra%cents == 77 .and. c%extra%set == 1 .and. all(c%reserve%set == 2), 'the same again')
  deallocate (b%reserve)
  c = b
  call check(.not. allocated(c%reserve) .and. c%extra%set == 2, 'what is not allocated')
  y(1) = account(v(1), [v(1), v(2), v(3)], 9)
  call check(y(1)%id == 9 .and. y(1)%balance%set == 2 .and. all(y(1)%history%set == 2), 'a constructor')
  odd = [(mod(i, 2) == 1, i = 1, 6)]
  where (odd)
    v = [(i, i = 1, 6)]
  elsewhere
    v = -7
  end where
  call check(all(v%cents == [1, -7, 3, -7, 5, -7]) .and. all(v%set == -1), 'WHERE')
  where (v%cents > 2) v = v(6:1:-1)
  call check(all(v%cents == [1, -7, -7, -7, -7, -7]) .and. all(v%set == [-1, -1, 0, -1, 0, -1]), 'WHERE of itself')
  if (this_image() == 1) print *, 'right'
contains
  subroutine check(ok, what)
    logical, intent(in) :: ok
    character(*), intent(in) :: what
    if (.not. ok) then
      print *, 'wrong: ', what
      error stop
    end if
  end subroutine
end program
