// SPDX-License-Identifier: GPL-3.0-or-later
// What every MPI library does: sends, receives, probes, waits and collectives.
#include "sim/mpi/collective.h"
#include "sim/workload/interpreter_parts.h"

static bool op_sends(enum op_kind kind)
{
    return kind == OP_SEND || kind == OP_SSEND || kind == OP_ISEND || kind == OP_ISSEND;
}

static bool op_probes(enum op_kind kind)
{
    return kind == OP_PROBE || kind == OP_IPROBE;
}

// A tag that is computed is one, and never stands for any; `otherwise` if none is given.
static int tag_of(struct interpreter *run, const struct code_value *value, int otherwise)
{
    if (value->any || !value->given)
        return otherwise;
    int64_t tag = interpreter_value(run, value, otherwise);
    if (tag < 0)
        interpreter_fail(run, "tag %" G_GINT64_FORMAT " is negative", tag);
    else if (tag > INT32_MAX)
        interpreter_fail(run, "tag %" G_GINT64_FORMAT " is above %d, the largest", tag, INT32_MAX);
    return (int)tag;
}

static bool is_going_on(const struct interpreter *run)
{
    return run->process->sim->status == SIM_COMPLETED;
}

enum interpreter_phase interpreter_transfer(struct interpreter *run, struct cpu_context *context,
                                            struct code_op *op)
{
    enum op_kind kind = op->source->kind;
    bool sends = op_sends(kind);
    int64_t size = interpreter_quantity(run, &op->size, QUANTITY_SIZE);
    struct mpi_transfer transfer = {
        .peer = interpreter_peer(run, &op->peer),
        .tag = tag_of(run, &op->tag, sends ? 0 : MPI_TAG_ANY),
        .context = MPI_POINT_TO_POINT,
        .size = size,
        .synchronous = kind == OP_SSEND || kind == OP_ISSEND,
        .blocking = kind != OP_IPROBE && op->request == CODE_NO_SLOT,
    };
    if (!is_going_on(run))
        return PHASE_NEXT;
    if (!op_probes(kind))
        transfer.address = interpreter_address(run, op, size);
    if (!interpreter_slot_free(run, op))
        return PHASE_NEXT;
    enum mpi_request_kind request_kind = sends ? MPI_SEND : op_probes(kind) ? MPI_PROBE : MPI_RECV;
    struct mpi_request *request = mpi_start(context, run->process, request_kind, &transfer);
    if (kind == OP_IPROBE) {
        g_ptr_array_add(run->waiting, request);
        return PHASE_DRAIN;
    }
    return interpreter_started(run, op, request);
}

static void wait_slot(struct interpreter *run, int slot)
{
    if (run->open[slot])
        interpreter_wait_for(run, run->open[slot]);
    run->open[slot] = NULL;
}

enum interpreter_phase interpreter_wait(struct interpreter *run, struct cpu_context *context,
                                        const struct code_op *op)
{
    mpi_call(context, run->process);
    if (op->source->kind == OP_WAIT)
        wait_slot(run, op->request);
    else if (op->requests)
        for (guint i = 0; i < op->requests->len; i++)
            wait_slot(run, g_array_index(op->requests, int, i));
    else
        for (guint slot = 0; slot < run->code->names->len; slot++)
            wait_slot(run, (int)slot);
    return PHASE_WAIT;
}

// Of an operation that sends and receives; `fallback` if its place is not given.
static int64_t receive_address(struct interpreter *run, const struct code_op *op, int64_t fallback)
{
    return op->receive_buffer.given ? interpreter_quantity(run, &op->receive_buffer, QUANTITY_SIZE)
                                    : fallback;
}

// A receive and a send that are started together, as libraries make MPI_Sendrecv of them.
enum interpreter_phase interpreter_sendrecv(struct interpreter *run, struct cpu_context *context,
                                            struct code_op *op)
{
    int64_t size = interpreter_quantity(run, &op->size, QUANTITY_SIZE);
    struct mpi_transfer send = {.peer = interpreter_peer(run, &op->peer),
                                .tag = tag_of(run, &op->tag, 0),
                                .context = MPI_POINT_TO_POINT,
                                .size = size};
    struct mpi_transfer receive = send;
    receive.peer = interpreter_peer(run, &op->source_rank);
    if (!is_going_on(run))
        return PHASE_NEXT;
    send.address = interpreter_address(run, op, 2 * size);
    receive.address = receive_address(run, op, send.address + size);
    interpreter_wait_for(run, mpi_start(context, run->process, MPI_RECV, &receive));
    interpreter_wait_for(run, mpi_start(context, run->process, MPI_SEND, &send));
    return PHASE_WAIT;
}

static enum mpi_collective collective_of(enum op_kind kind)
{
    return kind == OP_BARRIER     ? MPI_BARRIER
           : kind == OP_BCAST     ? MPI_BCAST
           : kind == OP_REDUCE    ? MPI_REDUCE
           : kind == OP_ALLREDUCE ? MPI_ALLREDUCE
           : kind == OP_GATHER    ? MPI_GATHER
           : kind == OP_SCATTER   ? MPI_SCATTER
           : kind == OP_ALLGATHER ? MPI_ALLGATHER
                                  : MPI_ALLTOALL;
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

enum interpreter_phase interpreter_collective(struct interpreter *run, struct cpu_context *context,
                                              struct code_op *op)
{
    enum mpi_collective collective = collective_of(op->source->kind);
    int64_t size = interpreter_quantity(run, &op->size, QUANTITY_SIZE),
            root = interpreter_value(run, &op->root, 0);
    if (!interpreter_rank_valid(run, root))
        return PHASE_NEXT;
    mpi_observe_collective(run->process, op_kind_name(op->source->kind), true);
    int ranks = run->process->ranks;
    int64_t sent = mpi_collective_send_bytes(collective, ranks, size),
            received = mpi_collective_receive_bytes(collective, ranks, size);
    struct mpi_schedule *schedule = &run->schedule;
    mpi_collective_build(schedule, run->process, NULL, collective, (int)root, size);
    if (schedule->steps->len == 0) { // the library sees that there is nothing to do
        mpi_call(context, run->process);
        mpi_observe_collective(run->process, op_kind_name(op->source->kind), false);
        return PHASE_NEXT;
    }
    int64_t *address = schedule->address;
    address[MPI_BUFFER_SEND] = interpreter_address(run, op, sent + received);
    address[MPI_BUFFER_RECEIVE] = receive_address(run, op, address[MPI_BUFFER_SEND] + sent);
    address[MPI_BUFFER_TEMPORARY] = temporary_address(run, schedule->temporary);
    return PHASE_COLLECTIVE;
}
