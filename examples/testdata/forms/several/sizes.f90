module sizes
  integer, parameter :: most = 100
end module
