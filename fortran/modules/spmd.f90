! Module spmd for Fortran compilers. spmdc knows it and does not read this file:
!
!    gfortran spmd.f90 program.f90
!
! A program compiled so takes no checkpoints: it runs from beginning to end.
module spmd
   implicit none
contains

   ! All that the program has computed so far may be saved here, and a later run
   ! may go on from here.
   subroutine spmd_checkpoint()
   end subroutine spmd_checkpoint

end module spmd
