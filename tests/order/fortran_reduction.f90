! clean: a sum is reduced.
! flags: -fopenmp
! threads: 1 2 4 8
program main
  implicit none
  integer :: i, total
  real :: mean
  total = 0
  mean = 0
!$omp parallel do reduction(+:total, mean)
  do i = 1, 200
    total = total + i
    mean = mean + i / 200.0
  end do
!$omp end parallel do
  print *, total, mean
end program
