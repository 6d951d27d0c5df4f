! race: an iteration reads what the next one writes.
! flags: -fopenmp
! threads: 1 2 4 8
program main
  implicit none
  integer :: i, a(200)
  a = 1
!$omp parallel do
  do i = 1, 199
    a(i) = a(i + 1) + 1 ! race
  end do
!$omp end parallel do
  print *, a(7)
end program
