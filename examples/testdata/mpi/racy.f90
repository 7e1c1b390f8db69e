! The last image reads what the first one puts, and nothing orders them.
program racy
  implicit none
  integer :: x(1000)[*], i, k, s
  x = 0
  s = 0
  sync all
  if (this_image() == 1) then
    do i = 1, 300
      x(:)[num_images()] = i
    end do
  else if (this_image() == num_images()) then
    do i = 1, 300
      do k = 1, 1000
        if (x(k) > 100) s = s + 1
      end do
    end do
  end if
  sync all
  if (s > 0) print *, 'some'
end program
