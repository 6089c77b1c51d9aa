// SPDX-License-Identifier: GPL-3.0-or-later
// Building and freeing programs; program_read.c makes them from YAML.
#include "sim/config/program.h"

static void op_free(void *data)
{
    struct op *op = data;
    struct op_value *const values[] = {&op->peer,  &op->source, &op->root,
                                       &op->size,  &op->tag,    &op->time,
                                       &op->count, &op->buffer, &op->receive_buffer};
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++)
        g_free(values[i]->text);
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
