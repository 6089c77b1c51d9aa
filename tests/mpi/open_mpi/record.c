// SPDX-License-Identifier: GPL-3.0-or-later
// Records the messages of Open MPI's collectives: for each collective, number of processes and
// size, what each process sends, in its order. Counts in the place of the functions of its PML
// (`mca_pml`, ompi/mca/pml/pml.h of 4.1), which the collectives call. Debian 12's 4.1.4 has the
// rules of 5.0.9. It wrote messages.txt:
//
//   mpicc record.c -o record
//   for n in 2 3 4 5 6 7 8 12 16 17; do mpirun --oversubscribe -n $n --mca pml ob1 \
//       --mca btl self,vader --mca coll ^han ./record; done >messages.txt
//
// A line: collective, processes, bytes (of a message or block; reduce_scatter, allgatherv and
// alltoallv: of each block), then for each process that sends ` | RANK` and ` TO*BYTES`, without
// the bytes where they are those of the message before. Sizes of messages that algorithms cut are
// multiples of the ranks and of the power of two below, so that the pieces are even.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1 << 19, MOST_BLOCKS = 64, MOST_MESSAGES = 256 };

typedef int isend_fn(const void *, size_t, MPI_Datatype, int, int, int, MPI_Comm, MPI_Request *);
typedef int send_fn(const void *, size_t, MPI_Datatype, int, int, int, MPI_Comm);

// The first members of struct mca_pml_base_module_1_0_1_t.
extern struct {
    void *others[9];
    isend_fn *isend_init, *isend;
    send_fn *send;
} mca_pml;

static isend_fn *true_isend_init, *true_isend;
static send_fn *true_send;

static int rank, ranks;
static char *from, *to;
static int counts[MOST_BLOCKS], starts[MOST_BLOCKS];
static int messages[2 * MOST_MESSAGES], message_count, recording; // to, bytes, to, bytes, ...

static void note(size_t count, MPI_Datatype type, int peer)
{
    int size;
    MPI_Type_size(type, &size);
    if (!recording || peer == rank)
        return;
    if (message_count == MOST_MESSAGES)
        MPI_Abort(MPI_COMM_WORLD, 1);
    messages[2 * message_count] = peer;
    messages[2 * message_count++ + 1] = (int)count * size;
}

static int noted_isend_init(const void *data, size_t count, MPI_Datatype type, int peer, int tag,
                            int mode, MPI_Comm comm, MPI_Request *request)
{
    note(count, type, peer);
    return true_isend_init(data, count, type, peer, tag, mode, comm, request);
}

static int noted_isend(const void *data, size_t count, MPI_Datatype type, int peer, int tag,
                       int mode, MPI_Comm comm, MPI_Request *request)
{
    note(count, type, peer);
    return true_isend(data, count, type, peer, tag, mode, comm, request);
}

static int noted_send(const void *data, size_t count, MPI_Datatype type, int peer, int tag,
                      int mode, MPI_Comm comm)
{
    note(count, type, peer);
    return true_send(data, count, type, peer, tag, mode, comm);
}

static void install(void)
{
    true_isend_init = mca_pml.isend_init;
    true_isend = mca_pml.isend;
    true_send = mca_pml.send;
    mca_pml.isend_init = noted_isend_init;
    mca_pml.isend = noted_isend;
    mca_pml.send = noted_send;
}

enum {
    BARRIER,
    BCAST,
    REDUCE,
    ALLREDUCE,
    GATHER,
    SCATTER,
    ALLGATHER,
    ALLTOALL,
    REDUCE_SCATTER,
    SCAN,
    EXSCAN,
    GATHERV,
    SCATTERV,
    ALLGATHERV,
    ALLTOALLV,
    COLLECTIVES
};

static const char *const names[] = {"barrier",        "bcast",      "reduce",    "allreduce",
                                    "gather",         "scatter",    "allgather", "alltoall",
                                    "reduce_scatter", "scan",       "exscan",    "gatherv",
                                    "scatterv",       "allgatherv", "alltoallv"};

static void call(int which, int size)
{
    int n = size / 8;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Datatype type = MPI_DOUBLE;
    for (int i = 0; i < ranks; i++) {
        counts[i] = n;
        starts[i] = i * n;
    }
    switch (which) {
    case BARRIER:
        MPI_Barrier(world);
        break;
    case BCAST:
        MPI_Bcast(from, n, type, 0, world);
        break;
    case REDUCE:
        MPI_Reduce(from, to, n, type, MPI_SUM, 0, world);
        break;
    case ALLREDUCE:
        MPI_Allreduce(from, to, n, type, MPI_SUM, world);
        break;
    case GATHER:
        MPI_Gather(from, n, type, to, n, type, 0, world);
        break;
    case SCATTER:
        MPI_Scatter(from, n, type, to, n, type, 0, world);
        break;
    case ALLGATHER:
        MPI_Allgather(from, n, type, to, n, type, world);
        break;
    case ALLTOALL:
        MPI_Alltoall(from, n, type, to, n, type, world);
        break;
    case REDUCE_SCATTER:
        MPI_Reduce_scatter(from, to, counts, type, MPI_SUM, world);
        break;
    case SCAN:
        MPI_Scan(from, to, n, type, MPI_SUM, world);
        break;
    case EXSCAN:
        MPI_Exscan(from, to, n, type, MPI_SUM, world);
        break;
    case GATHERV:
        MPI_Gatherv(from, n, type, to, counts, starts, type, 0, world);
        break;
    case SCATTERV:
        MPI_Scatterv(from, counts, starts, type, to, n, type, 0, world);
        break;
    case ALLGATHERV:
        MPI_Allgatherv(from, n, type, to, counts, starts, type, world);
        break;
    case ALLTOALLV:
        MPI_Alltoallv(from, counts, starts, type, to, counts, starts, type, world);
        break;
    }
}

static void print(const int *all, int each, const int *lengths)
{
    for (int i = 0; i < ranks; i++) {
        int last = -1;
        if (lengths[i] > 0)
            printf(" | %d", i);
        for (int k = 0; k < lengths[i]; k++) {
            const int *message = all + i * each + 2 * k;
            printf(message[1] == last ? " %d" : " %d*%d", message[0], message[1]);
            last = message[1];
        }
    }
    printf("\n");
}

static void measure(int which, int size)
{
    static int all[MOST_BLOCKS * 2 * MOST_MESSAGES], lengths[MOST_BLOCKS];
    MPI_Barrier(MPI_COMM_WORLD);
    message_count = 0;
    recording = 1;
    call(which, size);
    recording = 0;
    MPI_Gather(messages, 2 * MOST_MESSAGES, MPI_INT, all, 2 * MOST_MESSAGES, MPI_INT, 0,
               MPI_COMM_WORLD);
    MPI_Gather(&message_count, 1, MPI_INT, lengths, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank != 0)
        return;
    printf("%s %d %d", names[which], ranks, size);
    print(all, 2 * MOST_MESSAGES, lengths);
}

int main(int argc, char **argv)
{
    int power = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while (2 * power <= ranks)
        power *= 2;
    install();
    from = calloc((size_t)LONGEST, MOST_BLOCKS);
    to = calloc((size_t)LONGEST, MOST_BLOCKS);
    measure(BARRIER, 0);
    for (int which = BCAST; which < COLLECTIVES; which++)
        for (int limit = 8; limit < LONGEST;
             limit *= which >= SCAN && which <= SCATTERV ? 1 << 20 : 8) {
            int unit = which <= ALLREDUCE && limit > 8 ? 8 * ranks * power : 8;
            measure(which, (limit + unit - 1) / unit * unit);
        }
    MPI_Finalize();
    return 0;
}
