! USE in all its forms, and what modules keep for themselves.
module precision
  use, intrinsic :: iso_fortran_env, only: dp => real64, sp => real32, long => int64
  implicit none
  private
  public :: dp, sp, long, counted
  integer, parameter :: hidden = 3
  integer, parameter, public :: shown = 2 * hidden
  integer :: count = 0
contains
  integer function counted(step)
    integer, intent(in) :: step
    count = count + step * hidden
    counted = count
  end function
  subroutine own
    count = 0
  end subroutine
end module precision

module fields
  use precision, wp => dp
  implicit none
  integer, parameter :: n = 40
  real(wp), public :: u(n), v(n)
  real(wp), private :: work(n)
  public
  private :: smooth
!HPF$ TEMPLATE t(n)
!HPF$ DISTRIBUTE t(BLOCK)
!HPF$ ALIGN (i) WITH t(i) :: u, v, work
contains
  subroutine start
    integer i
    do i = 1, n
      u(i) = real(mod(i * 7, 11), wp)
    end do
  end subroutine
  subroutine smooth(a, b)
    real(wp), intent(in) :: a(n)
    real(wp), intent(out) :: b(n)
!HPF$ ALIGN (i) WITH t(i) :: a, b
    integer i
    do i = 2, n - 1
      b(i) = (a(i - 1) + a(i) + a(i + 1)) / 3
    end do
    b(1) = a(1)
    b(n) = a(n)
  end subroutine
  subroutine twice
    call smooth(u, work)
    call smooth(work, v)
  end subroutine
end module fields

program modules
  use fields, only: field => v, both => twice, start, size => n, kept => shown, number => counted
  use iso_c_binding
  use, non_intrinsic :: precision, only: real_kind => dp, sp, wide => long, dp
  use iso_fortran_env, only: out => output_unit, iostat_end, error_unit, int8
  implicit none
  real(real_kind) :: s
  real(sp) :: t
  real(c_double) :: u
  integer(c_int) :: i, hidden
  integer(wide) :: big
  integer(c_int64_t) :: bigger
  call start
  call both
  s = 0
  do i = 1, size
    s = s + field(i)
  end do
  hidden = 17
  t = 1.0_sp / 3
  u = 1.0_c_double / 3.0_real_kind
  big = 3000000000_wide
  bigger = big * 2_c_int64_t
  i = number(2)
  i = number(1) + i
  print *, s, t, u
  print *, big, bigger, hidden, kept, i
  print *, out, iostat_end, error_unit, int8, c_float, kind(1.0_dp)
end program modules
