! Coarrays with allocatable components and pointers as arguments, allocatable and with CLASS too, and
! MOVE_ALLOC to such components.
module grids
  implicit none
  type :: grid
    integer :: n = 0
    real, allocatable :: u(:)
    real, allocatable :: w(:, :)
  contains
    procedure :: init
    procedure :: peek
    procedure :: halo
  end type
  type :: window
    integer :: t = 7
    integer, pointer :: d(:)
  end type
contains
  subroutine make(g, n)
    type(grid), intent(inout) :: g[*]
    integer, intent(in) :: n
    integer :: i
    g%n = n
    allocate (g%u(n), g%w(2, n))
    g%u = [(10.0*this_image() + i, i=1, n)]
    g%w = this_image()
    sync all
  end subroutine
  subroutine check(g, extra)
    type(grid), intent(in) :: g[*]
    integer, intent(in) :: extra
    integer :: p
    do p = 1, num_images()
      if (g[p]%n /= 2 + extra*p .or. size(g[p]%u) /= 2 + extra*p) error stop 'an extent'
      if (nint(g[p]%u(g[p]%n)) /= 10*p + g[p]%n) error stop 'an element'
      if (.not. allocated(g[p]%w) .or. ubound(g[p]%w, 2) /= g[p]%n) error stop 'a bound'
      if (nint(sum(g[p]%u(1:2))) /= 20*p + 3 .or. any(nint(g[p]%w(2, 1:2)) /= p)) error stop 'a section'
    end do
    sync all
  end subroutine
  subroutine change(g)
    type(grid), intent(inout) :: g[*]
    integer :: right
    right = mod(this_image(), num_images()) + 1
    g[right]%u(1) = -this_image()
    sync all
    g%u = [g%u, real(this_image())]
    deallocate (g%w)
    sync all
  end subroutine
  subroutine read_window(g, k)
    type(window) :: g[*]
    integer, intent(out) :: k
    k = g[num_images()]%d(2) + g%d(1)
  end subroutine
  recursive subroutine deep(g, k)
    type(grid), intent(inout) :: g[*]
    integer, intent(in) :: k
    if (k == 0) return
    g%u(2) = g%u(2) + k
    call deep(g, k - 1)
  end subroutine
  subroutine init(self, n)
    class(grid), intent(inout) :: self[*]
    integer, intent(in) :: n
    self%n = n
    allocate (self%u(0:n + 1), source=real(this_image()))
    sync all
  end subroutine
  real function peek(self, p) result(x)
    class(grid), intent(in) :: self[*]
    integer, intent(in) :: p
    x = self[p]%u(1) + self[p]%n
  end function
  subroutine halo(self)
    class(grid), intent(inout) :: self[*]
    integer :: me, np
    me = this_image(); np = num_images()
    sync all
    if (me > 1) self%u(0) = self[me - 1]%u(self[me - 1]%n)
    if (me < np) self%u(self%n + 1) = self[me + 1]%u(1)
    sync all
  end subroutine
  subroutine create(g, n)
    type(grid), allocatable, intent(inout) :: g[:]
    integer, intent(in) :: n
    if (allocated(g)) error stop 'allocated too early'
    allocate (g[*])
    allocate (g%u(n))
    g%u = 3*this_image()
    g%n = n
    sync all
  end subroutine
  subroutine plain(g)
    type(grid), intent(inout) :: g
    g%u = g%u + 1
  end subroutine
  subroutine grow(z, n)
    type(grid), intent(inout) :: z[*]
    integer, intent(in) :: n
    real, allocatable :: more(:)
    allocate (more(n))
    more(:size(z%u)) = z%u
    more(size(z%u) + 1:) = 0
    call move_alloc(more, z%u)
    z%n = n
    sync all
    z[mod(this_image(), num_images()) + 1]%u(n) = this_image()
    sync all
  end subroutine
end module
program componentarguments
  use grids
  implicit none
  type(grid), save :: a[*], s[*]
  type(grid), allocatable :: b[:], c[:]
  type(window) :: w[*]
  integer :: me, np, left, k
  me = this_image(); np = num_images()
  left = mod(me - 2 + np, np) + 1
  call make(a, 2 + me)
  call check(a, 1)
  call change(a)
  if (allocated(a%w) .or. size(a%u) /= 3 + me .or. nint(a%u(1)) /= -left .or. nint(a%u(3 + me)) /= me) error stop 'what has changed'
  allocate (b[*])
  call make(b, 2)
  call check(b, 0)
  call change(b)
  call deep(b, 3)
  if (any(nint(b%u) /= [-left, 10*me + 8, me])) error stop 'a recursive procedure'
  call grow(b, 6)
  if (any(nint(b%u) /= [-left, 10*me + 8, me, 0, 0, left])) error stop 'MOVE_ALLOC'
  allocate (w%d(3))
  w%d = me
  sync all
  call read_window(w, k)
  if (k /= np + me) error stop 'a pointer'
  call s%init(2)
  if (nint(s%peek(np)) /= np + 2) error stop 'peek'
  call s%halo()
  if (any(nint(s%u) /= [max(me - 1, 1), me, me, min(me + 1, np)])) error stop 'halo'
  call create(c, 4)
  call plain(c)
  sync all
  if (.not. allocated(c)) error stop 'not allocated'
  if (nint(c[np]%u(4)) /= 3*np + 1 .or. c%n /= 4) error stop 'create'
  sync all
  deallocate (b, c)
  if (allocated(b) .or. allocated(c)) error stop 'allocated'
  print *, 'image', me, 'of', np
end program
