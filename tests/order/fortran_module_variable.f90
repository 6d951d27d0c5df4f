! race: iterations add to a variable of a module.
! flags: -fopenmp
! threads: 1 2 4 8
module counters
  implicit none
  integer :: total = 0
contains
  subroutine add(n)
    integer, intent(in) :: n
    total = total + n ! race
  end subroutine
end module
program main
  use counters
  implicit none
  integer :: i
!$omp parallel do
  do i = 1, 100
    call add(i)
  end do
!$omp end parallel do
  print *, total
end program
