! planes for OpenMP: one parallel region around the time loop.
program planes
  implicit none
  integer, parameter :: n = 2000, steps = 200
  double precision, allocatable :: g(:,:,:)
  double precision :: total, most
  integer :: i, j, it, o, w
  allocate (g(n,n,2))
  total = 0.0d0
  most = 0.0d0
!$omp parallel private(i, j, it, o, w)
!$omp do schedule(static)
  do j = 1, n
    do i = 1, n
      g(i,j,1) = 1.0d0 + mod(7*i + 13*j, 17)
      g(i,j,2) = g(i,j,1)
    end do
  end do
  o = 1
  do it = 1, steps
    w = 3 - o
!$omp do schedule(static)
    do j = 2, n - 1
      do i = 2, n - 1
        g(i,j,w) = 0.15d0*(g(i-1,j,o) + g(i+1,j,o) + g(i,j-1,o) + g(i,j+1,o)) &
                 + 0.05d0*(g(i-1,j-1,o) + g(i+1,j-1,o) + g(i-1,j+1,o) + g(i+1,j+1,o)) + 0.2d0*g(i,j,o)
      end do
    end do
    o = w
  end do
!$omp do schedule(static) reduction(+:total) reduction(max:most)
  do j = 1, n
    do i = 1, n
      total = total + g(i,j,o)
      most = max(most, g(i,j,o))
    end do
  end do
!$omp end parallel
  o = 1 + mod(steps, 2)
  print *, total, most, g(2,2,o), g(n/2,n/2,o)
end program planes
