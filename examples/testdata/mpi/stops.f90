! One image ends all, behind what each has printed.
program stops
  print *, 'image', this_image()
  sync all
  if (this_image() == 2) error stop 9
  sync all
end program
