program area
  integer :: side
  do side = 1, 3
    print *, side * side
  end do
end program area
