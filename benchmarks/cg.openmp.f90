! cg for OpenMP: one parallel region around the iteration.
program cg
  implicit none
  integer, parameter :: m = 500, steps = 100
  integer, parameter :: n = m*m
  double precision, allocatable :: val(:,:), x(:), r(:), p(:), q(:)
  integer, allocatable :: col(:,:)
  double precision :: rho, old, pq, s, total
  integer :: i, k, it
  allocate (val(5,n), x(n), r(n), p(n), q(n), col(5,n))
  rho = 0.0d0
  pq = 0.0d0
  total = 0.0d0
!$omp parallel private(i, k, it, s, old)
!$omp do schedule(static)
  do i = 1, n
    do k = 1, 5
      col(k,i) = i
      val(k,i) = 0.0d0
    end do
    val(1,i) = 4.1d0
    if (mod(i - 1, m) > 0) then
      col(2,i) = i - 1
      val(2,i) = -1.0d0
    end if
    if (mod(i, m) > 0) then
      col(3,i) = i + 1
      val(3,i) = -1.0d0
    end if
    if (i > m) then
      col(4,i) = i - m
      val(4,i) = -1.0d0
    end if
    if (i <= n - m) then
      col(5,i) = i + m
      val(5,i) = -1.0d0
    end if
    x(i) = 0.0d0
    r(i) = 1.0d0 + mod(i, 7)
    p(i) = r(i)
  end do
!$omp do schedule(static) reduction(+:rho)
  do i = 1, n
    rho = rho + r(i)*r(i)
  end do
  do it = 1, steps
!$omp do schedule(static) reduction(+:pq)
    do i = 1, n
      s = 0.0d0
      do k = 1, 5
        s = s + val(k,i)*p(col(k,i))
      end do
      q(i) = s
      pq = pq + p(i)*s
    end do
    old = rho
    s = rho/pq
!$omp barrier
!$omp single
    rho = 0.0d0
    pq = 0.0d0
!$omp end single
!$omp do schedule(static) reduction(+:rho)
    do i = 1, n
      x(i) = x(i) + s*p(i)
      r(i) = r(i) - s*q(i)
      rho = rho + r(i)*r(i)
    end do
    s = rho/old
!$omp do schedule(static)
    do i = 1, n
      p(i) = r(i) + s*p(i)
    end do
  end do
!$omp do schedule(static) reduction(+:total)
  do i = 1, n
    total = total + x(i)
  end do
!$omp end parallel
  print *, total, x(1), x(n/2), x(n)
end program cg
