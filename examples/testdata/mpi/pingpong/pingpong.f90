! A value goes from image 1 to image 2 and back; SYNC IMAGES says that it has come. It prints µs one way, and the last
! value.
program pingpong
  implicit none
  integer, parameter :: trips = 20000
  double precision :: x[*]
  integer :: i
  integer(8) :: begin, end, rate
  x = 0d0
  sync all
  call system_clock(begin, rate)
  do i = 1, trips
    if (this_image() == 1) then
      x[2] = x
      sync images (2)
      sync images (2)
    else
      sync images (1)
      x[1] = x + 1
      sync images (1)
    end if
  end do
  call system_clock(end)
  if (this_image() == 1) print '(f10.4,f10.0)', dble(end - begin) / dble(rate) / trips / 2 * 1d6, x
end program
