! Sections on both sides, of this image and of others.
program sections
  implicit none
  integer, parameter :: n = 8
  integer :: x(n)[*], m(0:3,5)[*], a(n), b(4,5), c(n), me, np, left, right, i, j, lo, hi, chk
  real(8) :: r(n)[*], u(n), w(3,3)[*], total
  me = this_image()
  np = num_images()
  left = merge(np, me - 1, me == 1)
  right = merge(1, me + 1, me == np)
  x(:) = me*100
  do i = 1, n
    x(i) = x(i) + i
    r(i) = me + i*0.5d0
  end do
  do j = 1, 5
    do i = 0, 3
      m(i,j) = me*1000 + 10*i + j
    end do
  end do
  a = 0
  b = -1
  c = 7
  w = 0
  sync all

  ! Whole arrays, ranges, strides, backwards, one subscript.
  a(:) = x(:)[right]
  print *, me, 'whole', a
  a(2:5) = x(1:4)[left]
  a(6:8) = x(8:4:-2)[left]
  print *, me, 'parts', a
  b(2,:) = m(3,:)[right]
  b(:,1) = m(:,2)[left]
  b(1:3:2,2:4:2) = m(0:1,4:5)[right]
  print *, me, 'matrix', b
  lo = 2
  hi = lo + 3
  a(lo:hi) = x(hi-3:hi)[right] + 2*c(lo:hi)
  print *, me, 'sum', a
  a(3:2) = x(3:2)[left]
  c = x(:)[1] - x(:)[np] + a
  print *, me, 'two', c
  u = r(:)[left]/2 + r
  print *, me, 'real', u
  sync all

  ! Puts.
  x(3)[right] = me
  x(4:5)[right] = 10*me
  x(6:8)[right] = a(1:3) + me
  m(:,5)[left] = b(:,5)
  m(0,1:4)[left] = x(2)
  if (me <= 3) w(me, 2)[1] = 1.5d0*me
  sync all
  print *, me, 'put', x
  print *, me, 'put', m
  if (me == 1 .and. np <= 3) print *, w
  sync all

  ! The right side first: overlaps on this image, named with and without [me].
  x(2:n) = x(1:n-1)
  print *, me, 'shift', x
  x(1:n-1)[me] = x(2:n)
  print *, me, 'back', x
  x(2:n) = x(1:n-1)[me]
  print *, me, 'fetch', x
  x(1:n) = x(n:1:-1)
  print *, me, 'turn', x
  x(1)[me] = x(1) + x(2)[me]
  do i = 2, n
    x(i)[me] = x(i-1) + 1
  end do
  print *, me, 'self', x
  x(:) = x(2)[me] + x(:)
  print *, me, 'own', x
  sync all
  chk = sum(x(:)[right]) + maxval(m(:,:)[left]) - minval(a)
  total = dot_product(u, r) + sum(u(2:4)*2)
  print *, me, 'reduced', chk, total
  print *, me, x(2:4)[left], m(1,1:2)[right]
end program sections
