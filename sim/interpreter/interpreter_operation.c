// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments of models' operations: one-sided transfers, active messages, and others.
#include "sim/interpreter/interpreter_internal.h"

#include <stdalign.h>
#include <stddef.h>
#include <string.h>

// A request's arguments, which live as long as the request.
struct kept_operation {
    struct kept_operation *next, *next_unused;
    struct data_layout layout;
    struct data_segments *segments;
    int most_sets; // that `segments` has room for
    size_t room;   // bytes of the arguments
    alignas(max_align_t) unsigned char arguments[];
};

#define LEAST_ROOM 96 // so that the arguments of most kinds fit each other's

static struct kept_operation *take_unused(struct interpreter *run, size_t size)
{
    for (struct kept_operation **at = &run->unused; *at; at = &(*at)->next_unused) {
        struct kept_operation *kept = *at;
        if (kept->room < size)
            continue;
        *at = kept->next_unused;
        return kept;
    }
    size_t room = MAX(size, LEAST_ROOM);
    struct kept_operation *kept = g_malloc0(sizeof(struct kept_operation) + room);
    kept->room = room;
    kept->next = run->kept;
    run->kept = kept;
    return kept;
}

static void keep_layout(struct kept_operation *kept, const struct data_layout *layout)
{
    kept->layout = *layout;
    ((struct operation_arguments *)(void *)kept->arguments)->layout = &kept->layout;
    if (layout->kind != DATA_VECTOR)
        return;
    if (layout->sets > kept->most_sets) {
        kept->segments = g_renew(struct data_segments, kept->segments, layout->sets);
        kept->most_sets = layout->sets;
    }
    if (layout->sets > 0)
        memcpy(kept->segments, layout->segments, sizeof *kept->segments * (size_t)layout->sets);
    kept->layout.segments = kept->segments;
}

const void *interpreter_keep(struct interpreter *run, const struct op_call *call)
{
    size_t size = operation_arguments_size(call->kind);
    struct kept_operation *kept = take_unused(run, size);
    memcpy(kept->arguments, call->arguments, size);
    if (op_call_common(call)->layout)
        keep_layout(kept, op_call_common(call)->layout);
    return kept->arguments;
}

void interpreter_operation_over(struct interpreter *run, const void *arguments)
{
    struct kept_operation *kept =
        (struct kept_operation *)((uintptr_t)arguments -
                                  offsetof(struct kept_operation, arguments));
    kept->next_unused = run->unused;
    run->unused = kept;
}

void interpreter_operations_free(struct interpreter *run)
{
    for (struct kept_operation *kept = run->kept, *next; kept; kept = next) {
        next = kept->next;
        g_free(kept->segments);
        g_free(kept);
    }
}
