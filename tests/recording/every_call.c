// SPDX-License-Identifier: GPL-3.0-or-later
// Makes every call that the recorder of examples/mpi has, some with MPI_PROC_NULL, any source and
// tag, in place, or in smaller communicators; on any number of ranks from two. It prints nothing.
#include <mpi.h>
#include <stdlib.h>

#define MOST 32

static int rank, ranks, next, before;
static int out[2 * MOST * MOST], in[2 * MOST * MOST];

static void message(void)
{
    MPI_Status status;
    if (rank == 0) {
        MPI_Send(out, 5, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Ssend(out, 6, MPI_INT, 1, 2, MPI_COMM_WORLD);
        MPI_Send(out, 7, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(in, 9, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Recv(in, 6, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(in, 7, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    }
    MPI_Send(out, 5, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    MPI_Recv(in, 5, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
    MPI_Sendrecv(out, 4, MPI_INT, next, 4, in, 8, MPI_INT, before, 4, MPI_COMM_WORLD, &status);
    MPI_Sendrecv(out, 3, MPI_INT, rank == ranks - 1 ? MPI_PROC_NULL : next, 5, in, 3, MPI_INT,
                 rank == 0 ? MPI_PROC_NULL : before, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void start(MPI_Request *requests, int tag, int count)
{
    MPI_Irecv(in, count, MPI_INT, before, tag, MPI_COMM_WORLD, &requests[0]);
    if (tag % 2)
        MPI_Isend(out, count, MPI_INT, next, tag, MPI_COMM_WORLD, &requests[1]);
    else
        MPI_Issend(out, count, MPI_INT, next, tag, MPI_COMM_WORLD, &requests[1]);
}

static void requests(void)
{
    MPI_Request both[2], null;
    MPI_Status statuses[2];
    int index, indices[2], done = 0, left = 2;
    start(both, 1, 10);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    start(both, 2, 11);
    MPI_Wait(&both[1], MPI_STATUS_IGNORE);
    MPI_Wait(&both[0], statuses);
    start(both, 3, 12);
    MPI_Waitany(2, both, &index, MPI_STATUS_IGNORE);
    MPI_Waitany(2, both, &index, statuses);
    start(both, 4, 13);
    for (; left > 0; left -= done)
        MPI_Waitsome(2, both, &done, indices, statuses);
    start(both, 5, 14);
    for (done = 0; !done;)
        MPI_Test(&both[0], &done, MPI_STATUS_IGNORE);
    for (done = 0; !done;)
        MPI_Test(&both[1], &done, statuses);
    start(both, 6, 15);
    for (done = 0; !done;)
        MPI_Testall(2, both, &done, statuses);
    MPI_Irecv(in, 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &null);
    MPI_Wait(&null, MPI_STATUS_IGNORE);
}

// Each sends i + own elements to member i, and receives as many.
static void exchange(int own, int size, MPI_Comm comm)
{
    int counts[MOST], places[MOST];
    for (int i = 0; i < size; i++)
        counts[i] = i + own, places[i] = i * 2 * MOST;
    MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm);
    MPI_Alltoallv(MPI_IN_PLACE, counts, places, MPI_INT, in, counts, places, MPI_INT, comm);
}

static void collectives(MPI_Comm comm)
{
    int own, size, counts[MOST], places[MOST], root;
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &size);
    root = size - 1;
    for (int i = 0; i < size; i++)
        counts[i] = i + 1, places[i] = i * (i + 1) / 2;
    MPI_Barrier(comm);
    MPI_Bcast(out, 8, MPI_INT, root, comm);
    MPI_Reduce(out, in, 7, MPI_INT, MPI_SUM, root, comm);
    MPI_Allreduce(out, in, 12, MPI_INT, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, in, 12, MPI_INT, MPI_SUM, comm);
    MPI_Gather(out, 3, MPI_INT, in, 3, MPI_INT, root, comm);
    MPI_Scatter(out, 3, MPI_INT, in, 3, MPI_INT, root, comm);
    MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, comm);
    MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, comm);
    MPI_Scan(out, in, 5, MPI_INT, MPI_SUM, comm);
    MPI_Exscan(out, in, 5, MPI_INT, MPI_SUM, comm);
    MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, comm);
    MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm);
    MPI_Gatherv(out, own + 1, MPI_INT, in, counts, places, MPI_INT, root, comm);
    MPI_Scatterv(out, counts, places, MPI_INT, in, own + 1, MPI_INT, root, comm);
    MPI_Allgatherv(out, own + 1, MPI_INT, in, counts, places, MPI_INT, comm);
    exchange(own, size, comm);
}

int main(int count, char **arguments)
{
    MPI_Comm half, twin;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > MOST)
        MPI_Abort(MPI_COMM_WORLD, 1);
    next = (rank + 1) % ranks;
    before = (rank + ranks - 1) % ranks;
    message();
    requests();
    collectives(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    collectives(half);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    collectives(twin);
    collectives(MPI_COMM_SELF);
    MPI_Finalize();
    return 0;
}
