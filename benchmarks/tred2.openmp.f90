! tred2 for OpenMP: one parallel region; columns are dealt out, each thread adds to a
! vector of its own, and these are added up.
program tred2
  use omp_lib
  implicit none
  integer, parameter :: n = 1000
  double precision, allocatable :: z(:,:), part(:,:)
  double precision :: d(n), e(n), f, g, h, hh, scale, trace, norm, ortho
  integer :: i, j, k, l, me, np

  allocate (z(n,n), part(n,0:omp_get_max_threads()-1))
!$omp parallel private(i, j, k, l, me, np, f, g, h, hh, scale)
  me = omp_get_thread_num()
  np = omp_get_num_threads()
  do j = 1 + me, n, np
    z(:,j) = 0.0d0
    do i = j, n
      z(i,j) = sin(0.37d0*i + 0.73d0*j) + cos(0.11d0*i*j)
    end do
    z(j,j) = z(j,j) + 4.0d0
    d(j) = z(n,j)
  end do
!$omp barrier
  do i = n, 2, -1
    l = i - 1
    h = 0.0d0
    scale = 0.0d0
    if (l >= 2) scale = sum(abs(d(1:l)))
!$omp barrier
    if (scale > 0.0d0) then
!$omp do
      do k = 1, l
        d(k) = d(k) / scale
      end do
      h = dot_product(d(1:l), d(1:l))
      f = d(l)
      g = -sign(sqrt(h), f)
      h = h - f * g
!$omp barrier
!$omp single
      e(i) = scale * g
      d(l) = f - g
!$omp end single
      part(1:l,me) = 0.0d0
      do j = 1 + me, l, np
        f = d(j)
        g = z(j,j) * f
        do k = j + 1, l
          g = g + z(k,j) * d(k)
          part(k,me) = part(k,me) + z(k,j) * f
        end do
        part(j,me) = part(j,me) + g
      end do
!$omp barrier
!$omp do
      do k = 1, l
        e(k) = sum(part(k,0:np-1)) / h
      end do
      hh = dot_product(e(1:l), d(1:l)) / (h + h)
!$omp barrier
!$omp do
      do k = 1, l
        e(k) = e(k) - hh * d(k)
        z(k,i) = d(k)
      end do
      do j = 1 + me, l, np
        f = d(j)
        g = e(j)
        do k = j, l
          z(k,j) = z(k,j) - f * e(k) - g * d(k)
        end do
      end do
!$omp barrier
!$omp do
      do j = 1, l
        d(j) = z(l,j)
        z(i,j) = 0.0d0
      end do
    else
!$omp single
      e(i) = d(l)
      do j = 1, l
        d(j) = z(l,j)
        z(i,j) = 0.0d0
        z(j,i) = 0.0d0
      end do
!$omp end single
    end if
!$omp single
    d(i) = h
!$omp end single
  end do

  do i = 2, n
    l = i - 1
!$omp single
    z(n,l) = z(l,l)
    z(l,l) = 1.0d0
!$omp end single
    h = d(i)
    if (h > 0.0d0) then
      do j = 1 + me, l, np
        g = dot_product(z(1:l,i), z(1:l,j)) / h
        do k = 1, l
          z(k,j) = z(k,j) - g * z(k,i)
        end do
      end do
    end if
!$omp barrier
!$omp do
    do k = 1, l
      z(k,i) = 0.0d0
    end do
  end do
!$omp do
  do i = 1, n
    d(i) = z(n,i)
    z(n,i) = 0.0d0
  end do
!$omp end parallel
  z(n,n) = 1.0d0
  e(1) = 0.0d0
  trace = sum(d)
  norm = sum(d**2) + 2.0d0*sum(e**2)
  ortho = 0.0d0
!$omp parallel do reduction(+:ortho)
  do j = 1, n
    ortho = ortho + sum(z(:,j)**2)
  end do
  print *, trace, norm, ortho
  print *, d(n), e(n), d(n-1), e(n-1)
end program tred2
