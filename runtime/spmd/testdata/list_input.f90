! Reads what the first line of standard input names, list-directed, prints the
! status and the items, then the next line of input and one more item.
program list_input
  integer :: ios, i, j, k
  real :: s
  double precision :: x, y, z
  logical :: p, q
  character(4) :: kind, c, d
  character(12) :: line
  i = -1; j = -2; k = -3
  x = -1; y = -2; z = -3; s = -4
  p = .true.; q = .false.
  c = 'c'; d = 'd'
  read(*, '(a)') kind
  if (kind == 'ints') then
     read(*, *, iostat=ios) i, j, k
     print *, ios, i, j, k
  else if (kind == 'real') then
     read(*, *, iostat=ios) x, y, z, s
     print *, ios, x, y, z, s
  else if (kind == 'bool') then
     read(*, *, iostat=ios) p, q
     print *, ios, p, q
  else if (kind == 'text') then
     read(*, *, iostat=ios) c, d
     print *, ios, c, '|', d, '|'
  else if (kind == 'mix') then
     read(*, *, iostat=ios) i, x, c, p
     print *, ios, i, x, c, '|', p
  else if (kind == 'none') then
     read(*, *, iostat=ios)
     print *, ios
  end if
  line = 'none'
  read(*, '(a)', iostat=ios) line
  print *, ios, line, '|'
  read(*, *, iostat=ios) k
  print *, ios, k
  read(line, *, iostat=ios) i, j
  print *, ios, i, j
end program list_input
