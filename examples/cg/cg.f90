! Conjugate gradients for Poisson's equation on a square, in three layers.
!
!   program cg      the application: sets problems up, judges solutions
!   module solver   conjugate gradients over vectors that are dealt out by rows
!   module comm     borders and sums; it cannot know its callers, so that every
!                   procedure synchronises on entry and on exit
!
! The solver does nothing that another image could see between one call of comm
! and the next: of the three barriers of each call, that on entry is redundant.
module comm
  implicit none
  integer, parameter :: width = 30
  integer, parameter :: most = width
  integer :: rows
  real(8) :: first_row(width)[*], last_row(width)[*], part[*]
contains

  ! Deals the rows of the square out to the images.
  subroutine comm_begin(first)
    integer, intent(out) :: first
    integer :: np, me
    np = num_images()
    me = this_image()
    first = (me - 1)*width/np
    rows = me*width/np - first
  end subroutine comm_begin

  subroutine comm_enter()
    sync all
  end subroutine comm_enter

  subroutine comm_leave()
    sync all
  end subroutine comm_leave

  ! Brings the border rows of the neighbours into rows 0 and rows + 1 of v.
  subroutine comm_borders(v)
    real(8), intent(inout) :: v(width, 0:most+1)
    integer :: me, i
    call comm_enter()
    me = this_image()
    do i = 1, width
      first_row(i) = v(i,1)
      last_row(i) = v(i,rows)
    end do
    call comm_leave()
    if (me > 1) v(:,0) = last_row(:)[me-1]
    if (me < num_images()) v(:,rows+1) = first_row(:)[me+1]
    call comm_leave()
  end subroutine comm_borders

  ! The sum of one number of each image, added in the same order everywhere.
  real(8) function comm_sum(mine) result(total)
    real(8), intent(in) :: mine
    integer :: p
    call comm_enter()
    part = mine
    call comm_leave()
    total = 0
    do p = 1, num_images()
      total = total + part[p]
    end do
    call comm_leave()
  end function comm_sum

  real(8) function comm_max(mine) result(most_of_all)
    real(8), intent(in) :: mine
    integer :: p
    call comm_enter()
    part = mine
    call comm_leave()
    most_of_all = mine
    do p = 1, num_images()
      most_of_all = max(most_of_all, part[p])
    end do
    call comm_leave()
  end function comm_max

end module comm

module solver
  use comm
  implicit none
contains

  ! y = A v, where A is the five-point difference operator.
  subroutine apply(v, y)
    real(8), intent(inout) :: v(width, 0:most+1)
    real(8), intent(out) :: y(width, most)
    real(8) :: west, east
    integer :: i, j
    call comm_borders(v)
    do j = 1, rows
      do i = 1, width
        west = 0
        east = 0
        if (i > 1) west = v(i-1,j)
        if (i < width) east = v(i+1,j)
        y(i,j) = 4*v(i,j) - west - east - v(i,j-1) - v(i,j+1)
      end do
    end do
  end subroutine apply

  real(8) function dot(a, b)
    real(8), intent(in) :: a(width, most), b(width, most)
    real(8) :: mine
    integer :: i, j
    mine = 0
    do j = 1, rows
      do i = 1, width
        mine = mine + a(i,j)*b(i,j)
      end do
    end do
    dot = comm_sum(mine)
  end function dot

  ! Solves A x = b to a relative residual; iterations is how many it took.
  subroutine conjugate_gradients(x, b, tolerance, limit, iterations, residual)
    real(8), intent(inout) :: x(width, most)
    real(8), intent(in) :: b(width, most), tolerance
    integer, intent(in) :: limit
    integer, intent(out) :: iterations
    real(8), intent(out) :: residual
    real(8) :: p(width, 0:most+1), r(width, most), q(width, most)
    real(8) :: rho, before, scale, step
    integer :: i, j
    p = 0
    do j = 1, rows
      do i = 1, width
        p(i,j) = x(i,j)
      end do
    end do
    call apply(p, q)
    do j = 1, rows
      do i = 1, width
        r(i,j) = b(i,j) - q(i,j)
        p(i,j) = r(i,j)
      end do
    end do
    scale = dot(b, b)
    rho = dot(r, r)
    iterations = 0
    do while (iterations < limit)
      if (rho <= tolerance**2*scale) exit
      iterations = iterations + 1
      call apply(p, q)
      step = rho/bordered_dot(p, q)
      do j = 1, rows
        do i = 1, width
          x(i,j) = x(i,j) + step*p(i,j)
          r(i,j) = r(i,j) - step*q(i,j)
        end do
      end do
      before = rho
      rho = dot(r, r)
      do j = 1, rows
        do i = 1, width
          p(i,j) = r(i,j) + rho/before*p(i,j)
        end do
      end do
    end do
    residual = sqrt(rho/scale)
  end subroutine conjugate_gradients

  ! The inner product with a vector that has border rows.
  real(8) function bordered_dot(p, q)
    real(8), intent(in) :: p(width, 0:most+1), q(width, most)
    real(8) :: mine
    integer :: i, j
    mine = 0
    do j = 1, rows
      do i = 1, width
        mine = mine + p(i,j)*q(i,j)
      end do
    end do
    bordered_dot = comm_sum(mine)
  end function bordered_dot

end module solver

program cg
  use comm
  use solver
  implicit none
  real(8) :: x(width, most), b(width, most), residual, error
  integer :: first, iterations, i, j, problem
  call comm_begin(first)
  do problem = 1, 3
    x = 0
    do j = 1, rows
      do i = 1, width
        b(i,j) = 4*solution(i, first + j) - solution(i - 1, first + j) - solution(i + 1, first + j) &
          - solution(i, first + j - 1) - solution(i, first + j + 1)
      end do
    end do
    call conjugate_gradients(x, b, 1d-9, 500, iterations, residual)
    error = 0
    do j = 1, rows
      do i = 1, width
        error = max(error, abs(x(i,j) - solution(i, first + j)))
      end do
    end do
    error = comm_max(error)
    if (this_image() == 1) then
      print *, 'problem', problem
      print *, 'converged', residual <= 1d-9, 'in more than 30 iterations', iterations > 30, 'less than 150', iterations < 150
      print *, 'right', error < 1d-6
    end if
    if (rows > 0) print *, 'problem', problem, 'image', this_image(), 'rows', rows, 'corner', nint(1d6*x(1,1))
  end do
contains
  ! What x should be: zero on the border, and rougher from problem to problem.
  real(8) function solution(i, j)
    integer, intent(in) :: i, j
    solution = 0
    if (i >= 1 .and. i <= width .and. j >= 1 .and. j <= width) then
      solution = (1 + mod(i*j*problem, 3 + 4*problem))*1d-4*i*(width + 1 - i)*j*(width + 1 - j)/width
    end if
  end function solution
end program cg
