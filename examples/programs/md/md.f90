! md: particles in a periodic box with Lennard-Jones forces, velocity Verlet, on images.
!
! What it shows: allocatable coarrays, whose extents depend on the number of images, pieces that
! differ in size, positions that each image reads from the others, and sums over all images.
program md
  implicit none
  integer, parameter :: side = 5, n = side**3, steps = 40, every = 10
  real(8), parameter :: spacing = 1.7d0, box = side*spacing, dt = 0.004d0
  real(8), allocatable :: x(:,:)[:], v(:,:), a(:,:), all(:,:)
  real(8) :: potential, kinetic, drift, first
  integer :: me, np, most, mine, i, k, step
  me = this_image()
  np = num_images()
  most = (n + np - 1)/np
  mine = max(0, min(most, n - (me - 1)*most))
  allocate (x(3,most)[*], v(3,most), a(3,most), all(3,n))
  x = 0
  do i = 1, mine
    k = (me - 1)*most + i - 1
    x(:,i) = spacing*[mod(k, side), mod(k/side, side), k/side**2] + 0.1d0*sin(dble([k, 2*k, 3*k]))
    v(:,i) = 0.5d0*cos(dble([5*k, 7*k, 11*k]))
  end do
  first = 0
  call forces
  do step = 1, steps
    do i = 1, mine
      v(:,i) = v(:,i) + 0.5d0*dt*a(:,i)
      x(:,i) = modulo(x(:,i) + dt*v(:,i), box)
    end do
    call forces
    do i = 1, mine
      v(:,i) = v(:,i) + 0.5d0*dt*a(:,i)
    end do
    if (mod(step, every) == 0) then
      kinetic = 0
      do i = 1, mine
        kinetic = kinetic + 0.5d0*sum(v(:,i)**2)
      end do
      call co_sum(kinetic)
      call co_sum(potential)
      if (step == every) first = kinetic + potential
      drift = abs(kinetic + potential - first)
      if (me == 1) print '(a,i4,2(a,f12.6),a,l2)', 'step', step, '  kinetic', kinetic, '  potential', potential, &
          '  energy is kept:', drift < 1d-3*abs(first)
    end if
  end do
contains
  ! Accelerations of the particles of this image; potential is its share of the energy.
  subroutine forces
    real(8) :: d(3), r2, s
    integer :: p, i, j, k
    sync all
    do p = 1, np
      k = min(most, n - (p - 1)*most)
      if (k > 0) all(:,(p-1)*most+1:(p-1)*most+k) = x(:,1:k)[p]
    end do
    sync all
    potential = 0
    do i = 1, mine
      a(:,i) = 0
      do j = 1, n
        if (j == (me - 1)*most + i) cycle
        d = x(:,i) - all(:,j)
        d = d - box*nint(d/box)
        r2 = sum(d**2)
        s = 1/r2**3
        a(:,i) = a(:,i) + 24*(2*s**2 - s)/r2*d
        potential = potential + 2*(s**2 - s)
      end do
    end do
  end subroutine
end program md
