! Figure 9 of Chabbi et al. (PPoPP 2015): barriers in 1,000 calling contexts at a
! stack depth of 16, of which an adjustable part is redundant.
!
! Input: the percentage of redundant contexts, and the number of rounds; each round
! comes to all 1,000 barriers. The paper's run is 500 rounds.
!
! Twelve layers call each other, then three levels call ten times each: the path
! of calls tells the barriers apart, and so does the number that the last level
! gets. In a context that is not redundant the image writes its part of a coarray
! before the barrier, as the paper's dummy function does.
module layers
  implicit none
  integer :: touched[*]
  integer :: necessary
contains

  subroutine barrier(number)
    integer, intent(in) :: number
    if (mod(617*number, 1000) < necessary) touched = touched + 1
    sync all
  end subroutine barrier

  subroutine tens(number)
    integer, intent(in) :: number
    call barrier(10*number + 0)
    call barrier(10*number + 1)
    call barrier(10*number + 2)
    call barrier(10*number + 3)
    call barrier(10*number + 4)
    call barrier(10*number + 5)
    call barrier(10*number + 6)
    call barrier(10*number + 7)
    call barrier(10*number + 8)
    call barrier(10*number + 9)
  end subroutine tens

  subroutine hundreds(number)
    integer, intent(in) :: number
    call tens(10*number + 0)
    call tens(10*number + 1)
    call tens(10*number + 2)
    call tens(10*number + 3)
    call tens(10*number + 4)
    call tens(10*number + 5)
    call tens(10*number + 6)
    call tens(10*number + 7)
    call tens(10*number + 8)
    call tens(10*number + 9)
  end subroutine hundreds

  subroutine thousand()
    call hundreds(0)
    call hundreds(1)
    call hundreds(2)
    call hundreds(3)
    call hundreds(4)
    call hundreds(5)
    call hundreds(6)
    call hundreds(7)
    call hundreds(8)
    call hundreds(9)
  end subroutine thousand

  subroutine layer12()
    call thousand()
  end subroutine layer12

  subroutine layer11()
    call layer12()
  end subroutine layer11

  subroutine layer10()
    call layer11()
  end subroutine layer10

  subroutine layer9()
    call layer10()
  end subroutine layer9

  subroutine layer8()
    call layer9()
  end subroutine layer8

  subroutine layer7()
    call layer8()
  end subroutine layer7

  subroutine layer6()
    call layer7()
  end subroutine layer6

  subroutine layer5()
    call layer6()
  end subroutine layer5

  subroutine layer4()
    call layer5()
  end subroutine layer4

  subroutine layer3()
    call layer4()
  end subroutine layer3

  subroutine layer2()
    call layer3()
  end subroutine layer2

  subroutine layer1()
    call layer2()
  end subroutine layer1

end module layers

program figure9
  use layers
  implicit none
  integer :: redundancy, rounds, round, total
  if (this_image() == 1) read *, redundancy, rounds
  call co_broadcast(redundancy, source_image=1)
  call co_broadcast(rounds, source_image=1)
  necessary = 10*(100 - redundancy)
  touched = 0
  do round = 1, rounds
    call layer1()
  end do
  total = touched
  call co_sum(total)
  print *, 'image', this_image(), 'touched', touched, 'of', 1000*rounds, 'barriers'
  if (this_image() == 1) print *, 'as expected', total == necessary*rounds*num_images()
end program figure9
