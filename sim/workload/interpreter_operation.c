// SPDX-License-Identifier: GPL-3.0-or-later
// One-sided transfers, active messages, and what else only some libraries have.
#include "sim/workload/interpreter_parts.h"

#include <string.h>

// What a library is asked for, and which of the operation's data it moves.
static const struct {
    enum mpi_request_kind kind;
    enum mpi_context context;
    bool peer; // it has one
    bool data; // it has a buffer
} meanings[] = {
    [OP_PUT] = {MPI_PUT, MPI_ONE_SIDED, true, true},
    [OP_GET] = {MPI_GET, MPI_FETCHED, true, true},
    [OP_ACCUMULATE] = {MPI_ACCUMULATE, MPI_ONE_SIDED, true, true},
    [OP_FETCH_ADD] = {MPI_FETCH_ADD, MPI_ONE_SIDED, true, false},
    [OP_LOCK] = {MPI_LOCK, MPI_ONE_SIDED, true, false},
    [OP_UNLOCK] = {MPI_UNLOCK, MPI_ONE_SIDED, true, false},
    [OP_FENCE] = {MPI_FENCE, MPI_ONE_SIDED, true, false},
    [OP_ACTIVE_MESSAGE] = {MPI_ACTIVE_MESSAGE, MPI_ACTIVE, true, true},
    [OP_POLL] = {MPI_POLL, MPI_ACTIVE, false, false},
    [OP_CALL] = {MPI_CALL, MPI_ONE_SIDED, false, false},
};

// A request's operation, which lives as long as the request.
struct kept_operation {
    struct kept_operation *next, *next_unused;
    struct mpi_operation operation;
    struct mpi_segments *segments;
    int most_sets; // that `segments` has room for
};

static struct kept_operation *take_unused(struct interpreter *run)
{
    struct kept_operation *kept = run->unused;
    if (kept) {
        run->unused = kept->next_unused;
        return kept;
    }
    kept = g_new0(struct kept_operation, 1);
    kept->next = run->kept;
    run->kept = kept;
    return kept;
}

// A copy that stays until the request is over: what the source says is gone with its next call.
static const struct mpi_operation *keep(struct interpreter *run,
                                        const struct mpi_operation *operation)
{
    struct kept_operation *kept = take_unused(run);
    const struct mpi_layout *layout = &operation->layout;
    kept->operation = *operation;
    if (layout->kind != MPI_VECTOR)
        return &kept->operation;
    if (layout->sets > kept->most_sets) {
        kept->segments = g_renew(struct mpi_segments, kept->segments, layout->sets);
        kept->most_sets = layout->sets;
    }
    memcpy(kept->segments, layout->segments, sizeof *kept->segments * (size_t)layout->sets);
    kept->operation.layout.segments = kept->segments;
    return &kept->operation;
}

void interpreter_operation_over(struct interpreter *run, const struct mpi_operation *operation)
{
    struct kept_operation *kept = container_of(operation, struct kept_operation, operation);
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

enum interpreter_phase interpreter_operation(struct interpreter *run, struct cpu_context *context)
{
    const struct op_call *call = &run->call;
    enum op_kind kind = call->kind;
    enum mpi_request_kind request_kind = meanings[kind].kind;
    if (!(run->process->ops->operations & MPI_OPERATION_BIT(request_kind))) {
        interpreter_fail(run, "%s has no %s", run->process->ops->name, op_kind_name(kind));
        return PHASE_NEXT;
    }
    struct mpi_transfer transfer = {
        .peer = meanings[kind].peer ? call->peer : MPI_RANK_ANY,
        .context = meanings[kind].context,
        .size = call->size,
        .blocking = call->request == CALL_NO_REQUEST,
    };
    if (!interpreter_name_free(run))
        return PHASE_NEXT;
    transfer.operation = keep(run, call->operation);
    if (meanings[kind].data)
        transfer.address = interpreter_address(run, call->span);
    return interpreter_started(run, mpi_start(context, run->process, request_kind, &transfer));
}
