// SPDX-License-Identifier: GPL-3.0-or-later
// A program of four ranks that SST's tracer recorded (README.md): each kind of call that a DUMPI
// trace can be replayed with.
#include <mpi.h>

enum { MOST = 64 };

static int rank, ranks, right, left;
static double from[MOST], to[MOST];

static void messages(void)
{
    MPI_Request requests[4];
    MPI_Status statuses[4];
    int index, done, count, indices[4];
    MPI_Isend(from, 3, MPI_DOUBLE, right, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(to, 3, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Issend(from, 10, MPI_CHAR, left, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(to, 10, MPI_CHAR, right, 6, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitany(2, requests, &index, statuses);
    MPI_Waitany(2, requests, &index, statuses);
    MPI_Isend(from, 2, MPI_INT, right, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(to, 2, MPI_INT, left, 7, MPI_COMM_WORLD, &requests[1]);
    for (int all = 0; all < 2; all += count)
        MPI_Waitsome(2, requests, &count, indices, statuses);
    MPI_Isend(from, 1, MPI_LONG, right, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv(to, 1, MPI_LONG, left, 8, MPI_COMM_WORLD, statuses);
    do
        MPI_Test(&requests[0], &done, statuses);
    while (!done);
    MPI_Sendrecv(from, 4, MPI_FLOAT, right, 9, to, 4, MPI_FLOAT, left, 9, MPI_COMM_WORLD, statuses);
    MPI_Sendrecv_replace(from, 5, MPI_DOUBLE, left, 3, right, 3, MPI_COMM_WORLD, statuses);
    MPI_Sendrecv(from, 1, MPI_INT, rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, 4, to, 1, MPI_INT,
                 rank > 0 ? rank - 1 : MPI_PROC_NULL, 4, MPI_COMM_WORLD, statuses);
    if (rank == 0)
        MPI_Ssend(from, 1, MPI_SHORT, 1, 2, MPI_COMM_WORLD);
    else if (rank == 1) {
        MPI_Probe(0, 2, MPI_COMM_WORLD, statuses);
        MPI_Recv(to, 1, MPI_SHORT, 0, 2, MPI_COMM_WORLD, statuses);
    }
}

static void collectives(MPI_Comm comm)
{
    int counts[4], starts[4], own, size, start = 0;
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++) {
        counts[i] = i + 1;
        starts[i] = start;
        start += i + 1;
    }
    MPI_Barrier(comm);
    MPI_Bcast(from, 8, MPI_DOUBLE, size - 1, comm);
    MPI_Reduce(from, to, 7, MPI_DOUBLE, MPI_SUM, 0, comm);
    MPI_Allreduce(from, to, 6, MPI_DOUBLE, MPI_MAX, comm);
    MPI_Scan(from, to, 2, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Gather(from, 3, MPI_INT, to, 3, MPI_INT, 0, comm);
    MPI_Scatter(from, 2, MPI_INT, to, 2, MPI_INT, size - 1, comm);
    MPI_Allgather(from, 1, MPI_DOUBLE, to, 1, MPI_DOUBLE, comm);
    MPI_Alltoall(from, 2, MPI_DOUBLE, to, 2, MPI_DOUBLE, comm);
    MPI_Gatherv(from, own + 1, MPI_DOUBLE, to, counts, starts, MPI_DOUBLE, 0, comm);
    MPI_Scatterv(from, counts, starts, MPI_DOUBLE, to, own + 1, MPI_DOUBLE, 0, comm);
    MPI_Allgatherv(from, own + 1, MPI_INT, to, counts, starts, MPI_INT, comm);
    MPI_Reduce_scatter(from, to, counts, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < size; i++) {
        counts[i] = 2;
        starts[i] = 2 * i;
    }
    MPI_Alltoallv(from, counts, starts, MPI_CHAR, to, counts, starts, MPI_CHAR, comm);
}

int main(int argc, char **argv)
{
    MPI_Comm again, rows;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    right = (rank + 1) % ranks;
    left = (rank + ranks - 1) % ranks;
    messages();
    MPI_Comm_dup(MPI_COMM_WORLD, &again);
    collectives(again);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &rows);
    collectives(rows);
    MPI_Comm_free(&rows);
    MPI_Comm_free(&again);
    MPI_Finalize();
    return 0;
}
