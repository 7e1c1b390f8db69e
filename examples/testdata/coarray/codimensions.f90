! Codimensions in CODIMENSION and ALLOCATABLE statements, in front of and behind the type and the extents.
module grid
  implicit none
  integer :: box
  codimension :: box[0:*]
  allocatable :: halo[:]
  real(8) :: halo
  real :: rows
  dimension :: rows(:)
  allocatable :: rows
  codimension rows[:]
contains
  subroutine shift(x, by)
    real, dimension(3) :: x
    integer, intent(in) :: by
    codimension :: x[2, *]
    x(:) = x(:) + by*this_image(x, 1)
  end subroutine
end module
program main
  use grid
  codimension n[*], work[2, 0:*]
  integer :: me, p
  real :: work(3)
  save work
  me = this_image()
  p = merge(1, me + 1, me == num_images())
  n = 3*me
  box = me
  work = me
  allocate (halo[*], rows(2:4)[5:*])
  halo = 0.5d0*me
  rows = [me, 2*me, 3*me]
  call shift(work, 10)
  sync all
  print *, me, n[p], box[p - 1], halo[p], rows(2:4)[p + 4], lbound(rows)
  print *, me, work, lcobound(work), this_image(box), lcobound(rows)
  if (.not. allocated(halo[p])) error stop 1
  sync all
  deallocate (halo, rows)
  if (allocated(halo[p])) error stop 2
end program
