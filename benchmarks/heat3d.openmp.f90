! heat3d for OpenMP: one parallel region around the time loop.
program heat3d
  implicit none
  integer, parameter :: n = 128, steps = 100
  double precision, allocatable :: u(:,:,:), v(:,:,:)
  double precision :: total
  integer :: i, j, k, it
  allocate (u(n,n,n), v(n,n,n))
  total = 0.0d0
!$omp parallel private(i, j, k, it)
!$omp do schedule(static)
  do k = 1, n
    do j = 1, n
      do i = 1, n
        u(i,j,k) = 1.0d0 + mod(7*i + 13*j + 5*k, 17)
        v(i,j,k) = u(i,j,k)
      end do
    end do
  end do
  do it = 1, steps
!$omp do schedule(static)
    do k = 2, n - 1
      do j = 2, n - 1
        do i = 2, n - 1
          v(i,j,k) = u(i,j,k) + 0.1d0*(u(i-1,j,k) + u(i+1,j,k) + u(i,j-1,k) + u(i,j+1,k) &
                   + u(i,j,k-1) + u(i,j,k+1) - 6.0d0*u(i,j,k))
        end do
      end do
    end do
!$omp do schedule(static)
    do k = 2, n - 1
      do j = 2, n - 1
        do i = 2, n - 1
          u(i,j,k) = v(i,j,k)
        end do
      end do
    end do
  end do
!$omp do schedule(static) reduction(+:total)
  do k = 1, n
    do j = 1, n
      do i = 1, n
        total = total + u(i,j,k)
      end do
    end do
  end do
!$omp end parallel
  print *, total, u(2,2,2), u(n/2,n/2,n/2)
end program heat3d
