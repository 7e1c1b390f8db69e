! Distributed arrays beside values that differ among images, as a generator wrote it.
program generated_mixed
  implicit none
  integer, parameter :: n = 12
  integer :: a(n), b(n), e(n), ps(n), pd(n), x(n)[*]
  integer :: me, np, i, j, jj, k, s1, s2, s3, d1, d2, d3, copy(n)
!HPF$ DISTRIBUTE a(BLOCK)
!HPF$ DISTRIBUTE b(CYCLIC)
!HPF$ ALIGN e(i) WITH a(i)
  me = this_image(); np = num_images()
  do i = 1, n
    a(i) = i; b(i) = 3*i - 5; e(i) = 20 - i; ps(i) = i; pd(i) = me; x(i) = me*i
  end do
  s1 = 1; s2 = 2; s3 = 3; d1 = me; d2 = 2*me; d3 = 7 - me; k = 0; j = 0
  sync all
  do i = 2, 11
    e(i) = mod(a(i) + 5 + ps(2), 100)
  end do
  d3 = mod(d2 + me*1 + s3, 100)
  do i = 2, 11
    e(i) = mod(a(13-i) + b(i) + a(i) + s1, 100)
  end do
  s3 = mod(a(10) + (s1 * np), 100)
  call dump(1)
  ps(1+mod(abs(s3), 12)) = b(5)
  s1 = d1
  call co_min(s1)
  s1 = mod(s1, 100)
  do i = 2, 11
    b(i) = mod(b(13-i) + a(13-i) + b(i-1) + (np + 5), 100)
  end do
  x(2) = b(1+mod(abs(s2), 12))
  call dump(3)
  s2 = mod(a(5) + (np - 2), 100)
  do i = 11, 1, -1
    if (a(i) > 2) then
      b(i) = mod(b(i+1) + a(13-i), 100)
    end if
  end do
  do jj = 1, 3
    do i = 2, 11
      e(i) = mod(a(13-i) + b(i+1), 100)
    end do
    d1 = mod(d1 + me*2 + s1, 100)
    s1 = d2
    call co_min(s1)
    s1 = mod(s1, 100)
    if (s2 > 86) exit
  end do
  x(3) = mod(x(1+mod(abs(s3), 12)) + d2, 100)
  call dump(5)
  pd(1+mod(abs(s3), 12)) = d1 + me
  do i = 2, 11
    a(i) = mod(a(i-1) + e(i) + s1, 100)
  end do
  a(1+mod(abs(s3), 12)) = mod(e(1+mod(abs(s2), 12)) + 2, 100)
  pd(2) = d1 + me
  call dump(7)
  sync all
  d3 = x(12)[1 + mod(me, np)]
  sync all
  do i = 1, 12
    s3 = mod(a(1+mod(i, 12)) + a(i) + e(i) + ps(13-i), 50)
    a(i) = s3 + s2
  end do
  a = mod(a, 100)
  s3 = mod(e(4) + a(7) + (s1 - s2), 100)
  if (2 > 25) then
    do k = 1, me
      d2 = mod(d1 + k, 97)
    end do
    do i = 1, 12
      b(i) = mod(b(i) + s1, 100)
      d1 = mod(d2 + me*2 + s2, 100)
    end do
  else
    do i = 1, 12
      a(i) = mod(a(i) + np, 100)
      pd(i) = d1 + me
    end do
  end if
  call dump(9)
  s1 = d2
  call co_sum(s1)
  s1 = mod(s1, 100)
  x(1+mod(abs(s3), 12)) = mod(x(8) + d2, 100)
  sync all
  d3 = x(3)[1 + mod(me, np)]
  sync all
  if ((s2 + 5) > 23) then
    s1 = 0
    do i = 1, 12
      s1 = s1 + b(i)*i
    end do
    s1 = mod(s1, 100)
    do i = 1, 12
      s3 = mod(b(13-i) + a(i) + e(13-i) + mod(s2, 7) + ps(1+mod(i, 12)), 50)
      b(i) = s3 + (s3 - i)
    end do
    b = mod(b, 100)
  else
    do i = 11, 1, -1
      if (b(i) > 5) then
        b(i) = mod(b(i+1) + e(13-i) + e(i), 100)
      end if
    end do
  end if
  call dump(11)
  do i = 2, 11
    e(i) = mod(e(i+1) + a(i) + a(i-1) + 2, 100)
  end do
  sync all
  d3 = x(2)[1 + mod(me, np)]
  sync all
  x(9) = mod(x(1+mod(abs(s2), 12)) + d2, 100)
  s2 = mod(a(1+mod(abs(s3), 12)) + e(4) + b(1+mod(abs(s2), 12)) + (s2 * s1), 100)
  call dump(13)
contains
  subroutine dump(ph)
    integer, intent(in) :: ph
    integer :: i
    do i = 1, n
      copy(i) = a(i)
    end do
    print *, me, ph, 'a', copy
    do i = 1, n
      copy(i) = b(i)
    end do
    print *, me, ph, 'b', copy
    do i = 1, n
      copy(i) = e(i)
    end do
    print *, me, ph, 'e', copy
    print *, me, ph, 'ps', ps
    print *, me, ph, 'pd', pd
    print *, me, ph, 'x', x
    print *, me, ph, 's', s1, s2, s3, d1, d2, d3
    sync all
  end subroutine dump
end program generated_mixed
