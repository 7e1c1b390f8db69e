! COMPLEX coarrays: elements, sections and collectives.
program co
implicit none
complex :: x(1)[*], y(4)[*], s
complex(8) :: w(3), t
integer :: me, np, right
me = this_image(); np = num_images()
x(1) = cmplx(me, -me)
y = [cmplx(me, 1), (0.0,1.0)*me, (3.0, 0.0), cmplx(0, me)]
right = merge(1, me + 1, me == np)
sync all
s = x(1)[right] + y(2)[right]
y(3)[right] = s
sync all
print *, me, s, y(3), y(1)[right], y(2)[right]
t = cmplx(me, 2*me, 8)
call co_sum(t)
w = cmplx(me, 0.5d0, 8)
call co_sum(w, result_image=1)
if (me == 1) print *, t, w
s = cmplx(me, me)
call co_broadcast(s, np)
call co_broadcast(y, 1)
if (me == np) print *, s, y
end program
