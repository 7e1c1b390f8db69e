! jacobi for MPI: blocks of columns, a column exchanged with each neighbour in each step.
program jacobi
  use mpi
  implicit none
  integer, parameter :: n = 1000, steps = 600
  double precision, allocatable :: a(:,:), b(:,:)
  double precision :: total, most, part(2), some(3), start
  integer :: i, j, it, me, np, lo, hi, left, right, err
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
  allocate (a(n,lo-1:hi+1), b(n,lo:hi))
  do j = lo, hi
    do i = 1, n
      a(i,j) = 1.0d0 + mod(7*i + 13*j, 17)
      b(i,j) = a(i,j)
    end do
  end do
  do it = 1, steps
    call MPI_Sendrecv(a(:,hi), n, MPI_DOUBLE_PRECISION, right, 1, a(:,lo-1), n, MPI_DOUBLE_PRECISION, left, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, err)
    call MPI_Sendrecv(a(:,lo), n, MPI_DOUBLE_PRECISION, left, 2, a(:,hi+1), n, MPI_DOUBLE_PRECISION, right, 2, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, err)
    do j = max(2, lo), min(n - 1, hi)
      do i = 2, n - 1
        b(i,j) = 0.15d0*(a(i-1,j) + a(i+1,j) + a(i,j-1) + a(i,j+1)) &
               + 0.05d0*(a(i-1,j-1) + a(i+1,j-1) + a(i-1,j+1) + a(i+1,j+1)) + 0.2d0*a(i,j)
      end do
    end do
    do j = max(2, lo), min(n - 1, hi)
      do i = 2, n - 1
        a(i,j) = b(i,j)
      end do
    end do
  end do
  part(1) = sum(a(:,lo:hi))
  part(2) = maxval(a(:,lo:hi))
  call MPI_Reduce(part(1), total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, err)
  call MPI_Reduce(part(2), most, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, err)
  some = 0.0d0
  if (lo <= 2 .and. 2 <= hi) some(1) = a(2,2)
  if (lo <= n/2 .and. n/2 <= hi) some(2) = a(n/2,n/2)
  if (lo <= n-1 .and. n-1 <= hi) some(3) = a(n-1,n-1)
  call MPI_Allreduce(MPI_IN_PLACE, some, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, err)
  if (me == 0) then
    print *, total, most, some
    write (0, *) 'seconds', MPI_Wtime() - start
  end if
  call MPI_Finalize(err)
end program jacobi
