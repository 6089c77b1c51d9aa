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

static void op_free(void *data)
{
    struct op *op = data;
    struct op_value *const values[] = {
        &op->peer,  &op->source, &op->root,           &op->size,        &op->tag,    &op->time,
        &op->count, &op->buffer, &op->receive_buffer, &op->peer_buffer, &op->channel};
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++)
        g_free(values[i]->text);
    layout_free(op->layout);
    g_free(op->function);
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

struct op *op_append(GPtrArray *body, enum op_kind kind)
{
    struct op *op = g_new0(struct op, 1);
    op->kind = kind;
    op->body = kind == OP_LOOP ? op_body_new() : NULL;
    g_ptr_array_add(body, op);
    return op;
}

struct op_value op_value_of(int64_t value)
{
    return (struct op_value){.text = g_strdup_printf("%" G_GINT64_FORMAT, value)};
}

struct op_value op_value_text(const char *text)
{
    return (struct op_value){.text = g_strdup(text)};
}

static void append_values(GArray *values, const int64_t *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        struct op_value value = op_value_of(numbers[i]);
        g_array_append_val(values, value);
    }
}

void op_set_strided(struct op *op, int levels, const int64_t *counts, const int64_t *strides,
                    const int64_t *peer_strides)
{
    g_assert(!op->layout && levels >= 0 && levels <= OP_LAYOUT_LEVELS);
    op->layout = op_layout_new();
    append_values(op->layout->counts, counts, levels + 1);
    append_values(op->layout->strides, strides, levels);
    append_values(op->layout->peer_strides, peer_strides ? peer_strides : strides, levels);
}

void op_add_segments(struct op *op, int64_t bytes, int64_t count)
{
    if (!op->layout)
        op->layout = op_layout_new();
    struct op_segments set = {op_value_of(bytes), op_value_of(count)};
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
    g_free(program);
}

struct program_part *program_add_part(struct program *program)
{
    struct program_part *part = g_new0(struct program_part, 1);
    part->ranks = g_array_new(FALSE, FALSE, sizeof(int));
    part->body = op_body_new();
    g_ptr_array_add(program->parts, part);
    return part;
}
