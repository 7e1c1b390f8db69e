! Checkpoints of a program with coarrays: in control flow that all images share.
program ring
  use spmd
  implicit none
  integer, parameter :: n = 8
  real(8) :: u(0:n+1)[*], s, total[*]
  integer :: me, np, left, right, it, i, m, hits[*]
  logical :: go
  me = this_image()
  np = num_images()
  left = merge(np, me - 1, me == 1)
  right = merge(1, me + 1, me == np)
  m = 0
  s = 0
  if (me == 1) read *, m
  call co_broadcast(m, 1)
  do i = 0, n + 1
    u(i) = 10*me + i
  end do
  hits = 0
  sync all
  call spmd_checkpoint()
  do it = 1, m
    u(n+1)[left] = u(1)
    u(0)[right] = u(n)
    if (np > 2) then
      sync images ([left, right])
    else
      sync all
    end if
    do i = 1, n
      u(i) = 0.5d0*u(i) + 0.25d0*(u(i-1) + u(i+1))
    end do
    if (mod(it, 2) == 0) then
      call spmd_checkpoint()
      s = u(3)
      call co_sum(s)
    else
      do i = 1, me
        s = s + u(i)
      end do
      critical
        hits[1] = hits[1] + me
      end critical
    end if
    sync all
  end do
  i = 0
  go = .true.
  do while (hits[1] > 0 .and. go)
    sync all
    if (me == 1) hits = hits - 5
    call spmd_checkpoint()
    i = i + 1
    if (i == 4) go = .false.
    sync all
  end do
  total = s + sum(u(1:n)) + i
  sync all
  if (me == np) print *, 'image', me, total, total[1], u(1)[left], hits[1], i
end program ring
