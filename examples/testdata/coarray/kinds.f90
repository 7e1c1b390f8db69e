! Coarrays of INTEGER(1) and (2) and LOGICAL(1); random numbers in a distributed array, the same on all images.
program kinds
  implicit none
  integer(1) :: b(4)[*]
  integer(2) :: s[*], t
  logical(1) :: f[*]
  real :: a(16), sum1
  logical :: ok
  integer :: me
!HPF$ DISTRIBUTE a(BLOCK)
  me = this_image()
  b = int(me*50 + [1, 2, 3, 4], 1)
  s = int(me*1000, 2)
  f = me > 1
  sync all
  t = s[num_images()] + b(2)[1]
  if (f[num_images()]) t = t + 1_2
  call co_max(s)
  call co_sum(t)
  if (me == num_images()) b(1:2)[1] = b(3:4)
  sync all
  print *, me, b(3:4), s, t, f
  call random_number(a)
  ok = all(a >= 0) .and. all(a < 1) .and. minval(a) < maxval(a)
  sum1 = sum(a)
  print *, me, ok, sum1 > 0
end program
