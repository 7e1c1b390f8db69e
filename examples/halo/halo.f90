! The heat equation on a ring of images. Every image has a piece of the rod with
! an overlap of one cell at each end, and puts its border cells into the overlaps
! of its neighbours. Two schedules: with barriers of all images, and with the two
! neighbours alone.
program halo
  implicit none
  integer, parameter :: total = 420, steps = 200
  real(8), parameter :: alpha = 0.2d0, pi = 3.14159265358979324d0
  real(8) :: u(0:total+1)[*], v(total), heat, peak, spread(3)[*]
  integer :: me, np, left, right, n, first, i, pass

  me = this_image()
  np = num_images()
  left = merge(np, me - 1, me == 1)
  right = merge(1, me + 1, me == np)
  n = total/np
  first = (me - 1)*n
  if (me == np) n = total - first

  do pass = 1, 2
    do i = 1, n
      u(i) = 1 + sin(2*pi*(first + i)/total) + 0.25d0*cos(14*pi*(first + i)/total)
    end do
    if (pass == 1) then
      call all_together()
    else
      call by_neighbours()
    end if
    heat = sum(u(1:n))
    call co_sum(heat)
    peak = maxval(u(1:n))
    call co_max(peak)
    spread(1) = u(1)
    spread(2) = u(n)
    spread(3) = maxval(u(1:n)) - minval(u(1:n))
    sync all
    print *, 'pass', pass, 'image', me, 'has', n, 'ends', spread(1:2)
    if (me == 1) then
      print *, 'pass', pass, 'heat', heat, 'peak', peak
      do i = 1, np
        print *, 'pass', pass, 'range on', i, spread(3)[i]
      end do
    end if
    sync all
  end do

contains

  ! Number of cells of another image.
  integer function cells(p)
    integer, intent(in) :: p
    cells = total/num_images()
    if (p == num_images()) cells = total - (num_images() - 1)*cells
  end function cells

  subroutine all_together()
    integer :: step
    do step = 1, steps
      sync all
      u(cells(left)+1)[left] = u(1)
      u(0)[right] = u(n)
      sync all
      call advance()
    end do
  end subroutine all_together

  subroutine by_neighbours()
    integer :: step
    do step = 1, steps
      call meet()
      u(cells(left)+1)[left] = u(1)
      u(0)[right] = u(n)
      call meet()
      call advance()
    end do
  end subroutine by_neighbours

  ! Both neighbours may be one image, or this one itself.
  subroutine meet()
    if (np > 2) then
      sync images ([left, right])
    else if (np == 2) then
      sync images (left)
    end if
  end subroutine meet

  subroutine advance()
    integer :: i
    do i = 1, n
      v(i) = u(i) + alpha*(u(i-1) - 2*u(i) + u(i+1))
    end do
    do i = 1, n
      u(i) = v(i)
    end do
  end subroutine advance

end program halo
