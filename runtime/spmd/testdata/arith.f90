program ar
integer :: a(8)=(/7,-7,8,-8,0,1,-1,3/), b(6)=(/3,-3,1,-1,5,-8/), i, j
double precision :: x(8)=(/2.5d0,-2.5d0,0.49999999999999994d0,-0.5d0,1.1d0,-7.75d0,0d0,-0d0/), y(4)=(/1.1d0,-1.1d0,2d0,-2d0/)
print *, ((modulo(a(i),b(j)),j=1,6),i=1,8)
print *, ((mod(a(i),b(j)),j=1,6),i=1,8)
print *, ((modulo(x(i),y(j)),j=1,4),i=1,8)
print *, ((mod(x(i),y(j)),j=1,4),i=1,8)
print *, ((sign(x(i),x(j)),j=1,8),i=1,8)
print *, ((sign(a(i),a(j)),j=1,8),i=1,8)
print *, ((dim(a(i),a(j)),j=1,8),i=1,8)
print *, (nint(x(i)),floor(x(i)),ceiling(x(i)),i=1,8)
print *, (anint(x(i)),aint(x(i)),i=1,8)
print *, ((a(i)**mod(abs(b(j)),6),j=1,6),i=1,8)
print *, ((x(i)**j,j=-9,33,6),i=1,6)
print *, ((real(x(i))**j,j=-9,33,6),i=1,6)
end
