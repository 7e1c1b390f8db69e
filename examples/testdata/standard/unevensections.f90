! Vectors as subscripts and strides that the run decides, of other images; codimensions that begin with another
! number; dimensions of codimensions that are variables; kinds of lists of images.
program uneven
  implicit none (type, external)
  integer :: w(6) = 0, m(3, 4), res(6)[*], q(3, 4)[*], grid[2, 0:*]
  integer :: ix(3), i, k, me
  integer(1), allocatable :: failed(:)
  integer, allocatable :: c[:], d[:], e(:)[:]
  character(3) :: names(4) = ['abc', 'xyz', 'bcd', 'ZZZ']
  intrinsic :: atomic_define
  me = this_image()
  ix = [5, 1, 4]
  k = 2
  res = [(i*10, i = 1, 6)]
  do i = 1, 4
    q(:, i) = [1, 2, 3] + 10*i + 100*me
  end do
  sync all
  if (me == num_images()) then
    w(ix) = res(1:3)[1]
    print *, w
    w([4, 2]) = res(1:2)
    print *, w
    w(ix) = res(1:3)[1] + 1
    print *, w
    w = 0
    w(1:3) = res(ix)[1]
    print *, w
    w(1:6:k) = res(6:1:-k)[1]
    print *, w
    w(6:1:-k) = res(ix)[1]
    print *, w
    m(:, :) = q(:, 4:1:-1)[1]
    print *, m
    m(:, 1:2) = q(:, ix(2:3))[1]
    print *, m
  end if
  sync all
  if (me == num_images()) then
    res(ix)[1] = [7, 8, 9]
    res(6:1:-3*k + 2)[1] = -w(1:2)
  end if
  sync all
  if (me == 1) print *, res
  sync all
  allocate (c[0:*])
  c = 10*me
  sync all
  if (me == 1) print *, c[0], lcobound(c, 1), this_image(c), ucobound(c, 1) - num_images()
  sync all
  call move_alloc(c, d)
  if (me == 1) print *, allocated(c), lcobound(d), d[0]
  sync all
  allocate (e(2)[-3:*])
  e = me
  sync all
  if (me == 1) print *, e(2)[-3], image_index(e, [-3]), lcobound(e, 1)
  do i = 1, 2
    if (me == 1) print *, this_image(grid, i), lcobound(grid, i)
  end do
  failed = failed_images(kind=1)
  if (me == 1) print *, size(failed), maxval(names), minval(names), maxval(names, mask=names < 'c')
  call shared(k)
  if (me == 1) print *, k
contains
  subroutine shared(x, stat)
    integer, intent(inout) :: x
    integer, intent(out), optional :: stat
    call co_broadcast(x, 1, stat)
  end subroutine
end program
