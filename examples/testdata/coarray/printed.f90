! Array expressions as items of PRINT.
program printed
implicit none
integer :: f(4), i, g(2,3)[*]
real :: r(3)
do i=1,4
f(i)=i
end do
do i=1,3
r(i) = i*0.5
end do
g = 7*this_image()
sync all
print *, f*2
print *, f + f(4:1:-1), 'x', sqrt(r)
print *, g(:,2)*3, -g
print *, f(1:2) == f(3:4)
print *, (f)
print *, r/2, abs(-r), real(f)
write(*,*) f**2
print *, max(f, 2), mod(f,2)
print *, f*2, g+1
print *, g(:,1)[num_images()]*2 + f(1:2), maxval(f*2), sum(g(1,:)[1])
sync all
end program printed
