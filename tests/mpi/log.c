// Logs the names of calls of MPI by MPI's own way of looking on: each function is another name of
// one that begins with P. Linked before the library. Writes to the file MPI_LOG.RANK.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *file;

static void begin(void) {
    char name[4096];
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "%s.%d", getenv("MPI_LOG"), rank);
    file = fopen(name, "w");
    fputs("MPI_Init\n", file);
}

int MPI_Init(int *count, char ***words) {
    int result = PMPI_Init(count, words);
    begin();
    return result;
}

int MPI_Finalize(void) {
    fputs("MPI_Finalize\n", file);
    fclose(file);
    return PMPI_Finalize();
}

#define LOGGED(name, parameters, arguments)                                                        \
    int MPI_##name parameters {                                                                    \
        fputs("MPI_" #name "\n", file);                                                            \
        return PMPI_##name arguments;                                                              \
    }

LOGGED(Send, (const void *from, int count, MPI_Datatype of, int to, int tag, MPI_Comm among),
       (from, count, of, to, tag, among))
LOGGED(Recv,
       (void *into, int count, MPI_Datatype of, int from, int tag, MPI_Comm among,
        MPI_Status *status),
       (into, count, of, from, tag, among, status))
LOGGED(Isend,
       (const void *from, int count, MPI_Datatype of, int to, int tag, MPI_Comm among,
        MPI_Request *request),
       (from, count, of, to, tag, among, request))
LOGGED(Irecv,
       (void *into, int count, MPI_Datatype of, int from, int tag, MPI_Comm among,
        MPI_Request *request),
       (into, count, of, from, tag, among, request))
LOGGED(Wait, (MPI_Request * request, MPI_Status *status), (request, status))
LOGGED(Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]),
       (count, requests, statuses))
LOGGED(Barrier, (MPI_Comm among), (among))
LOGGED(Allreduce,
       (const void *from, void *into, int count, MPI_Datatype of, MPI_Op by, MPI_Comm among),
       (from, into, count, of, by, among))
LOGGED(Bcast, (void *at, int count, MPI_Datatype of, int root, MPI_Comm among),
       (at, count, of, root, among))
