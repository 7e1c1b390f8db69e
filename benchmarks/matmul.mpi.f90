! matmul for MPI: blocks of columns; the first factor is gathered on all processes.
program matmul
  use mpi
  implicit none
  integer, parameter :: n = 1024
  double precision, allocatable :: a(:,:), b(:,:), c(:,:), own(:,:)
  integer, allocatable :: counts(:), places(:)
  double precision :: total, part, some(3), start
  integer :: i, j, k, p, me, np, lo, hi, err
  call MPI_Init(err)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, err)
  call MPI_Comm_size(MPI_COMM_WORLD, np, err)
  call MPI_Barrier(MPI_COMM_WORLD, err)
  start = MPI_Wtime()
  lo = me*n/np + 1
  hi = (me + 1)*n/np
  allocate (a(n,n), own(n,lo:hi), b(n,lo:hi), c(n,lo:hi), counts(0:np-1), places(0:np-1))
  do p = 0, np - 1
    places(p) = (p*n/np)*n
    counts(p) = ((p + 1)*n/np)*n - places(p)
  end do
  do j = lo, hi
    do i = 1, n
      own(i,j) = 1.0d0 + mod(7*i + 13*j, 17)
      b(i,j) = 1.0d0 + mod(5*i + 3*j, 11)
      c(i,j) = 0.0d0
    end do
  end do
  call MPI_Allgatherv(own, counts(me), MPI_DOUBLE_PRECISION, a, counts, places, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, err)
  do j = lo, hi
    do k = 1, n
      do i = 1, n
        c(i,j) = c(i,j) + a(i,k)*b(k,j)
      end do
    end do
  end do
  part = sum(c)
  call MPI_Reduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, err)
  some = 0.0d0
  if (lo <= 1 .and. 1 <= hi) some(1) = c(1,1)
  if (lo <= n/2 .and. n/2 <= hi) some(2) = c(n/2,n/2)
  if (lo <= n .and. n <= hi) some(3) = c(n,n)
  call MPI_Allreduce(MPI_IN_PLACE, some, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, err)
  if (me == 0) then
    print *, total, some
    write (0, *) 'seconds', MPI_Wtime() - start
  end if
  call MPI_Finalize(err)
end program matmul
