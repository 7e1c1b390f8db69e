! INTEGER(4) between images wraps too. Image 1 prints.
program images
  implicit none
  integer :: me, n, x[*], y(3)[*], s, t
  integer(8) :: w[*]
  me = this_image()
  n = num_images()
  x = huge(x) - me
  y(1) = 1
  y(2) = 2
  y(3) = 3
  w = huge(w)
  s = x
  call co_sum(s)
  t = 2*x
  call co_max(t)
  sync all
  sync all
  if (me == 1) then
    y(:)[n] = y(:)*2000000000
    print *, s == n*huge(s) - n*(n + 1)/2, t, x[n] + n + 1, w[n] + 1
    print *, y(:)[n], sum(y(:)[n]), product(y(:)[n]), maxval(y(:)[n])
  end if
end program
