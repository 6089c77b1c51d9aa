// SPDX-License-Identifier: GPL-3.0-or-later
// What the operations of a program come out as for a rank, and whether that is legal.
#include "sim/mpi/request.h"
#include "sim/workload/program_source_internal.h"

// `fallback` if it is not given, or if something is wrong already.
static int64_t value_of(struct program_source *source, const struct code_value *code,
                        int64_t fallback)
{
    if (!code->given || source->wrong)
        return fallback;
    if (!code->expression)
        return code->constant;
    char *error = NULL;
    int64_t result = expression_value(code->expression, &error);
    if (error)
        program_source_wrong(source, "%s", error);
    g_free(error);
    return result;
}

// A size or a duration, which is 0 .. quantity_most; 0 if it is not given.
static int64_t quantity_of(struct program_source *source, const struct code_value *code,
                           enum quantity_kind kind)
{
    int64_t value = value_of(source, code, 0);
    if (G_LIKELY(value >= 0 && value <= quantity_most_value(kind)))
        return value;
    char *text = quantity_format(kind, (struct quantity){.integer = value});
    program_source_wrong(source, "%s is no %s: the range is 0 .. %s", text,
                         kind == QUANTITY_SIZE ? "size" : "duration", quantity_most(kind));
    g_free(text);
    return 0;
}

static int64_t address_of(struct program_source *source, const struct code_value *code)
{
    return code->given ? quantity_of(source, code, QUANTITY_SIZE) : CALL_NO_ADDRESS;
}

// A rank that is computed is one, and never stands for any.
static int rank_of(struct program_source *source, const struct code_value *code, int otherwise)
{
    if (code->any || !code->given)
        return otherwise;
    int64_t rank = value_of(source, code, 0);
    if (rank < 0 || rank >= source->ranks)
        program_source_wrong(source, "there is no rank %" G_GINT64_FORMAT " (ranks: 0..%d)", rank,
                             source->ranks - 1);
    return (int)rank;
}

// A tag that is computed is one, and never stands for any.
static int tag_of(struct program_source *source, const struct code_value *code, enum op_kind kind)
{
    bool receives = kind == OP_RECV || kind == OP_IRECV || kind == OP_PROBE || kind == OP_IPROBE;
    if (code->any || !code->given)
        return receives ? MPI_TAG_ANY : 0;
    int64_t tag = value_of(source, code, 0);
    if (tag < 0)
        program_source_wrong(source, "tag %" G_GINT64_FORMAT " is negative", tag);
    else if (tag > INT32_MAX)
        program_source_wrong(source, "tag %" G_GINT64_FORMAT " is above %d, the largest", tag,
                             INT32_MAX);
    return (int)tag;
}

// ---- Layouts ----

// A number of bytes or pieces of a layout, at least 1.
static int64_t piece(struct program_source *source, const struct code_value *code, const char *noun)
{
    int64_t number = value_of(source, code, 1);
    if (number < 1)
        program_source_wrong(source, "%" G_GINT64_FORMAT " is no %s of a layout", number, noun);
    return number;
}

// *total += a * b; a layout of more bytes than a message may have is wrong.
static void grow(struct program_source *source, int64_t *total, int64_t a, int64_t b)
{
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(*total, product, total) ||
        *total > quantity_most_value(QUANTITY_SIZE)) {
        program_source_wrong(source, "the layout has more than %s", quantity_most(QUANTITY_SIZE));
        *total = 0;
    }
}

// Fills in a strided layout. Returns how much of the caller's memory it spans, bytes.
static int64_t strided(struct program_source *source, const struct code_layout *from,
                       struct mpi_layout *layout)
{
    int64_t span = 0;
    layout->kind = MPI_STRIDED;
    layout->levels = from->counts - 1;
    layout->bytes = 1;
    for (int i = 0; i < from->counts; i++) {
        int64_t all = 0;
        layout->counts[i] = piece(source, &from->count[i], "count");
        grow(source, &all, layout->bytes, layout->counts[i]);
        layout->bytes = all;
    }
    for (int i = 0; i < layout->levels; i++) {
        layout->strides[i] = piece(source, &from->stride[i], "stride");
        layout->peer_strides[i] = piece(source, &from->peer_stride[i], "stride");
        grow(source, &span, layout->counts[i + 1] - 1, layout->strides[i]);
    }
    grow(source, &span, layout->counts[0], 1);
    return span;
}

// Fills in a vector. Where its segments lie is not said: the caller's lie together.
static int64_t vector(struct program_source *source, const struct code_layout *from,
                      struct mpi_layout *layout)
{
    layout->kind = MPI_VECTOR;
    layout->sets = from->sets;
    layout->segments = from->segments;
    layout->bytes = 0;
    for (int i = 0; i < from->sets; i++) {
        struct mpi_segments *set = &from->segments[i];
        set->bytes = piece(source, &from->bytes[i], "segment's size");
        set->count = piece(source, &from->repeats[i], "number of segments");
        grow(source, &layout->bytes, set->bytes, set->count);
    }
    return layout->bytes;
}

static int64_t contiguous(int64_t size, struct mpi_layout *layout)
{
    layout->kind = MPI_CONTIGUOUS;
    layout->bytes = size;
    return size;
}

// ---- Operations ----

static void evaluate_operation(struct program_source *source, const struct code_op *op,
                               struct op_call *call)
{
    struct mpi_operation *operation = &source->operation;
    call->span = !op->layout          ? contiguous(call->size, &operation->layout)
                 : op->layout->counts ? strided(source, op->layout, &operation->layout)
                                      : vector(source, op->layout, &operation->layout);
    call->size = operation->layout.bytes;
    operation->peer_address = quantity_of(source, &op->peer_buffer, QUANTITY_SIZE);
    operation->physical = op->source->physical;
    operation->notify = op->source->notify;
    operation->paged = op->source->paged;
    operation->channel = value_of(source, &op->channel, -1);
    operation->count = call->count;
    operation->name = op->function;
    call->operation = operation;
}

static void name_requests(const struct code_op *op, struct op_call *call)
{
    bool waits = call->kind == OP_WAIT || call->kind == OP_WAITALL;
    call->request = waits ? CALL_NO_REQUEST : op->request;
    call->request_name = waits ? NULL : op->source->name;
    call->awaits_all = call->kind == OP_WAITALL && !op->requests;
    if (call->kind == OP_WAIT) {
        call->awaited = &op->request;
        call->awaited_count = 1;
    } else if (op->requests) {
        call->awaited = &g_array_index(op->requests, int, 0);
        call->awaited_count = (int)op->requests->len;
    }
}

void program_source_evaluate(struct program_source *source, const struct code_op *op,
                             struct op_call *call)
{
    enum op_kind kind = op->source->kind;
    *call = (struct op_call){
        .kind = kind,
        .mark = &op->source->mark,
        .parts = op->source->parts,
        .reported = op->source->reported,
    };
    call->size = quantity_of(source, &op->size, QUANTITY_SIZE);
    call->time = quantity_of(source, &op->time, QUANTITY_DURATION);
    call->count = value_of(source, &op->count, kind == OP_MEASURE_STOP ? 1 : 0);
    if (kind >= OP_PUT && kind <= OP_CALL)
        evaluate_operation(source, op, call);
    call->peer = rank_of(source, &op->peer, MPI_RANK_ANY);
    call->tag = tag_of(source, &op->tag, kind);
    call->source = rank_of(source, &op->source_rank, MPI_RANK_ANY);
    call->root = rank_of(source, &op->root, 0);
    call->buffer = address_of(source, &op->buffer);
    call->receive_buffer = address_of(source, &op->receive_buffer);
    name_requests(op, call);
}
