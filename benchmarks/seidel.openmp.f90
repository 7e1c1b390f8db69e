! seidel for OpenMP: threads have blocks of columns and go through them in pieces of rows,
! one behind the other.
program seidel
  use omp_lib
  implicit none
  integer, parameter :: n = 2000, steps = 25, rows = 64
  double precision, allocatable :: a(:,:)
  double precision :: change, most, x, total
  integer, allocatable :: done(:)        ! pieces that a thread has finished, in all sweeps
  integer :: i, j, it, me, np, lo, hi, piece, pieces, seen
  if (omp_get_max_threads() > n - 2) error stop 'more threads than columns'
  allocate (a(n,n))
  pieces = (n - 2 + rows - 1)/rows
  total = 0.0d0
  change = 0.0d0
  allocate (done(0:16*omp_get_max_threads()))
  done = 0
!$omp parallel private(i, j, it, me, np, lo, hi, piece, seen, x, most)
  me = omp_get_thread_num()
  np = omp_get_num_threads()
  lo = me*n/np + 1
  hi = (me + 1)*n/np
  do j = lo, hi
    do i = 1, n
      a(i,j) = 1.0d0 + mod(7*i + 13*j, 17)
    end do
  end do
!$omp barrier
  most = 0.0d0
  do it = 1, steps
    most = 0.0d0
    do piece = 1, pieces
      if (me > 0) then                   ! the column on the left is new
        do
!$omp atomic read acquire
          seen = done(16*(me-1))
          if (seen >= (it-1)*pieces + piece) exit
        end do
      end if
      if (me < np - 1 .and. it > 1) then ! the one on the right is that of the sweep before
        do
!$omp atomic read acquire
          seen = done(16*(me+1))
          if (seen >= (it-2)*pieces + piece) exit
        end do
      end if
      do j = max(2, lo), min(n - 1, hi)
        do i = 2 + (piece-1)*rows, min(n - 1, 1 + piece*rows)
          x = 0.25d0*(a(i-1,j) + a(i+1,j) + a(i,j-1) + a(i,j+1))
          most = max(most, abs(x - a(i,j)))
          a(i,j) = x
        end do
      end do
!$omp atomic write release
      done(16*me) = (it-1)*pieces + piece
    end do
  end do
!$omp critical
  change = max(change, most)
!$omp end critical
!$omp barrier
!$omp do schedule(static) reduction(+:total)
  do j = 1, n
    do i = 1, n
      total = total + a(i,j)
    end do
  end do
!$omp end parallel
  print *, total, change, a(n/2,n/2)
end program seidel
