// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/mpi/collective.h"

#include "sim/mpi/algorithm.h"

#include <string.h>

// ---- Rules: algorithms, and choices between them. Names and functions stand in one order. ----

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

const char *const mpi_barrier_rules[] = {"linear", "binomial", "recursive_doubling", "by_processes",
                                         NULL};
static mpi_algorithm_fn *const barriers[] = {mpi_barrier_linear, mpi_barrier_binomial,
                                             mpi_barrier_recursive_doubling, barrier_by_processes};

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

const char *const mpi_bcast_rules[] = {
    "linear",       "binomial", "scatter_allgather", "by_processes", "small_and_few",
    "small_or_few", NULL};
static mpi_algorithm_fn *const bcasts[] = {
    mpi_bcast_linear,   mpi_bcast_binomial,  mpi_bcast_scatter_allgather,
    bcast_by_processes, bcast_small_and_few, bcast_small_or_few};

const char *const mpi_reduce_rules[] = {"linear", "binomial", "by_processes", NULL};
static mpi_algorithm_fn *const reduces[] = {mpi_reduce_linear, mpi_reduce_binomial,
                                            reduce_by_processes};

const char *const mpi_gather_rules[] = {"linear", "binomial", NULL};
static mpi_algorithm_fn *const gathers[] = {mpi_gather_linear, mpi_gather_binomial};

const char *const mpi_scatter_rules[] = {"linear", "binomial", NULL};
static mpi_algorithm_fn *const scatters[] = {mpi_scatter_linear, mpi_scatter_binomial};

// Both halves take the library's own rule, with rank 0 as the root.
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

static void allreduce_reduce_bcast(struct mpi_schedule *schedule,
                                   const struct mpi_collective_call *call)
{
    then_bcast(schedule, call, reduces[call->library->reduce], call->size);
}

const char *const mpi_allreduce_rules[] = {"reduce_bcast", "recursive_doubling", NULL};
static mpi_algorithm_fn *const allreduces[] = {allreduce_reduce_bcast,
                                               mpi_allreduce_recursive_doubling};

static void allgather_gather_bcast(struct mpi_schedule *schedule,
                                   const struct mpi_collective_call *call)
{
    then_bcast(schedule, call, gathers[call->library->gather], call->size * call->ranks);
}

const char *const mpi_allgather_rules[] = {"gather_bcast", "ring", "recursive_doubling", NULL};
static mpi_algorithm_fn *const allgathers[] = {allgather_gather_bcast, mpi_allgather_ring,
                                               mpi_allgather_recursive_doubling};

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

const char *const mpi_alltoall_rules[] = {"linear", "pairwise", "recursive_doubling", "by_size",
                                          NULL};
static mpi_algorithm_fn *const alltoalls[] = {mpi_alltoall_linear, mpi_alltoall_pairwise,
                                              mpi_alltoall_recursive_doubling, alltoall_by_size};

const char *const *mpi_rule_parts(const char *collective, const char *rule)
{
    static const struct {
        const char *collective, *rule, *parts[3];
    } made[] = {
        {"allreduce", "reduce_bcast", {"reduce", "bcast", NULL}},
        {"allgather", "gather_bcast", {"gather", "bcast", NULL}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(made); i++)
        if (strcmp(made[i].collective, collective) == 0 && strcmp(made[i].rule, rule) == 0)
            return made[i].parts;
    return NULL;
}

// ---- Building ----

static mpi_algorithm_fn *rule_of(const struct mpi_library_config *library,
                                 enum mpi_collective collective)
{
    switch (collective) {
    case COLLECTIVE_BARRIER:
        return barriers[library->barrier];
    case COLLECTIVE_BCAST:
        return bcasts[library->bcast];
    case COLLECTIVE_REDUCE:
        return reduces[library->reduce];
    case COLLECTIVE_ALLREDUCE:
        return allreduces[library->allreduce];
    case COLLECTIVE_GATHER:
        return gathers[library->gather];
    case COLLECTIVE_SCATTER:
        return scatters[library->scatter];
    case COLLECTIVE_ALLGATHER:
        return allgathers[library->allgather];
    case COLLECTIVE_ALLTOALL:
        return alltoalls[library->alltoall];
    }
    return NULL;
}

static bool has_data_to_move(enum mpi_collective collective)
{
    return collective == COLLECTIVE_BCAST || collective == COLLECTIVE_REDUCE ||
           collective == COLLECTIVE_ALLREDUCE;
}

void mpi_collective_build(struct mpi_schedule *schedule, const struct mpi_process *process,
                          const struct mpi_group *group, enum mpi_collective collective, int root,
                          int64_t size)
{
    static const struct mpi_library_config first_rules = {.empty_collectives_send = true};
    const struct mpi_library_config *library = process->library ? process->library : &first_rules;
    struct mpi_collective_call call = {
        .library = library,
        .rank = mpi_group_place(group, process->rank),
        .ranks = mpi_group_size(group, process->ranks),
        .root = root,
        .size = size,
        .buffer = BUFFER_SEND,
    };
    g_assert(call.rank >= 0);
    mpi_schedule_reset(schedule, group);
    if (size == 0 && has_data_to_move(collective) && !library->empty_collectives_send)
        return;
    rule_of(library, collective)(schedule, &call);
}

int64_t mpi_collective_send_bytes(enum mpi_collective collective, int ranks, int64_t size)
{
    return collective == COLLECTIVE_SCATTER || collective == COLLECTIVE_ALLTOALL ? size * ranks
                                                                                 : size;
}

int64_t mpi_collective_receive_bytes(enum mpi_collective collective, int ranks, int64_t size)
{
    return collective == COLLECTIVE_GATHER || collective == COLLECTIVE_ALLGATHER ||
                   collective == COLLECTIVE_ALLTOALL
               ? size * ranks
               : size;
}
