! Control flow of its own on every image: sync images, critical, loops that end
! differently, and values that travel round a ring.
program synchronisation
  implicit none
  integer :: token[*], total[*], box(3)[*], neighbours(2), me, np, i, left, right, rounds
  integer :: done[*] = 0
  me = this_image()
  np = num_images()
  left = merge(np, me - 1, me == 1)
  right = merge(1, me + 1, me == np)
  token = 0
  total = 0
  box = 0
  sync all

  ! A pipeline: each image waits for the one before it.
  if (me > 1) sync images (me - 1)
  if (me == 1) then
    token = 1
  else
    token = 2*token[me-1] + 1
  end if
  if (me < np) sync images (me + 1)
  sync all
  print *, me, 'token', token, token[np]

  ! Both neighbours at once, several times.
  neighbours(1) = left
  neighbours(2) = right
  do i = 1, 5
    if (np > 2) then
      box(2)[right] = me*10 + i
      sync images (neighbours)
      box(1) = box(1) + box(2)
      sync images ([left, right])
    else
      sync images (*)
    end if
  end do
  print *, me, 'box', box

  ! One against all the others.
  if (me == 1) then
    total = 17
    sync images (*)
  else
    sync images (1)
    total = total[1] + me
  end if
  print *, me, 'total', total
  sync all

  ! One at a time.
  do i = 1, 10 + me
    critical
      total[1] = total[1] + 1
    end critical
  end do
  sync all
  if (me == 1) print *, 'critical', total

  ! Trip counts that differ, with the barriers outside.
  rounds = 0
  do while (rounds < 3*me)
    rounds = rounds + 1
    if (rounds == 8) exit
  end do
  box(3) = rounds
  sync memory
  sync all
  rounds = 0
  do i = 1, np
    rounds = rounds + box(3)[i]
  end do
  print *, me, 'rounds', rounds

  ! A loop whose condition lies on another image.
  i = 0
  do while (done[1] == 0)
    sync all
    i = i + 1
    if (me == 1 .and. i == 4) done = 1
    sync all
  end do
  print *, me, 'left after', i
end program synchronisation
