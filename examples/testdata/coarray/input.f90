! Standard input belongs to image 1; the others are at its end.
program input
  implicit none
  integer :: n, k, status, first, i
  real(8) :: x(3)[*]
  character(len=20) :: text
  n = -1
  if (this_image() == 1) then
    read *, n, x(2)
    read (*,'(a)') text
    print *, trim(text), x(2)
    text = '12 34'
    read (text, *) first, k
    print *, first, k
  end if
  call co_broadcast(n, source_image=1)
  status = 0
  if (this_image() == 2) read (*,*,iostat=status) first
  if (this_image() > 2) then
    status = 7
    read (*,*,end=10) first
    status = 8
10  continue
  end if
  print *, this_image(), n, status
  do i = 1, n
    x(i) = this_image()*i
  end do
  sync all
  print *, x(n)[num_images()]
  if (this_image() /= num_images()) print *, this_image(), 'goes on'
  sync all ! mpiexec may lose what images print while another one stops
  if (this_image() == num_images()) stop
end program input
