! clean: iterations add in a critical region.
! flags: -fopenmp
! threads: 1 2 4 8
program main
  implicit none
  integer :: i, total
  total = 0
!$omp parallel do
  do i = 1, 100
!$omp critical
    total = total + i
!$omp end critical
  end do
!$omp end parallel do
  print *, total
end program
