! Coarrays in modules, as dummy arguments, and with SAVE.
module field
  implicit none
  integer, parameter :: n = 6
  real(8) :: state(0:n+1)[*]
  integer :: counter[*] = 5
contains
  subroutine exchange(v, k)
    real(8), intent(inout) :: v(:)[*]
    integer, intent(in) :: k
    integer :: me, np
    me = this_image()
    np = num_images()
    sync all
    if (me > 1) v(1) = v(k-1)[me-1]
    if (me < np) v(k) = v(2)[me+1]
    sync all
  end subroutine exchange
  subroutine tick(c, by)
    integer, intent(inout) :: c[*]
    integer, intent(in) :: by
    sync all
    if (this_image() == 1) c[num_images()] = c[num_images()] + by
    sync all
  end subroutine tick
  real(8) function remote(v, i, p)
    real(8), intent(in) :: v(:,:)[*]
    integer, intent(in) :: i, p
    remote = v(i,1)[p]
  end function remote
end module field

program procedures
  use field
  implicit none
  real(8) :: line(n+2)[*], grid(3,4)[*], local(4)
  integer :: flags(5)[*], i, me, calls
  me = this_image()
  do i = 0, n + 1
    state(i) = 10*me + i
  end do
  do i = 1, n + 2
    line(i) = -me - i
  end do
  grid = me
  flags = 0
  call exchange(state, n + 2)
  print *, me, state
  call exchange(line, n + 2)
  print *, me, line(1), line(n+2)
  call exchange(grid(:,2), 3)
  print *, me, grid(:,2)
  call tick(counter, 3)
  call tick(counter, 4)
  call tick(flags(2), me)
  print *, me, counter, flags
  call fill(grid, 3, 4)
  sync all
  print *, me, grid(3,4)[1], peek(grid, 2, num_images()), remote(grid, 2, 1)
  call plain(line(1:3), counter)
  print *, me, line(1:3), counter
  local = 0
  call plain(line(5:7)[1], i)
  print *, me, i
  call gather(local)
  print *, me, local
  calls = 0
  do i = 1, 3
    call count_calls(calls)
  end do
  print *, me, calls
contains
  subroutine fill(g, rows, cols)
    integer, intent(in) :: rows, cols
    real(8) :: g(rows,cols)[*]
    integer :: i, j
    do j = 1, cols
      do i = 1, rows
        g(i,j)[this_image()] = i + 10*j + 100*this_image()
      end do
    end do
  end subroutine fill
  real(8) function peek(g, i, p)
    real(8), intent(in) :: g(:,:)[*]
    integer, intent(in) :: i, p
    peek = g(i,i)[p]
  end function peek
  subroutine plain(a, k)
    real(8), intent(in) :: a(3)
    integer, intent(out) :: k
    k = int(sum(a))
  end subroutine plain
  subroutine gather(a)
    real(8), intent(out) :: a(4)
    real(8), save :: box(4)[*]
    box = this_image()
    sync all
    a = box(:)[num_images()] + box(1)[1]
    sync all
  end subroutine gather
  subroutine count_calls(total)
    integer, intent(out) :: total
    integer, save :: mine[*] = 0
    mine = mine + this_image()
    sync all
    total = mine[num_images()]
    sync all
  end subroutine count_calls
end program procedures
