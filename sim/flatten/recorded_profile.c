// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flatten/recorded_profile.h"

#include "sim/flatten/flatten.h"
#include "sim/source/call_kind.h"
#include "sim/source/recording_source.h"

#include <string.h>

// ---- Calls ----

// A rank while its calls are read.
struct looking {
    struct recorded_profile *profile;
    GPtrArray *groups; // struct mpi_group_set *
    int rank;
    bool seen[OP_CODES];
};

static const struct mpi_group *profile_group_of(const struct looking *looking,
                                                const struct recorded_call *call)
{
    if (call->communicator == NO_COMMUNICATOR)
        return NULL;
    const struct mpi_group_set *set = g_ptr_array_index(looking->groups, (guint)call->communicator);
    return set->of[looking->rank];
}

bool profile_sends(enum op_code code)
{
    enum call_class class = operation_table[code].class;
    return class == CALL_SENDRECV ||
           (class == CALL_TRANSFER && call_request_kind(code) == REQUEST_SEND);
}

static bool is_sized(enum op_code code)
{
    enum call_class class = operation_table[code].class;
    return profile_sends(code) || (class == CALL_COLLECTIVE && code != OP_BARRIER) ||
           (class == CALL_TRANSFER && call_request_kind(code) == REQUEST_RECV);
}

// The bytes in the caller's buffer: those that a collective sends, or of a message.
static int64_t bytes_of(const struct looking *looking, const struct recorded_call *call)
{
    if (operation_table[call->code].class != CALL_COLLECTIVE)
        return call->size;
    const struct mpi_group *group = profile_group_of(looking, call);
    const struct mpi_collective_sizes sizes = {call->size, call->blocks, call->receive_blocks};
    int place = mpi_group_place(group, looking->rank);
    bool of_root = call->code == OP_BCAST || call->code == OP_SCATTER;
    return of_root && place != call->root
               ? 0
               : mpi_collective_send_bytes_sized(call_collective(call->code), place,
                                                 mpi_group_size(group, looking->profile->ranks),
                                                 call->root, &sizes);
}

static void count_operation(struct looking *looking, const struct recorded_call *call)
{
    struct profile_operation *operation = &looking->profile->operations[call->code];
    operation->calls++;
    operation->ranks += !looking->seen[call->code];
    looking->seen[call->code] = true;
    if (!operation->sized)
        return;
    operation->bytes = traffic_sum(operation->bytes, bytes_of(looking, call));
    size_counts_add(&operation->sizes, call->size, 1);
}

static void count_message(struct looking *looking, const struct recorded_call *call)
{
    struct recorded_profile *profile = looking->profile;
    struct profile_rank *rank = &profile->rank[looking->rank];
    rank->messages++;
    rank->bytes = traffic_sum(rank->bytes, call->size);
    traffic_add(&profile->sent, mpi_group_rank(profile_group_of(looking, call), call->peer),
                call->size);
}

static void count_receive(struct looking *looking, const struct recorded_call *call, int source,
                          int64_t size)
{
    if (source == OPERATION_ANY)
        looking->profile->rank[looking->rank].from_any++;
    else
        traffic_add(&looking->profile->received,
                    mpi_group_rank(profile_group_of(looking, call), source), size);
}

static void look(struct looking *looking, const struct recorded_call *call)
{
    struct profile_rank *rank = &looking->profile->rank[looking->rank];
    enum call_class class = operation_table[call->code].class;
    rank->calls++;
    rank->work += call->work;
    rank->seconds += call->seconds;
    count_operation(looking, call);
    if (profile_sends(call->code))
        count_message(looking, call);
    if (class == CALL_SENDRECV)
        count_receive(looking, call, call->source, call->receive_size);
    else if (class == CALL_TRANSFER && call_request_kind(call->code) == REQUEST_RECV)
        count_receive(looking, call, call->peer, call->size);
}

struct recorded_profile *recorded_profile_new(struct recording *recording)
{
    struct recorded_profile *profile = g_new0(struct recorded_profile, 1);
    struct looking looking = {.profile = profile, .groups = recording_groups_new(recording)};
    struct recorded_call call;
    profile->ranks = recording_ranks(recording);
    profile->rank = g_new0(struct profile_rank, profile->ranks);
    traffic_init(&profile->sent, profile->ranks);
    traffic_init(&profile->received, profile->ranks);
    for (int code = 0; code < OP_CODES; code++) {
        profile->operations[code].sized = is_sized((enum op_code)code);
        size_counts_init(&profile->operations[code].sizes);
    }
    for (looking.rank = 0; looking.rank < profile->ranks; looking.rank++) {
        struct recording_cursor *cursor = recording_cursor_new(recording, looking.rank);
        while (recording_cursor_next(cursor, &call))
            look(&looking, &call);
        recording_cursor_free(cursor);
        memset(looking.seen, 0, sizeof looking.seen);
        traffic_end_row(&profile->sent, looking.rank);
        traffic_end_row(&profile->received, looking.rank);
        profile->rank[looking.rank].peers = (int)profile->sent.rows[looking.rank]->len;
        profile->calls += profile->rank[looking.rank].calls;
    }
    for (int code = 0; code < OP_CODES; code++)
        size_counts_sort(&profile->operations[code].sizes);
    g_ptr_array_unref(looking.groups);
    return profile;
}

void recorded_profile_free(struct recorded_profile *profile)
{
    if (!profile)
        return;
    for (int code = 0; code < OP_CODES; code++)
        size_counts_clear(&profile->operations[code].sizes);
    traffic_clear(&profile->sent);
    traffic_clear(&profile->received);
    g_free(profile->rank);
    g_free(profile);
}

// ---- Messages without a counterpart ----

// How many more messages the pairs of one matrix have than those of the other, whose ranks and
// peers are swapped.
static uint64_t surplus(const struct traffic *of, const struct traffic *over)
{
    uint64_t more = 0;
    for (int rank = 0; rank < of->ranks; rank++)
        for (guint i = 0; i < of->rows[rank]->len; i++) {
            const struct traffic_cell *cell = traffic_cell(of->rows[rank], i);
            const struct traffic_cell *other = traffic_find(over, cell->peer, rank);
            uint64_t there = other ? other->messages : 0;
            more += cell->messages > there ? cell->messages - there : 0;
        }
    return more;
}

bool recorded_profile_unmatched(const struct recorded_profile *profile, uint64_t *unreceived,
                                uint64_t *unsent)
{
    for (int rank = 0; rank < profile->ranks; rank++)
        if (profile->rank[rank].from_any > 0)
            return false;
    *unreceived = surplus(&profile->sent, &profile->received);
    *unsent = surplus(&profile->received, &profile->sent);
    return true;
}

// ---- Unfolded ----

bool recorded_profile_unfold(struct recording *recording, const struct mpi_library_config *library,
                             struct traffic *traffic, char **error)
{
    const struct replay_config config = {.speed = 1, .time_scale = 1}; // times are not asked for
    int ranks = recording_ranks(recording);
    struct op_source *source = recording_source_new(recording, &config);
    struct flatten *flatten = flatten_new(source, ranks, library);
    struct flat_op op;
    enum source_next next = SOURCE_END;
    for (int rank = 0; next != SOURCE_WRONG && rank < ranks; rank++) {
        while ((next = flatten_next(flatten, rank, &op)) == SOURCE_CALL)
            if (op.kind == FLAT_SEND)
                traffic_add(traffic, op.peer, op.size);
        traffic_end_row(traffic, rank);
    }
    *error = NULL;
    if (next == SOURCE_WRONG)
        *error = g_strdup_printf("%s:%d: %s: %s", op.call->mark->file, op.call->mark->line,
                                 op.call->kind->name, op.call->wrong);
    flatten_free(flatten);
    op_source_free(source);
    return !*error;
}
