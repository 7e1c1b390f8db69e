! Atomic subroutines: a histogram, tickets, and what is done on one image, where OpenCoarrays
! cannot be wrong.
program atomics
use iso_fortran_env, only: atomic_int_kind
implicit none
integer(atomic_int_kind) :: bins(0:4)[*], ticket[*], flag[*]
logical(4) :: ready[*]
integer :: i, k, me, np, old, v, mine, seed, s
logical :: l
me = this_image(); np = num_images()
bins = 0; ticket = 0; flag = 0; ready = .false.
sync all
seed = 17*me
do i = 1, 50
  seed = mod(seed*31 + 7, 1009)
  k = mod(seed, 5)
  call atomic_add(bins(k)[1], 1)
end do
sync all
if (me == 1) then
  print *, 'bins', bins, sum(bins)
end if
if (np == 1) then
mine = 0
do
  call atomic_fetch_add(ticket[1], 1, old)
  if (old >= 20) exit
  mine = mine + old + 1
end do
print *, 'tickets', mine
if (me == 1) call atomic_define(flag[np], 5, stat=s)
if (me == 1) print *, s
if (me == np) then
  call atomic_cas(flag[np], old, 5, 10)
  print *, 'cas', old
  call atomic_cas(flag[np], old, 6, 11)
  print *, 'cas', old
end if
call atomic_ref(v, flag[np])
print *, me, v
  call atomic_define(ready, .true.)
  call atomic_ref(l, ready[1])
  call atomic_or(flag, 5)
  call atomic_fetch_xor(flag[1], 6, old)
  print *, l, flag, old
  call atomic_fetch_and(flag, 9, old)
  print *, flag, old
  call atomic_xor(flag, 3)
  call atomic_and(flag, value=10)
  call atomic_fetch_or(flag, 4, old)
  print *, flag, old
end if
end program
