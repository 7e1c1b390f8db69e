! It never ends: for tests that kill one of its processes.
program endless
  integer :: s[*]
  s = 0
  sync all
  if (this_image() == 1) then
    print *, 'all are here'
    flush(6)
  end if
  do while (s >= 0)
    sync all
    s = mod(s + 1, 1000)
  end do
end program
