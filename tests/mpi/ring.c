// Two ranks that exchange messages in each way: calls of MPI that a trace tells.
#include <mpi.h>
#include <stdio.h>

static int sum(const int *numbers, int count) {
    int total = 0;
    for (int i = 0; i < count; i++)
        total += numbers[i];
    return total;
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    int rank, size, numbers[64], got[64] = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 64; i++)
        numbers[i] = rank + i;
    int other = (rank + 1) % size, before = (rank + size - 1) % size;
    if (rank % 2 == 0) {
        MPI_Send(numbers, 64, MPI_INT, other, 1, MPI_COMM_WORLD);
        MPI_Recv(got, 64, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(got, 64, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(numbers, 64, MPI_INT, other, 1, MPI_COMM_WORLD);
    }
    for (int turn = 0; turn < 10; turn++) {
        MPI_Request requests[2];
        MPI_Irecv(got, 64, MPI_INT, before, 2, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(numbers, 64, MPI_INT, other, 2, MPI_COMM_WORLD, &requests[1]);
        if (turn % 2)
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        else
            for (int i = 0; i < 2; i++)
                MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        numbers[turn] = sum(got, 64);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    int mine = sum(numbers, 64), all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(&all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    printf("rank %d of %d: %d\n", rank, size, all);
    MPI_Finalize();
}
