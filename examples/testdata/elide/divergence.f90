! A barrier that orders nothing for 29 steps is needed in step 30, by some images or
! in a way that input chooses. Whatever the choice, the program is a right one.
module steps
  implicit none
  integer :: x[*]
  integer :: y = 0
contains

  subroutine inner
    sync all
  end subroutine inner

  subroutine work(choice, unusual)
    integer, intent(in) :: choice
    logical, intent(in) :: unusual
    logical :: last
    last = this_image() == num_images()
    if (unusual .and. (choice == 2 .or. choice /= 3 .and. last)) y = y + x
    if (unusual .and. choice == 3 .and. last) then
      sync all
    else
      call inner
    end if
    if (unusual .and. choice == 4) sync images(*)
    if (unusual .and. choice == 5) call co_sum(y)
  end subroutine work

end module steps

program divergence
  use steps
  implicit none
  integer :: choice, step, next
  if (this_image() == 1) read *, choice
  call co_broadcast(choice, 1)
  next = 1 + mod(this_image(), num_images())
  x = 0
  sync all
  do step = 1, 40
    x[next] = step
    sync all
    y = y + x
    sync all
    call work(choice, step == 30)
    if (choice == 6 .and. step == 30) exit
  end do
  print *, this_image(), y
end program divergence
