! tred2 for MPI: columns are dealt out, d and e are on all processes; for each step one
! sum of a vector and one exchange of a row, and one broadcast of a column in the
! accumulation.
program tred2
  use mpi
  implicit none
  integer, parameter :: n = 1000
  double precision, allocatable :: z(:,:), v(:), w(:)
  double precision :: d(n), e(n), f, g, h, hh, scale, trace, norm, ortho, all, start
  integer :: i, j, k, l, me, np, m, c, err

  call MPI_Init(err)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, err)
  call MPI_Comm_size(MPI_COMM_WORLD, np, err)
  call MPI_Barrier(MPI_COMM_WORLD, err)
  start = MPI_Wtime()
  m = (n - 1 - me)/np + 1               ! columns here: me+1, me+1+np, ...
  allocate (z(n,m), v(n), w(n))
  z = 0.0d0
  v = 0.0d0
  do c = 1, m
    j = me + 1 + (c-1)*np
    do i = j, n
      z(i,c) = sin(0.37d0*i + 0.73d0*j) + cos(0.11d0*i*j)
    end do
    z(j,c) = z(j,c) + 4.0d0
    v(j) = z(n,c)
  end do
  call MPI_Allreduce(v, d, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, err)

  do i = n, 2, -1
    l = i - 1
    h = 0.0d0
    scale = 0.0d0
    if (l >= 2) scale = sum(abs(d(1:l)))
    if (scale > 0.0d0) then
      d(1:l) = d(1:l) / scale
      h = dot_product(d(1:l), d(1:l))
      f = d(l)
      g = -sign(sqrt(h), f)
      e(i) = scale * g
      h = h - f * g
      d(l) = f - g
      v(1:l) = 0.0d0
      do c = 1, (l - 1 - me + np)/np
        j = me + 1 + (c-1)*np
        f = d(j)
        g = z(j,c) * f
        do k = j + 1, l
          g = g + z(k,c) * d(k)
          v(k) = v(k) + z(k,c) * f
        end do
        v(j) = v(j) + g
      end do
      call MPI_Allreduce(v, e, l, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, err)
      e(1:l) = e(1:l) / h
      hh = dot_product(e(1:l), d(1:l)) / (h + h)
      e(1:l) = e(1:l) - hh * d(1:l)
      if (mod(i-1, np) == me) z(1:l,(i-1)/np+1) = d(1:l)
      v(1:l) = 0.0d0
      do c = 1, (l - 1 - me + np)/np
        j = me + 1 + (c-1)*np
        f = d(j)
        g = e(j)
        do k = j, l
          z(k,c) = z(k,c) - f * e(k) - g * d(k)
        end do
        v(j) = z(l,c)
        z(i,c) = 0.0d0
      end do
    else
      e(i) = d(l)
      v(1:l) = 0.0d0
      do c = 1, (l - 1 - me + np)/np
        v(me + 1 + (c-1)*np) = z(l,c)
        z(i,c) = 0.0d0
      end do
      if (mod(i-1, np) == me) z(1:l,(i-1)/np+1) = 0.0d0
    end if
    call MPI_Allreduce(v, d, l, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, err)
    d(i) = h
  end do

  do i = 2, n
    l = i - 1
    if (mod(l-1, np) == me) then
      c = (l-1)/np + 1
      z(n,c) = z(l,c)
      z(l,c) = 1.0d0
    end if
    h = d(i)
    if (h > 0.0d0) then
      if (mod(i-1, np) == me) w(1:l) = z(1:l,(i-1)/np+1)
      call MPI_Bcast(w, l, MPI_DOUBLE_PRECISION, mod(i-1, np), MPI_COMM_WORLD, err)
      do c = 1, (l - 1 - me + np)/np
        g = dot_product(w(1:l), z(1:l,c)) / h
        do k = 1, l
          z(k,c) = z(k,c) - g * w(k)
        end do
      end do
    end if
    if (mod(i-1, np) == me) z(1:l,(i-1)/np+1) = 0.0d0
  end do
  v = 0.0d0
  ortho = 0.0d0
  do c = 1, m
    j = me + 1 + (c-1)*np
    v(j) = z(n,c)
    z(n,c) = 0.0d0
    if (j == n) z(n,c) = 1.0d0
    ortho = ortho + sum(z(:,c)**2)
  end do
  call MPI_Allreduce(v, d, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, err)
  call MPI_Allreduce(ortho, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, err)
  e(1) = 0.0d0
  trace = sum(d)
  norm = sum(d**2) + 2.0d0*sum(e**2)
  if (me == 0) then
    print *, trace, norm, all
    print *, d(n), e(n), d(n-1), e(n-1)
    write (0, *) 'seconds', MPI_Wtime() - start
  end if
  call MPI_Finalize(err)
end program tred2
