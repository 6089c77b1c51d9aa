// SPDX-License-Identifier: GPL-3.0-or-later
// One-sided transfers, active messages, and what else only some libraries have.
#include "sim/workload/interpreter_parts.h"

// What a library is asked for, and which of the operation's data it moves.
static const struct {
    enum mpi_request_kind kind;
    enum mpi_context context;
    bool peer; // it has one
    bool data; // it has a buffer
} meanings[] = {
    [OP_PUT] = {MPI_PUT, MPI_ONE_SIDED, true, true},
    [OP_GET] = {MPI_GET, MPI_FETCHED, true, true},
    [OP_ACCUMULATE] = {MPI_ACCUMULATE, MPI_ONE_SIDED, true, true},
    [OP_FETCH_ADD] = {MPI_FETCH_ADD, MPI_ONE_SIDED, true, false},
    [OP_LOCK] = {MPI_LOCK, MPI_ONE_SIDED, true, false},
    [OP_UNLOCK] = {MPI_UNLOCK, MPI_ONE_SIDED, true, false},
    [OP_FENCE] = {MPI_FENCE, MPI_ONE_SIDED, true, false},
    [OP_ACTIVE_MESSAGE] = {MPI_ACTIVE_MESSAGE, MPI_ACTIVE, true, true},
    [OP_POLL] = {MPI_POLL, MPI_ACTIVE, false, false},
    [OP_CALL] = {MPI_CALL, MPI_ONE_SIDED, false, false},
};

// ---- Layouts ----

// A number of bytes or pieces of a layout, at least 1.
static int64_t piece(struct interpreter *run, const struct code_value *code, const char *noun)
{
    int64_t number = interpreter_value(run, code, 1);
    if (number < 1)
        interpreter_fail(run, "%" G_GINT64_FORMAT " is no %s of a layout", number, noun);
    return number;
}

// *total += a * b; a layout of more bytes than a message may have ends the run.
static void grow(struct interpreter *run, int64_t *total, int64_t a, int64_t b)
{
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(*total, product, total) ||
        *total > quantity_most_value(QUANTITY_SIZE)) {
        interpreter_fail(run, "the layout has more than %s", quantity_most(QUANTITY_SIZE));
        *total = 0;
    }
}

// Fills in a strided layout. Returns how much of the caller's memory it spans, bytes.
static int64_t strided(struct interpreter *run, const struct code_layout *from,
                       struct mpi_layout *layout)
{
    int64_t span = 0;
    layout->kind = MPI_STRIDED;
    layout->levels = from->counts - 1;
    layout->bytes = 1;
    for (int i = 0; i < from->counts; i++) {
        int64_t all = 0;
        layout->counts[i] = piece(run, &from->count[i], "count");
        grow(run, &all, layout->bytes, layout->counts[i]);
        layout->bytes = all;
    }
    for (int i = 0; i < layout->levels; i++) {
        layout->strides[i] = piece(run, &from->stride[i], "stride");
        layout->peer_strides[i] = piece(run, &from->peer_stride[i], "stride");
        grow(run, &span, layout->counts[i + 1] - 1, layout->strides[i]);
    }
    grow(run, &span, layout->counts[0], 1);
    return span;
}

// Fills in a vector. Where its segments lie is not said: the caller's lie together.
static int64_t vector(struct interpreter *run, const struct code_layout *from,
                      struct mpi_layout *layout)
{
    layout->kind = MPI_VECTOR;
    layout->sets = from->sets;
    layout->segments = from->segments;
    layout->bytes = 0;
    for (int i = 0; i < from->sets; i++) {
        struct mpi_segments *set = &from->segments[i];
        set->bytes = piece(run, &from->bytes[i], "segment's size");
        set->count = piece(run, &from->repeats[i], "number of segments");
        grow(run, &layout->bytes, set->bytes, set->count);
    }
    return layout->bytes;
}

static int64_t contiguous(struct interpreter *run, const struct code_op *op,
                          struct mpi_layout *layout)
{
    layout->kind = MPI_CONTIGUOUS;
    layout->bytes = interpreter_quantity(run, &op->size, QUANTITY_SIZE);
    return layout->bytes;
}

// ---- Operations ----

static void fill_operation(struct interpreter *run, struct code_op *op)
{
    const struct op *source = op->source;
    op->operation.peer_address = interpreter_quantity(run, &op->peer_buffer, QUANTITY_SIZE);
    op->operation.physical = source->physical;
    op->operation.notify = source->notify;
    op->operation.paged = source->paged;
    op->operation.channel = interpreter_value(run, &op->channel, -1);
    op->operation.count = interpreter_value(run, &op->count, 0);
    op->operation.name = op->function;
}

enum interpreter_phase interpreter_operation(struct interpreter *run, struct cpu_context *context,
                                             struct code_op *op)
{
    enum op_kind kind = op->source->kind;
    enum mpi_request_kind request_kind = meanings[kind].kind;
    if (!(run->process->ops->operations & MPI_OPERATION_BIT(request_kind))) {
        interpreter_fail(run, "%s has no %s", run->process->ops->name, op_kind_name(kind));
        return PHASE_NEXT;
    }
    struct mpi_layout *layout = &op->operation.layout;
    int64_t span = !op->layout          ? contiguous(run, op, layout)
                   : op->layout->counts ? strided(run, op->layout, layout)
                                        : vector(run, op->layout, layout);
    fill_operation(run, op);
    struct mpi_transfer transfer = {
        .peer = meanings[kind].peer ? interpreter_peer(run, &op->peer) : MPI_RANK_ANY,
        .context = meanings[kind].context,
        .size = layout->bytes,
        .blocking = op->request == CODE_NO_SLOT,
        .operation = &op->operation,
    };
    if (run->process->sim->status != SIM_COMPLETED || !interpreter_slot_free(run, op))
        return PHASE_NEXT;
    if (meanings[kind].data)
        transfer.address = interpreter_address(run, op, span);
    return interpreter_started(run, op, mpi_start(context, run->process, request_kind, &transfer));
}
