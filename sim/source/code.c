// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/source/code.h"

#include "sim/program/communicator.h"

#include <string.h>

static int variable_slot(GPtrArray *names, const char *name)
{
    for (guint i = 0; i < names->len; i++)
        if (strcmp(g_ptr_array_index(names, i), name) == 0)
            return (int)i;
    g_ptr_array_add(names, g_strdup(name));
    return (int)names->len - 1;
}

static int request_slot(GHashTable *requests, const char *name)
{
    gpointer slot = NULL;
    if (!g_hash_table_lookup_extended(requests, name, NULL, &slot)) {
        slot = GINT_TO_POINTER((int)g_hash_table_size(requests));
        g_hash_table_insert(requests, g_strdup(name), slot);
    }
    return GPOINTER_TO_INT(slot);
}

// Whether the operation has a value for each peer.
static bool has_peers(const struct op *op)
{
    for (guint i = 0; op->computed && i < op->computed->len; i++)
        if (g_array_index(op->computed, struct op_computed, i).key->per_peer)
            return true;
    return false;
}

// Variables are collected before any expression is compiled, because their values must not move any
// more.
static void collect_variables(struct code *code, const GPtrArray *ops)
{
    for (guint i = 0; ops && i < ops->len; i++) {
        const struct op *op = g_ptr_array_index(ops, i);
        if (op_is(op, OP_LOOP) && op->name)
            variable_slot(code->variable_names, op->name);
        if (has_peers(op))
            code->peer = variable_slot(code->variable_names, OPERATION_PEER);
        collect_variables(code, op->body);
    }
}

// A program while it is compiled.
struct compiler {
    struct code *code;
    const struct op *op; // under way
    int own_buffers;     // of the part
    char **error;        // of the first operation that does not compile
    const struct op **at;
};

static struct expression *compile_expression(struct compiler *compiler,
                                             const struct op_value *value)
{
    char *why = NULL;
    if (*compiler->error)
        return NULL;
    struct expression *expression = expression_new(value->text, &compiler->code->variables, &why);
    if (!expression) {
        *compiler->error = g_strdup_printf("%s:%d:%d: %s", value->mark.file, value->mark.line,
                                           value->mark.column, why);
        *compiler->at = compiler->op;
    }
    g_free(why);
    return expression;
}

static struct code_value compile_value(struct compiler *compiler, const struct op_value *value)
{
    char *end;
    struct code_value compiled = {.constant = g_ascii_strtoll(value->text, &end, 10)};
    if (*end != '\0')
        compiled.expression = compile_expression(compiler, value);
    return compiled;
}

static GPtrArray *compile_body(struct compiler *compiler, const GPtrArray *ops);

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
    free_values(layout->count, DATA_LAYOUT_LEVELS + 1);
    free_values(layout->stride, DATA_LAYOUT_LEVELS);
    free_values(layout->peer_stride, DATA_LAYOUT_LEVELS);
    free_values(layout->bytes, layout->sets);
    free_values(layout->repeats, layout->sets);
    g_free(layout->bytes);
    g_free(layout->repeats);
    g_free(layout->segments);
    g_free(layout);
}

static void compile_values(struct compiler *compiler, const GArray *from, struct code_value *to)
{
    for (guint i = 0; i < from->len; i++)
        to[i] = compile_value(compiler, &g_array_index(from, struct op_value, i));
}

static struct code_layout *compile_layout(struct compiler *compiler, const struct op_layout *layout)
{
    struct code_layout *compiled = g_new0(struct code_layout, 1);
    compiled->counts = (int)layout->counts->len;
    compiled->sets = (int)layout->sets->len;
    compile_values(compiler, layout->counts, compiled->count);
    compile_values(compiler, layout->strides, compiled->stride);
    compile_values(compiler, layout->peer_strides->len ? layout->peer_strides : layout->strides,
                   compiled->peer_stride);
    compiled->bytes = g_new0(struct code_value, compiled->sets);
    compiled->repeats = g_new0(struct code_value, compiled->sets);
    compiled->segments = g_new0(struct data_segments, compiled->sets);
    for (int i = 0; i < compiled->sets; i++) {
        const struct op_segments *set = &g_array_index(layout->sets, struct op_segments, i);
        compiled->bytes[i] = compile_value(compiler, &set->bytes);
        compiled->repeats[i] = compile_value(compiler, &set->count);
    }
    return compiled;
}

// ---- Operations ----

static void code_op_free(void *data)
{
    struct code_op *op = data;
    for (int i = 0; i < op->computed_count; i++)
        expression_free(op->computed[i].expression);
    g_free(op->computed);
    layout_free(op->layout);
    g_free(op->awaited);
    if (op->body)
        g_ptr_array_free(op->body, TRUE);
    g_free(op);
}

static void compile_computed(struct compiler *compiler, const struct op *op,
                             struct code_op *compiled)
{
    compiled->computed_count = op->computed ? (int)op->computed->len : 0;
    compiled->computed = g_new0(struct code_computed, compiled->computed_count);
    for (int i = 0; i < compiled->computed_count; i++) {
        const struct op_computed *from = &g_array_index(op->computed, struct op_computed, i);
        struct code_computed *to = &compiled->computed[i];
        to->key = from->key;
        to->expression = compile_expression(compiler, &from->value);
        operation_key_bounds(to->key, PROGRAM_MOST_RANKS, &to->least, &to->most);
    }
    if (compiled->computed_count > 0 || op->layout || op->communicator != NO_COMMUNICATOR)
        compiler->code->most_arguments =
            MAX(compiler->code->most_arguments, operation_arguments_size(op->kind));
}

// Whether the operation names its buffer.
static bool names_buffer(const struct op *op)
{
    bool computed = false;
    for (guint i = 0; op->computed && i < op->computed->len; i++)
        computed |= g_array_index(op->computed, struct op_computed, i).key->param.offset ==
                    offsetof(struct operation_arguments, buffer);
    return computed || op_common(op)->buffer != OPERATION_ANY;
}

static int *number_awaited(struct code *code, char **names, int *count)
{
    int *numbers = g_new(int, g_strv_length(names));
    for (*count = 0; names[*count]; (*count)++)
        numbers[*count] = request_slot(code->requests, names[*count]);
    return numbers;
}

// Numbers what the operation names: a counter, a request that it starts, or those that it waits
// for.
static void number_names(struct code *code, const struct op *op, struct code_op *compiled)
{
    bool single = operation_has_form(op->kind, OPERATION_AWAITED),
         several = operation_has_form(op->kind, OPERATION_AWAITED_ALL);
    char *one[] = {op->name, NULL}, **awaited = single ? one : op->names;
    struct op_call *call = &compiled->call;
    bool counts = op->name && op_is(op, OP_LOOP), starts = op->name && !counts && awaited != one;
    compiled->variable = counts ? variable_slot(code->variable_names, op->name) : CODE_NO_SLOT;
    call->request = starts ? request_slot(code->requests, op->name) : CALL_NO_REQUEST;
    call->request_name = starts ? op->name : NULL;
    call->awaits_all = several && !awaited;
    if (awaited)
        call->awaited = compiled->awaited = number_awaited(code, awaited, &call->awaited_count);
}

static struct code_op *compile_op(struct compiler *compiler, const struct op *op)
{
    struct code_op *compiled = g_new0(struct code_op, 1);
    compiler->op = op;
    compiled->source = op;
    compile_computed(compiler, op, compiled);
    compiled->layout = op->layout ? compile_layout(compiler, op->layout) : NULL;
    compiled->own_buffer = names_buffer(op) ? CODE_NO_SLOT : compiler->own_buffers++;
    compiled->call = (struct op_call){
        .kind = op->kind,
        .mark = &op->mark,
        .arguments = op->arguments,
    };
    number_names(compiler->code, op, compiled);
    if (op->body)
        compiled->body = compile_body(compiler, op->body);
    return compiled;
}

static GPtrArray *compile_body(struct compiler *compiler, const GPtrArray *ops)
{
    GPtrArray *body = g_ptr_array_new_with_free_func(code_op_free);
    for (guint i = 0; i < ops->len; i++)
        g_ptr_array_add(body, compile_op(compiler, g_ptr_array_index(ops, i)));
    return body;
}

// ---- Programs ----

static void part_clear(void *data)
{
    g_ptr_array_free(((struct code_part *)data)->body, TRUE);
}

static void number_variables(struct code *code, const struct program *program)
{
    variable_slot(code->variable_names, "rank");
    variable_slot(code->variable_names, "ranks");
    for (guint i = 0; program->communicators && i < program->communicators->len; i++) {
        const struct communicator *one = g_ptr_array_index(program->communicators, i);
        variable_slot(code->variable_names, one->rank_variable);
        variable_slot(code->variable_names, one->ranks_variable);
    }
    for (guint i = 0; i < program->parts->len; i++)
        collect_variables(code,
                          ((struct program_part *)g_ptr_array_index(program->parts, i))->body);
    code->variables = (struct expression_variables){
        .count = (int)code->variable_names->len,
        .names = (const char *const *)code->variable_names->pdata,
        .values = g_new0(double, code->variable_names->len),
    };
}

struct code *code_new(const struct program *program, char **error, const struct op **at)
{
    struct code *code = g_new0(struct code, 1);
    struct compiler compiler = {.code = code, .error = error, .at = at};
    *error = NULL;
    code->peer = CODE_NO_SLOT;
    code->parts = g_array_new(FALSE, FALSE, sizeof(struct code_part));
    g_array_set_clear_func(code->parts, part_clear);
    code->requests = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    code->variable_names = g_ptr_array_new_with_free_func(g_free);
    number_variables(code, program);
    for (guint i = 0; i < program->parts->len; i++) {
        struct code_part part = {.source = g_ptr_array_index(program->parts, i)};
        compiler.own_buffers = 0;
        part.body = compile_body(&compiler, part.source->body);
        part.own_buffers = compiler.own_buffers;
        g_array_append_val(code->parts, part);
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
    g_array_free(code->parts, TRUE);
    g_hash_table_unref(code->requests);
    g_ptr_array_free(code->variable_names, TRUE);
    g_free(code->variables.values);
    g_free(code);
}

static bool part_concerns(const struct program_part *part, int rank)
{
    guint below = 0, above = part->ranks->len;
    while (!part->all && below < above) {
        guint middle = (below + above) / 2;
        int found = g_array_index(part->ranks, int, middle);
        if (found == rank)
            return true;
        if (found < rank)
            below = middle + 1;
        else
            above = middle;
    }
    return part->all;
}

const struct code_part *code_part_of(const struct code *code, int rank, guint from, guint *number)
{
    for (guint i = from; i < code->parts->len; i++) {
        const struct code_part *part = &g_array_index(code->parts, struct code_part, i);
        if (!part_concerns(part->source, rank))
            continue;
        *number = i;
        return part;
    }
    return NULL;
}
