! ATOMIC_CAS of LOGICAL: the image that finds .false. takes the place.
program logicalatomics
  use iso_fortran_env, only: atomic_logical_kind, atomic_int_kind
  implicit none
  logical(atomic_logical_kind) :: taken[*], old, now
  integer(atomic_int_kind) :: winners[*]
  integer :: stat
  taken = .false.
  winners = 0
  sync all
  call atomic_cas(taken[1], old, .false._atomic_logical_kind, .true._atomic_logical_kind, stat=stat)
  if (.not. old) call atomic_add(winners[1], 1)
  sync all
  call atomic_ref(now, taken[1])
  if (this_image() == 1) print *, 'winners', winners, now, stat
  sync all
  call atomic_cas(taken[1], old, .true._atomic_logical_kind, .false._atomic_logical_kind)
  if (old) call atomic_add(winners[1], 10)
  sync all
  if (this_image() == 1) print *, 'winners', winners, taken
end program
