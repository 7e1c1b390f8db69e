! Sections and array expressions, as a generator wrote them: each image changes its
! own coarrays, then puts into those of one other, then reads.
program generated_sections
  implicit none
  integer :: x(9)[*], y(0:8)[*], m(5,-1:3)[*], u(9), v(-2:6), w(5,5), q(2:4,4), c[*]
  integer :: me, np, left, right, far, i, j, k0, k1, k2, k3, k4, k5, k9
  me = this_image(); np = num_images()
  left = merge(np, me - 1, me == 1); right = merge(1, me + 1, me == np); far = 1 + mod(me + 2, np)
  k0 = 0; k1 = 1; k2 = 2; k3 = 3; k4 = 4; k5 = 5; k9 = 0
  c = me
  do i = 1, 9
    x(i) = 10*me + i; y(i-1) = 20*me - i; u(i) = i*me; v(i-3) = i + me
  end do
  do j = 1, 5
    do i = 1, 5
      m(i,j-2) = 100*me + 10*i + j; w(i,j) = i - j*me
    end do
  end do
  q = me
  sync all
  q(:,k2) = mod((((m(1,-1:1)[right] - m(5,3:1:-1)) * abs(k2)) + m(3,k2+1:1:-1)[1]), 1000)
  w(k3:3:2,1:k3) = mod(((q(4:4:-1,k0+1:k3) * np) - (m(3:3:-2,0:k1+1)[far] - m(5:k5:-1,k1+1:0:-1)[np])), 1000)
  k9 = k9 + sum(m(k1+1:5,3)[left]) + maxval(y(2:5))
  w(k3:3,1:1) = mod((m(2:k2:2,1:1)[1] + m(k3+1:4,k1+1:2:2)[far]), 1000)
  u = mod(u, 1000); v = mod(v, 1000); w = mod(w, 1000); q = mod(q, 1000)
  sync all
  y(0:3) = mod(mod((3 + w(k5,1:4)), 7), 1000)
  x(k2:1:-1) = mod(x(k1+1:k2+1), 1000)
  m(2:5,2:2)[me] = mod(m(k1:k4,-1:-1), 1000)
  sync all
  x(1:7:2)[left] = u(k5:8)
  x(k4+1:1:-1)[left] = v(6:-2:-2)*2 - u(9:k4+1:-1)
  y(8:4:-1)[left] = v(k2:6)*2 - u(1:5)
  m(k4:k4+1,k0)[left] = u(5:4:-1)*2 - u(7:6:-1)
  m(5:1:-1,2)[left] = w(:,2)
  sync all
  call co_max(q(k4,3:k0+1:-1))
  print *, me, 0, 'x', x
  print *, me, 0, 'y', y
  print *, me, 0, 'u', u
  print *, me, 0, 'v', v
  do j = 1, 5; print *, me, 0, 'm', j, m(:,j-2); end do
  do j = 1, 5; print *, me, 0, 'w', j, w(:,j); end do
  print *, me, 0, 'q', q, k9
  sync all
  x = mod(x, 1000); y = mod(y, 1000); m = mod(m, 1000)
  sync all
  w(k2:k5,2:k5) = mod((m(1:4,-1:2)[me] - ((m(1:k3+1,3:0:-1)[np] + w(2:5,k1:k4)) + &
      (m(k5:k1+1:-1,2:-1:-1)[me] * 3))), 1000)
  call work(m(k4,-1:k2), w(k4,1:3), 1 + mod(me, np))
  k9 = k9 + sum(m(4:5,1)[me]) + maxval(u(7:8))
  u(6:9) = mod((x(9:3:-2)[right] + u(k1:4)), 1000)
  u = mod(u, 1000); v = mod(v, 1000); w = mod(w, 1000); q = mod(q, 1000)
  sync all
  x(9:6:-1)[me] = mod((np - q(4,k4:1:-1)), 1000)
  m(k2+1:1:-1,k0:k3) = mod(m(2,k1), 1000)
  y(7:3:-1)[me] = mod(mod(u(1:k4+1), 7), 1000)
  sync all
  x(k4:7:3)[1 + mod(me + 1, np)] = w(k3+1:5,k1)
  x(k3+1:6)[1 + mod(me + 1, np)] = v(k0:k3+1:2)
  m(2:5,k2)[1 + mod(me + 1, np)] = q(3,4:k0+1:-1)*2 - v(0:3)
  m(3,3:-1:-1)[1 + mod(me + 1, np)] = w(k5,5:1:-1)*2 - w(k4,:)
  sync all
  print *, me, 1, 'x', x
  print *, me, 1, 'y', y
  print *, me, 1, 'u', u
  print *, me, 1, 'v', v
  do j = 1, 5; print *, me, 1, 'm', j, m(:,j-2); end do
  do j = 1, 5; print *, me, 1, 'w', j, w(:,j); end do
  print *, me, 1, 'q', q, k9
  sync all
  x = mod(x, 1000); y = mod(y, 1000); m = mod(m, 1000)
  sync all
  w(4:4:-2,k5:k1:-2) = mod((q(2:2:2,k2:4) - (m(3:3,-1:k1)[1 + mod(me, np)] + m(k1+1:2:-2,3:1:-1)[left])), 1000)
  do j = 1, me + 1
    w(k2,4:k5) = j + (c * m(k2,-1:0)[left])
  end do
  v(-2:2) = mod(y(4:8), 1000)
  call work(y(k0+1:4), u(7:5:-1), np)
  u = mod(u, 1000); v = mod(v, 1000); w = mod(w, 1000); q = mod(q, 1000)
  sync all
  m(k1:k5:2,k1:0:-1)[me] = mod((q(k2:4,2:k2+1) * w(1:3,k1:2)), 1000)
  x(7:3:-1)[me] = mod((x(k5:1:-1) + x(1:k4+1)), 1000)
  m(3:k2+1:-1,-1:2) = mod(((w(2:2:3,1:k4) + q(4:k3+1:-1,1:k3+1)) * (m(5:5,3:0:-1) + m(5:k5:-1,0:k3))), 1000)
  sync all
  x(9:8:-1)[right] = w(k5,k3:k4)
  x(6:7)[right] = v(2:k3)*2 - v(k1+1:k2+1)
  y(k5:4:-1)[right] = w(k0+1:4:3,1)
  sync all
  call co_max(u(9:7:-1))
  print *, me, 2, 'x', x
  print *, me, 2, 'y', y
  print *, me, 2, 'u', u
  print *, me, 2, 'v', v
  do j = 1, 5; print *, me, 2, 'm', j, m(:,j-2); end do
  do j = 1, 5; print *, me, 2, 'w', j, w(:,j); end do
  print *, me, 2, 'q', q, k9
  sync all
  x = mod(x, 1000); y = mod(y, 1000); m = mod(m, 1000)
  sync all
  k9 = k9 + dot_product(q(k3,1:k3), x(7:9)[1 + mod(me, np)])
  k9 = mod(k9, 100000)
  do j = 1, me + 1
    q(3:k4,k4) = j + (x(8:9)[1 + mod(me, np)] - x(7:8))
  end do
  k9 = k9 + dot_product(q(3:k3+1,3), m(5,1:k1+1)[1 + mod(me, np)])
  k9 = mod(k9, 100000)
  do j = 1, me + 1
    v(1:k1+1) = j + (m(1:2,-1) * k2)
  end do
  u = mod(u, 1000); v = mod(v, 1000); w = mod(w, 1000); q = mod(q, 1000)
  sync all
  y(k4+1:8:3) = mod(m(k1,0:-1:-1), 1000)
  m(k4+1:2:-1,2:-1:-1) = mod(((m(4:1:-1,k3:k0:-1) * m(4:k1:-1,k3:k0:-1)) - w(k2:5,k1:4)), 1000)
  m(3,0:k0) = mod(u(9:9), 1000)
  sync all
  x(4:k4:3)[left] = v(k2:2:-2)
  m(k0+1:5,k0)[left] = v(-2:6:2)*2 - w(k5,1:k5)
  m(4:k1:-1,-1:k2:3)[left] = w(k2:5,k1+1:3)
  sync all
  print *, me, 3, 'x', x
  print *, me, 3, 'y', y
  print *, me, 3, 'u', u
  print *, me, 3, 'v', v
  do j = 1, 5; print *, me, 3, 'm', j, m(:,j-2); end do
  do j = 1, 5; print *, me, 3, 'w', j, w(:,j); end do
  print *, me, 3, 'q', q, k9
  sync all
  x = mod(x, 1000); y = mod(y, 1000); m = mod(m, 1000)
  sync all
  w(1,k3:5) = mod(q(3,2:k4), 1000)
  q(4:4:-1,k2:1:-1) = mod((mod(m(1:1:-1,k2:0:-2), 7) * (m(4:k3+1,0:-1:-1)[me] - m(k0+1:1:-2,k0:k2+1:3)[me])), 1000)
  w(k4:k4+1,k1) = mod((((q(3,3:k4) * w(3:4,k3)) - (x(7:9:2)[np] + x(4:5)[far])) * abs(mod(m(2,k1), 7))), 1000)
  w(k4:2:-1,3) = mod((((np * x(5:k2+1:-1)) * (x(6:4:-1)[left] * x(5:9:2)[far])) * (q(2,3:1:-1) + y(1:7:3))), 1000)
  u = mod(u, 1000); v = mod(v, 1000); w = mod(w, 1000); q = mod(q, 1000)
  sync all
  m(1:1,-1:2)[me] = mod((abs(m(k3+1:4:3,-1:2)) - (w(k5:5:2,k0+1:k3+1) * w(5:k5,k3+1:1:-1))), 1000)
  m(1:3,k2+1:1:-2)[me] = mod(q(4:2:-1,2:1:-1), 1000)
  y(5:6)[me] = mod(u(8:k5+1:-2), 1000)
  sync all
  x(6:3:-1)[right] = w(2:5,k1)
  m(2:k4:2,-1:k0+1)[right] = w(k4:5,k0+1:5:2)*2 - w(k3:4,5:3:-1)
  m(k3,-1:2)[right] = w(5,2:5)*2 - u(k3:k5+1)
  sync all
  call co_sum(v(0:4:2))
  print *, me, 4, 'x', x
  print *, me, 4, 'y', y
  print *, me, 4, 'u', u
  print *, me, 4, 'v', v
  do j = 1, 5; print *, me, 4, 'm', j, m(:,j-2); end do
  do j = 1, 5; print *, me, 4, 'w', j, w(:,j); end do
  print *, me, 4, 'q', q, k9
  sync all
  x = mod(x, 1000); y = mod(y, 1000); m = mod(m, 1000)
  sync all
  w(5:k2+1:-1,1) = mod(3, 1000)
  w(1:k4,k5) = mod((mod(max(u(4:7), v(k5:2:-1)), 7) * ((y(k1:4) + 3) - (m(k1:4,0)[np] + y(k1:k3+1)[1]))), 1000)
  v(6:-2:-2) = mod(x(2:6), 1000)
  w(3:5,5:2:-1) = mod((m(k1:k2+1,0:3)[right] * q(2:4,1:k4)), 1000)
  u = mod(u, 1000); v = mod(v, 1000); w = mod(w, 1000); q = mod(q, 1000)
  sync all
  y(k1:7:3)[me] = mod((x(2:k4) - c), 1000)
  m(5:k1:-1,3) = mod((m(2,k1) * v(6:-2:-2)), 1000)
  m(k0+1:4,-1:-1:-1) = mod(m(2,k1), 1000)
  sync all
  x(9:9)[1 + mod(me + 1, np)] = u(7:7)
  y(3:7)[1 + mod(me + 1, np)] = w(:,3)*2 - u(3:7)
  y(1:7:3)[1 + mod(me + 1, np)] = v(3:k5)*2 - u(5:3:-1)
  sync all
  print *, me, 5, 'x', x
  print *, me, 5, 'y', y
  print *, me, 5, 'u', u
  print *, me, 5, 'v', v
  do j = 1, 5; print *, me, 5, 'm', j, m(:,j-2); end do
  do j = 1, 5; print *, me, 5, 'w', j, w(:,j); end do
  print *, me, 5, 'q', q, k9
  sync all
  x = mod(x, 1000); y = mod(y, 1000); m = mod(m, 1000)
  sync all
  u(1:1) = mod(abs(y(7:7:3)[far]), 1000)
  k9 = k9 + dot_product(u(5:6), m(3,1:k1+1)[1])
  k9 = mod(k9, 100000)
  w(5:k4:-1,3) = mod(max(x(k2:k1:-1)[np], y(k3+1:5)[left]), 1000)
  q(3:k3:-1,k2:1:-1) = mod(m(k3:3:-1,3:2:-1)[np], 1000)
  u = mod(u, 1000); v = mod(v, 1000); w = mod(w, 1000); q = mod(q, 1000)
  sync all
  x(k3:7) = mod((u(k1:9:2) + x(9:k1:-2)), 1000)
  m(3:3:-1,k1+1:k0:-1) = mod(max((m(k4:k4,k3:k0+1:-1) * m(k1+1:k2:-1,-1:3:2)), w(k1+1:k1+1,1:3)), 1000)
  y(2:2)[me] = mod(m(3:k2+1,0), 1000)
  sync all
  y(0:k0+1)[left] = u(k4:7:3)
  sync all
  call co_sum(w(k4:2:-1,3))
  print *, me, 6, 'x', x
  print *, me, 6, 'y', y
  print *, me, 6, 'u', u
  print *, me, 6, 'v', v
  do j = 1, 5; print *, me, 6, 'm', j, m(:,j-2); end do
  do j = 1, 5; print *, me, 6, 'w', j, w(:,j); end do
  print *, me, 6, 'q', q, k9
  sync all
  x = mod(x, 1000); y = mod(y, 1000); m = mod(m, 1000)
  sync all
contains
  subroutine work(a, b, p)
    integer, intent(in) :: a(:)[*], p
    integer, intent(inout) :: b(:)
    integer :: t(4), k
    t = a(:)[p]
    k = size(b)
    b(1:min(k,4)) = t(min(k,4):1:-1) + a(1:min(k,4))
    b(k) = b(k) + a(2)[p] - sum(t(2:3))
  end subroutine work
end program generated_sections
