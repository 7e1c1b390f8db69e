! Each process adds to its right neighbour's window. A library synchronises once more on entry and
! on exit of what needs no barrier. With -DF08 module mpi_f08 has the interfaces.
program rma
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  use, intrinsic :: iso_c_binding
  implicit none
#ifdef F08
  type(MPI_Win) :: win
#else
  integer :: win
#endif
  integer :: rank, n, step, ierr
  integer(MPI_ADDRESS_KIND) :: bytes, disp
  type(c_ptr) :: base
  real(8), pointer :: mine(:)
  real(8) :: value, total, all
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  bytes = 8*1000
  call MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierr)
  call c_f_pointer(base, mine, [1000])
  mine = 0
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  disp = 5
  total = 0
  do step = 1, 100
     value = step + rank
     call MPI_Win_lock(MPI_LOCK_SHARED, mod(rank + 1, n), 0, win, ierr)
     call MPI_Accumulate(value, 1, MPI_DOUBLE_PRECISION, mod(rank + 1, n), disp, 1, MPI_DOUBLE_PRECISION, MPI_SUM, win, ierr)
     call MPI_Win_unlock(mod(rank + 1, n), win, ierr)
     call MPI_Barrier(MPI_COMM_WORLD, ierr)   ! needed
     total = total + mine(6)*step
     call MPI_Barrier(MPI_COMM_WORLD, ierr)   ! needed
     call quiet()
  end do
  call MPI_Reduce(total, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(f0.1)', all
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
contains
  subroutine quiet()
    call MPI_Barrier(MPI_COMM_WORLD, ierr)    ! redundant
    call MPI_Barrier(MPI_COMM_WORLD, ierr)    ! redundant
  end subroutine
end program
