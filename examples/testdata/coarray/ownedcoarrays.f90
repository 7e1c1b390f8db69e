! Components that are allocatable coarrays, in procedures of the type.
module grid_m
  implicit none
  type cell
    real :: h
    integer :: id
  end type
  type grid
    integer :: nx = 0
    type(cell), allocatable :: c(:)[:]
    real, allocatable, dimension(:,:), codimension[:,:] :: e
    character(8), allocatable :: tag[:]
  contains
    procedure :: make
    procedure :: swap
    procedure :: total
  end type
contains
  subroutine make(this, n)
    class(grid), intent(inout) :: this
    integer, intent(in) :: n
    integer :: i
    this%nx = n
    if (.not. allocated(this%c)) allocate (this%c(n)[*])
    allocate (this%e(2,n)[1,*], this%tag[*])
    do i = 1, n
      this%c(i)%h = this_image() + 0.25*i
      this%c(i)%id = 10*this_image() + i
    end do
    this%e = this_image()
    write (this%tag, '(a,i0)') 'img', this_image()
    sync all
  end subroutine
  subroutine swap(this)
    class(grid), intent(inout) :: this
    integer :: nb
    real :: got
    nb = merge(1, this_image() + 1, this_image() == num_images())
    got = this%c(this%nx)[nb]%h
    sync all
    this%c(1)%h = got
    this%e(:,2) = this%e(:,1)[1,nb]
    sync all
    print *, this_image(), this%tag[nb], this%c(2)[nb]%id, this%c%h, this%e(2,:)
  end subroutine
  real function total(this)
    class(grid), intent(in) :: this
    total = sum(this%c%h)
    call co_sum(total)
  end function
end module
program objco
  use grid_m
  implicit none
  type(grid) :: g
  real :: t
  call g%make(3)
  call g%swap()
  t = g%total()
  if (this_image() == 1) print *, 'total', t, allocated(g%c)
  deallocate (g%c, g%e)
  if (this_image() == 1) print *, allocated(g%c), allocated(g%tag)
end program
