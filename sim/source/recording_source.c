// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/source/recording_source.h"

#include "sim/core/engine.h"
#include "sim/program/communicator.h"

#include <math.h>

// A rank of the source.
struct player {
    struct recording_cursor *cursor; // NULL: not opened yet
    bool ended;
    struct source_mark mark; // of its last call, which reports show
};

// The arguments of a call, by the class of its operation.
union call_arguments {
    struct operation_arguments common;
    struct transfer_arguments transfer;
    struct sendrecv_arguments sendrecv;
    struct collective_arguments collective;
    struct test_arguments test;
    struct compute_arguments compute;
};

struct recording_source {
    struct op_source base;
    struct recording *recording;
    double ps_per_unit; // of its work
    int ranks;
    struct player *players;   // by rank
    GPtrArray *communicators; // struct mpi_group_set *
    union call_arguments arguments;
};

// ---- Arguments ----

static sim_time time_of(const struct recording_source *source, const struct recorded_call *call)
{
    double ps = call->work * source->ps_per_unit + call->seconds * (double)TIME_S;
    return ps < (double)TIME_NEVER / 4 ? (sim_time)llround(ps) : TIME_NEVER / 4;
}

// Ranks of a communicator become those of the job.
static int rank_of_job(const struct mpi_group *group, int rank)
{
    return rank == OPERATION_ANY ? rank : mpi_group_rank(group, rank);
}

static void set_collective(struct collective_arguments *arguments, const struct recorded_call *call)
{
    arguments->root = call->root;
    arguments->receive_buffer = OPERATION_ANY;
    arguments->blocks = call->blocks;
    arguments->receive_blocks = call->receive_blocks;
}

static void set_sendrecv(struct sendrecv_arguments *arguments, const struct mpi_group *group,
                         const struct recorded_call *call)
{
    arguments->send.tag = call->tag;
    arguments->source = rank_of_job(group, call->source);
    arguments->receive_buffer = OPERATION_ANY;
    arguments->receive_size = call->receive_size;
    arguments->receive_tag = call->receive_tag;
}

static void set_arguments(struct recording_source *source, const struct mpi_group *group,
                          const struct operation_kind *kind, const struct recorded_call *call)
{
    union call_arguments *arguments = &source->arguments;
    *arguments = (union call_arguments){0};
    arguments->common = (struct operation_arguments){
        .peer = rank_of_job(group, call->peer), .size = call->size, .buffer = OPERATION_ANY};
    switch (kind->class) {
    case CALL_TRANSFER:
    case CALL_PERSISTENT:
        arguments->transfer.tag = call->tag;
        return;
    case CALL_SENDRECV:
        set_sendrecv(&arguments->sendrecv, group, call);
        return;
    case CALL_COLLECTIVE:
        arguments->common.peer = OPERATION_ANY;
        set_collective(&arguments->collective, call);
        return;
    case CALL_WAIT: // a test looks once
        arguments->test.every = OPERATION_ANY;
        return;
    case CALL_LOCAL:
        if (call->code == OP_COMPUTE)
            arguments->compute.time = time_of(source, call);
        return;
    case CALL_OPERATION:
    case CALL_COMMUNICATOR:
    case CALL_REQUEST:
    case CALL_BUFFER:
    case CALL_MEMORY:
    case CALL_MEASURE:
    case CALL_STREAM:
    case CALL_LOOP:
        return;
    }
}

// ---- The source ----

// The rank's group of the call's communicator; NULL: all ranks.
static const struct mpi_group *source_group_of(const struct recording_source *source, int rank,
                                               const struct recorded_call *call)
{
    if (call->communicator == NO_COMMUNICATOR)
        return NULL;
    const struct mpi_group_set *set =
        g_ptr_array_index(source->communicators, (guint)call->communicator);
    return set->of[rank];
}

// A recording has no addresses. Requests that are open at once can't share memory: a library that
// pins it pins each one's. A number that is used again, and calls that block, find the memory that
// they had before.
static int own_buffer(const struct recorded_call *call)
{
    return call->request == OPERATION_ANY ? 0 : call->request + 1;
}

static enum source_next recording_next(struct op_source *base, int rank, struct op_call *call)
{
    struct recording_source *source = container_of(base, struct recording_source, base);
    struct player *player = &source->players[rank];
    struct recorded_call recorded;
    if (!player->cursor && !player->ended)
        player->cursor = recording_cursor_new(source->recording, rank);
    if (player->ended || !recording_cursor_next(player->cursor, &recorded)) {
        g_clear_pointer(&player->cursor, recording_cursor_free);
        player->ended = true;
        return SOURCE_END;
    }
    const struct operation_kind *kind = &operation_table[recorded.code];
    const struct mpi_group *group = source_group_of(source, rank, &recorded);
    set_arguments(source, group, kind, &recorded);
    player->mark = (struct source_mark){recording_file(source->recording, rank), recorded.line, 1};
    *call = (struct op_call){
        .kind = kind,
        .mark = &player->mark,
        .group = group,
        .arguments = &source->arguments,
        .own_buffer = own_buffer(&recorded),
        .span = source->arguments.common.size,
        .request = recorded.request,
        .awaited = recorded.awaited,
        .awaited_count = recorded.awaited_count,
        .awaits_all = recorded.awaits_all,
    };
    return SOURCE_CALL;
}

static void recording_source_free(struct op_source *base)
{
    struct recording_source *source = container_of(base, struct recording_source, base);
    for (int rank = 0; rank < source->ranks; rank++)
        recording_cursor_free(source->players[rank].cursor);
    g_free(source->players);
    g_ptr_array_unref(source->communicators);
    recording_unref(source->recording);
    g_free(source);
}

static void free_set(gpointer set)
{
    mpi_group_set_free(set);
}

GPtrArray *recording_groups_new(const struct recording *recording)
{
    const GPtrArray *communicators = recording_communicators(recording);
    GPtrArray *sets = g_ptr_array_new_with_free_func(free_set);
    for (guint i = 0; communicators && i < communicators->len; i++) {
        const struct communicator *one = g_ptr_array_index(communicators, i);
        struct mpi_group_set *set = mpi_group_set_new(recording_ranks(recording));
        for (guint k = 0; k < one->groups->len; k++) {
            const GArray *ranks = g_ptr_array_index(one->groups, k);
            mpi_group_set_add(set, one->name, (int)i + 1, &g_array_index(ranks, int, 0),
                              (int)ranks->len);
        }
        g_ptr_array_add(sets, set);
    }
    return sets;
}

struct op_source *recording_source_new(struct recording *recording,
                                       const struct replay_config *config)
{
    struct recording_source *source = g_new0(struct recording_source, 1);
    source->base = (struct op_source){.next = recording_next, .free = recording_source_free};
    source->recording = recording_ref(recording);
    source->ranks = recording_ranks(recording);
    source->ps_per_unit = recording_work(recording) == RECORDED_TIME ? config->time_scale
                          : config->speed > 0 ? (double)TIME_S / (double)config->speed
                                              : 0;
    source->players = g_new0(struct player, source->ranks);
    source->communicators = recording_groups_new(recording);
    return &source->base;
}
