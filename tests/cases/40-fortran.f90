! What has control flow in Fortran: loops, cycle and exit, select, where, functions that call themselves.
module shapes
  implicit none
contains
  recursive function fibonacci(n) result(value)
    integer, intent(in) :: n
    integer :: value
    if (n < 2) then
      value = n
    else
      value = fibonacci(n - 1) + fibonacci(n - 2)
    end if
  end function

  integer function kind_of(n)
    integer, intent(in) :: n
    select case (n)
    case (:-1)
      kind_of = 1
    case (0)
      kind_of = 2
    case (1:5)
      kind_of = 3
    case default
      kind_of = 4
    end select
  end function

  integer function summed(values)
    integer, intent(in) :: values(:)
    integer :: i
    summed = 0
    do i = 1, size(values)
      if (values(i) == 3) cycle
      if (values(i) > 7) exit
      summed = summed + values(i)
    end do
  end function
end module

program main
  use shapes
  implicit none
  integer :: i, total
  if (fibonacci(5) /= 5) stop 1
  total = 0
  do i = -1, 7
    total = total + kind_of(i)
  end do
  if (total /= 26) stop 2
  if (summed([1, 2, 3, 4, 8, 9]) /= 7) stop 3
  do while (total > 20)
    total = total - 4
  end do
end program
