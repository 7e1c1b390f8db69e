! Teams as programs use them: halves, rows and columns of a grid, and a team in a team.
program teams
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: parity, row, column, half
  integer :: me, n, s, t, k, a[*], b(3)[*]
  real :: x(4)
  me = this_image()
  n = num_images()
  a = 10*me
  b = [me, 2*me, 3*me]
  form team (1 + mod(me, 2), parity)
  form team ((me - 1)/2 + 1, row)
  form team (mod(me - 1, 2) + 1, column)
  sync all
  s = me
  change team (parity)
    call co_sum(s)
    x = this_image()
    call co_broadcast(x, source_image=num_images())
    print *, me, 'is', this_image(), 'of', num_images(), 'in', team_number(), s, x(2)
  end team
  change team (row)
    t = a
    call co_max(t)
    if (this_image() == 1) a = a + 1
    sync all
    call inner(me)
    print *, me, 'row', this_image(), num_images(), t
  end team
  change team (column)
    t = a
    call co_min(t, result_image=1)
    if (this_image() == 1) print *, me, 'column', team_number(), t
  end team
  sync all
  print *, me, this_image() == me, num_images() == n, team_number(), a
  do k = 1, 3
    form team (1 + mod(me + k, 2), half)
    change team (half)
      s = k
      call co_sum(s)
    end team
    print *, me, k, s
  end do
contains
  subroutine inner(me)
    integer, intent(in) :: me
    type(team_type) :: single
    integer :: u
    form team (this_image(), single)
    change team (single)
      u = me
      call co_sum(u)
      print *, me, 'alone', this_image(), num_images(), u, team_number()
    end team
  end subroutine
end program
