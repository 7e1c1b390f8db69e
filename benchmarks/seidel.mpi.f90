! seidel for MPI: processes have blocks of columns and go through them in pieces of rows,
! one behind the other.
program seidel
  use mpi
  implicit none
  integer, parameter :: n = 2000, steps = 25, rows = 64
  double precision, allocatable :: a(:,:)
  double precision :: change, most, x, total, part, middle, start
  integer :: i, j, it, me, np, lo, hi, top, bottom, piece, left, right, err, request
  call MPI_Init(err)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, err)
  call MPI_Comm_size(MPI_COMM_WORLD, np, err)
  call MPI_Barrier(MPI_COMM_WORLD, err)
  start = MPI_Wtime()
  if (np > n - 2) then
    write (0, *) 'more processes than columns'
    call MPI_Abort(MPI_COMM_WORLD, 1, err)
  end if
  lo = me*n/np + 1
  hi = (me + 1)*n/np
  left = me - 1
  if (me == 0) left = MPI_PROC_NULL
  right = me + 1
  if (me == np - 1) right = MPI_PROC_NULL
  allocate (a(n,lo-1:hi+1))
  do j = lo - 1, hi + 1
    do i = 1, n
      a(i,j) = 1.0d0 + mod(7*i + 13*j, 17)
    end do
  end do
  most = 0.0d0
  do it = 1, steps
    most = 0.0d0
    if (it > 1) then
      call MPI_Isend(a(:,lo), n, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, request, err)
      call MPI_Recv(a(:,hi+1), n, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, err)
      call MPI_Wait(request, MPI_STATUS_IGNORE, err)
    end if
    do piece = 1, (n - 2 + rows - 1)/rows
      top = 2 + (piece-1)*rows
      bottom = min(n - 1, 1 + piece*rows)
      call MPI_Recv(a(top:bottom,lo-1), bottom-top+1, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, err)
      do j = max(2, lo), min(n - 1, hi)
        do i = top, bottom
          x = 0.25d0*(a(i-1,j) + a(i+1,j) + a(i,j-1) + a(i,j+1))
          most = max(most, abs(x - a(i,j)))
          a(i,j) = x
        end do
      end do
      call MPI_Send(a(top:bottom,hi), bottom-top+1, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, err)
    end do
  end do
  call MPI_Reduce(most, change, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, err)
  part = sum(a(:,lo:hi))
  call MPI_Reduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, err)
  part = 0.0d0
  if (lo <= n/2 .and. n/2 <= hi) part = a(n/2,n/2)
  call MPI_Reduce(part, middle, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, err)
  if (me == 0) then
    print *, total, change, middle
    write (0, *) 'seconds', MPI_Wtime() - start
  end if
  call MPI_Finalize(err)
end program seidel
