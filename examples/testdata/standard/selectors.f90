! Image selectors of other teams, NEW_INDEX, get_team, other codimensions in a team, coarrays
! that a team allocates, and a team in a team.
program selectors
  use, intrinsic :: iso_fortran_env, only: team_type, initial_team, parent_team, current_team
  implicit none
  type(team_type) :: t, back, up, whole, pair
  integer :: me, n, half, size, place, k, got(2), a[*], g(2)[2,*], st
  integer, allocatable :: c(:)[:]
  me = this_image()
  n = num_images()
  half = (n + 1)/2
  size = merge(half, n - half, me <= half)
  place = merge(half - me + 1, n - me + 1, me <= half)
  a = 100*me
  g = [me, -me]
  form team (merge(1, 2, me <= half), t)
  form team (merge(7, 9, me <= half), back, new_index=place)
  sync team (t)
  sync all
  call check(team_number() == -1, 'the initial team')
  call check(num_images(team=t) == size .and. num_images(t) == size .and. num_images(-1) == n, 'num_images')
  call check(this_image(team=t) == merge(me, me - half, me <= half) .and. this_image(back) == place, 'this_image')
  call check(team_number(back) == merge(7, 9, me <= half), 'team_number')
  other: change team (back, h[2,*] => g)
    whole = get_team(initial_team)
    up = get_team(parent_team)
    call check(this_image() == place .and. num_images() == size, 'in the team')
    call check(team_number(get_team(current_team)) == merge(7, 9, me <= half) .and. team_number(up) == -1, 'get_team')
    call check(this_image(whole) == me .and. num_images(up) == n, 'the team around')
    call check(a[1] == 100*merge(half, n, me <= half) .and. a[1, team=up] == 100, 'TEAM=')
    call check(a[1, team_number=7] == 100*half .and. a[n, team_number=-1] == 100*n .and. num_images(7) == half, 'TEAM_NUMBER=')
    call check(image_index(h, this_image(h)) == place .and. image_index(h, [2, n]) == 0, 'image_index')
    call check(all(this_image(h) == [1 + mod(place - 1, 2), 1 + (place - 1)/2]), 'this_image of a coarray')
    call check(ucobound(h, 2) == (size + 1)/2, 'ucobound')
    got(:) = h(:)[this_image(h, 1), this_image(h, 2), stat=st]
    call check(all(got == [me, -me]) .and. st == 0, 'STAT=')
    allocate (c(3)[*])
    c = 10*this_image()
    sync all
    k = sum([(c(2)[k], k=1, num_images())])
    sync all
    if (this_image() == 1) c(3)[num_images()] = 77
    sync team (back)
    call check(k == 5*size*(size + 1) .and. c(3) == merge(77, 10*place, place == size), 'allocated')
    form team ((place + 1)/2, pair)
    change team (pair)
      call check(num_images() == merge(1, 2, place == size .and. mod(size, 2) == 1), 'a team in a team')
      call check(a[1, team=get_team(parent_team)] == 100*merge(half, n, me <= half), 'and back')
      call check(a[1] == 100*(me + mod(place + 1, 2)), 'neighbour')
    end team
    sync team (up)
    if (this_image() > 1) exit other
    call check(place == 1, 'EXIT')
  end team other
  call check(.not. allocated(c) .and. this_image() == me .and. num_images() == n, 'after the team')
  allocate (c(1)[*])
  c = me
  sync all
  call check(c(1)[n] == n .and. a[1, team=t] == 100*merge(1, half + 1, me <= half), 'from outside')
  print *, me, 'is through'
contains
  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (.not. holds) print *, 'wrong:', me, what
  end subroutine
end program
