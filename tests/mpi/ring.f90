! The forms of Fortran. The headers of MPI are for gfortran, so what they say is said here.
program ring
  implicit none
  ! What MPICH calls all processes.
  integer, parameter :: mpi_comm_world = int(z'44000000')
  integer :: error
  external :: mpi_init, mpi_barrier, mpi_finalize
  call mpi_init(error)
  call mpi_barrier(mpi_comm_world, error)
  call mpi_finalize(error)
end program
