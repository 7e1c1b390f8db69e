! heat3d for MPI: blocks of planes, a plane exchanged with each neighbour in each step.
program heat3d
  use mpi
  implicit none
  integer, parameter :: n = 128, steps = 100
  double precision, allocatable :: u(:,:,:), v(:,:,:)
  double precision :: total, part, some(2), start
  integer :: i, j, k, it, me, np, lo, hi, left, right, err
  call MPI_Init(err)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, err)
  call MPI_Comm_size(MPI_COMM_WORLD, np, err)
  call MPI_Barrier(MPI_COMM_WORLD, err)
  start = MPI_Wtime()
  lo = me*n/np + 1
  hi = (me + 1)*n/np
  left = me - 1
  if (me == 0) left = MPI_PROC_NULL
  right = me + 1
  if (me == np - 1) right = MPI_PROC_NULL
  allocate (u(n,n,lo-1:hi+1), v(n,n,lo:hi))
  do k = lo, hi
    do j = 1, n
      do i = 1, n
        u(i,j,k) = 1.0d0 + mod(7*i + 13*j + 5*k, 17)
        v(i,j,k) = u(i,j,k)
      end do
    end do
  end do
  do it = 1, steps
    call MPI_Sendrecv(u(:,:,hi), n*n, MPI_DOUBLE_PRECISION, right, 1, u(:,:,lo-1), n*n, MPI_DOUBLE_PRECISION, left, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, err)
    call MPI_Sendrecv(u(:,:,lo), n*n, MPI_DOUBLE_PRECISION, left, 2, u(:,:,hi+1), n*n, MPI_DOUBLE_PRECISION, right, 2, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, err)
    do k = max(2, lo), min(n - 1, hi)
      do j = 2, n - 1
        do i = 2, n - 1
          v(i,j,k) = u(i,j,k) + 0.1d0*(u(i-1,j,k) + u(i+1,j,k) + u(i,j-1,k) + u(i,j+1,k) &
                   + u(i,j,k-1) + u(i,j,k+1) - 6.0d0*u(i,j,k))
        end do
      end do
    end do
    do k = max(2, lo), min(n - 1, hi)
      do j = 2, n - 1
        do i = 2, n - 1
          u(i,j,k) = v(i,j,k)
        end do
      end do
    end do
  end do
  part = sum(u(:,:,lo:hi))
  call MPI_Reduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, err)
  some = 0.0d0
  if (lo <= 2 .and. 2 <= hi) some(1) = u(2,2,2)
  if (lo <= n/2 .and. n/2 <= hi) some(2) = u(n/2,n/2,n/2)
  call MPI_Allreduce(MPI_IN_PLACE, some, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, err)
  if (me == 0) then
    print *, total, some
    write (0, *) 'seconds', MPI_Wtime() - start
  end if
  call MPI_Finalize(err)
end program heat3d
