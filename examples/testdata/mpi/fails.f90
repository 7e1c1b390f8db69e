! Image 2 divides by zero while the others wait for it.
program fails
  integer :: s[*], k
  s = this_image() - 2
  k = 0
  sync all
  k = 6 / s
  sync all
  print *, k
end program
