! matmul for OpenMP: columns of the result are dealt out.
program matmul
  implicit none
  integer, parameter :: n = 1024
  double precision, allocatable :: a(:,:), b(:,:), c(:,:)
  double precision :: total
  integer :: i, j, k
  allocate (a(n,n), b(n,n), c(n,n))
  total = 0.0d0
!$omp parallel private(i, j, k)
!$omp do schedule(static)
  do j = 1, n
    do i = 1, n
      a(i,j) = 1.0d0 + mod(7*i + 13*j, 17)
      b(i,j) = 1.0d0 + mod(5*i + 3*j, 11)
      c(i,j) = 0.0d0
    end do
  end do
!$omp do schedule(static)
  do j = 1, n
    do k = 1, n
      do i = 1, n
        c(i,j) = c(i,j) + a(i,k)*b(k,j)
      end do
    end do
  end do
!$omp do schedule(static) reduction(+:total)
  do j = 1, n
    do i = 1, n
      total = total + c(i,j)
    end do
  end do
!$omp end parallel
  print *, total, c(1,1), c(n/2,n/2), c(n,n)
end program matmul
