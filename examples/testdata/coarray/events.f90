! Events and locks, also arrays of them and allocatable ones.
program events
use iso_fortran_env, only: event_type, lock_type
implicit none
type(event_type) :: ready[*], many(4)[*], full[*], empty[*]
type(event_type), allocatable :: later(:)[:]
type(lock_type) :: guard[*], locks(2)[*]
integer :: box(3)[*], total[*], table(2)[*], me, n, k, count, status
logical :: got
me = this_image(); n = num_images()
total = 0; table = 0
sync all
! a chain
if (me > 1) event wait (ready)
if (me < n) event post (ready[me+1])
! all post to image 1, which waits for all at once
event post (many(2)[1])
event post (many(2)[1], stat=status)
if (status /= 0) print *, 'status', status
if (me == 1) then
   event wait (many(2), until_count=2*n)
   call event_query(many(2), count)
   print *, 'left', count
end if
! a ring of mailboxes, which are used again when they are empty
do k = 1, 3
   if (k > 1) event wait (empty)
   box(:)[mod(me, n)+1] = [me, k, me*k]
   event post (full[mod(me, n)+1])
   event wait (full)
   if (box(2) /= k) print *, 'wrong'
   count = box(1)
   event post (empty[mod(me+n-2, n)+1])
end do
print *, me, 'has', box
! mutual exclusion
do k = 1, 10
   lock (guard[1])
   total[1] = total[1] + me
   unlock (guard[1])
end do
do k = 1, 2
   lock (locks(k)[n])
   table(k)[n] = table(k)[n] + 1
   unlock (locks(k)[n], stat=status)
   if (status /= 0) print *, 'status', status
end do
sync all
if (me == 1) print *, 'total', total, table(:)[n]
lock (guard, acquired_lock=got)
print *, me, got
if (got) then
   unlock (guard)
end if
allocate (later(2)[*])
event post (later(2)[n])
if (me == n) then
   event wait (later(2), until_count=n)
   print *, 'end'
end if
end program
