! Module spmd for Fortran compilers. spmdc knows it and does not read this file:
!
!    gfortran spmd.f90 program.f90
!
! A program compiled so takes no checkpoints: it runs from beginning to end. It
! measures nothing: all numbers of regions and activities are zero.
module spmd
   implicit none
contains

   ! All that the program has computed so far may be saved here, and a later run
   ! may go on from here.
   subroutine spmd_checkpoint()
   end subroutine spmd_checkpoint

   ! The number of the regions of a name, or of a line; 0: there is none.
   function spmd_region_id(name) result(value)
      character(*), intent(in) :: name
      integer :: value
      value = 0*len(name)
   end function spmd_region_id

   ! How often they have been executed.
   function spmd_region_count(id) result(value)
      integer, intent(in) :: id
      integer(8) :: value
      value = 0*id
   end function spmd_region_count

   ! How long that took, with all that is inside.
   function spmd_region_seconds(id) result(value)
      integer, intent(in) :: id
      double precision :: value
      value = 0d0*id
   end function spmd_region_seconds

   ! How long this PE has waited for others in them, in regions inside aside.
   function spmd_region_blocked(id) result(value)
      integer, intent(in) :: id
      double precision :: value
      value = 0d0*id
   end function spmd_region_blocked

   ! The number of an activity: put, get, ready, wait for ready, wait for arrival,
   ! reduction, broadcast, barrier, lock; 0: there is none.
   function spmd_activity_id(name) result(value)
      character(*), intent(in) :: name
      integer :: value
      value = 0*len(name)
   end function spmd_activity_id

   ! How often this PE has done that.
   function spmd_activity_calls(id) result(value)
      integer, intent(in) :: id
      integer(8) :: value
      value = 0*id
   end function spmd_activity_calls

   ! How long that took.
   function spmd_activity_seconds(id) result(value)
      integer, intent(in) :: id
      double precision :: value
      value = 0d0*id
   end function spmd_activity_seconds

   ! How long the shortest took.
   function spmd_activity_least(id) result(value)
      integer, intent(in) :: id
      double precision :: value
      value = 0d0*id
   end function spmd_activity_least

   ! How long the longest took.
   function spmd_activity_most(id) result(value)
      integer, intent(in) :: id
      double precision :: value
      value = 0d0*id
   end function spmd_activity_most

   ! How many bytes of data were moved.
   function spmd_activity_bytes(id) result(value)
      integer, intent(in) :: id
      integer(8) :: value
      value = 0*id
   end function spmd_activity_bytes

end module spmd
