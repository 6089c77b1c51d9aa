// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/source/program_source.h"

#include "sim/core/engine.h"
#include "sim/program/communicator.h"
#include "sim/source/program_source_internal.h"

// ---- Where a rank stands ----

// The rank's next part becomes its only frame; false if none is left.
static bool enter_part(struct program_source *source, int rank, struct cursor *cursor)
{
    guint number;
    const struct code_part *part = code_part_of(source->code, rank, cursor->next_part, &number);
    if (!part)
        return false;
    struct frame frame = {.body = part->body, .turns = 1};
    g_array_append_val(cursor->frames, frame);
    cursor->next_part = number + 1;
    cursor->own_buffers += cursor->part_buffers;
    cursor->part_buffers = part->own_buffers;
    return true;
}

// Gives the variables the rank's values, unless they have them. Counters are those of the loops
// around: no expression uses others.
static void load(struct program_source *source, int rank, const struct cursor *cursor)
{
    double *values = source->code->variables.values;
    if (source->loaded == rank)
        return;
    source->loaded = rank;
    values[CODE_RANKS] = source->ranks;
    program_source_load_rank(source, rank);
    for (guint i = 0; i < cursor->frames->len; i++) {
        const struct frame *frame = &g_array_index(cursor->frames, struct frame, i);
        if (frame->loop && frame->loop->variable != CODE_NO_SLOT)
            values[frame->loop->variable] = (double)frame->turn;
    }
}

static void count_turn(struct program_source *source, const struct frame *frame)
{
    if (frame->loop && frame->loop->variable != CODE_NO_SLOT)
        source->code->variables.values[frame->loop->variable] = (double)frame->turn;
}

static void note_lap(const struct frame *frame, struct op_call *lap)
{
    lap->turn = frame->turn;
    lap->turns = frame->turns;
    lap->measured = frame->lapped;
    lap->sharers = frame->sharers;
}

// The rank's next operation, or NULL: it has no more, or a lap has ended.
static const struct code_op *next_op(struct program_source *source, int rank, struct cursor *cursor,
                                     struct op_call *lap)
{
    while (cursor->frames->len > 0 || enter_part(source, rank, cursor)) {
        struct frame *frame = &g_array_index(cursor->frames, struct frame, cursor->frames->len - 1);
        if (frame->next < frame->body->len)
            return g_ptr_array_index(frame->body, frame->next++);
        frame->next = 0;
        ++frame->turn;
        bool is_lap = frame->lapped || (frame->sharers && source->base.all_laps);
        if (is_lap)
            note_lap(frame, lap);
        if (frame->turn >= frame->turns)
            g_array_set_size(cursor->frames, cursor->frames->len - 1);
        else
            count_turn(source, frame);
        if (is_lap)
            return NULL;
    }
    return NULL;
}

static void enter_loop(struct program_source *source, struct cursor *cursor,
                       const struct code_op *op, const struct loop_arguments *arguments)
{
    int64_t turns = arguments->count;
    struct frame frame = {
        .body = op->body, .loop = op, .turns = turns, .sharers = arguments->sharers};
    if (turns > 0 && op->body->len > 0) {
        frame.lapped = cursor->measures;
        cursor->measures = false;
        g_array_append_val(cursor->frames, frame);
    }
    count_turn(source, &frame);
}

// ---- The source ----

static enum source_next wrong(struct program_source *source, const struct op *op,
                              struct op_call *call)
{
    *call = (struct op_call){.kind = op->kind, .mark = &op->mark, .wrong = source->wrong};
    return SOURCE_WRONG;
}

static enum source_next program_next(struct op_source *base, int rank, struct op_call *call)
{
    struct program_source *source = container_of(base, struct program_source, base);
    if (!source->code)
        return wrong(source, source->wrong_op, call);
    struct cursor *cursor = &source->cursors[rank];
    if (!cursor->frames)
        cursor->frames = g_array_new(FALSE, FALSE, sizeof(struct frame));
    load(source, rank, cursor);
    call->turns = 0;
    const struct code_op *op = next_op(source, rank, cursor, call);
    if (!op)
        return call->turns ? SOURCE_LAP : SOURCE_END;
    program_source_evaluate(source, op, call);
    call->own_buffer = cursor->own_buffers + MAX(op->own_buffer, 0);
    if (source->wrong)
        return wrong(source, op->source, call);
    if (op_call_is(call, OP_LOOP))
        enter_loop(source, cursor, op, call->arguments);
    else if (op_call_is(call, OP_MEASURE_START) || op_call_is(call, OP_MEASURE_STOP))
        cursor->measures = op_call_is(call, OP_MEASURE_START);
    return SOURCE_CALL;
}

static void program_leave(struct op_source *base, int rank)
{
    struct cursor *cursor = &container_of(base, struct program_source, base)->cursors[rank];
    g_array_set_size(cursor->frames, cursor->frames->len - 1);
}

static void program_source_free(struct op_source *base)
{
    struct program_source *source = container_of(base, struct program_source, base);
    for (int rank = 0; rank < source->ranks; rank++)
        if (source->cursors[rank].frames)
            g_array_free(source->cursors[rank].frames, TRUE);
    g_free(source->cursors);
    for (int i = 0; i < source->communicator_count; i++)
        mpi_group_set_free(source->communicators[i]);
    g_free(source->communicators);
    g_free(source->parents);
    code_free(source->code);
    program_free(source->owned);
    g_free(source->arguments);
    g_free(source->blocks);
    g_free(source->wrong);
    g_free(source);
}

static void make_groups(struct program_source *source, const GPtrArray *communicators)
{
    G_STATIC_ASSERT(COMMUNICATORS_MOST <= GROUPS_MOST);
    source->communicator_count = communicators ? (int)communicators->len : 0;
    source->parents = g_new(int, source->communicator_count);
    source->communicators = g_new(struct mpi_group_set *, source->communicator_count);
    for (int i = 0; i < source->communicator_count; i++) {
        const struct communicator *one = g_ptr_array_index(communicators, i);
        source->communicators[i] = mpi_group_set_new(source->ranks);
        source->parents[i] = one->parent;
        for (guint k = 0; k < one->groups->len; k++) {
            const GArray *ranks = g_ptr_array_index(one->groups, k);
            mpi_group_set_add(source->communicators[i], one->name, i + 1,
                              &g_array_index(ranks, int, 0), (int)ranks->len);
        }
    }
}

struct op_source *program_source_new(const struct program *program, int ranks)
{
    struct program_source *source = g_new0(struct program_source, 1);
    source->base = (struct op_source){
        .next = program_next, .leave = program_leave, .free = program_source_free};
    source->code = code_new(program, &source->wrong, &source->wrong_op);
    source->arguments = source->code ? g_malloc0(source->code->most_arguments) : NULL;
    source->ranks = ranks;
    if (source->code && source->code->peer != CODE_NO_SLOT)
        source->blocks = g_new(int64_t, 2 * (gsize)ranks);
    make_groups(source, program->communicators);
    source->cursors = g_new0(struct cursor, ranks);
    source->loaded = -1;
    return &source->base;
}

struct op_source *program_source_owning(struct program *program, int ranks)
{
    struct op_source *base = program_source_new(program, ranks);
    container_of(base, struct program_source, base)->owned = program;
    return base;
}
