! Figure 1 of Chabbi et al. (PPoPP 2015): one library, three clients. MatMul
! cannot know who calls it, so that it synchronises on entry and on exit. Client A
! relies on both barriers; client B has synchronised already when it calls; client
! C multiplies several times in a row, with private work in between.
module library
  implicit none
  integer, parameter :: n = 8
  real(8) :: a(n)[*], b(n)[*], c(n)[*]   ! a row of each matrix for each image and turn
contains

  ! Row by row: c = a*b, where image p holds the elements p, p+np, ... of a vector.
  subroutine mat_mul(turn)
    integer, intent(in) :: turn
    integer :: i, p
    real(8) :: row
    sync all
    do i = 1, n
      row = 0
      do p = 1, num_images()
        row = row + a(i)[p]*b(1 + mod(i + p + turn, n))[p]
      end do
      c(i) = row/num_images()
    end do
    sync all
  end subroutine mat_mul

end module library

module clients
  use library
  implicit none
contains

  ! Writes operands, multiplies, and reads what other images have got.
  subroutine client_a(rounds, check)
    integer, intent(in) :: rounds
    real(8), intent(out) :: check
    integer :: r, i, p
    check = 0
    do r = 1, rounds
      do i = 1, n
        a(i) = this_image() + r + 0.5d0*i
        b(i) = this_image() - 0.25d0*i
      end do
      call mat_mul(r)
      do p = 1, num_images()
        check = check + c(1 + mod(r, n))[p]
      end do
    end do
    sync all
  end subroutine client_a

  ! Puts the operands into the next image, and synchronises itself.
  subroutine client_b(rounds, check)
    integer, intent(in) :: rounds
    real(8), intent(out) :: check
    integer :: r, next
    real(8) :: mine(n)
    check = 0
    next = 1 + mod(this_image(), num_images())
    do r = 1, rounds
      mine = r + this_image()
      a(:)[next] = mine
      b(:)[next] = 2*mine
      sync all
      call mat_mul(r)
      check = check + sum(c)
      sync all
    end do
  end subroutine client_b

  ! Powers: the same operands, and private work in between. They are there when it
  ! has synchronised once.
  subroutine client_c(rounds, check)
    integer, intent(in) :: rounds
    real(8), intent(out) :: check
    integer :: r, i
    real(8) :: weight
    a = 1
    b = 1
    sync all
    weight = 0
    do r = 1, rounds
      call mat_mul(r)
      do i = 1, 100
        weight = weight + 1d0/(r + i)
      end do
    end do
    check = weight + c(n)
    sync all
  end subroutine client_c

end module clients

program figure1
  use clients
  implicit none
  integer, parameter :: rounds = 200
  real(8) :: check
  call client_a(rounds, check)
  print *, 'A', this_image(), check
  call client_b(rounds, check)
  print *, 'B', this_image(), check
  call client_c(rounds, check)
  print *, 'C', this_image(), check
end program figure1
