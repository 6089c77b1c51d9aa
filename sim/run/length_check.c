// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/run/length_check.h"

#include "sim/model/model.h"
#include "sim/program/operations.h"

struct length_checking {
    const struct mpi_longest *longest;
    struct diag_list *diags;
    bool found; // an error; one of them is enough
};

static void refuse_length(struct length_checking *checking, struct source_mark mark,
                          const char *path, int64_t bytes)
{
    if (bytes <= checking->longest->bytes || checking->found)
        return;
    checking->found = true;
    diag_add(checking->diags, mark, path, "send it in pieces",
             "a message of %" G_GINT64_FORMAT " B is longer than %s can say", bytes,
             checking->longest->number);
}

static bool has_message(const struct operation_kind *kind)
{
    switch (kind->class) {
    case CALL_TRANSFER:
    case CALL_SENDRECV:
    case CALL_COLLECTIVE:
    case CALL_PERSISTENT:
        return true;
    case CALL_OPERATION:
        return kind->moves != OPERATION_MOVES_NOTHING;
    default:
        return false;
    }
}

static void check_lengths(struct length_checking *checking, const GPtrArray *body)
{
    for (guint i = 0; i < body->len; i++) {
        const struct op *op = g_ptr_array_index(body, i);
        if (has_message(op->kind))
            refuse_length(checking, op->mark, "workload.program", op_common(op)->size);
        if (op->kind->class == CALL_SENDRECV)
            refuse_length(checking, op->mark, "workload.program",
                          sendrecv_receive_size(op->kind, op->arguments));
        if (op->body)
            check_lengths(checking, op->body);
    }
}

void length_check(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct workload *workload = &test_case->workload;
    const struct stack *stack = registry_stack(&model_registry, test_case->stack->name);
    if (!stack || !stack->device || stack->device->longest.bytes == 0) // a test may have its own
                                                                       // list
        return;
    struct length_checking checking = {.longest = &stack->device->longest, .diags = diags};
    for (guint i = 0; workload->program && i < workload->program->parts->len; i++) {
        const struct program_part *part = g_ptr_array_index(workload->program->parts, i);
        check_lengths(&checking, part->body);
    }
    const struct node *sizes = node_get(node_get(test_case->tree, "workload"), "sizes");
    for (guint i = 0; workload->benchmark && i < workload->sizes->len; i++)
        refuse_length(&checking, sizes ? sizes->mark : workload->mark, "workload.sizes",
                      g_array_index(workload->sizes, int64_t, i));
}
