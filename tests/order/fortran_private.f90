! clean: each thread has a temporary variable.
! flags: -fopenmp
! threads: 1 2 4 8
program main
  implicit none
  integer :: i, temporary, a(200)
!$omp parallel do private(temporary)
  do i = 1, 200
    temporary = 2 * i
    a(i) = temporary
  end do
!$omp end parallel do
  print *, a(7)
end program
