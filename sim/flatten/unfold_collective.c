// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives, those of a program and those that a library runs for another call, unfolded into the
// schedule of the library.
#include "sim/flatten/communicator_call.h"
#include "sim/flatten/unfold_internal.h"

// ---- The calls ----

void unfold_collective(struct unfold *at)
{
    unfold_append(at, UNFOLD_COLLECTIVE)->collective = at->call.kind;
}

// A collective that the library runs for the call, in memory of its own.
static void append_internal(struct unfold *at, const struct operation_kind *kind, int64_t size)
{
    struct flat_op *op = unfold_append(at, UNFOLD_COLLECTIVE);
    op->collective = kind;
    op->size = size;
}

void unfold_communicator(struct unfold *at)
{
    struct internal_collective collectives[COMMUNICATOR_COLLECTIVES_MOST];
    if (at->call.passes)
        return;
    unfold_append_if_run(at, FLAT_CHARGE_CALL);
    int count =
        communicator_collectives(at->program->library, (enum op_code)at->call.kind->code,
                                 mpi_group_size(at->call.group, at->program->ranks), collectives);
    for (int i = 0; i < count; i++)
        append_internal(at, collectives[i].kind, collectives[i].size);
}

bool unfold_opening(struct unfold *at)
{
    const struct operation_kind *kind = at->call.kind;
    int64_t size = operation_opening_size(kind, at->call.arguments);
    if (size == OPERATION_ANY)
        return false;
    if (unfold_runs(at) && at->process->ops->opens &&
        !at->process->ops->opens(at->process, kind, at->call.arguments))
        return false;
    append_internal(at, kind->opening.collective, size);
    return true;
}

// ---- Schedules ----

static struct mpi_schedule *take_schedule(struct unfold *at)
{
    GPtrArray *unused = at->program->schedules;
    if (unused->len > 0)
        return g_ptr_array_steal_index_fast(unused, unused->len - 1);
    struct mpi_schedule *schedule = g_new(struct mpi_schedule, 1);
    mpi_schedule_init(schedule);
    return schedule;
}

// Bytes of the buffers that the caller of a collective gives.
static void buffers_of(const struct unfold *at, enum mpi_collective collective, int root,
                       const struct mpi_collective_sizes *sizes, int64_t *sent, int64_t *received)
{
    int ranks = mpi_group_size(at->call.group, at->program->ranks),
        rank = mpi_group_place(at->call.group, at->rank);
    *sent = mpi_collective_send_bytes_sized(collective, rank, ranks, root, sizes);
    *received = mpi_collective_receive_bytes_sized(collective, rank, ranks, root, sizes);
}

// The library's temporary buffer: as with malloc, one collective gets the memory that the last one
// freed, if that was enough.
static int64_t temporary_address(struct unfold *at, int64_t bytes)
{
    if (bytes > at->temporary.bytes) {
        at->temporary.address = mpi_process_allocate(at->process, bytes);
        at->temporary.bytes = bytes;
    }
    return at->temporary.address;
}

// Of a program's collective: the buffers that it names, or its own.
static void place_program_buffers(struct unfold *at, int64_t sent, int64_t received)
{
    const struct collective_arguments *arguments = at->call.arguments;
    int64_t *address = at->schedule->address;
    address[BUFFER_SEND] = unfold_address(at, sent + received);
    address[BUFFER_RECEIVE] = arguments->receive_buffer == OPERATION_ANY
                                  ? address[BUFFER_SEND] + sent
                                  : arguments->receive_buffer;
    address[BUFFER_TEMPORARY] = temporary_address(at, at->schedule->temporary);
}

static void place_internal_buffers(struct unfold *at, int64_t sent, int64_t received)
{
    int64_t *address = at->schedule->address;
    address[BUFFER_SEND] = temporary_address(at, sent + received + at->schedule->temporary);
    address[BUFFER_RECEIVE] = address[BUFFER_SEND] + sent;
    address[BUFFER_TEMPORARY] = address[BUFFER_RECEIVE] + received;
}

static void build_schedule(struct unfold *at, const struct flat_op *op, bool internal)
{
    const struct collective_arguments *arguments = at->call.arguments;
    enum mpi_collective collective = call_collective((enum op_code)op->collective->code);
    int root = internal ? 0 : arguments->root;
    struct mpi_collective_sizes sizes = {.size = op->size};
    if (!internal)
        sizes = (struct mpi_collective_sizes){arguments->common.size, arguments->blocks,
                                              arguments->receive_blocks};
    // All that building reads.
    const struct mpi_process process = {
        .rank = at->rank, .ranks = at->program->ranks, .library = at->program->library};
    at->schedule = take_schedule(at);
    mpi_collective_build_sized(at->schedule, &process, at->call.group, collective, root, &sizes);
    if (!unfold_runs(at) || at->schedule->steps->len == 0)
        return;
    int64_t sent, received;
    buffers_of(at, collective, root, &sizes, &sent, &received);
    (internal ? place_internal_buffers : place_program_buffers)(at, sent, received);
}

static void end_schedule(struct unfold *at)
{
    g_ptr_array_add(at->program->schedules, at->schedule);
    at->schedule = NULL;
}

bool unfold_enter(struct unfold *at, struct flat_op *op)
{
    bool internal = at->call.kind->class != CALL_COLLECTIVE;
    build_schedule(at, op, internal);
    at->collective = op->collective;
    at->step = 0;
    at->entered = unfold_runs(at);
    at->round_waits = false;
    op->kind = FLAT_ENTER;
    if (!internal || at->schedule->steps->len > 0)
        return unfold_runs(at);
    end_schedule(at); // the library sees that there is nothing to do
    if (at->next < at->steps->len &&
        g_array_index(at->steps, struct flat_op, at->next).kind == FLAT_SLICE)
        at->next++;
    return false;
}

static void schedule_request(struct unfold *at, struct flat_op *op, const struct mpi_step *step)
{
    struct mpi_transfer transfer = mpi_schedule_transfer(at->schedule, step);
    bool first = at->step == 1 || step[-1].ends_round;
    op->kind = step->kind == STEP_SEND ? FLAT_SEND : FLAT_RECV;
    op->peer = transfer.peer;
    op->tag = transfer.tag;
    op->context = transfer.context;
    op->group = transfer.group;
    op->address = transfer.address;
    op->blocking = first && step->ends_round;
    unfold_number(at, op);
}

bool unfold_schedule_step(struct unfold *at, struct flat_op *op)
{
    const GArray *steps = at->schedule->steps;
    *op = (struct flat_op){.call = &at->call, .peer = RANK_ANY, .collective = at->collective};
    if (at->entered) {
        at->entered = false;
        op->kind = steps->len > 0 ? FLAT_SLICE : FLAT_CHARGE_CALL;
        return true;
    }
    if (at->round_waits && (unfold_runs(at) || at->started->len > 0)) {
        op->kind = FLAT_WAIT;
        op->round = true;
        unfold_set_awaited(at, op);
        at->round_waits = false;
        return true;
    }
    if (at->step == steps->len) {
        end_schedule(at);
        op->kind = FLAT_LEAVE;
        return unfold_runs(at);
    }
    const struct mpi_step *step = &g_array_index(steps, struct mpi_step, at->step++);
    at->round_waits = step->ends_round;
    op->size = step->size;
    if (step->kind == STEP_SEND || step->kind == STEP_RECV)
        schedule_request(at, op, step);
    else
        op->kind = step->kind == STEP_COPY ? FLAT_COPY : FLAT_REDUCE;
    return true;
}
