// SPDX-License-Identifier: GPL-3.0-or-later
// Evaluates the operations of a program for a rank, and checks whether the values are legal.
#include "sim/program/communicator.h"
#include "sim/source/program_source_internal.h"

#include <string.h>

void program_source_wrong(struct program_source *source, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!source->wrong)
        source->wrong = g_strdup_vprintf(format, arguments);
    va_end(arguments);
}

void program_source_load_rank(struct program_source *source, int rank)
{
    double *values = source->code->variables.values;
    values[CODE_RANK] = rank;
    for (int i = 0; i < source->communicator_count; i++) {
        const struct mpi_group *group = source->communicators[i]->of[rank];
        values[CODE_COMMUNICATORS + 2 * i] = group ? mpi_group_place(group, rank) : -1;
        values[CODE_COMMUNICATORS + 2 * i + 1] = group ? group->size : 0;
    }
}

// 1 if something is wrong, or was already.
static int64_t computed(struct program_source *source, struct expression *expression)
{
    char *error = NULL;
    if (source->wrong)
        return 1;
    int64_t result = expression_value(expression, &error);
    if (error)
        program_source_wrong(source, "%s", error);
    g_free(error);
    return error ? 1 : result;
}

static int64_t value_of(struct program_source *source, const struct code_value *code)
{
    return code->expression ? computed(source, code->expression) : code->constant;
}

// ---- Layouts ----

// A number of bytes or pieces of a layout, at least 1.
static int64_t piece(struct program_source *source, const struct code_value *code, const char *noun)
{
    int64_t number = value_of(source, code);
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
                       struct data_layout *layout)
{
    int64_t span = 0;
    layout->kind = DATA_STRIDED;
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
                      struct data_layout *layout)
{
    layout->kind = DATA_VECTOR;
    layout->sets = from->sets;
    layout->segments = from->segments;
    layout->bytes = 0;
    for (int i = 0; i < from->sets; i++) {
        struct data_segments *set = &from->segments[i];
        set->bytes = piece(source, &from->bytes[i], "segment's size");
        set->count = piece(source, &from->repeats[i], "number of segments");
        grow(source, &layout->bytes, set->bytes, set->count);
    }
    return layout->bytes;
}

// ---- Calls ----

// Whether the group (NULL: the job) has such a rank; if not, that is what is wrong.
static bool rank_exists(struct program_source *source, const struct mpi_group *group, int64_t rank)
{
    int ranks = mpi_group_size(group, source->ranks);
    if (rank >= 0 && rank < ranks)
        return true;
    program_source_wrong(source, "there is no rank %" G_GINT64_FORMAT "%s%s (ranks: 0..%d)", rank,
                         group ? " in " : "", group ? group->name : "", ranks - 1);
    return false;
}

// The rank's group of the operation's communicator; NULL: all ranks.
static const struct mpi_group *value_group_of(struct program_source *source, const struct op *op)
{
    if (op->communicator == NO_COMMUNICATOR)
        return NULL;
    const struct mpi_group_set *set = source->communicators[op->communicator];
    const struct mpi_group *group = set->of[source->loaded], *first;
    first = g_ptr_array_index(set->groups, 0);
    if (!group)
        program_source_wrong(source, "rank %d is not of %s", source->loaded, first->name);
    return group;
}

// A communicator is made by the members of the old one, or by all ranks; its own free it.
static void evaluate_communicator(struct program_source *source, const struct op *op,
                                  struct op_call *call)
{
    int number = op_is(op, OP_COMM_FREE) ? op->communicator : source->parents[op->communicator];
    call->group =
        number == COMMUNICATOR_OF_ALL ? NULL : source->communicators[number]->of[source->loaded];
    call->passes = number != COMMUNICATOR_OF_ALL && !call->group;
}

// A rank of the group becomes that of the job.
static void name_peer(struct program_source *source, const struct mpi_group *group, int *rank)
{
    if (*rank != OPERATION_ANY && rank_exists(source, group, *rank))
        *rank = mpi_group_rank(group, *rank);
}

static void name_peers(struct program_source *source, const struct operation_kind *kind,
                       void *arguments, const struct mpi_group *group)
{
    struct sendrecv_arguments *both = arguments;
    const struct collective_arguments *collective = arguments;
    if (!group)
        return;
    if (kind->class == CALL_COLLECTIVE)
        rank_exists(source, group, collective->root);
    else
        name_peer(source, group, &((struct operation_arguments *)arguments)->peer);
    if (kind->class == CALL_SENDRECV)
        name_peer(source, group, &both->source);
}

// A computed number, which must be in its key's range.
static int64_t number_in_range(struct program_source *source, const struct code_computed *code)
{
    int64_t value = computed(source, code->expression);
    if (source->wrong || (value >= code->least && value <= code->most))
        return value;
    char *error = operation_out_of_range(code->key, value);
    program_source_wrong(source, "%s", error);
    g_free(error);
    return code->least;
}

// Evaluates a key for each rank of the group: what goes to it, or belongs to it. In an alltoallv
// also what comes from it, which is what it evaluates for this one, in the same turn of the loops.
static void evaluate_blocks(struct program_source *source, const struct code_computed *code,
                            const struct mpi_group *group, bool exchange)
{
    struct collective_arguments *arguments = source->arguments;
    double *peer = &source->code->variables.values[source->code->peer];
    int ranks = mpi_group_size(group, source->ranks), self = source->loaded;
    int64_t *received = source->blocks + source->ranks;
    arguments->common.size = 0;
    for (int i = 0; i < ranks; i++) {
        *peer = i;
        source->blocks[i] = number_in_range(source, code);
        arguments->common.size += source->blocks[i];
    }
    *peer = mpi_group_place(group, self);
    for (int i = 0; exchange && i < ranks; i++) {
        program_source_load_rank(source, mpi_group_rank(group, i));
        received[i] = number_in_range(source, code);
    }
    program_source_load_rank(source, self);
    arguments->blocks = source->blocks;
    arguments->receive_blocks = exchange ? received : NULL;
}

// Evaluates a key into its field. A computed value must be in its range, and never stands for any.
static void evaluate_key(struct program_source *source, const struct code_computed *code,
                         const struct mpi_group *group)
{
    const struct operation_key *key = code->key;
    int64_t value = computed(source, code->expression);
    if (source->wrong)
        return;
    if (key->clamped)
        value = CLAMP(value, code->least, code->most);
    if (key->form == OPERATION_RANK) {
        rank_exists(source, group, value);
    } else if (G_UNLIKELY(value < code->least || value > code->most)) {
        char *error = operation_out_of_range(key, value);
        program_source_wrong(source, "%s", error);
        g_free(error);
    }
    if (!source->wrong)
        operation_store(key, source->arguments, value);
}

static void evaluate_arguments(struct program_source *source, const struct code_op *op,
                               struct op_call *call)
{
    struct operation_arguments *arguments = source->arguments;
    memcpy(arguments, op->source->arguments, operation_arguments_size(op->source->kind));
    call->arguments = arguments;
    for (int i = 0; i < op->computed_count; i++) {
        if (op->computed[i].key->per_peer)
            evaluate_blocks(source, &op->computed[i], call->group, op_is(op->source, OP_ALLTOALLV));
        else
            evaluate_key(source, &op->computed[i], call->group);
    }
    name_peers(source, op->source->kind, arguments, call->group);
    if (!op->layout)
        return;
    call->span = op->layout->counts ? strided(source, op->layout, &source->layout)
                                    : vector(source, op->layout, &source->layout);
    arguments->layout = &source->layout;
    arguments->size = source->layout.bytes;
}

void program_source_evaluate(struct program_source *source, const struct code_op *op,
                             struct op_call *call)
{
    *call = op->call;
    if (op->source->kind->class == CALL_COMMUNICATOR) {
        evaluate_communicator(source, op->source, call);
        return;
    }
    call->group = value_group_of(source, op->source);
    if (op->computed_count > 0 || op->layout || call->group)
        evaluate_arguments(source, op, call);
    if (!op->layout)
        call->span = op_call_common(call)->size;
}
