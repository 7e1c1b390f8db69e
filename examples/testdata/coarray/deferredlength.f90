! CHARACTER coarrays whose length ALLOCATE gives, and those of arrays.
program deflen
  implicit none
  character(len=:), allocatable :: g[:], names(:)[:]
  character(len=:), allocatable :: local
  integer :: me, n, i, k
  me = this_image(); n = num_images()
  allocate (character(len=12) :: g[*])
  allocate (character(len=5) :: names(2)[*])
  write (g, '(a,i0)') 'image ', me
  names(1) = 'ab' // achar(96+me)
  names(2) = repeat('x', 9)
  sync all
  if (me == 1) then
    do i = 1, n
      print *, '[' // g[i] // ']', len(g), len_trim(g[i]), '[' // names(1)[i] // names(2)[i] // ']'
    end do
    local = g
    print *, len(local), local, trim(local) // '!'
  end if
  sync all
  if (me == n) g[1] = 'short'
  sync all
  if (me == 1) print *, '[' // g // ']', '[' // names(2) // ']', len(names)
  call show(g)
contains
  subroutine show(t)
    character(len=*), intent(in) :: t[*]
    sync all
    print *, this_image(), t[1], len(t)
  end subroutine
end program
