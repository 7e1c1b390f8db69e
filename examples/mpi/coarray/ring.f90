! Coarrays by OpenCoarrays: sync all is MPI_Barrier.
program ring
  implicit none
  integer :: x(2000)[*], step, me, n
  integer(8) :: total[*]
  me = this_image()
  n = num_images()
  total = 0
  x = 0
  sync all
  do step = 1, 60
     x(7)[mod(me, n) + 1] = me*step
     sync all                       ! needed
     total = total + x(7)
     sync all                       ! needed
     call quiet()
  end do
  sync all
  if (me == 1) then
     do step = 2, n
        total = total + total[step]
     end do
     print '(i0)', total
  end if
contains
  subroutine quiet()
    sync all                        ! redundant
    sync all                        ! redundant
  end subroutine
end program
