! Coarrays that procedures have with other shapes and codimensions: elements and sections of other images,
! collective subroutines, initial values.
module store
  implicit none
  real, save :: field(6,4)[*] = 1.5
  integer, save :: tag(12)[2:*]
contains
  subroutine shift(x, n, m, me, np)
    integer, intent(in) :: n, m, me, np
    real, intent(inout) :: x(n,m)[*]
    real :: t(n)
    integer :: next
    next = mod(me, np) + 1
    t = x(:,m)
    sync all
    x(:,1)[next] = t
    sync all
    x(2:3,2) = x(1:2,1)[next]
    sync all
    x(n,m)[next] = x(1,1) + me
    sync all
  end subroutine
  subroutine vec(x, n)
    integer, intent(in) :: n
    real, intent(inout) :: x(*)[*]
    x(n) = x(n) + sum(x(1:n)[1])
  end subroutine
  subroutine total(x)
    real, intent(inout) :: x(3,8)[*]
    call co_sum(x)
    call co_max(x(:,2))
  end subroutine
  subroutine tags(t)
    integer, intent(inout) :: t(2,2,3)[0:1,*]
    integer :: i, j, k
    do k = 1, 3
      do j = 1, 2
        do i = 1, 2
          t(i,j,k) = 100*i + 10*j + k + 1000*this_image()
        end do
      end do
    end do
    sync all
    if (this_image() == 1) then
      i = num_images()
      t(:,:,2) = t(:,:,2)[mod(i-1,2), (i-1)/2+1]
      print *, this_image(t), image_index(t, [0,1]), lcobound(t), t(2,2,2)
    end if
  end subroutine
end module
program p
  use store
  implicit none
  integer :: me, np, i
  integer, save :: local(2,3)[*]
  data local / 1, 2, 3, 4, 5, 6 /
  me = this_image(); np = num_images()
  field = reshape([(real(i + 100*me), i = 1, 24)], [6,4])
  sync all
  call shift(field, 3, 8, me, np)
  print *, me, field(1:3,1), field(6,4), field(4:6, 1)
  sync all
  if (me == np) call vec(field(1,3), 5)
  sync all
  print *, me, field(5,3), this_image(field)
  call total(field)
  print *, me, field(1,1), field(6,4), field(4,1)
  call tags(tag)
  sync all
  print *, me, tag, lcobound(tag)
  call flat(local)
  sync all
  print *, me, local
contains
  subroutine flat(v)
    integer :: v(6)[*]
    sync all
    if (this_image() == 1) then
      v(2:5:3)[num_images()] = [-v(1), -v(6)]
      v(:) = v(:)[num_images()]
    end if
  end subroutine
end program
