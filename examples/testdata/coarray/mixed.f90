! Arrays that directives distribute, in a program with coarrays: every image
! computes what a program without directives computes on each image for itself.
module fields
  implicit none
  integer, parameter :: n = 40
  real(8) :: u(n), v(n)
!HPF$ DISTRIBUTE u(BLOCK)
!HPF$ ALIGN v(i) WITH u(i)
contains
  subroutine relax(steps, change)
    integer, intent(in) :: steps
    real(8), intent(out) :: change
    integer :: i, k
    do k = 1, steps
      change = 0
      do i = 2, n - 1
        v(i) = 0.5d0*(u(i-1) + u(i+1))
        change = max(change, abs(v(i) - u(i)))
      end do
      do i = 2, n - 1
        u(i) = v(i)
      end do
    end do
  end subroutine relax
end module fields

program mixed
  use fields
  implicit none
  real(8) :: box(3)[*], total, change, mine, copy(n)
  integer :: g(n), count[*] = 0, me, np, i, round, limit, last
!HPF$ DISTRIBUTE g(CYCLIC)
  me = this_image()
  np = num_images()
  do i = 1, n
    u(i) = mod(7*i, 11)
    g(i) = i*i
  end do
  box = 0
  limit = 3
  if (me == 1) limit = 4
  call co_broadcast(limit, source_image=1)
  last = 0
  sync all

  rounds: do round = 1, limit
    call relax(round, change)
    total = 0
    do i = 1, n
      total = total + u(i)
    end do
    mine = total*me
    box(1) = mine
    box(2)[1 + mod(me, np)] = change + me
    sync all
    print *, me, round, nint(1d6*total), nint(1d6*change), nint(1d6*box(2)), nint(1d6*box(1)[1])
    if (me == 2) then
      count[1] = count[1] + round
    else
      last = last + me
    end if
    sync all
    ! A sum that is the same on all images goes back into a distributed array.
    call co_sum(mine)
    u(round) = u(round) + 1d-3*mine
    do i = 1, n
      g(i) = g(i) + round
      if (i == 5) then
        sync all
      end if
    end do
    if (mine < 0) exit rounds
    i = g(3)
    count = count + i
    copy(round) = u(round)
    sync all
  end do rounds

  do i = 1, n
    copy(i) = u(i) + g(n+1-i)
  end do
  print *, me, 'copy', nint(1d4*sum(copy(1:n:7))), count, last
  i = 0
  do while (u(1) > 0.5d0)
    u(1) = u(1) - 1
    i = i + 1
    sync all
    if (i > 100) exit
  end do
  print *, me, 'left', i
end program mixed
