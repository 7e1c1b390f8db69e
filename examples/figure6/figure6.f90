! Figures 5 and 6 of Chabbi et al. (PPoPP 2015): a solver that deals out tasks by
! a shared counter, over layers of libraries that each synchronise for themselves.
!
!   program figure6   the solver: tasks, and at the end of a phase cleaning up
!   module tasks      the task counter
!   module pnga       global arrays: create, destroy, add; destroy has barriers on
!                     entry and exit, besides those of what it calls
!   module comex      memory and synchronisation
!
! The solver synchronises once more after the destructions, to be on the safe
! side: which of the barriers is needed depends on how it came there.
module comex
  implicit none
  integer, parameter :: room = 64, places = 4
  integer :: memory(room, places)[*]
  integer :: users(places)[*]
contains

  subroutine comex_barrier()
    sync all
  end subroutine comex_barrier

  ! All images get the place; its memory is zero.
  subroutine comex_malloc(place)
    integer, intent(in) :: place
    memory(:,place) = 0
    users(place) = 1
    call comex_barrier()
  end subroutine comex_malloc

  subroutine comex_free(place)
    integer, intent(in) :: place
    call comex_barrier()
    users(place) = 0
  end subroutine comex_free

  ! Adds one to a word of an image, and returns what it was.
  subroutine comex_rmw(place, word, image, was)
    integer, intent(in) :: place, word, image
    integer, intent(out) :: was
    critical
      was = memory(word,place)[image]
      memory(word,place)[image] = was + 1
    end critical
  end subroutine comex_rmw

end module comex

module pnga
  use comex
  implicit none
contains

  subroutine pnga_sync()
    call comex_barrier()
  end subroutine pnga_sync

  subroutine pnga_create(handle)
    integer, intent(in) :: handle
    call pnga_sync()
    call comex_malloc(handle)
    call pnga_sync()
  end subroutine pnga_create

  subroutine pnga_destroy(handle)
    integer, intent(in) :: handle
    call pnga_sync()
    call comex_free(handle)
    call pnga_sync()
  end subroutine pnga_destroy

  ! Element (i) of a global array lies on image 1 + mod(i-1, np).
  subroutine pnga_acc(handle, i, value)
    integer, intent(in) :: handle, i, value
    integer :: image, word
    image = 1 + mod(i - 1, num_images())
    word = 1 + (i - 1)/num_images()
    critical
      memory(word,handle)[image] = memory(word,handle)[image] + value
    end critical
  end subroutine pnga_acc

  integer function pnga_get(handle, i)
    integer, intent(in) :: handle, i
    pnga_get = memory(1 + (i - 1)/num_images(), handle)[1 + mod(i - 1, num_images())]
  end function pnga_get

  ! The paper's add_patch: sums of two arrays by way of a temporary one, which is
  ! destroyed if it was made.
  subroutine pnga_add_patch(a, b, c, n, copy)
    integer, intent(in) :: a, b, c, n
    logical, intent(in) :: copy
    integer :: i
    call pnga_sync()
    do i = this_image(), n, num_images()
      call pnga_acc(c, i, pnga_get(a, i) + pnga_get(b, i))
    end do
    if (copy) call pnga_destroy(b)
    call pnga_sync()
  end subroutine pnga_add_patch

end module pnga

module tasks
  use pnga
  implicit none
  integer, parameter :: counter = 1
contains

  ! The next task, from 0. With last the counter is destroyed, and 0 comes back.
  subroutine nextask(last, task)
    logical, intent(in) :: last
    integer, intent(out) :: task
    if (last) then
      call pnga_destroy(counter)
      call pnga_sync()
      task = 0
    else
      call comex_rmw(counter, 1, 1, task)
    end if
  end subroutine nextask

end module tasks

program figure6
  use tasks
  implicit none
  integer, parameter :: n = 20, density = 2, fock = 3, sums = 4, phases = 120
  integer :: phase, task, i, done, total, check
  total = 0
  do phase = 1, phases
    call pnga_create(counter)
    call pnga_create(density)
    call pnga_create(fock)
    call pnga_create(sums)
    done = 0
    do
      call nextask(.false., task)
      if (task >= n) exit
      done = done + 1
      call pnga_acc(density, task + 1, phase*(task + 1))
      call pnga_acc(fock, n - task, work(task))
    end do
    call pnga_sync()
    call nextask(.true., task)
    call pnga_add_patch(density, fock, sums, n, mod(phase, 2) == 0)
    check = 0
    do i = 1, n
      check = check + i*pnga_get(sums, i)
    end do
    ! Destructions in sequence, and one more barrier.
    call pnga_destroy(density)
    if (mod(phase, 2) /= 0) call pnga_destroy(fock)
    call pnga_destroy(sums)
    call pnga_sync()
    call co_sum(done)
    if (phase <= 6) print *, 'phase', phase, 'image', this_image(), 'tasks of all', done, 'check', check
    total = total + check
  end do
  if (this_image() == 1) print *, 'total', total
contains
  integer function work(task)
    integer, intent(in) :: task
    integer :: k
    work = 0
    do k = 1, 50*(1 + mod(task, 7))
      work = mod(work*3 + k + task, 1009)
    end do
  end function work
end program figure6
