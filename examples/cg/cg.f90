! Conjugate gradients for Poisson's equation on a square, in three layers.
!
!   program cg      the application: sets problems up, judges solutions
!   module solver   conjugate gradients over vectors that are dealt out by rows
!   module comm     borders and sums; it cannot know its callers, so that every
!                   procedure synchronises on entry and on exit
!
! Most of these barriers are redundant: the solver does nothing that another
! image could see between one call of comm and the next.
module comm
  implicit none
  integer, parameter :: width = 30
  integer, parameter :: most = width
  real(8) :: field(width, 0:most+1)[*]
  integer :: rows
  real(8) :: part[*]
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

  ! Brings the border rows of the neighbours.
  subroutine comm_borders()
    integer :: me, other
    call comm_enter()
    me = this_image()
    if (me > 1) then
      other = (me - 1)*width/num_images() - (me - 2)*width/num_images()
      field(:,0) = field(:,other)[me-1]
    end if
    if (me < num_images()) field(:,rows+1) = field(:,1)[me+1]
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

  ! y = A p, where A is the five-point difference operator and p lies in field.
  subroutine apply(y)
    real(8), intent(out) :: y(width, most)
    real(8) :: west, east
    integer :: i, j
    call comm_borders()
    do j = 1, rows
      do i = 1, width
        west = 0
        east = 0
        if (i > 1) west = field(i-1,j)
        if (i < width) east = field(i+1,j)
        y(i,j) = 4*field(i,j) - west - east - field(i,j-1) - field(i,j+1)
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
    real(8) :: r(width, most), q(width, most)
    real(8) :: rho, before, scale, step
    integer :: i, j
    do j = 1, rows
      do i = 1, width
        field(i,j) = x(i,j)
      end do
    end do
    call apply(q)
    do j = 1, rows
      do i = 1, width
        r(i,j) = b(i,j) - q(i,j)
        field(i,j) = r(i,j)
      end do
    end do
    scale = dot(b, b)
    rho = dot(r, r)
    iterations = 0
    do while (iterations < limit)
      if (rho <= tolerance**2*scale) exit
      iterations = iterations + 1
      call apply(q)
      step = rho/product_with_field(q)
      do j = 1, rows
        do i = 1, width
          x(i,j) = x(i,j) + step*field(i,j)
          r(i,j) = r(i,j) - step*q(i,j)
        end do
      end do
      before = rho
      rho = dot(r, r)
      do j = 1, rows
        do i = 1, width
          field(i,j) = r(i,j) + rho/before*field(i,j)
        end do
      end do
    end do
    residual = sqrt(rho/scale)
  end subroutine conjugate_gradients

  real(8) function product_with_field(q)
    real(8), intent(in) :: q(width, most)
    real(8) :: mine
    integer :: i, j
    mine = 0
    do j = 1, rows
      do i = 1, width
        mine = mine + field(i,j)*q(i,j)
      end do
    end do
    product_with_field = comm_sum(mine)
  end function product_with_field

end module solver

program cg
  use comm
  use solver
  implicit none
  real(8) :: x(width, most), b(width, most), residual, error
  integer :: first, iterations, i, j, problem
  call comm_begin(first)
  field = 0
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
