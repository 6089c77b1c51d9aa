// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives. A record has what the rank sends to each member and receives from each, itself too:
// of a call in place, what the same call has with two buffers.
#include "otf2_record.h"

struct sums {
    uint64_t sent, received;
};

static int size_of(MPI_Comm comm)
{
    int size;
    PMPI_Comm_size(comm, &size);
    return size;
}

static int rank_in(MPI_Comm comm)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    return rank;
}

#define NO_ROOT ((int)OTF2_UNDEFINED_UINT32)

static void begin(enum region region)
{
    enter(region);
    if (here.events)
        OTF2_EvtWriter_MpiCollectiveBegin(here.events, NULL, now()), here.count++;
}

static int end(enum region region, int result, OTF2_CollectiveOp operation, int root, MPI_Comm comm,
               struct sums sums)
{
    if (here.events) {
        OTF2_EvtWriter_MpiCollectiveEnd(here.events, NULL, now(), operation, number_of(comm),
                                        (uint32_t)root, sums.sent, sums.received);
        here.count++;
    }
    return leave(region, result);
}

static uint64_t sum_of(const int *counts, MPI_Datatype type, MPI_Comm comm)
{
    uint64_t sum = 0;
    for (int i = 0; i < size_of(comm); i++)
        sum += bytes_of(counts[i], type);
    return sum;
}

// ---- One block ----

// A block of each member goes to the root.
static struct sums to_root(uint64_t block, int root, MPI_Comm comm)
{
    return (struct sums){block, rank_in(comm) == root ? block * (uint64_t)size_of(comm) : 0};
}

static struct sums from_root(uint64_t block, int root, MPI_Comm comm)
{
    struct sums sums = to_root(block, root, comm);
    return (struct sums){sums.received, sums.sent};
}

static struct sums to_all(uint64_t block, MPI_Comm comm)
{
    uint64_t sum = block * (uint64_t)size_of(comm);
    return (struct sums){sum, sum};
}

int MPI_Barrier(MPI_Comm comm)
{
    begin(REGION_Barrier);
    return end(REGION_Barrier, PMPI_Barrier(comm), OTF2_COLLECTIVE_OP_BARRIER, NO_ROOT, comm,
               (struct sums){0, 0});
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    begin(REGION_Bcast);
    return end(REGION_Bcast, PMPI_Bcast(buffer, count, type, root, comm), OTF2_COLLECTIVE_OP_BCAST,
               root, comm, from_root(bytes_of(count, type), root, comm));
}

int MPI_Reduce(const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm)
{
    begin(REGION_Reduce);
    return end(REGION_Reduce, PMPI_Reduce(out, in, count, type, op, root, comm),
               OTF2_COLLECTIVE_OP_REDUCE, root, comm, to_root(bytes_of(count, type), root, comm));
}

int MPI_Allreduce(const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    begin(REGION_Allreduce);
    return end(REGION_Allreduce, PMPI_Allreduce(out, in, count, type, op, comm),
               OTF2_COLLECTIVE_OP_ALLREDUCE, NO_ROOT, comm, to_all(bytes_of(count, type), comm));
}

int MPI_Reduce_scatter_block(const void *out, void *in, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm)
{
    begin(REGION_Reduce_scatter_block);
    return end(REGION_Reduce_scatter_block,
               PMPI_Reduce_scatter_block(out, in, count, type, op, comm),
               OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, NO_ROOT, comm,
               to_all(bytes_of(count, type), comm));
}

int MPI_Gather(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
               MPI_Datatype in_type, int root, MPI_Comm comm)
{
    uint64_t block =
        rank_in(comm) == root ? bytes_of(in_count, in_type) : bytes_of(out_count, out_type);
    begin(REGION_Gather);
    return end(REGION_Gather,
               PMPI_Gather(out, out_count, out_type, in, in_count, in_type, root, comm),
               OTF2_COLLECTIVE_OP_GATHER, root, comm, to_root(block, root, comm));
}

int MPI_Scatter(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                MPI_Datatype in_type, int root, MPI_Comm comm)
{
    uint64_t block =
        rank_in(comm) == root ? bytes_of(out_count, out_type) : bytes_of(in_count, in_type);
    begin(REGION_Scatter);
    return end(REGION_Scatter,
               PMPI_Scatter(out, out_count, out_type, in, in_count, in_type, root, comm),
               OTF2_COLLECTIVE_OP_SCATTER, root, comm, from_root(block, root, comm));
}

int MPI_Allgather(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                  MPI_Datatype in_type, MPI_Comm comm)
{
    begin(REGION_Allgather);
    return end(
        REGION_Allgather, PMPI_Allgather(out, out_count, out_type, in, in_count, in_type, comm),
        OTF2_COLLECTIVE_OP_ALLGATHER, NO_ROOT, comm, to_all(bytes_of(in_count, in_type), comm));
}

int MPI_Alltoall(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                 MPI_Datatype in_type, MPI_Comm comm)
{
    begin(REGION_Alltoall);
    return end(
        REGION_Alltoall, PMPI_Alltoall(out, out_count, out_type, in, in_count, in_type, comm),
        OTF2_COLLECTIVE_OP_ALLTOALL, NO_ROOT, comm, to_all(bytes_of(in_count, in_type), comm));
}

// A rank sends to those after it, and to itself if `inclusive`.
static struct sums along(uint64_t block, int inclusive, MPI_Comm comm)
{
    int before = rank_in(comm), after = size_of(comm) - 1 - before;
    return (struct sums){block * (uint64_t)(after + inclusive),
                         block * (uint64_t)(before + inclusive)};
}

int MPI_Scan(const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    begin(REGION_Scan);
    return end(REGION_Scan, PMPI_Scan(out, in, count, type, op, comm), OTF2_COLLECTIVE_OP_SCAN,
               NO_ROOT, comm, along(bytes_of(count, type), 1, comm));
}

int MPI_Exscan(const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    begin(REGION_Exscan);
    return end(REGION_Exscan, PMPI_Exscan(out, in, count, type, op, comm),
               OTF2_COLLECTIVE_OP_EXSCAN, NO_ROOT, comm, along(bytes_of(count, type), 0, comm));
}

// ---- Blocks that differ ----

int MPI_Gatherv(const void *out, int out_count, MPI_Datatype out_type, void *in,
                const int *in_counts, const int *places, MPI_Datatype in_type, int root,
                MPI_Comm comm)
{
    bool is_root = rank_in(comm) == root;
    const struct sums sums = {is_root ? bytes_of(in_counts[root], in_type)
                                      : bytes_of(out_count, out_type),
                              is_root ? sum_of(in_counts, in_type, comm) : 0};
    begin(REGION_Gatherv);
    return end(REGION_Gatherv,
               PMPI_Gatherv(out, out_count, out_type, in, in_counts, places, in_type, root, comm),
               OTF2_COLLECTIVE_OP_GATHERV, root, comm, sums);
}

int MPI_Scatterv(const void *out, const int *out_counts, const int *places, MPI_Datatype out_type,
                 void *in, int in_count, MPI_Datatype in_type, int root, MPI_Comm comm)
{
    bool is_root = rank_in(comm) == root;
    const struct sums sums = {is_root ? sum_of(out_counts, out_type, comm) : 0,
                              is_root ? bytes_of(out_counts[root], out_type)
                                      : bytes_of(in_count, in_type)};
    begin(REGION_Scatterv);
    return end(REGION_Scatterv,
               PMPI_Scatterv(out, out_counts, places, out_type, in, in_count, in_type, root, comm),
               OTF2_COLLECTIVE_OP_SCATTERV, root, comm, sums);
}

int MPI_Allgatherv(const void *out, int out_count, MPI_Datatype out_type, void *in,
                   const int *in_counts, const int *places, MPI_Datatype in_type, MPI_Comm comm)
{
    const struct sums sums = {bytes_of(in_counts[rank_in(comm)], in_type) * (uint64_t)size_of(comm),
                              sum_of(in_counts, in_type, comm)};
    begin(REGION_Allgatherv);
    return end(REGION_Allgatherv,
               PMPI_Allgatherv(out, out_count, out_type, in, in_counts, places, in_type, comm),
               OTF2_COLLECTIVE_OP_ALLGATHERV, NO_ROOT, comm, sums);
}

int MPI_Reduce_scatter(const void *out, void *in, const int *counts, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm)
{
    const struct sums sums = {sum_of(counts, type, comm),
                              bytes_of(counts[rank_in(comm)], type) * (uint64_t)size_of(comm)};
    begin(REGION_Reduce_scatter);
    return end(REGION_Reduce_scatter, PMPI_Reduce_scatter(out, in, counts, type, op, comm),
               OTF2_COLLECTIVE_OP_REDUCE_SCATTER, NO_ROOT, comm, sums);
}

// The bytes to or from each member, which the sums do not have.
static void each(enum parameter parameter, const int *counts, MPI_Datatype type, MPI_Comm comm)
{
    for (int i = 0; here.events && i < size_of(comm); i++) {
        OTF2_EvtWriter_ParameterUnsignedInt(here.events, NULL, now(), (OTF2_ParameterRef)parameter,
                                            bytes_of(counts[i], type));
        here.count++;
    }
}

int MPI_Alltoallv(const void *out, const int *out_counts, const int *out_places,
                  MPI_Datatype out_type, void *in, const int *in_counts, const int *in_places,
                  MPI_Datatype in_type, MPI_Comm comm)
{
    uint64_t received = sum_of(in_counts, in_type, comm);
    const struct sums sums = {out == MPI_IN_PLACE ? received : sum_of(out_counts, out_type, comm),
                              received};
    bool in_place = out == MPI_IN_PLACE;
    begin(REGION_Alltoallv);
    each(TO_EACH, in_place ? in_counts : out_counts, in_place ? in_type : out_type, comm);
    each(FROM_EACH, in_counts, in_type, comm);
    return end(REGION_Alltoallv,
               PMPI_Alltoallv(out, out_counts, out_places, out_type, in, in_counts, in_places,
                              in_type, comm),
               OTF2_COLLECTIVE_OP_ALLTOALLV, NO_ROOT, comm, sums);
}
