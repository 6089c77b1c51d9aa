// SPDX-License-Identifier: GPL-3.0-or-later
// What every MPI library does: sends, receives, probes, waits and collectives.
#include "sim/interpreter/interpreter_internal.h"
#include "sim/source/call_kind.h"

struct planned_transfer interpreter_plan(struct interpreter *run)
{
    const struct transfer_arguments *arguments = run->call.arguments;
    enum op_code code = (enum op_code)run->call.kind->code;
    struct planned_transfer plan = {.kind = call_request_kind(code),
                                    .mode = call_send_mode(code),
                                    .transfer = {
                                        .peer = arguments->common.peer,
                                        .tag = (int)arguments->tag,
                                        .context = CONTEXT_POINT_TO_POINT,
                                        .size = arguments->common.size,
                                        .group = run->call.group,
                                        .synchronous = call_synchronous(code),
                                    }};
    const struct data_layout *layout = arguments->common.layout;
    int64_t pieces = layout ? data_layout_blocks(layout) : 1;
    plan.transfer.ready = plan.mode == SEND_READY;
    plan.transfer.pieces = pieces > 1 ? pieces : 0;
    if (plan.kind != REQUEST_PROBE && pieces == 1)
        plan.transfer.address = interpreter_address(run, plan.transfer.size);
    return plan;
}

enum interpreter_phase interpreter_transfer(struct interpreter *run, struct cpu_context *context)
{
    struct planned_transfer plan = interpreter_plan(run);
    bool looks = op_call_is(&run->call, OP_IPROBE);
    plan.transfer.blocking = !looks && run->call.request == CALL_NO_REQUEST;
    if (!interpreter_name_free(run))
        return PHASE_NEXT;
    if (plan.mode == SEND_BUFFERED)
        return interpreter_bsend(run, context, &plan);
    struct mpi_request *request = mpi_start(context, run->process, plan.kind, &plan.transfer);
    if (looks) {
        g_ptr_array_add(run->waiting, request);
        return PHASE_DRAIN;
    }
    return interpreter_started(run, request);
}

// Where a call that sends and receives does the latter; `behind` if its place is not given.
static int64_t receive_address(int64_t receive_buffer, int64_t behind)
{
    return receive_buffer == OPERATION_ANY ? behind : receive_buffer;
}

// A receive and a send that are started together, as libraries make MPI_Sendrecv of them.
enum interpreter_phase interpreter_sendrecv(struct interpreter *run, struct cpu_context *context)
{
    const struct sendrecv_arguments *arguments = run->call.arguments;
    int64_t size = arguments->send.common.size,
            received = sendrecv_receive_size(run->call.kind, arguments);
    struct mpi_transfer send = {.peer = arguments->send.common.peer,
                                .tag = (int)arguments->send.tag,
                                .context = CONTEXT_POINT_TO_POINT,
                                .group = run->call.group,
                                .address = interpreter_address(run, size + received),
                                .size = size};
    struct mpi_transfer receive = send;
    receive.peer = arguments->source;
    receive.size = received;
    receive.tag = (int)sendrecv_receive_tag(run->call.kind, arguments);
    if (op_call_is(&run->call, OP_SENDRECV_REPLACE))
        send.pieces = 1; // a copy is sent, so that the receive may use its place
    else
        receive.address = receive_address(arguments->receive_buffer, send.address + size);
    interpreter_wait_for(run, mpi_start(context, run->process, REQUEST_RECV, &receive));
    interpreter_wait_for(run, mpi_start(context, run->process, REQUEST_SEND, &send));
    return PHASE_WAIT;
}

// The library's temporary buffer: as with malloc, one collective gets the memory that the last one
// gave back, if that was enough.
static int64_t temporary_address(struct interpreter *run, int64_t bytes)
{
    if (bytes > run->temporary_bytes) {
        run->temporary = mpi_process_allocate(run->process, bytes);
        run->temporary_bytes = bytes;
    }
    return run->temporary;
}

// Builds the schedule of a collective of the call's group. False if the library sees that there is
// nothing to do.
static bool build(struct interpreter *run, const struct operation_kind *kind, int root,
                  const struct mpi_collective_sizes *sizes)
{
    run->collective = kind;
    mpi_collective_build_sized(&run->schedule, run->process, run->call.group,
                               call_collective((enum op_code)kind->code), root, sizes);
    return run->schedule.steps->len > 0;
}

// Bytes of the buffers that the caller of a collective gives.
static void buffers_of(const struct interpreter *run, const struct operation_kind *kind, int root,
                       const struct mpi_collective_sizes *sizes, int64_t *sent, int64_t *received)
{
    enum mpi_collective collective = call_collective((enum op_code)kind->code);
    int ranks = mpi_group_size(run->call.group, run->process->ranks),
        rank = mpi_group_place(run->call.group, run->process->rank);
    *sent = mpi_collective_send_bytes_sized(collective, rank, ranks, root, sizes);
    *received = mpi_collective_receive_bytes_sized(collective, rank, ranks, root, sizes);
}

enum interpreter_phase interpreter_collective(struct interpreter *run, struct cpu_context *context)
{
    const struct collective_arguments *arguments = run->call.arguments;
    const struct operation_kind *kind = run->call.kind;
    const struct mpi_collective_sizes sizes = {arguments->common.size, arguments->blocks,
                                               arguments->receive_blocks};
    int64_t sent, received;
    mpi_observe_collective(run->process, kind->name, true);
    buffers_of(run, kind, arguments->root, &sizes, &sent, &received);
    if (!build(run, kind, arguments->root, &sizes)) {
        mpi_call(context, run->process);
        mpi_observe_collective(run->process, kind->name, false);
        return PHASE_NEXT;
    }
    struct mpi_schedule *schedule = &run->schedule;
    int64_t *address = schedule->address;
    address[BUFFER_SEND] = interpreter_address(run, sent + received);
    address[BUFFER_RECEIVE] =
        receive_address(arguments->receive_buffer, address[BUFFER_SEND] + sent);
    address[BUFFER_TEMPORARY] = temporary_address(run, schedule->temporary);
    return PHASE_COLLECTIVE;
}

bool interpreter_internal_collective(struct interpreter *run, const struct operation_kind *kind,
                                     int64_t size)
{
    const struct mpi_collective_sizes sizes = {.size = size};
    int64_t sent, received, *address = run->schedule.address;
    if (!build(run, kind, 0, &sizes))
        return false;
    buffers_of(run, kind, 0, &sizes, &sent, &received);
    address[BUFFER_SEND] = temporary_address(run, sent + received + run->schedule.temporary);
    address[BUFFER_RECEIVE] = address[BUFFER_SEND] + sent;
    address[BUFFER_TEMPORARY] = address[BUFFER_RECEIVE] + received;
    mpi_observe_collective(run->process, kind->name, true);
    return true;
}

enum interpreter_phase interpreter_next_collective(struct interpreter *run)
{
    while (run->pending_next < run->pending_count) {
        const struct internal_collective *next = &run->pending[run->pending_next++];
        if (interpreter_internal_collective(run, next->kind, next->size))
            return PHASE_COLLECTIVE;
    }
    return PHASE_NEXT;
}

enum interpreter_phase interpreter_communicator(struct interpreter *run,
                                                struct cpu_context *context)
{
    if (run->call.passes)
        return PHASE_NEXT;
    mpi_call(context, run->process);
    run->pending_next = 0;
    run->pending_count = communicator_collectives(
        run->process->library, (enum op_code)run->call.kind->code,
        mpi_group_size(run->call.group, run->process->ranks), run->pending);
    return interpreter_next_collective(run);
}
