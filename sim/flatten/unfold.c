// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flatten/unfold.h"

#include "sim/flatten/unfold_internal.h"

// ---- Calls of one or two steps ----

static void unfold_transfer(struct unfold *at)
{
    struct flat_op plan = unfold_plan(at);
    if (!unfold_name_free(at))
        return;
    if (!op_call_is(&at->call, OP_IPROBE)) {
        unfold_start(at, &plan);
        return;
    }
    plan.kind = FLAT_IPROBE;
    *unfold_append(at, FLAT_IPROBE) = plan;
    unfold_append_if_run(at, FLAT_PROGRESS);
}

// A receive and a send that are started together, as libraries make MPI_Sendrecv of them. Data sent
// from the place of the received data are copied, by the library where the steps are run.
static void unfold_sendrecv(struct unfold *at)
{
    const struct sendrecv_arguments *arguments = at->call.arguments;
    const struct transfer_arguments *sent = &arguments->send;
    int64_t size = sent->common.size, received = sendrecv_receive_size(at->call.kind, arguments);
    bool replaces = op_call_is(&at->call, OP_SENDRECV_REPLACE);
    struct flat_op send = {.kind = FLAT_SEND,
                           .call = &at->call,
                           .peer = sent->common.peer,
                           .tag = (int)sent->tag,
                           .context = CONTEXT_POINT_TO_POINT,
                           .group = at->call.group,
                           .address = unfold_address(at, size + received),
                           .size = size};
    struct flat_op receive = send;
    receive.kind = FLAT_RECV;
    receive.peer = arguments->source;
    receive.size = received;
    receive.tag = (int)sendrecv_receive_tag(at->call.kind, arguments);
    if (replaces)
        send.pieces = 1;
    else
        receive.address = arguments->receive_buffer == OPERATION_ANY ? send.address + size
                                                                     : arguments->receive_buffer;
    *unfold_append(at, FLAT_RECV) = receive;
    if (replaces && size > 0 && !unfold_runs(at))
        unfold_append(at, FLAT_COPY)->size = size;
    *unfold_append(at, FLAT_SEND) = send;
    unfold_append(at, FLAT_WAIT);
}

static void unfold_local(struct unfold *at)
{
    const struct compute_arguments *arguments = at->call.arguments;
    if (op_call_is(&at->call, OP_COMPUTE))
        unfold_append(at, FLAT_COMPUTE)->time = arguments->time;
    else
        unfold_append(at, FLAT_COPY)->size = arguments->common.size;
}

// A request of a model's own kind, which may begin with a collective. Whether the state of a device
// would skip that, only a run knows: else it is taken as run.
static void unfold_operation(struct unfold *at)
{
    const struct operation_arguments *arguments = at->call.arguments;
    struct flat_op plan = {.kind = FLAT_OTHER,
                           .call = &at->call,
                           .peer = arguments->peer,
                           .size = arguments->size,
                           .group = at->call.group};
    G_STATIC_ASSERT(OPERATION_ANY == RANK_ANY && OPERATION_ANY == TAG_ANY);
    if (!unfold_name_free(at))
        return;
    if (at->call.kind->moves != OPERATION_MOVES_NOTHING || at->call.kind->memory)
        plan.address = unfold_address(at, at->call.span);
    if (unfold_opening(at))
        unfold_append_if_run(at, FLAT_SLICE);
    unfold_start(at, &plan);
}

// A player that replays a program measures for itself: it does not see the program's clocks.
static void unfold_measure(struct unfold *at)
{
    bool own = op_call_is(&at->call, OP_CLOCK) || op_call_is(&at->call, OP_LAP);
    if (!own || at->asks || unfold_runs(at))
        unfold_append(at, FLAT_MEASURE)->size = op_call_common(&at->call)->size;
}

static void unfold_memory(struct unfold *at)
{
    unfold_append(at, unfold_runs(at) ? FLAT_MEMORY : FLAT_OTHER)->size =
        op_call_common(&at->call)->size;
}

static void unfold_stream(struct unfold *at)
{
    const struct operation_arguments *arguments = at->call.arguments;
    if (!unfold_runs(at)) {
        unfold_refuse(at, "how much is written until a time is over, only a run says");
        return;
    }
    struct flat_op *op = unfold_append(at, FLAT_STREAM);
    op->peer = arguments->peer;
    op->size = arguments->size;
    op->address = unfold_address(at, arguments->size);
}

static void unfold_nothing(struct unfold *at)
{
    (void)at;
}

// ---- All calls ----

void unfold_begin(struct unfold *at, const struct op_call *call)
{
    static void (*const meanings[])(struct unfold *) = {
        [CALL_OPERATION] = unfold_operation,
        [CALL_TRANSFER] = unfold_transfer,
        [CALL_SENDRECV] = unfold_sendrecv,
        [CALL_COLLECTIVE] = unfold_collective,
        [CALL_COMMUNICATOR] = unfold_communicator,
        [CALL_PERSISTENT] = unfold_persistent,
        [CALL_REQUEST] = unfold_request,
        [CALL_BUFFER] = unfold_buffer,
        [CALL_WAIT] = unfold_wait,
        [CALL_LOCAL] = unfold_local,
        [CALL_MEMORY] = unfold_memory,
        [CALL_MEASURE] = unfold_measure,
        [CALL_STREAM] = unfold_stream,
        [CALL_LOOP] = unfold_nothing,
    };
    at->call = *call;
    at->call.wrong = NULL;
    unfold_end_wait(at);
    at->steps->len = 0; // nothing to be cleared: cheaper than g_array_set_size, once per call
    at->next = 0;
    meanings[call->kind->class](at);
}

// Completes a step as it is taken.
static void complete(struct unfold *at, struct flat_op *op)
{
    if (op->kind <= FLAT_IPROBE ||
        (op->kind == FLAT_OTHER && at->call.kind->class == CALL_OPERATION))
        unfold_number(at, op);
    else if (op->kind == FLAT_WAIT || op->kind == FLAT_WAITANY || op->kind == FLAT_TEST)
        unfold_set_awaited(at, op);
}

enum source_next unfold_next(struct unfold *at, struct flat_op *op)
{
    unfold_end_wait(at);
    for (;;) {
        if (at->schedule && unfold_schedule_step(at, op))
            return SOURCE_CALL;
        if (at->next == at->steps->len)
            break;
        *op = g_array_index(at->steps, struct flat_op, at->next++);
        if (op->kind == UNFOLD_COLLECTIVE && !unfold_enter(at, op))
            continue;
        complete(at, op);
        return SOURCE_CALL;
    }
    op->call = &at->call;
    return at->call.wrong ? SOURCE_WRONG : SOURCE_END;
}

// ---- Create and free ----

static void schedule_free(void *data)
{
    struct mpi_schedule *schedule = data;
    mpi_schedule_clear(schedule);
    g_free(schedule);
}

GPtrArray *unfold_schedules(void)
{
    return g_ptr_array_new_with_free_func(schedule_free);
}

struct unfold *unfold_new(const struct unfold_program *program, int rank,
                          struct mpi_process *process)
{
    struct unfold *at = g_new0(struct unfold, 1);
    at->program = program;
    at->process = process;
    at->rank = rank;
    at->steps = g_array_new(FALSE, FALSE, sizeof(struct flat_op));
    at->started = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    at->handles = g_ptr_array_new();
    at->own_buffers = g_array_new(FALSE, TRUE, sizeof(struct unfold_memory));
    unfold_requests_init(at);
    return at;
}

void unfold_free(struct unfold *at)
{
    if (!at)
        return;
    if (at->schedule)
        schedule_free(at->schedule);
    unfold_requests_clear(at);
    g_array_free(at->steps, TRUE);
    g_array_free(at->started, TRUE);
    g_ptr_array_free(at->handles, TRUE);
    g_array_free(at->own_buffers, TRUE);
    g_free(at->wrong);
    g_free(at);
}

void unfold_ask(struct unfold *at)
{
    at->asks = true;
}
