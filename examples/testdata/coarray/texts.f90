! CHARACTER coarrays: texts of other images, and co_broadcast of texts.
program texts
implicit none
character(len=8) :: name[*], t(3)[*], got
character(len=:), allocatable :: d
integer :: me, np
me = this_image(); np = num_images()
write (name, '(a,i0)') 'img', me
t = name
t(2) = 'x'
sync all
got = name[np]
print *, me, got, t(2)[1], t(3)[np]
sync all
if (me == 1) name[np] = 'changed'
if (me == 1) t(1)[np] = 'all'
sync all
print *, me, name, t
call co_broadcast(name, 1)
print *, me, name
t(1) = name
t(2) = 'two'
t(3) = 'three'
if (me /= 2 .and. np > 1) t = 'lost'
call co_broadcast(t(1:3:2), min(2,np))
print *, me, t
sync all ! a broadcast orders nothing
block
  character(len=20) :: long, many(3)
  long = name[np]
  many = 'm'
  print *, '[', long, ']', many, len_trim(name[1]), trim(name[1])//'!'
  sync all
  if (me == np) name[1] = 'a longer text than eight'
end block
sync all
print *, name
end program
