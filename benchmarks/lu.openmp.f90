! lu for OpenMP: one parallel region, columns are dealt out.
program lu
  implicit none
  integer, parameter :: n = 1000
  double precision, allocatable :: a(:,:)
  double precision :: total
  integer :: i, j, k
  allocate (a(n,n))
  total = 0.0d0
!$omp parallel private(i, j, k)
!$omp do schedule(static,1)
  do j = 1, n
    do i = 1, n
      a(i,j) = 1.0d0/(1.0d0 + mod(7*i + 13*j, 17))
    end do
    a(j,j) = a(j,j) + n
  end do
  do k = 1, n - 1
!$omp single
    do i = k + 1, n
      a(i,k) = a(i,k)/a(k,k)
    end do
!$omp end single
!$omp do schedule(static,1)
    do j = k + 1, n
      do i = k + 1, n
        a(i,j) = a(i,j) - a(i,k)*a(k,j)
      end do
    end do
  end do
!$omp do schedule(static) reduction(+:total)
  do j = 1, n
    do i = 1, n
      total = total + abs(a(i,j))
    end do
  end do
!$omp end parallel
  print *, total, a(n,n), a(n,n-1), a(n-1,n)
end program lu
