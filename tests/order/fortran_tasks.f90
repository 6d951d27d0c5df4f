! race: two tasks write a variable.
! flags: -fopenmp
! threads: 1 2 4 8
program main
  implicit none
  integer :: x
  x = 0
!$omp parallel
!$omp single
!$omp task shared(x)
  x = x + 1 ! race
!$omp end task
!$omp task shared(x)
  x = x + 2 ! race
!$omp end task
!$omp end single
!$omp end parallel
  print *, x
end program
