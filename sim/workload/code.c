// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/code.h"

#include "sim/core/intern.h"

#include <string.h>

static int name_slot(GPtrArray *names, const char *name)
{
    for (guint i = 0; i < names->len; i++)
        if (strcmp(g_ptr_array_index(names, i), name) == 0)
            return (int)i;
    g_ptr_array_add(names, g_strdup(name));
    return (int)names->len - 1;
}

// Variables are collected before any expression is compiled, because their values must not move any
// more.
static void collect_variables(struct code *code, const GPtrArray *ops)
{
    for (guint i = 0; ops && i < ops->len; i++) {
        const struct op *op = g_ptr_array_index(ops, i);
        if (op->kind == OP_LOOP && op->name)
            name_slot(code->variable_names, op->name);
        collect_variables(code, op->body);
    }
}

static struct code_value compile_value(const struct code *code, const struct op_value *value,
                                       char **error)
{
    struct code_value compiled = {0};
    if (!value->text || *error)
        return compiled;
    compiled.given = true;
    compiled.any = strcmp(value->text, OP_ANY) == 0;
    if (compiled.any)
        return compiled;
    char *end;
    compiled.constant = g_ascii_strtoll(value->text, &end, 10);
    if (*end == '\0')
        return compiled;
    char *why = NULL;
    compiled.expression = expression_new(value->text, &code->variables, &why);
    if (!compiled.expression)
        *error = g_strdup_printf("%s:%d:%d: %s", value->mark.file, value->mark.line,
                                 value->mark.column, why);
    g_free(why);
    return compiled;
}

static GPtrArray *compile_body(struct code *code, const GPtrArray *ops, char **error);

// ---- Layouts ----

static void free_values(struct code_value *values, int count)
{
    for (int i = 0; i < count; i++)
        expression_free(values[i].expression);
}

static void layout_free(struct code_layout *layout)
{
    if (!layout)
        return;
    free_values(layout->count, OP_LAYOUT_LEVELS + 1);
    free_values(layout->stride, OP_LAYOUT_LEVELS);
    free_values(layout->peer_stride, OP_LAYOUT_LEVELS);
    free_values(layout->bytes, layout->sets);
    free_values(layout->repeats, layout->sets);
    g_free(layout->bytes);
    g_free(layout->repeats);
    g_free(layout->segments);
    g_free(layout);
}

static void compile_values(const struct code *code, const GArray *from, struct code_value *to,
                           char **error)
{
    for (guint i = 0; i < from->len; i++)
        to[i] = compile_value(code, &g_array_index(from, struct op_value, i), error);
}

static struct code_layout *compile_layout(const struct code *code, const struct op_layout *layout,
                                          char **error)
{
    G_STATIC_ASSERT(OP_LAYOUT_LEVELS == MPI_LAYOUT_LEVELS);
    struct code_layout *compiled = g_new0(struct code_layout, 1);
    compiled->counts = (int)layout->counts->len;
    compiled->sets = (int)layout->sets->len;
    compile_values(code, layout->counts, compiled->count, error);
    compile_values(code, layout->strides, compiled->stride, error);
    compile_values(code, layout->peer_strides->len ? layout->peer_strides : layout->strides,
                   compiled->peer_stride, error);
    compiled->bytes = g_new0(struct code_value, compiled->sets);
    compiled->repeats = g_new0(struct code_value, compiled->sets);
    compiled->segments = g_new0(struct mpi_segments, compiled->sets);
    for (int i = 0; i < compiled->sets; i++) {
        const struct op_segments *set = &g_array_index(layout->sets, struct op_segments, i);
        compiled->bytes[i] = compile_value(code, &set->bytes, error);
        compiled->repeats[i] = compile_value(code, &set->count, error);
    }
    return compiled;
}

// ---- Operations ----

static void code_op_free(void *data)
{
    struct code_op *op = data;
    struct code_value *values[] = {
        &op->peer,  &op->source_rank, &op->root,           &op->size,        &op->tag,    &op->time,
        &op->count, &op->buffer,      &op->receive_buffer, &op->peer_buffer, &op->channel};
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++)
        expression_free(values[i]->expression);
    layout_free(op->layout);
    if (op->requests)
        g_array_free(op->requests, TRUE);
    if (op->body)
        g_ptr_array_free(op->body, TRUE);
    g_free(op);
}

static struct code_op *compile_op(struct code *code, const struct op *op, char **error)
{
    struct code_op *compiled = g_new0(struct code_op, 1);
    compiled->source = op;
    compiled->peer = compile_value(code, &op->peer, error);
    compiled->source_rank = compile_value(code, &op->source, error);
    compiled->root = compile_value(code, &op->root, error);
    compiled->size = compile_value(code, &op->size, error);
    compiled->tag = compile_value(code, &op->tag, error);
    compiled->time = compile_value(code, &op->time, error);
    compiled->count = compile_value(code, &op->count, error);
    compiled->buffer = compile_value(code, &op->buffer, error);
    compiled->receive_buffer = compile_value(code, &op->receive_buffer, error);
    compiled->peer_buffer = compile_value(code, &op->peer_buffer, error);
    compiled->channel = compile_value(code, &op->channel, error);
    compiled->layout = op->layout ? compile_layout(code, op->layout, error) : NULL;
    compiled->function = op->function ? intern_text(op->function) : NULL;
    compiled->request = CODE_NO_SLOT;
    compiled->variable = CODE_NO_SLOT;
    if (op->name && op->kind == OP_LOOP)
        compiled->variable = name_slot(code->variable_names, op->name);
    else if (op->name)
        compiled->request = name_slot(code->names, op->name);
    if (op->names) {
        compiled->requests = g_array_new(FALSE, FALSE, sizeof(int));
        for (char **name = op->names; *name; name++) {
            int slot = name_slot(code->names, *name);
            g_array_append_val(compiled->requests, slot);
        }
    }
    if (op->body)
        compiled->body = compile_body(code, op->body, error);
    return compiled;
}

static GPtrArray *compile_body(struct code *code, const GPtrArray *ops, char **error)
{
    GPtrArray *body = g_ptr_array_new_with_free_func(code_op_free);
    for (guint i = 0; i < ops->len; i++)
        g_ptr_array_add(body, compile_op(code, g_ptr_array_index(ops, i), error));
    return body;
}

static bool part_concerns(const struct program_part *part, int rank)
{
    if (part->all)
        return true;
    for (guint i = 0; i < part->ranks->len; i++)
        if (g_array_index(part->ranks, int, i) == rank)
            return true;
    return false;
}

struct code *code_new(const struct program *program, int rank, int ranks, char **error)
{
    struct code *code = g_new0(struct code, 1);
    *error = NULL;
    code->body = g_ptr_array_new_with_free_func(code_op_free);
    code->names = g_ptr_array_new_with_free_func(g_free);
    code->variable_names = g_ptr_array_new_with_free_func(g_free);
    name_slot(code->variable_names, "rank");
    name_slot(code->variable_names, "ranks");
    for (guint i = 0; i < program->parts->len; i++)
        collect_variables(code,
                          ((struct program_part *)g_ptr_array_index(program->parts, i))->body);
    code->variables = (struct expression_variables){
        .count = (int)code->variable_names->len,
        .names = (const char *const *)code->variable_names->pdata,
        .values = g_new0(double, code->variable_names->len),
    };
    code->variables.values[CODE_RANK] = rank;
    code->variables.values[CODE_RANKS] = ranks;
    for (guint i = 0; i < program->parts->len; i++) {
        const struct program_part *part = g_ptr_array_index(program->parts, i);
        if (!part_concerns(part, rank))
            continue;
        for (guint k = 0; k < part->body->len; k++)
            g_ptr_array_add(code->body, compile_op(code, g_ptr_array_index(part->body, k), error));
    }
    if (*error) {
        code_free(code);
        return NULL;
    }
    return code;
}

void code_free(struct code *code)
{
    if (!code)
        return;
    g_ptr_array_free(code->body, TRUE);
    g_ptr_array_free(code->names, TRUE);
    g_ptr_array_free(code->variable_names, TRUE);
    g_free(code->variables.values);
    g_free(code);
}
