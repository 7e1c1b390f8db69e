! lu for MPI: columns are dealt out; each step broadcasts one.
program lu
  use mpi
  implicit none
  integer, parameter :: n = 1000
  double precision, allocatable :: a(:,:)
  double precision :: w(n), total, part, some(3), start
  integer :: i, j, k, c, m, me, np, err
  call MPI_Init(err)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, err)
  call MPI_Comm_size(MPI_COMM_WORLD, np, err)
  call MPI_Barrier(MPI_COMM_WORLD, err)
  start = MPI_Wtime()
  m = (n - 1 - me + np)/np               ! columns here: me+1, me+1+np, ...
  allocate (a(n,m))
  do c = 1, m
    j = me + 1 + (c-1)*np
    do i = 1, n
      a(i,c) = 1.0d0/(1.0d0 + mod(7*i + 13*j, 17))
    end do
    a(j,c) = a(j,c) + n
  end do
  do k = 1, n - 1
    if (mod(k-1, np) == me) then
      c = (k-1)/np + 1
      do i = k + 1, n
        a(i,c) = a(i,c)/a(k,c)
        w(i) = a(i,c)
      end do
    end if
    call MPI_Bcast(w(k+1), n-k, MPI_DOUBLE_PRECISION, mod(k-1, np), MPI_COMM_WORLD, err)
    do c = (k - me - 1 + np)/np + 1, m   ! columns behind k
      do i = k + 1, n
        a(i,c) = a(i,c) - w(i)*a(k,c)
      end do
    end do
  end do
  part = sum(abs(a))
  call MPI_Reduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, err)
  some = 0.0d0
  if (mod(n-1, np) == me) then
    some(1) = a(n,m)
    some(3) = a(n-1,m)
  end if
  if (mod(n-2, np) == me) some(2) = a(n,(n-2)/np+1)
  call MPI_Allreduce(MPI_IN_PLACE, some, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, err)
  if (me == 0) then
    print *, total, some
    write (0, *) 'seconds', MPI_Wtime() - start
  end if
  call MPI_Finalize(err)
end program lu
