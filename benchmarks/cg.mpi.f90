! cg for MPI: blocks of rows; the borders of p are exchanged with the neighbours, since
! the columns of a row lie at most m away.
program cg
  use mpi
  implicit none
  integer, parameter :: m = 500, steps = 100
  integer, parameter :: n = m*m
  double precision, allocatable :: val(:,:), x(:), r(:), p(:), q(:)
  integer, allocatable :: col(:,:)
  double precision :: rho, old, alpha, pq, s, total, some(3), start
  integer :: i, k, it, me, np, lo, hi, left, right, err
  call MPI_Init(err)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, err)
  call MPI_Comm_size(MPI_COMM_WORLD, np, err)
  call MPI_Barrier(MPI_COMM_WORLD, err)
  start = MPI_Wtime()
  if (n/np < m) then
    write (0, *) 'too many processes: the columns of a row lie farther away than the next one'
    call MPI_Abort(MPI_COMM_WORLD, 1, err)
  end if
  lo = me*(n/np) + min(me, mod(n, np)) + 1
  hi = lo + n/np - 1
  if (me < mod(n, np)) hi = hi + 1
  left = me - 1
  if (me == 0) left = MPI_PROC_NULL
  right = me + 1
  if (me == np - 1) right = MPI_PROC_NULL
  allocate (val(5,lo:hi), col(5,lo:hi), x(lo:hi), r(lo:hi), q(lo:hi), p(lo-m:hi+m))
  do i = lo, hi
    col(:,i) = i
    val(:,i) = 0.0d0
    val(1,i) = 4.1d0
    if (mod(i - 1, m) > 0) then
      col(2,i) = i - 1
      val(2,i) = -1.0d0
    end if
    if (mod(i, m) > 0) then
      col(3,i) = i + 1
      val(3,i) = -1.0d0
    end if
    if (i > m) then
      col(4,i) = i - m
      val(4,i) = -1.0d0
    end if
    if (i <= n - m) then
      col(5,i) = i + m
      val(5,i) = -1.0d0
    end if
    x(i) = 0.0d0
    r(i) = 1.0d0 + mod(i, 7)
    p(i) = r(i)
  end do
  rho = dot_product(r, r)
  call MPI_Allreduce(MPI_IN_PLACE, rho, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, err)
  do it = 1, steps
    call MPI_Sendrecv(p(hi-m+1), m, MPI_DOUBLE_PRECISION, right, 1, p(lo-m), m, MPI_DOUBLE_PRECISION, left, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, err)
    call MPI_Sendrecv(p(lo), m, MPI_DOUBLE_PRECISION, left, 2, p(hi+1), m, MPI_DOUBLE_PRECISION, right, 2, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, err)
    pq = 0.0d0
    do i = lo, hi
      s = 0.0d0
      do k = 1, 5
        s = s + val(k,i)*p(col(k,i))
      end do
      q(i) = s
      pq = pq + p(i)*s
    end do
    call MPI_Allreduce(MPI_IN_PLACE, pq, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, err)
    alpha = rho/pq
    old = rho
    rho = 0.0d0
    do i = lo, hi
      x(i) = x(i) + alpha*p(i)
      r(i) = r(i) - alpha*q(i)
      rho = rho + r(i)*r(i)
    end do
    call MPI_Allreduce(MPI_IN_PLACE, rho, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, err)
    do i = lo, hi
      p(i) = r(i) + (rho/old)*p(i)
    end do
  end do
  total = sum(x)
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, err)
  some = 0.0d0
  if (lo <= 1 .and. 1 <= hi) some(1) = x(1)
  if (lo <= n/2 .and. n/2 <= hi) some(2) = x(n/2)
  if (lo <= n .and. n <= hi) some(3) = x(n)
  call MPI_Allreduce(MPI_IN_PLACE, some, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, err)
  if (me == 0) then
    print *, total, some
    write (0, *) 'seconds', MPI_Wtime() - start
  end if
  call MPI_Finalize(err)
end program cg
