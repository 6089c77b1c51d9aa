// SPDX-License-Identifier: GPL-3.0-or-later
// The collectives of time-independent traces, all of which are of all ranks.
#include "sim/recording/ti.h"

#include <string.h>

// The work of a reduction's own, after it.
static bool put_with_work(const struct ti_line *line, const struct recorded_call *call, int word)
{
    struct recorded_call work = ti_call(line, OP_COMPUTE);
    if (!ti_amount(line, word, "number of operations", 1e30, &work.work))
        return false;
    ti_put(line, call);
    return work.work == 0 || ti_put(line, &work);
}

static int64_t ti_sum_of(const GArray *blocks)
{
    int64_t sum = 0;
    for (guint i = 0; i < blocks->len; i++)
        sum += g_array_index(blocks, int64_t, i);
    return sum;
}

bool ti_put_barrier(const struct ti_line *line, const struct ti_action *action)
{
    struct recorded_call call = ti_call(line, action->code);
    return ti_put(line, &call);
}

bool ti_put_bcast(const struct ti_line *line, const struct ti_action *action)
{
    struct recorded_call call = ti_call(line, action->code);
    return ti_bytes_at(line, TI_ARGUMENT, TI_ARGUMENT + 2, &call.size) &&
           ti_root_at(line, TI_ARGUMENT + 1, &call.root) && ti_put(line, &call);
}

bool ti_put_reduce(const struct ti_line *line, const struct ti_action *action)
{
    struct recorded_call call = ti_call(line, action->code);
    return ti_bytes_at(line, TI_ARGUMENT, TI_ARGUMENT + 3, &call.size) &&
           ti_root_at(line, TI_ARGUMENT + 2, &call.root) &&
           put_with_work(line, &call, TI_ARGUMENT + 1);
}

// COUNT FLOPS [TYPE]
bool ti_put_allreduce(const struct ti_line *line, const struct ti_action *action)
{
    struct recorded_call call = ti_call(line, action->code);
    return ti_bytes_at(line, TI_ARGUMENT, TI_ARGUMENT + 2, &call.size) &&
           put_with_work(line, &call, TI_ARGUMENT + 1);
}

// SENT RECEIVED [TYPE TYPE]
bool ti_put_exchange(const struct ti_line *line, const struct ti_action *action)
{
    struct recorded_call call = ti_call(line, action->code);
    int64_t received;
    return ti_bytes_at(line, TI_ARGUMENT, TI_ARGUMENT + 2, &call.size) &&
           ti_bytes_at(line, TI_ARGUMENT + 1, TI_ARGUMENT + 3, &received) && ti_put(line, &call);
}

// The places of a gather's or scatter's arguments. A rank that is not the root has one side only:
// for the other it may give no count, and MPI_DATATYPE_NULL, which is -1 as derived types are.
struct sides {
    int count, type;           // of the side that each rank has: what it gives or gets
    int root_count, root_type; // of the root's: what it gets from each, or gives to each
};

// The side that counts on this rank; *in_place: the root gives 0 elements of its own, as with
// MPI_IN_PLACE.
static bool own_block(const struct ti_line *line, const struct sides *sides, bool root,
                      int64_t *bytes)
{
    int64_t own = 0;
    if (!root)
        return ti_bytes_at(line, sides->count, sides->type, bytes);
    if (!ti_bytes_at(line, sides->root_count, sides->root_type, bytes))
        return false;
    bool in_place = strcmp(line->words[sides->count].text, "0") == 0;
    if (in_place)
        return true;
    if (!ti_bytes_at(line, sides->count, sides->type, &own))
        return false;
    if (own != *bytes)
        ti_complain(line, sides->count, NULL, "the root's own block has two sizes");
    return own == *bytes;
}

// SENT [RECEIVED] [ROOT [TYPE TYPE]]. The tracer leaves a number of received elements out if it is
// 0, and gives both types: that are four arguments.
bool ti_put_gather_scatter(const struct ti_line *line, const struct ti_action *action)
{
    struct recorded_call call = ti_call(line, action->code);
    bool gathers = action->code == OP_GATHER, left_out = line->count == TI_ARGUMENT + 4;
    int root = TI_ARGUMENT + (left_out ? 1 : 2), sent = TI_ARGUMENT, received = TI_ARGUMENT + 1;
    const struct sides sides = gathers ? (struct sides){sent, root + 1, received, root + 2}
                                       : (struct sides){received, root + 2, sent, root + 1};
    int64_t count;
    if (!ti_root_at(line, root, &call.root))
        return false;
    bool is_root = call.root == line->rank;
    if (!left_out)
        return own_block(line, &sides, is_root, &call.size) && ti_put(line, &call);
    if (gathers && !is_root)
        return ti_bytes_at(line, sent, root + 1, &call.size) && ti_put(line, &call);
    if (!ti_number(line, sent, "count", 0, INT32_MAX, &count))
        return false;
    if (is_root && count > 0) {
        ti_complain(line, received, "SENT RECEIVED ROOT TYPE TYPE",
                    "the root receives nothing, and sends something");
        return false;
    }
    return ti_put(line, &call); // it receives nothing
}

static void take_blocks(const struct ti_line *line, struct recorded_call *call)
{
    const GArray *blocks = line->reader->blocks;
    call->blocks = &g_array_index(blocks, int64_t, 0);
    call->block_count = (int)blocks->len;
    call->size = ti_sum_of(blocks);
}

// gatherv: SENT RECEIVED*ranks [ROOT TYPE TYPE]; scatterv: SENT*ranks RECEIVED [ROOT TYPE TYPE].
// Ranks that are not the root know their own block alone.
bool ti_put_rooted_blocks(const struct ti_line *line, const struct ti_action *action)
{
    struct recorded_call call = ti_call(line, action->code);
    int ranks = line->reader->ranks, root = TI_ARGUMENT + 1 + ranks;
    bool gathers = action->code == OP_GATHERV;
    int one = gathers ? TI_ARGUMENT : TI_ARGUMENT + ranks, many = TI_ARGUMENT + (gathers ? 1 : 0);
    int one_type = gathers ? root + 1 : root + 2, many_type = gathers ? root + 2 : root + 1;
    GArray *blocks = line->reader->blocks;
    int64_t element;
    if (!ti_root_at(line, root, &call.root))
        return false;
    if (line->rank == call.root) {
        const struct sides sides = {one, one_type, many + line->rank, many_type};
        if (!own_block(line, &sides, true, &call.size) || !ti_type_at(line, many_type, &element) ||
            !ti_blocks_at(line, many, element, blocks))
            return false;
    } else {
        if (!ti_bytes_at(line, one, one_type, &call.size))
            return false;
        g_array_set_size(blocks, 0);
        g_array_set_size(blocks, (guint)ranks);
        g_array_index(blocks, int64_t, (guint)line->rank) = call.size;
    }
    take_blocks(line, &call);
    return ti_put(line, &call);
}

// SENT RECEIVED*ranks [TYPE TYPE]
bool ti_put_allgatherv(const struct ti_line *line, const struct ti_action *action)
{
    struct recorded_call call = ti_call(line, action->code);
    int types = TI_ARGUMENT + 1 + line->reader->ranks;
    int64_t sent, element;
    if (!ti_bytes_at(line, TI_ARGUMENT, types, &sent) ||
        !ti_type_at(line, types + 1 < line->count ? types + 1 : types, &element) ||
        !ti_blocks_at(line, TI_ARGUMENT + 1, element, line->reader->blocks))
        return false;
    if (sent != g_array_index(line->reader->blocks, int64_t, (guint)line->rank)) {
        ti_complain(line, TI_ARGUMENT, NULL, "the rank's own block has two sizes");
        return false;
    }
    take_blocks(line, &call);
    return ti_put(line, &call);
}

// Of MPI_Reduce_scatter_block the tracer writes 0 0 TYPE, whatever the number of ranks: on one or
// two of them that would be a list of blocks.
static bool blocks_are_lost(const struct ti_line *line)
{
    return strcmp(line->words[TI_ARGUMENT].text, "0") == 0 &&
           strcmp(line->words[TI_ARGUMENT + 1].text, "0") == 0;
}

// RECEIVED*ranks FLOPS [TYPE]
bool ti_put_reduce_scatter(const struct ti_line *line, const struct ti_action *action)
{
    struct recorded_call call = ti_call(line, action->code);
    int flops = TI_ARGUMENT + line->reader->ranks;
    int64_t element;
    if (line->count == TI_ARGUMENT + 3 && blocks_are_lost(line)) {
        ti_complain(line, TI_ARGUMENT, "let the program call MPI_Reduce_scatter",
                    "the trace does not say how much MPI_Reduce_scatter_block sends");
        return false;
    }
    if (!ti_type_at(line, flops + 1, &element) ||
        !ti_blocks_at(line, TI_ARGUMENT, element, line->reader->blocks))
        return false;
    take_blocks(line, &call);
    return put_with_work(line, &call, flops);
}

// BUFFER SENT*ranks BUFFER RECEIVED*ranks [TYPE TYPE]
bool ti_put_alltoallv(const struct ti_line *line, const struct ti_action *action)
{
    struct recorded_call call = ti_call(line, action->code);
    int ranks = line->reader->ranks, types = TI_ARGUMENT + 2 + 2 * ranks;
    int64_t sent, received;
    if (!ti_type_at(line, types, &sent) || !ti_type_at(line, types + 1, &received) ||
        !ti_blocks_at(line, TI_ARGUMENT + 1, sent, line->reader->blocks) ||
        !ti_blocks_at(line, TI_ARGUMENT + 2 + ranks, received, line->reader->receive_blocks))
        return false;
    take_blocks(line, &call);
    call.receive_blocks = &g_array_index(line->reader->receive_blocks, int64_t, 0);
    return ti_put(line, &call);
}
