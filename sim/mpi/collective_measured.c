// SPDX-License-Identifier: GPL-3.0-or-later
// Rules whose points come from measurements: for numbers of processes and bytes, the algorithm that
// was the fastest on the average of several clusters. They are those of Open MPI 5.0.9,
// ompi/mca/coll/tuned/coll_tuned_decision_fixed.c (functions ompi_coll_tuned_NAME_intra_dec_fixed),
// for operations that commute; the same in 4.1 to 5.0. Algorithms have the numbers that Open MPI
// gives them (its parameters coll_tuned_NAME_algorithm), and none of them cuts a message into
// segments, as its default segment is the whole message.
//
// Not modelled: its module `han`, which steps back where each node has one process; the forms for
// operations that do not commute; reduce_scatter_block's own points, for which those of
// reduce_scatter stand.
#include "sim/mpi/algorithm.h"

// ---- The points: below so many processes and so many bytes, this algorithm ----

struct switch_point {
    int64_t ranks, bytes;
    int number;
};

#define ANY INT64_MAX

static const struct switch_point barrier_points[] = {{4, ANY, 3},    {8, ANY, 1},   {64, ANY, 3},
                                                     {256, ANY, 4},  {512, ANY, 6}, {1024, ANY, 4},
                                                     {4096, ANY, 6}, {ANY, ANY, 4}};

static const struct switch_point bcast_points[] = {
    {4, 32, 3},      {4, 256, 5},       {4, 512, 3},      {4, 1024, 7},      {4, 32768, 1},
    {4, 131072, 5},  {4, 262144, 2},    {4, 524288, 1},   {4, 1048576, 6},   {4, ANY, 5},
    {8, 64, 5},      {8, 128, 6},       {8, 2048, 5},     {8, 8192, 6},      {8, 1048576, 1},
    {8, ANY, 2},     {16, 8, 7},        {16, 64, 5},      {16, 4096, 7},     {16, 16384, 5},
    {16, 32768, 6},  {16, ANY, 1},      {32, 4096, 7},    {32, 1048576, 6},  {32, ANY, 8},
    {64, 2048, 6},   {64, ANY, 7},      {128, ANY, 7},    {256, 2, 6},       {256, 16384, 5},
    {256, 32768, 1}, {256, 65536, 5},   {256, ANY, 7},    {1024, 16384, 7},  {1024, 32768, 4},
    {1024, ANY, 7},  {2048, 524288, 7}, {2048, ANY, 8},   {4096, 262144, 7}, {4096, ANY, 8},
    {ANY, 8192, 7},  {ANY, 16384, 5},   {ANY, 262144, 7}, {ANY, ANY, 8}};

static const struct switch_point reduce_points[] = {
    {4, 8, 7},        {4, 16, 4},      {4, 32, 3},      {4, 262144, 1},  {4, 524288, 3},
    {4, 1048576, 2},  {4, ANY, 3},     {8, 4096, 4},    {8, 65536, 2},   {8, 262144, 5},
    {8, 524288, 1},   {8, 1048576, 5}, {8, ANY, 1},     {16, 8192, 4},   {16, ANY, 5},
    {32, 4096, 4},    {32, ANY, 5},    {256, ANY, 5},   {512, 8192, 5},  {512, 16384, 6},
    {512, ANY, 5},    {2048, ANY, 5},  {4096, 512, 5},  {4096, 1024, 6}, {4096, 8192, 5},
    {4096, 16384, 6}, {4096, ANY, 5},  {ANY, 16, 5},    {ANY, 32, 6},    {ANY, 1024, 5},
    {ANY, 2048, 6},   {ANY, 8192, 5},  {ANY, 16384, 6}, {ANY, ANY, 5}};

static const struct switch_point allreduce_points[] = {
    {4, 8, 4},        {4, 4096, 3},   {4, 8192, 4},     {4, 16384, 3},   {4, 65536, 4},
    {4, 262144, 5},   {4, ANY, 6},    {8, 16, 4},       {8, 8192, 3},    {8, ANY, 6},
    {16, 8192, 3},    {16, ANY, 6},   {32, 64, 5},      {32, 4096, 3},   {32, ANY, 6},
    {64, 128, 5},     {64, ANY, 6},   {128, 262144, 3}, {128, ANY, 6},   {256, 131072, 2},
    {256, 262144, 3}, {256, ANY, 6},  {512, 4096, 2},   {512, ANY, 6},   {2048, 2048, 2},
    {2048, 16384, 3}, {2048, ANY, 6}, {4096, 2048, 2},  {4096, 4096, 5}, {4096, 16384, 3},
    {4096, ANY, 6},   {ANY, 2048, 2}, {ANY, 16384, 5},  {ANY, 32768, 3}, {ANY, ANY, 6}};

static const struct switch_point gather_points[] = {
    {4, 2, 3},      {4, 4, 1},      {4, 32768, 2}, {4, 65536, 1},  {4, 131072, 2}, {4, ANY, 3},
    {8, 1024, 2},   {8, 8192, 1},   {8, 32768, 2}, {8, 262144, 1}, {8, ANY, 3},    {256, ANY, 2},
    {512, 2048, 2}, {512, 8192, 1}, {512, ANY, 2}, {ANY, ANY, 2}};

static const struct switch_point scatter_points[] = {
    {4, 2, 3},      {4, 131072, 1}, {4, 262144, 3},  {4, ANY, 1},  {8, 2048, 2},   {8, 4096, 1},
    {8, 8192, 2},   {8, 32768, 1},  {8, 1048576, 3}, {8, ANY, 1},  {16, 16384, 2}, {16, 1048576, 3},
    {16, ANY, 1},   {32, 16384, 2}, {32, 32768, 1},  {32, ANY, 3}, {64, 512, 2},   {64, 8192, 3},
    {64, 16384, 2}, {64, ANY, 3},   {ANY, 512, 2},   {ANY, ANY, 3}};

static const struct switch_point allgather_points[] = {
    {3, ANY, 6},      {32, ANY, 3},      {64, 1024, 3},    {64, 65536, 5},    {64, ANY, 4},
    {128, 512, 3},    {128, 65536, 5},   {128, ANY, 4},    {256, 512, 3},     {256, 131072, 5},
    {256, 524288, 4}, {256, 1048576, 5}, {256, ANY, 4},    {512, 32, 3},      {512, 128, 2},
    {512, 1024, 3},   {512, 131072, 5},  {512, 524288, 4}, {512, 1048576, 5}, {512, ANY, 4},
    {1024, 64, 3},    {1024, 256, 2},    {1024, 2048, 3},  {1024, ANY, 5},    {2048, 4, 3},
    {2048, 8, 2},     {2048, 16, 3},     {2048, 32, 2},    {2048, 256, 3},    {2048, 512, 2},
    {2048, 4096, 3},  {2048, ANY, 5},    {4096, 32, 2},    {4096, 128, 3},    {4096, 512, 2},
    {4096, 4096, 3},  {4096, ANY, 5},    {ANY, 2, 3},      {ANY, 8, 2},       {ANY, 16, 3},
    {ANY, 512, 2},    {ANY, 4096, 3},    {ANY, ANY, 5}};

static const struct switch_point alltoall_points[] = {
    {3, 2, 2},         {3, 4, 5},         {3, 16, 2},      {3, 64, 5},       {3, 256, 2},
    {3, 4096, 5},      {3, 32768, 2},     {3, 262144, 4},  {3, 1048576, 5},  {3, ANY, 2},
    {8, 8192, 4},      {8, 16384, 1},     {8, 65536, 4},   {8, 524288, 1},   {8, 1048576, 2},
    {8, ANY, 1},       {16, 262144, 4},   {16, ANY, 1},    {32, 4, 4},       {32, 512, 3},
    {32, 8192, 4},     {32, 32768, 1},    {32, 262144, 4}, {32, 524288, 1},  {32, ANY, 4},
    {64, 512, 3},      {64, 524288, 1},   {64, ANY, 4},    {128, 1024, 3},   {128, 2048, 1},
    {128, 4096, 4},    {128, 262144, 1},  {128, ANY, 2},   {256, 1024, 3},   {256, 2048, 4},
    {256, 262144, 1},  {256, ANY, 2},     {512, 1024, 3},  {512, 8192, 4},   {512, 32768, 1},
    {512, ANY, 2},     {1024, 512, 3},    {1024, 8192, 4}, {1024, 16384, 1}, {1024, 131072, 4},
    {1024, 262144, 1}, {1024, ANY, 2},    {2048, 512, 3},  {2048, 1024, 4},  {2048, 2048, 1},
    {2048, 16384, 4},  {2048, 262144, 1}, {2048, ANY, 4},  {4096, 1024, 3},  {4096, 4096, 4},
    {4096, 8192, 1},   {4096, 131072, 4}, {4096, ANY, 1},  {ANY, 2048, 3},   {ANY, 8192, 4},
    {ANY, 16384, 1},   {ANY, 32768, 4},   {ANY, 65536, 1}, {ANY, ANY, 4}};

static const struct switch_point reduce_scatter_points[] = {
    {4, 65536, 3},    {4, 131072, 4},   {4, ANY, 3},    {8, 8, 1},      {8, 262144, 2},
    {8, ANY, 3},      {32, 262144, 2},  {32, ANY, 3},   {64, 64, 1},    {64, 2048, 2},
    {64, 524288, 4},  {64, ANY, 3},     {128, 256, 1},  {128, 512, 2},  {128, 2048, 4},
    {128, 4096, 2},   {128, ANY, 4},    {256, 256, 1},  {256, 512, 2},  {256, ANY, 4},
    {512, 256, 1},    {512, 1024, 2},   {512, ANY, 4},  {1024, 512, 1}, {1024, 2048, 2},
    {1024, 8192, 4},  {1024, 16384, 2}, {1024, ANY, 4}, {2048, 512, 1}, {2048, 4096, 2},
    {2048, 16384, 4}, {2048, 32768, 2}, {2048, ANY, 4}, {4096, 512, 1}, {4096, 4096, 2},
    {4096, ANY, 4},   {ANY, 1024, 1},   {ANY, 8192, 2}, {ANY, ANY, 4}};

static const struct switch_point allgatherv_points[] = {
    {3, 2048, 3},   {3, 4096, 5},   {3, 8192, 3},    {3, ANY, 5},     {8, 256, 1},
    {8, 4096, 4},   {8, 8192, 3},   {8, 16384, 4},   {8, 262144, 2},  {8, ANY, 4},
    {16, 1024, 1},  {16, ANY, 2},   {32, 128, 1},    {32, 262144, 2}, {32, ANY, 3},
    {64, 256, 1},   {64, 8192, 2},  {64, ANY, 3},    {128, 256, 1},   {128, 4096, 2},
    {128, ANY, 3},  {256, 1024, 2}, {256, 65536, 4}, {256, ANY, 3},   {512, 1024, 2},
    {512, ANY, 3},  {1024, 512, 2}, {1024, 1024, 1}, {1024, 4096, 2}, {1024, 1048576, 4},
    {1024, ANY, 3}, {ANY, 4096, 2}, {ANY, ANY, 4}};

static const struct switch_point alltoallv_points[] = {
    {4, ANY, 2}, {64, ANY, 1}, {128, ANY, 2}, {256, ANY, 1}, {1024, ANY, 2}, {ANY, ANY, 1}};

static int number_at(const struct switch_point *point, int ranks, int64_t bytes)
{
    while (ranks >= point->ranks || bytes >= point->bytes)
        point++;
    return point->number;
}

static const struct switch_point *const points_of[COLLECTIVES] = {
    [COLLECTIVE_BARRIER] = barrier_points,
    [COLLECTIVE_BCAST] = bcast_points,
    [COLLECTIVE_REDUCE] = reduce_points,
    [COLLECTIVE_ALLREDUCE] = allreduce_points,
    [COLLECTIVE_GATHER] = gather_points,
    [COLLECTIVE_SCATTER] = scatter_points,
    [COLLECTIVE_ALLGATHER] = allgather_points,
    [COLLECTIVE_ALLTOALL] = alltoall_points,
    [COLLECTIVE_REDUCE_SCATTER] = reduce_scatter_points,
    [COLLECTIVE_ALLGATHERV] = allgatherv_points,
    [COLLECTIVE_ALLTOALLV] = alltoallv_points,
};

int mpi_measured_number(enum mpi_collective collective, int ranks, int64_t bytes)
{
    return points_of[collective] ? number_at(points_of[collective], ranks, bytes) : 0;
}

// ---- The algorithms by their numbers ----

static void uncut(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                  mpi_algorithm_fn *algorithm)
{
    struct mpi_collective_call whole = *call;
    whole.segment = 0;
    algorithm(schedule, &whole);
}

#define UNCUT(name)                                                                                \
    static void uncut_##name(struct mpi_schedule *schedule,                                        \
                             const struct mpi_collective_call *call)                               \
    {                                                                                              \
        uncut(schedule, call, mpi_##name);                                                         \
    }

UNCUT(bcast_pipeline)
UNCUT(bcast_split_binary)
UNCUT(bcast_binary)
UNCUT(bcast_binomial_near)
UNCUT(bcast_knomial)
UNCUT(reduce_pipeline)
UNCUT(reduce_binary)
UNCUT(reduce_binomial_in_segments)
UNCUT(reduce_in_order_binary)

// Algorithms that cut a message into a piece a rank, or for a power of two of ranks, take another
// one for messages of fewer elements.
static void bcast_cut(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    (mpi_fewer_elements(call, call->ranks) ? mpi_bcast_linear
                                           : mpi_bcast_scatter_allgather)(schedule, call);
}

static void reduce_cut(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    int power = mpi_fold_of(call, 0).power;
    (power < 2 || mpi_fewer_elements(call, power) ? mpi_reduce_linear
                                                  : mpi_reduce_rabenseifner_halves)(schedule, call);
}

static void allreduce_cut(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    (mpi_fewer_elements(call, mpi_fold_of(call, 0).power)
         ? mpi_allreduce_linear
         : mpi_allreduce_rabenseifner_halves)(schedule, call);
}

static void allreduce_round(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    (mpi_fewer_elements(call, call->ranks) ? mpi_allreduce_folded_doubling
                                           : mpi_allreduce_ring)(schedule, call);
}

static void allgather_doubled(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    (mpi_power_of_two(call->ranks) ? mpi_allgather_recursive_doubling
                                   : mpi_allgather_bruck)(schedule, call);
}

// A chain and a pipeline are the same for one chain and one segment; so are a segmented ring and a
// ring. Two processes exchange their blocks by any algorithm.
static mpi_algorithm_fn *const barrier_numbered[] = {
    [1] = mpi_barrier_linear,
    [3] = mpi_barrier_recursive_doubling,
    [4] = mpi_barrier_dissemination,
    [6] = mpi_barrier_binomial,
};
static mpi_algorithm_fn *const bcast_numbered[] = {
    [1] = mpi_bcast_linear,     [2] = uncut_bcast_pipeline,
    [3] = uncut_bcast_pipeline, [4] = uncut_bcast_split_binary,
    [5] = uncut_bcast_binary,   [6] = uncut_bcast_binomial_near,
    [7] = uncut_bcast_knomial,  [8] = bcast_cut,
};
static mpi_algorithm_fn *const reduce_numbered[] = {
    [1] = mpi_reduce_linear,
    [2] = uncut_reduce_pipeline,
    [3] = uncut_reduce_pipeline,
    [4] = uncut_reduce_binary,
    [5] = uncut_reduce_binomial_in_segments,
    [6] = uncut_reduce_in_order_binary,
    [7] = reduce_cut,
};
static mpi_algorithm_fn *const allreduce_numbered[] = {
    [2] = mpi_allreduce_reduce_bcast,
    [3] = mpi_allreduce_folded_doubling,
    [4] = allreduce_round,
    [5] = allreduce_round,
    [6] = allreduce_cut,
};
static mpi_algorithm_fn *const gather_numbered[] = {
    [1] = mpi_gather_linear,
    [2] = mpi_gather_binomial,
    [3] = mpi_gather_linear_sync,
};
static mpi_algorithm_fn *const scatter_numbered[] = {
    [1] = mpi_scatter_linear,
    [2] = mpi_scatter_binomial,
    [3] = mpi_scatter_linear_at_once,
};
static mpi_algorithm_fn *const allgather_numbered[] = {
    [2] = mpi_allgather_bruck,
    [3] = allgather_doubled,
    [4] = mpi_allgather_ring,
    [5] = mpi_allgather_neighbours,
    [6] = mpi_allgather_recursive_doubling,
};
static mpi_algorithm_fn *const alltoall_numbered[] = {
    [1] = mpi_alltoall_scattered,         [2] = mpi_alltoall_pairwise, [3] = mpi_alltoall_bruck,
    [4] = mpi_alltoall_scattered_batches, [5] = mpi_alltoall_pairwise,
};
static mpi_algorithm_fn *const reduce_scatter_numbered[] = {
    [1] = mpi_reduce_scatter_reduce_scatterv,
    [2] = mpi_reduce_scatter_recursive_halving,
    [3] = mpi_reduce_scatter_ring,
    [4] = mpi_reduce_scatter_butterfly,
};
static mpi_algorithm_fn *const allgatherv_numbered[] = {
    [1] = mpi_allgatherv_gatherv_bcast, [2] = mpi_allgatherv_bruck, [3] = mpi_allgatherv_ring,
    [4] = mpi_allgatherv_neighbours,    [5] = mpi_allgatherv_ring,
};
static mpi_algorithm_fn *const alltoallv_numbered[] = {
    [1] = mpi_alltoallv_in_order,
    [2] = mpi_alltoallv_pairwise,
};

// ---- The rules ----

#define MEASURED(name, bytes)                                                                      \
    void mpi_##name##_measured(struct mpi_schedule *schedule,                                      \
                               const struct mpi_collective_call *call)                             \
    {                                                                                              \
        name##_numbered[number_at(name##_points, call->ranks, bytes)](schedule, call);             \
    }

MEASURED(barrier, 0)
MEASURED(bcast, call->size)
MEASURED(reduce, call->size)
MEASURED(allreduce, call->size)
MEASURED(gather, call->size)
MEASURED(scatter, call->size)
MEASURED(allgather, call->size)
MEASURED(alltoall, call->size)
MEASURED(reduce_scatter, mpi_total(call, call->blocks))
MEASURED(allgatherv, mpi_total(call, call->blocks) / call->ranks)
MEASURED(alltoallv, 0)
