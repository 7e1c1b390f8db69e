! co_sum, co_max, co_min and co_broadcast of scalars, arrays and sections.
program collectives
  implicit none
  integer :: i, k, me, np, big(700), t(3,2), c[*]
  integer :: v(5)[*]
  real(8) :: s, a(4), lo
  real :: r
  logical :: flag
  me = this_image()
  np = num_images()
  k = me
  call co_sum(k)
  s = 0.5d0*me
  call co_sum(s)
  r = 1.0/me
  call co_max(r)
  lo = -me*1.25d0
  call co_min(a=lo)
  print *, me, k, s, r, lo
  do i = 1, 700
    big(i) = i*me
  end do
  call co_sum(big)
  print *, me, big(1), big(512), big(513), big(700), sum(big)
  k = 10*me
  call co_sum(k, result_image=1)
  if (me == 1) print *, 'sum on 1', k
  c = me*me
  call co_max(c)
  print *, me, c
  a = me
  a(2:3) = 2*me
  call co_max(a(2:4))
  print *, me, a
  do i = 1, 5
    v(i) = 100*me + i
  end do
  call co_min(v(1:5:2))
  print *, me, v
  t = me
  t(2,:) = -me
  call co_min(t(2:3,:), result_image=np)
  if (me == np) print *, t
  i = me + 3
  call co_broadcast(i, source_image=np)
  call co_broadcast(a, 1)
  flag = me == 2
  call co_broadcast(flag, source_image=np)
  call co_broadcast(v(2:4), source_image=1)
  print *, me, i, a, flag, v
end program collectives
