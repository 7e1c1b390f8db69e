! jacobi for OpenMP: one parallel region around the time loop.
program jacobi
  implicit none
  integer, parameter :: n = 1000, steps = 600
  double precision, allocatable :: a(:,:), b(:,:)
  double precision :: total, most
  integer :: i, j, it
  allocate (a(n,n), b(n,n))
  total = 0.0d0
  most = 0.0d0
!$omp parallel private(i, j, it)
!$omp do schedule(static)
  do j = 1, n
    do i = 1, n
      a(i,j) = 1.0d0 + mod(7*i + 13*j, 17)
      b(i,j) = a(i,j)
    end do
  end do
  do it = 1, steps
!$omp do schedule(static)
    do j = 2, n - 1
      do i = 2, n - 1
        b(i,j) = 0.15d0*(a(i-1,j) + a(i+1,j) + a(i,j-1) + a(i,j+1)) &
               + 0.05d0*(a(i-1,j-1) + a(i+1,j-1) + a(i-1,j+1) + a(i+1,j+1)) + 0.2d0*a(i,j)
      end do
    end do
!$omp do schedule(static)
    do j = 2, n - 1
      do i = 2, n - 1
        a(i,j) = b(i,j)
      end do
    end do
  end do
!$omp do schedule(static) reduction(+:total) reduction(max:most)
  do j = 1, n
    do i = 1, n
      total = total + a(i,j)
      most = max(most, a(i,j))
    end do
  end do
!$omp end parallel
  print *, total, most, a(2,2), a(n/2,n/2), a(n-1,n-1)
end program jacobi
