// SPDX-License-Identifier: GPL-3.0-or-later
// What every MPI library does: sends, receives, probes, waits and collectives.
#include "sim/workload/call_kind.h"
#include "sim/workload/interpreter_internal.h"

enum interpreter_phase interpreter_transfer(struct interpreter *run, struct cpu_context *context)
{
    const struct transfer_arguments *arguments = run->call.arguments;
    enum op_code code = (enum op_code)run->call.kind->code;
    enum mpi_request_kind request_kind = call_request_kind(code);
    struct mpi_transfer transfer = {
        .peer = arguments->common.peer,
        .tag = (int)arguments->tag,
        .context = CONTEXT_POINT_TO_POINT,
        .size = arguments->common.size,
        .group = run->call.group,
        .synchronous = call_synchronous(code),
        .blocking = code != OP_IPROBE && run->call.request == CALL_NO_REQUEST,
    };
    if (request_kind != REQUEST_PROBE)
        transfer.address = interpreter_address(run, transfer.size);
    if (!interpreter_name_free(run))
        return PHASE_NEXT;
    struct mpi_request *request = mpi_start(context, run->process, request_kind, &transfer);
    if (code == OP_IPROBE) {
        g_ptr_array_add(run->waiting, request);
        return PHASE_DRAIN;
    }
    return interpreter_started(run, request);
}

static void wait_for_number(struct interpreter *run, int number)
{
    for (guint i = 0; i < run->open->len; i++) {
        const struct open_request *open = &g_array_index(run->open, struct open_request, i);
        if (open->number != number)
            continue;
        interpreter_wait_for(run, open->request);
        g_array_remove_index(run->open, i);
        return;
    }
}

static void wait_for_all(struct interpreter *run)
{
    for (guint i = 0; i < run->open->len; i++)
        interpreter_wait_for(run, g_array_index(run->open, struct open_request, i).request);
    g_array_set_size(run->open, 0);
}

enum interpreter_phase interpreter_wait(struct interpreter *run, struct cpu_context *context)
{
    mpi_call(context, run->process);
    if (run->call.awaits_all)
        wait_for_all(run);
    for (int i = 0; i < run->call.awaited_count; i++)
        wait_for_number(run, run->call.awaited[i]);
    return PHASE_WAIT;
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
    int64_t size = arguments->send.common.size;
    struct mpi_transfer send = {.peer = arguments->send.common.peer,
                                .tag = (int)arguments->send.tag,
                                .context = CONTEXT_POINT_TO_POINT,
                                .group = run->call.group,
                                .address = interpreter_address(run, 2 * size),
                                .size = size};
    struct mpi_transfer receive = send;
    receive.peer = arguments->source;
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

enum interpreter_phase interpreter_collective(struct interpreter *run, struct cpu_context *context)
{
    const struct collective_arguments *arguments = run->call.arguments;
    const char *name = run->call.kind->name;
    enum mpi_collective collective = call_collective((enum op_code)run->call.kind->code);
    mpi_observe_collective(run->process, name, true);
    int ranks = mpi_group_size(run->call.group, run->process->ranks);
    int64_t size = arguments->common.size,
            sent = mpi_collective_send_bytes(collective, ranks, size),
            received = mpi_collective_receive_bytes(collective, ranks, size);
    struct mpi_schedule *schedule = &run->schedule;
    mpi_collective_build(schedule, run->process, run->call.group, collective, arguments->root,
                         size);
    if (schedule->steps->len == 0) { // the library sees that there is nothing to do
        mpi_call(context, run->process);
        mpi_observe_collective(run->process, name, false);
        return PHASE_NEXT;
    }
    int64_t *address = schedule->address;
    address[BUFFER_SEND] = interpreter_address(run, sent + received);
    address[BUFFER_RECEIVE] =
        receive_address(arguments->receive_buffer, address[BUFFER_SEND] + sent);
    address[BUFFER_TEMPORARY] = temporary_address(run, schedule->temporary);
    return PHASE_COLLECTIVE;
}
