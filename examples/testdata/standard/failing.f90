! One image fails: the others find out, and go on without it.
program failing
  use, intrinsic :: iso_fortran_env, only: stat_failed_image, team_type
  implicit none
  integer :: me, n, st, s, k, got, a[*]
  integer, allocatable :: gone(:), c(:)[:]
  character(60) :: text
  type(team_type) :: rest
  me = this_image()
  n = num_images()
  a = 10*me
  text = 'unchanged'
  sync all (stat=st, errmsg=text)
  call check(st == 0 .and. text == 'unchanged', 'nobody has failed')
  if (me == n .and. n > 1) fail image
  sync all (stat=st, errmsg=text)
  if (n > 1) then
    call check(st == stat_failed_image .and. text /= 'unchanged', 'SYNC ALL')
    gone = failed_images()
    call check(size(gone) == 1, 'failed_images')
    call check(all(gone == [n]) .and. size(stopped_images()) == 0, 'which')
    call check(image_status(n) == stat_failed_image .and. image_status(me) == 0, 'image_status')
    got = a[n, stat=st]
    call check(st == stat_failed_image, 'a selector')
    got = a[1, stat=st]
    call check(st == 0 .and. got == 10, 'another selector')
    s = me
    call co_sum(s, stat=st)
    call check(st == stat_failed_image, 'co_sum')
    sync images (*, stat=st)
    call check(st == stat_failed_image, 'SYNC IMAGES')
    allocate (c(me/me)[*], stat=st)
    call check(st == stat_failed_image .and. allocated(c), 'ALLOCATE')
    form team (1, rest, stat=st)
    call check(st == stat_failed_image, 'FORM TEAM')
    change team (rest, stat=st)
      call check(st == 0 .and. num_images() == n - 1 .and. this_image() == me, 'the rest')
      s = me
      call co_sum(s)
      call check(s == n*(n - 1)/2, 'co_sum of the rest')
      sync all
    end team (stat=st)
    critical
      a[1] = a[1] + 1
    end critical
    sync all (stat=st)
    call check(a[1] == 10 + n - 1, 'CRITICAL')
  end if
  print *, me, 'is through'
contains
  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (.not. holds) print *, 'wrong:', me, what
  end subroutine
end program
