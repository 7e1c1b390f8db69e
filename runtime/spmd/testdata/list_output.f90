program g
integer i
double precision nan, inf
character(5) c
nan = transfer(int(z'7ff8000000000000',8),1d0)
inf = transfer(int(z'7ff0000000000000',8),1d0)
c = 'ab'
print *, 1, 'a', 2, 'b', 'c', .true., .false., 'x'
print *
print *, ''
print *, -2147483647-1, 2147483647, 0
print *, c, c, '|'
print *, nan, inf, -inf, 1.0
print *, real(nan), real(inf), real(-inf), 1d0
print *, 'n =', 10, 'x =', 1.5d0, 'flag', .true.
print *, (i, i=1,30)
print *, ('abcdefghij', i=1,20)
print *, (1.5d0*i, i=1,12)
print *, (0.5*i, i=1,12)
print *, (mod(i,2)==0, i=1,70)
print *, 'a', 1, 'b'
print *, 1, 1.0, 1d0, .true., 1
end
