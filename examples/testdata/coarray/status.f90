! SYNC IMAGES with STAT=: with images that are there, and with image 1, which stops.
program status
use iso_fortran_env, only: stat_stopped_image
implicit none
integer :: me, n, st, list(2)
character(40) :: message
integer :: x[*]
me = this_image(); n = num_images()
x = me
st = 7
message = 'as it was'
if (n > 1) then
   list = [merge(n, me - 1, me == 1), merge(1, me + 1, me == n)]
   if (n == 2) then
      sync images (list(1:1), stat=st, errmsg=message)
   else
      sync images (list, stat=st, errmsg=message)
   end if
   print *, me, st, message, x[list(1)]
else
   print *, me
end if
sync all
if (me > 1) then
   sync images (1, stat=st)
   print *, me, 'stopped', st == stat_stopped_image
end if
end program
