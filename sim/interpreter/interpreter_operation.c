// SPDX-License-Identifier: GPL-3.0-or-later
// One-sided transfers, active messages, and what else only some libraries have.
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

// A copy that stays until the request is over: what the source says is gone with its next call.
static const void *keep(struct interpreter *run, const struct op_call *call)
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

// Whether the call begins with a collective, which is then under way.
static bool opens(struct interpreter *run, const struct mpi_transfer *transfer)
{
    const struct mpi_device_ops *ops = run->process->ops;
    const struct operation_kind *kind = transfer->operation;
    int64_t size = operation_opening_size(kind, transfer->arguments);
    if (size == OPERATION_ANY ||
        (ops->opens && !ops->opens(run->process, kind, transfer->arguments)) ||
        !interpreter_internal_collective(run, kind->opening.collective, size))
        return false;
    run->opened = *transfer;
    run->opens = true;
    return true;
}

enum interpreter_phase interpreter_opened(struct interpreter *run, struct cpu_context *context)
{
    run->opens = false;
    return interpreter_started(run,
                               mpi_start(context, run->process, REQUEST_OPERATION, &run->opened));
}

enum interpreter_phase interpreter_operation(struct interpreter *run, struct cpu_context *context)
{
    const struct op_call *call = &run->call;
    const struct operation_arguments *arguments = call->arguments;
    struct mpi_transfer transfer = {
        .peer = arguments->peer,
        .size = arguments->size,
        .group = call->group,
        .blocking = call->request == CALL_NO_REQUEST,
        .operation = call->kind,
    };
    G_STATIC_ASSERT(OPERATION_ANY == RANK_ANY && OPERATION_ANY == TAG_ANY);
    if (!interpreter_name_free(run))
        return PHASE_NEXT;
    transfer.arguments = keep(run, call);
    if (call->kind->moves != OPERATION_MOVES_NOTHING || call->kind->memory)
        transfer.address = interpreter_address(run, call->span);
    if (opens(run, &transfer))
        return PHASE_COLLECTIVE;
    return interpreter_started(run, mpi_start(context, run->process, REQUEST_OPERATION, &transfer));
}
