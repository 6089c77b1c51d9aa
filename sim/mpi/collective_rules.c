// SPDX-License-Identifier: GPL-3.0-or-later
// The rules of collectives: algorithms, and choices between them. Names and functions stand in one
// order.
#include "sim/mpi/algorithm.h"

#include <stddef.h>
#include <string.h>

// ---- Barrier, broadcast, reduction ----

static bool few_processes(const struct mpi_collective_call *call)
{
    return call->ranks <= call->library->linear_processes;
}

#define BY_PROCESSES(collective)                                                                   \
    static void collective##_by_processes(struct mpi_schedule *schedule,                           \
                                          const struct mpi_collective_call *call)                  \
    {                                                                                              \
        (few_processes(call) ? mpi_##collective##_linear : mpi_##collective##_binomial)(schedule,  \
                                                                                        call);     \
    }

BY_PROCESSES(barrier)
BY_PROCESSES(bcast)
BY_PROCESSES(reduce)

// Open MPI.
static void barrier_by_power(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    (mpi_power_of_two(call->ranks) ? mpi_barrier_recursive_doubling
                                   : mpi_barrier_dissemination)(schedule, call);
}

const char *const mpi_barrier_rules[] = {
    "linear",        "binomial", "recursive_doubling", "by_processes",
    "dissemination", "by_power", "measured",           NULL};
static mpi_algorithm_fn *const barriers[] = {
    mpi_barrier_linear,   mpi_barrier_binomial,      mpi_barrier_recursive_doubling,
    barrier_by_processes, mpi_barrier_dissemination, barrier_by_power,
    mpi_barrier_measured};

static bool small(const struct mpi_collective_call *call)
{
    return call->size < call->library->bcast_short;
}

static bool few(const struct mpi_collective_call *call)
{
    return call->ranks <= call->library->bcast_few;
}

static void bcast_small_and_few(struct mpi_schedule *schedule,
                                const struct mpi_collective_call *call)
{
    (small(call) && few(call) ? mpi_bcast_binomial : mpi_bcast_scatter_allgather)(schedule, call);
}

static void bcast_small_or_few(struct mpi_schedule *schedule,
                               const struct mpi_collective_call *call)
{
    (small(call) || few(call) ? mpi_bcast_binomial : mpi_bcast_scatter_allgather)(schedule, call);
}

// MPICH2.
static void bcast_by_size(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    if (small(call) || few(call))
        mpi_bcast_binomial(schedule, call);
    else if (call->size < call->library->bcast_long && mpi_power_of_two(call->ranks))
        mpi_bcast_scatter_allgather(schedule, call);
    else
        mpi_bcast_scatter_ring(schedule, call);
}

const char *const mpi_bcast_rules[] = {
    "linear",        "binomial",     "scatter_allgather", "by_processes",
    "small_and_few", "small_or_few", "scatter_ring",      "by_size",
    "pipeline",      "split_binary", "segmented",         "binary",
    "binomial_near", "knomial",      "measured",          NULL};
static mpi_algorithm_fn *const bcasts[] = {
    mpi_bcast_linear,        mpi_bcast_binomial,  mpi_bcast_scatter_allgather,
    bcast_by_processes,      bcast_small_and_few, bcast_small_or_few,
    mpi_bcast_scatter_ring,  bcast_by_size,       mpi_bcast_pipeline,
    mpi_bcast_split_binary,  mpi_bcast_segmented, mpi_bcast_binary,
    mpi_bcast_binomial_near, mpi_bcast_knomial,   mpi_bcast_measured};

static bool short_operand(const struct mpi_collective_call *call)
{
    return call->size <= call->library->reduce_short;
}

// MPICH2.
static void reduce_by_size(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    (short_operand(call) ? mpi_reduce_binomial : mpi_reduce_rabenseifner)(schedule, call);
}

// Fewer elements than the largest power of two of ranks cannot be halved.
static bool few_elements(const struct mpi_collective_call *call)
{
    return mpi_fewer_elements(call, mpi_fold_of(call, 0).power);
}

// MPICH 4.
static void reduce_by_size_and_count(struct mpi_schedule *schedule,
                                     const struct mpi_collective_call *call)
{
    (short_operand(call) || few_elements(call) ? mpi_reduce_binomial
                                               : mpi_reduce_rabenseifner)(schedule, call);
}

const char *const mpi_reduce_rules[] = {"linear",
                                        "binomial",
                                        "by_processes",
                                        "rabenseifner",
                                        "by_size",
                                        "pipeline",
                                        "binary",
                                        "segmented",
                                        "binomial_in_segments",
                                        "in_order_binary",
                                        "rabenseifner_halves",
                                        "by_size_and_count",
                                        "measured",
                                        NULL};
static mpi_algorithm_fn *const reduces[] = {mpi_reduce_linear,
                                            mpi_reduce_binomial,
                                            reduce_by_processes,
                                            mpi_reduce_rabenseifner,
                                            reduce_by_size,
                                            mpi_reduce_pipeline,
                                            mpi_reduce_binary,
                                            mpi_reduce_segmented,
                                            mpi_reduce_binomial_in_segments,
                                            mpi_reduce_in_order_binary,
                                            mpi_reduce_rabenseifner_halves,
                                            reduce_by_size_and_count,
                                            mpi_reduce_measured};

// ---- Gather, scatter ----

const char *const mpi_gather_rules[] = {"linear", "binomial", "linear_sync", "measured", NULL};
static mpi_algorithm_fn *const gathers[] = {mpi_gather_linear, mpi_gather_binomial,
                                            mpi_gather_linear_sync, mpi_gather_measured};

const char *const mpi_scatter_rules[] = {"linear", "binomial", "linear_at_once", "measured", NULL};
static mpi_algorithm_fn *const scatters[] = {mpi_scatter_linear, mpi_scatter_binomial,
                                             mpi_scatter_linear_at_once, mpi_scatter_measured};

const char *const mpi_gatherv_rules[] = {"linear", NULL};
static mpi_algorithm_fn *const gathervs[] = {mpi_gatherv_linear};

const char *const mpi_scatterv_rules[] = {"linear", NULL};
static mpi_algorithm_fn *const scattervs[] = {mpi_scatterv_linear};

// ---- Made of two: both take the library's own rule ----

// With rank 0 as the root.
static void then_bcast(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                       mpi_algorithm_fn *first, int64_t size)
{
    struct mpi_collective_call half = *call;
    half.root = 0;
    first(schedule, &half);
    half.size = size;
    half.buffer = BUFFER_RECEIVE;
    bcasts[call->library->bcast](schedule, &half);
}

void mpi_allreduce_reduce_bcast(struct mpi_schedule *schedule,
                                const struct mpi_collective_call *call)
{
    then_bcast(schedule, call, reduces[call->library->reduce], call->size);
}

static void allgather_gather_bcast(struct mpi_schedule *schedule,
                                   const struct mpi_collective_call *call)
{
    then_bcast(schedule, call, gathers[call->library->gather], call->size * call->ranks);
}

void mpi_allgatherv_gatherv_bcast(struct mpi_schedule *schedule,
                                  const struct mpi_collective_call *call)
{
    then_bcast(schedule, call, gathervs[call->library->gatherv], mpi_total(call, call->blocks));
}

// Each rank is the root of a gatherv in turn (LAM).
static void allgatherv_gatherv_each(struct mpi_schedule *schedule,
                                    const struct mpi_collective_call *call)
{
    struct mpi_collective_call part = *call;
    for (part.root = 0; part.root < call->ranks; part.root++)
        gathervs[call->library->gatherv](schedule, &part);
}

// The root of the reduction, rank 0, has its result in the library's memory.
void mpi_reduce_scatter_reduce_scatterv(struct mpi_schedule *schedule,
                                        const struct mpi_collective_call *call)
{
    struct mpi_collective_call half = *call;
    half.root = 0;
    half.size = mpi_total(call, call->blocks);
    half.to = half.from = mpi_place(BUFFER_TEMPORARY, half.size);
    reduces[call->library->reduce](schedule, &half);
    half.size = call->size;
    scattervs[call->library->scatterv](schedule, &half);
}

const char *const *mpi_rule_parts(const char *collective, const char *rule)
{
    static const struct {
        const char *collective, *rule, *parts[3];
    } made[] = {
        {"allreduce", "reduce_bcast", {"reduce", "bcast", NULL}},
        {"allgather", "gather_bcast", {"gather", "bcast", NULL}},
        {"allgatherv", "gatherv_bcast", {"gatherv", "bcast", NULL}},
        {"allgatherv", "gatherv_each", {"gatherv", NULL}},
        {"reduce_scatter", "reduce_scatterv", {"reduce", "scatterv", NULL}},
        {"reduce_scatter", "halving_or_scatterv", {"reduce", "scatterv", NULL}},
        {"allreduce", "measured", {"reduce", "bcast", NULL}},
        {"allgatherv", "measured", {"gatherv", "bcast", NULL}},
        {"reduce_scatter", "measured", {"reduce", "scatterv", NULL}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(made); i++)
        if (strcmp(made[i].collective, collective) == 0 && strcmp(made[i].rule, rule) == 0)
            return made[i].parts;
    return NULL;
}

// ---- Allreduce ----

// MPICH2.
static void allreduce_by_size(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    (short_operand(call) ? mpi_allreduce_folded_doubling : mpi_allreduce_rabenseifner)(schedule,
                                                                                       call);
}

// Open MPI.
static void allreduce_doubling_or_ring(struct mpi_schedule *schedule,
                                       const struct mpi_collective_call *call)
{
    (short_operand(call) ? mpi_allreduce_folded_doubling : mpi_allreduce_ring)(schedule, call);
}

// To rank 0 and back (Open MPI, of messages that cannot be cut).
void mpi_allreduce_linear(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    struct mpi_collective_call half = *call;
    half.root = 0;
    mpi_reduce_linear(schedule, &half);
    half.buffer = BUFFER_RECEIVE;
    mpi_bcast_linear(schedule, &half);
}

// MPICH 4.
static void allreduce_by_size_and_count(struct mpi_schedule *schedule,
                                        const struct mpi_collective_call *call)
{
    bool whole = call->size <= call->library->allreduce_short || few_elements(call);
    (whole ? mpi_allreduce_folded_doubling : mpi_allreduce_rabenseifner)(schedule, call);
}

const char *const mpi_allreduce_rules[] = {"reduce_bcast",
                                           "recursive_doubling",
                                           "rabenseifner",
                                           "by_size",
                                           "folded_doubling",
                                           "ring",
                                           "doubling_or_ring",
                                           "linear",
                                           "rabenseifner_halves",
                                           "by_size_and_count",
                                           "measured",
                                           NULL};
static mpi_algorithm_fn *const allreduces[] = {mpi_allreduce_reduce_bcast,
                                               mpi_allreduce_recursive_doubling,
                                               mpi_allreduce_rabenseifner,
                                               allreduce_by_size,
                                               mpi_allreduce_folded_doubling,
                                               mpi_allreduce_ring,
                                               allreduce_doubling_or_ring,
                                               mpi_allreduce_linear,
                                               mpi_allreduce_rabenseifner_halves,
                                               allreduce_by_size_and_count,
                                               mpi_allreduce_measured};

// ---- Allgather ----

// Doubling among a power of two of ranks up to long messages, Bruck's algorithm among others up to
// short ones, else the last.
static mpi_algorithm_fn *gathering(const struct mpi_collective_call *call, int64_t bytes,
                                   mpi_algorithm_fn *doubling, mpi_algorithm_fn *bruck,
                                   mpi_algorithm_fn *last)
{
    if (mpi_power_of_two(call->ranks))
        return bytes < call->library->allgather_long ? doubling : last;
    return bytes < call->library->allgather_short ? bruck : last;
}

// MPICH2.
static void allgather_by_size(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    gathering(call, mpi_total(call, NULL), mpi_allgather_recursive_doubling, mpi_allgather_bruck,
              mpi_allgather_ring)(schedule, call);
}

// Open MPI.
static void allgather_or_neighbours(struct mpi_schedule *schedule,
                                    const struct mpi_collective_call *call)
{
    gathering(call, mpi_total(call, NULL), mpi_allgather_recursive_doubling, mpi_allgather_bruck,
              mpi_allgather_neighbours)(schedule, call);
}

const char *const mpi_allgather_rules[] = {"gather_bcast",
                                           "ring",
                                           "recursive_doubling",
                                           "bruck",
                                           "neighbours",
                                           "by_size",
                                           "by_size_or_neighbours",
                                           "measured",
                                           NULL};
static mpi_algorithm_fn *const allgathers[] = {
    allgather_gather_bcast,  mpi_allgather_ring,       mpi_allgather_recursive_doubling,
    mpi_allgather_bruck,     mpi_allgather_neighbours, allgather_by_size,
    allgather_or_neighbours, mpi_allgather_measured};

// MPICH2.
static void allgatherv_by_size(struct mpi_schedule *schedule,
                               const struct mpi_collective_call *call)
{
    gathering(call, mpi_total(call, call->blocks), mpi_allgatherv_recursive_doubling,
              mpi_allgatherv_bruck, mpi_allgatherv_ring)(schedule, call);
}

// MPICH 1.2.5.
static void allgatherv_doubling_or_ring(struct mpi_schedule *schedule,
                                        const struct mpi_collective_call *call)
{
    (mpi_total(call, call->blocks) < call->library->allgather_long
         ? mpi_allgatherv_recursive_doubling
         : mpi_allgatherv_ring)(schedule, call);
}

const char *const mpi_allgatherv_rules[] = {
    "gatherv_bcast", "gatherv_each",     "ring",       "recursive_doubling", "bruck",
    "by_size",       "doubling_or_ring", "neighbours", "measured",           NULL};
static mpi_algorithm_fn *const allgathervs[] = {
    mpi_allgatherv_gatherv_bcast,      allgatherv_gatherv_each,   mpi_allgatherv_ring,
    mpi_allgatherv_recursive_doubling, mpi_allgatherv_bruck,      allgatherv_by_size,
    allgatherv_doubling_or_ring,       mpi_allgatherv_neighbours, mpi_allgatherv_measured};

// ---- Alltoall ----

// MPICH 1.2.5.
static void alltoall_by_size(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    int64_t bytes = call->size * call->ranks;
    if (bytes <= call->library->alltoall_short)
        mpi_alltoall_recursive_doubling(schedule, call);
    else if (bytes < call->library->alltoall_medium)
        mpi_alltoall_linear(schedule, call);
    else
        mpi_alltoall_pairwise(schedule, call);
}

static mpi_algorithm_fn *exchange_rule(const struct mpi_collective_call *call,
                                       mpi_algorithm_fn *medium, mpi_algorithm_fn *last)
{
    if (call->size <= call->library->alltoall_short && call->ranks > call->library->alltoall_few)
        return mpi_alltoall_bruck;
    return call->size <= call->library->alltoall_medium ? medium : last;
}

// MPICH2.
static void alltoall_by_block(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    exchange_rule(call, mpi_alltoall_linear, mpi_alltoall_pairs)(schedule, call);
}

// Open MPI.
static void alltoall_or_pairwise(struct mpi_schedule *schedule,
                                 const struct mpi_collective_call *call)
{
    exchange_rule(call, mpi_alltoall_linear, mpi_alltoall_pairwise)(schedule, call);
}

// MPICH 4.
static void alltoall_by_block_in_batches(struct mpi_schedule *schedule,
                                         const struct mpi_collective_call *call)
{
    exchange_rule(call, mpi_alltoall_scattered_batches, mpi_alltoall_pairs)(schedule, call);
}

const char *const mpi_alltoall_rules[] = {"linear",
                                          "pairwise",
                                          "recursive_doubling",
                                          "by_size",
                                          "pairs",
                                          "bruck",
                                          "by_block",
                                          "by_block_or_pairwise",
                                          "scattered",
                                          "scattered_batches",
                                          "by_block_in_batches",
                                          "measured",
                                          NULL};
static mpi_algorithm_fn *const alltoalls[] = {mpi_alltoall_linear,
                                              mpi_alltoall_pairwise,
                                              mpi_alltoall_recursive_doubling,
                                              alltoall_by_size,
                                              mpi_alltoall_pairs,
                                              mpi_alltoall_bruck,
                                              alltoall_by_block,
                                              alltoall_or_pairwise,
                                              mpi_alltoall_scattered,
                                              mpi_alltoall_scattered_batches,
                                              alltoall_by_block_in_batches,
                                              mpi_alltoall_measured};

const char *const mpi_alltoallv_rules[] = {"linear",   "in_order", "pairwise", "scattered_batches",
                                           "measured", NULL};
static mpi_algorithm_fn *const alltoallvs[] = {
    mpi_alltoallv_linear, mpi_alltoallv_in_order, mpi_alltoallv_pairwise,
    mpi_alltoallv_scattered_batches, mpi_alltoallv_measured};

// ---- Reduce_scatter, scans ----

static bool long_operand(const struct mpi_collective_call *call)
{
    return mpi_total(call, call->blocks) >= call->library->reduce_scatter_long;
}

// MPICH2.
static void reduce_scatter_by_size(struct mpi_schedule *schedule,
                                   const struct mpi_collective_call *call)
{
    (long_operand(call) ? mpi_reduce_scatter_pairwise
                        : mpi_reduce_scatter_recursive_halving)(schedule, call);
}

// Open MPI.
static void reduce_scatter_halving_or_scatterv(struct mpi_schedule *schedule,
                                               const struct mpi_collective_call *call)
{
    (long_operand(call) ? mpi_reduce_scatter_reduce_scatterv
                        : mpi_reduce_scatter_recursive_halving)(schedule, call);
}

// MPICH 1.2.5.
static void reduce_scatter_doubling_or_pairwise(struct mpi_schedule *schedule,
                                                const struct mpi_collective_call *call)
{
    (long_operand(call) ? mpi_reduce_scatter_pairwise
                        : mpi_reduce_scatter_recursive_doubling)(schedule, call);
}

const char *const mpi_reduce_scatter_rules[] = {"reduce_scatterv",
                                                "recursive_halving",
                                                "pairwise",
                                                "by_size",
                                                "recursive_doubling",
                                                "doubling_or_pairwise",
                                                "halving_or_scatterv",
                                                "ring",
                                                "butterfly",
                                                "measured",
                                                NULL};
static mpi_algorithm_fn *const reduce_scatters[] = {
    mpi_reduce_scatter_reduce_scatterv,    mpi_reduce_scatter_recursive_halving,
    mpi_reduce_scatter_pairwise,           reduce_scatter_by_size,
    mpi_reduce_scatter_recursive_doubling, reduce_scatter_doubling_or_pairwise,
    reduce_scatter_halving_or_scatterv,    mpi_reduce_scatter_ring,
    mpi_reduce_scatter_butterfly,          mpi_reduce_scatter_measured};

const char *const mpi_scan_rules[] = {"linear", "recursive_doubling", NULL};
static mpi_algorithm_fn *const scans[] = {mpi_scan_linear, mpi_scan_recursive_doubling};

const char *const mpi_exscan_rules[] = {"linear", "recursive_doubling", NULL};
static mpi_algorithm_fn *const exscans[] = {mpi_exscan_linear, mpi_exscan_recursive_doubling};

// ---- All of them ----

mpi_algorithm_fn *mpi_rule_of(const struct mpi_library_config *library,
                              enum mpi_collective collective)
{
    static const struct {
        mpi_algorithm_fn *const *algorithms;
        size_t rule; // the field
    } rules[COLLECTIVES] = {
#define RULES(algorithms, field) {algorithms, offsetof(struct mpi_library_config, field)}
        [COLLECTIVE_BARRIER] = RULES(barriers, barrier),
        [COLLECTIVE_BCAST] = RULES(bcasts, bcast),
        [COLLECTIVE_REDUCE] = RULES(reduces, reduce),
        [COLLECTIVE_ALLREDUCE] = RULES(allreduces, allreduce),
        [COLLECTIVE_GATHER] = RULES(gathers, gather),
        [COLLECTIVE_SCATTER] = RULES(scatters, scatter),
        [COLLECTIVE_ALLGATHER] = RULES(allgathers, allgather),
        [COLLECTIVE_ALLTOALL] = RULES(alltoalls, alltoall),
        [COLLECTIVE_REDUCE_SCATTER] = RULES(reduce_scatters, reduce_scatter),
        [COLLECTIVE_SCAN] = RULES(scans, scan),
        [COLLECTIVE_EXSCAN] = RULES(exscans, exscan),
        [COLLECTIVE_GATHERV] = RULES(gathervs, gatherv),
        [COLLECTIVE_SCATTERV] = RULES(scattervs, scatterv),
        [COLLECTIVE_ALLGATHERV] = RULES(allgathervs, allgatherv),
        [COLLECTIVE_ALLTOALLV] = RULES(alltoallvs, alltoallv),
    };
    int rule;
    memcpy(&rule, (const char *)library + rules[collective].rule, sizeof rule);
    return rules[collective].algorithms[rule];
}
