! race: a loop without a barrier, and a loop that reads other elements.
! flags: -fopenmp
! threads: 2 4 8
program main
  implicit none
  integer :: i, a(200), b(200)
  a = 0
!$omp parallel
!$omp do
  do i = 1, 200
    a(i) = i ! race
  end do
!$omp end do nowait
!$omp do
  do i = 1, 200
    b(i) = a(201 - i) ! race
  end do
!$omp end do
!$omp end parallel
  print *, b(7)
end program
