! planes for MPI: blocks of columns, a column exchanged with each neighbour in each step.
program planes
  use mpi
  implicit none
  integer, parameter :: n = 2000, steps = 200
  double precision, allocatable :: g(:,:,:)
  double precision :: total, most, part(2), some(2), start
  integer :: i, j, it, o, w, me, np, lo, hi, left, right, err
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
  allocate (g(n,lo-1:hi+1,2))
  do j = lo, hi
    do i = 1, n
      g(i,j,1) = 1.0d0 + mod(7*i + 13*j, 17)
      g(i,j,2) = g(i,j,1)
    end do
  end do
  o = 1
  do it = 1, steps
    w = 3 - o
    call MPI_Sendrecv(g(:,hi,o), n, MPI_DOUBLE_PRECISION, right, 1, g(:,lo-1,o), n, MPI_DOUBLE_PRECISION, left, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, err)
    call MPI_Sendrecv(g(:,lo,o), n, MPI_DOUBLE_PRECISION, left, 2, g(:,hi+1,o), n, MPI_DOUBLE_PRECISION, right, 2, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, err)
    do j = max(2, lo), min(n - 1, hi)
      do i = 2, n - 1
        g(i,j,w) = 0.15d0*(g(i-1,j,o) + g(i+1,j,o) + g(i,j-1,o) + g(i,j+1,o)) &
                 + 0.05d0*(g(i-1,j-1,o) + g(i+1,j-1,o) + g(i-1,j+1,o) + g(i+1,j+1,o)) + 0.2d0*g(i,j,o)
      end do
    end do
    o = w
  end do
  part(1) = sum(g(:,lo:hi,o))
  part(2) = maxval(g(:,lo:hi,o))
  call MPI_Reduce(part(1), total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, err)
  call MPI_Reduce(part(2), most, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, err)
  some = 0.0d0
  if (lo <= 2 .and. 2 <= hi) some(1) = g(2,2,o)
  if (lo <= n/2 .and. n/2 <= hi) some(2) = g(n/2,n/2,o)
  call MPI_Allreduce(MPI_IN_PLACE, some, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, err)
  if (me == 0) then
    print *, total, most, some
    write (0, *) 'seconds', MPI_Wtime() - start
  end if
  call MPI_Finalize(err)
end program planes
