// SPDX-License-Identifier: GPL-3.0-or-later
// Building and freeing programs; program_read.c makes them from YAML.
#include "sim/program/program.h"

static void value_clear(void *data)
{
    g_free(((struct op_value *)data)->text);
}

static void segments_clear(void *data)
{
    struct op_segments *set = data;
    g_free(set->bytes.text);
    g_free(set->count.text);
}

static GArray *values_new(void)
{
    GArray *values = g_array_new(FALSE, TRUE, sizeof(struct op_value));
    g_array_set_clear_func(values, value_clear);
    return values;
}

struct op_layout *op_layout_new(void)
{
    struct op_layout *layout = g_new0(struct op_layout, 1);
    layout->counts = values_new();
    layout->strides = values_new();
    layout->peer_strides = values_new();
    layout->sets = g_array_new(FALSE, TRUE, sizeof(struct op_segments));
    g_array_set_clear_func(layout->sets, segments_clear);
    return layout;
}

static void layout_free(struct op_layout *layout)
{
    if (!layout)
        return;
    g_array_free(layout->counts, TRUE);
    g_array_free(layout->strides, TRUE);
    g_array_free(layout->peer_strides, TRUE);
    g_array_free(layout->sets, TRUE);
    g_free(layout);
}

static void computed_clear(void *data)
{
    value_clear(&((struct op_computed *)data)->value);
}

static void op_free(void *data)
{
    struct op *op = data;
    if (op->computed)
        g_array_free(op->computed, TRUE);
    layout_free(op->layout);
    g_free(op->arguments);
    g_free(op->name);
    g_strfreev(op->names);
    if (op->body)
        g_ptr_array_free(op->body, TRUE);
    g_free(op);
}

static void part_free(void *data)
{
    struct program_part *part = data;
    g_array_free(part->ranks, TRUE);
    g_ptr_array_free(part->body, TRUE);
    g_free(part);
}

GPtrArray *op_body_new(void)
{
    return g_ptr_array_new_with_free_func(op_free);
}

struct op *op_append_kind(GPtrArray *body, const struct operation_kind *kind)
{
    struct op *op = g_new0(struct op, 1);
    op->kind = kind;
    op->arguments = operation_arguments_new(kind);
    op->communicator = NO_COMMUNICATOR;
    op->body = operation_has_form(kind, OPERATION_BODY) ? op_body_new() : NULL;
    g_ptr_array_add(body, op);
    return op;
}

struct op *op_append(GPtrArray *body, enum op_code code)
{
    return op_append_kind(body, &operation_table[code]);
}

bool op_is(const struct op *op, enum op_code code)
{
    return op->kind == &operation_table[code];
}

void op_add_computed(struct op *op, const struct operation_key *key, const char *text,
                     struct source_mark mark)
{
    struct op_computed computed = {key, {g_strdup(text), mark}};
    if (!op->computed) {
        op->computed = g_array_new(FALSE, FALSE, sizeof(struct op_computed));
        g_array_set_clear_func(op->computed, computed_clear);
    }
    g_array_append_val(op->computed, computed);
}

struct op *op_append_loop(GPtrArray *body, int64_t count, const char *counter)
{
    struct op *loop = op_append(body, OP_LOOP);
    ((struct loop_arguments *)loop->arguments)->count = count;
    loop->name = g_strdup(counter);
    return loop;
}

static const struct operation_key *number_key(const struct op *op, const char *name)
{
    const struct operation_key *key = operation_key(op->kind, name);
    g_assert(key && operation_key_computes(key));
    return key;
}

void op_set(struct op *op, const char *name, int64_t value)
{
    operation_store(number_key(op, name), op->arguments, value);
}

void op_compute(struct op *op, const char *name, const char *expression)
{
    op_add_computed(op, number_key(op, name), expression, (struct source_mark){0});
}

static struct op_value value_of(int64_t value)
{
    return (struct op_value){.text = g_strdup_printf("%" G_GINT64_FORMAT, value)};
}

static void append_values(GArray *values, const int64_t *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        struct op_value value = value_of(numbers[i]);
        g_array_append_val(values, value);
    }
}

void op_set_strided(struct op *op, int levels, const int64_t *counts, const int64_t *strides,
                    const int64_t *peer_strides)
{
    g_assert(!op->layout && levels >= 0 && levels <= DATA_LAYOUT_LEVELS);
    op->layout = op_layout_new();
    append_values(op->layout->counts, counts, levels + 1);
    append_values(op->layout->strides, strides, levels);
    append_values(op->layout->peer_strides, peer_strides ? peer_strides : strides, levels);
}

void op_add_segments(struct op *op, int64_t bytes, int64_t count)
{
    if (!op->layout)
        op->layout = op_layout_new();
    struct op_segments set = {value_of(bytes), value_of(count)};
    g_array_append_val(op->layout->sets, set);
}

struct program *program_new(void)
{
    struct program *program = g_new0(struct program, 1);
    program->parts = g_ptr_array_new_with_free_func(part_free);
    return program;
}

void program_free(struct program *program)
{
    if (!program)
        return;
    g_ptr_array_free(program->parts, TRUE);
    if (program->communicators)
        g_ptr_array_free(program->communicators, TRUE);
    if (program->owned)
        g_ptr_array_free(program->owned, TRUE);
    g_free(program);
}

void *program_own(struct program *program, void *memory)
{
    if (!program->owned)
        program->owned = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(program->owned, memory);
    return memory;
}

struct program_part *program_add_part(struct program *program)
{
    struct program_part *part = g_new0(struct program_part, 1);
    part->ranks = g_array_new(FALSE, FALSE, sizeof(int));
    part->body = op_body_new();
    g_ptr_array_add(program->parts, part);
    return part;
}
