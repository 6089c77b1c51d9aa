// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flatten/flatten.h"

#include "sim/flatten/communicator_call.h"
#include "sim/flatten/flatten_internal.h"

#include <string.h>

struct flatten {
    struct op_source *source;
    bool owns_source;
    int ranks;
    const struct mpi_library_config *library;
    struct unfolding *unfoldings;
    GPtrArray *schedules; // struct mpi_schedule *, that no rank has now
};

const char *flat_kind_name(enum flat_kind kind)
{
    static const char *const names[] = {
        [FLAT_SEND] = "isend",      [FLAT_RECV] = "irecv",  [FLAT_PROBE] = "probe",
        [FLAT_IPROBE] = "iprobe",   [FLAT_WAIT] = "wait",   [FLAT_WAITANY] = "waitany",
        [FLAT_COMPUTE] = "compute", [FLAT_COPY] = "copy",   [FLAT_REDUCE] = "reduce",
        [FLAT_MEASURE] = "measure", [FLAT_OTHER] = "other",
    };
    return names[kind];
}

// ---- Schedules ----

static void schedule_free(void *data)
{
    struct mpi_schedule *schedule = data;
    mpi_schedule_clear(schedule);
    g_free(schedule);
}

static struct mpi_schedule *schedule_take(struct flatten *flatten)
{
    if (flatten->schedules->len > 0)
        return g_ptr_array_steal_index_fast(flatten->schedules, flatten->schedules->len - 1);
    struct mpi_schedule *schedule = g_new(struct mpi_schedule, 1);
    mpi_schedule_init(schedule);
    return schedule;
}

static void schedule_build(struct flatten *flatten, int rank, struct unfolding *at,
                           enum op_code code, int root, const struct mpi_collective_sizes *sizes)
{
    // All that building looks at.
    const struct mpi_process process = {
        .rank = rank, .ranks = flatten->ranks, .library = flatten->library};
    at->schedule = schedule_take(flatten);
    at->step = 0;
    mpi_collective_build_sized(at->schedule, &process, at->call.group, call_collective(code), root,
                               sizes);
}

// The schedule of a collective, or of the one that an operation begins with. Whether the state of a
// device would skip that is not known here: it is taken as run.
static void schedule_of_call(struct flatten *flatten, int rank, struct unfolding *at)
{
    const struct operation_kind *kind = at->call.kind;
    const struct collective_arguments *arguments = at->arguments;
    int64_t opening = operation_opening_size(kind, at->arguments);
    if (kind->class == CALL_COLLECTIVE)
        schedule_build(flatten, rank, at, (enum op_code)kind->code, arguments->root,
                       &(struct mpi_collective_sizes){arguments->common.size, arguments->blocks,
                                                      arguments->receive_blocks});
    else if (opening != OPERATION_ANY)
        schedule_build(flatten, rank, at, (enum op_code)kind->opening.collective->code, 0,
                       &(struct mpi_collective_sizes){.size = opening});
}

// ---- Operations ----

void flatten_start(struct unfolding *at, struct flat_op *op, enum mpi_request_kind kind)
{
    op->kind = kind == REQUEST_SEND ? FLAT_SEND : kind == REQUEST_RECV ? FLAT_RECV : FLAT_PROBE;
    op->request = ++at->requests;
    g_array_append_val(at->started, op->request);
}

void flatten_wait_for_started(struct unfolding *at, struct flat_op *op)
{
    at->waits = true;
    op->kind = FLAT_WAIT;
    op->awaited = &g_array_index(at->started, uint32_t, 0);
    op->awaited_count = (int)at->started->len;
}

// A step of a collective; its last round's wait ends it.
static bool unfold_collective(struct flatten *flatten, struct unfolding *at, struct flat_op *op)
{
    g_assert(at->schedule);
    const GArray *steps = at->schedule->steps;
    bool round_over =
        at->step > 0 && g_array_index(steps, struct mpi_step, at->step - 1).ends_round;
    if (round_over && at->started->len > 0) {
        flatten_wait_for_started(at, op);
        return true;
    }
    if (at->step == steps->len) {
        g_ptr_array_add(flatten->schedules, at->schedule);
        at->schedule = NULL;
        at->called = at->call.kind->class != CALL_COLLECTIVE;
        return false;
    }
    const struct mpi_step *step = &g_array_index(steps, struct mpi_step, at->step++);
    op->size = step->size;
    if (step->kind == STEP_COPY || step->kind == STEP_REDUCE) {
        op->kind = step->kind == STEP_COPY ? FLAT_COPY : FLAT_REDUCE;
        return true;
    }
    struct mpi_transfer transfer = mpi_schedule_transfer(at->schedule, step);
    op->peer = transfer.peer;
    op->tag = transfer.tag;
    op->context = transfer.context;
    op->group = transfer.group;
    flatten_start(at, op, step->kind == STEP_SEND ? REQUEST_SEND : REQUEST_RECV);
    return true;
}

void flatten_describe(const struct unfolding *at, struct flat_op *op)
{
    const struct transfer_arguments *arguments = at->arguments;
    op->peer = arguments->common.peer;
    op->tag = (int)arguments->tag;
    op->context = CONTEXT_POINT_TO_POINT;
    op->group = at->call.group;
    op->size = arguments->common.size;
    op->synchronous = call_synchronous((enum op_code)at->call.kind->code);
}

static bool unfold_transfer(struct unfolding *at, struct flat_op *op)
{
    enum op_code code = (enum op_code)at->call.kind->code;
    if (call_send_mode(code) == SEND_BUFFERED)
        return flatten_bsend(at, op);
    flatten_describe(at, op);
    flatten_start(at, op, call_request_kind(code));
    if (code == OP_IPROBE) {
        op->kind = FLAT_IPROBE;
        g_array_set_size(at->started, 0);
        at->called = false;
        return true;
    }
    flatten_name_started(at);
    return true;
}

// The receive, then the send; of what is sent from the place of the received data, a copy.
static void unfold_sendrecv(struct unfolding *at, struct flat_op *op)
{
    const struct sendrecv_arguments *arguments = at->arguments;
    const struct transfer_arguments *send = &arguments->send;
    bool receives = at->started->len == 0;
    if (!receives && !at->copied && op_call_is(&at->call, OP_SENDRECV_REPLACE) &&
        send->common.size > 0) {
        at->copied = true;
        op->kind = FLAT_COPY;
        op->size = send->common.size;
        return;
    }
    at->copied = false;
    op->peer = receives ? arguments->source : send->common.peer;
    op->tag = (int)(receives ? sendrecv_receive_tag(at->call.kind, arguments) : send->tag);
    op->context = CONTEXT_POINT_TO_POINT;
    op->group = at->call.group;
    op->size = receives ? sendrecv_receive_size(at->call.kind, arguments) : send->common.size;
    flatten_start(at, op, receives ? REQUEST_RECV : REQUEST_SEND);
}

static void unfold_local(struct unfolding *at, struct flat_op *op, enum flat_kind kind)
{
    op->kind = kind;
    op->size = op_call_common(&at->call)->size;
    if (kind == FLAT_COMPUTE)
        op->time = ((const struct compute_arguments *)at->arguments)->time;
    at->called = false;
}

static void unfold_operation(struct unfolding *at, struct flat_op *op)
{
    op->peer = op_call_common(&at->call)->peer;
    op->size = op_call_common(&at->call)->size;
    flatten_start(at, op, REQUEST_SEND);
    op->kind = FLAT_OTHER;
    flatten_name_started(at);
}

// Begins the next collective that makes a communicator, if there is one more.
static bool unfold_communicator(struct flatten *flatten, struct unfolding *at)
{
    struct internal_collective collectives[COMMUNICATOR_COLLECTIVES_MOST];
    int rank = (int)(at - flatten->unfoldings), count = 0;
    if (!at->call.passes)
        count =
            communicator_collectives(flatten->library, (enum op_code)at->call.kind->code,
                                     mpi_group_size(at->call.group, flatten->ranks), collectives);
    at->called = at->collectives < count;
    if (at->called) {
        const struct internal_collective *next = &collectives[at->collectives++];
        schedule_build(flatten, rank, at, (enum op_code)next->kind->code, 0,
                       &(struct mpi_collective_sizes){.size = next->size});
    }
    return false;
}

// What is next of the call under way; false if nothing is left of it.
static bool unfold(struct flatten *flatten, struct unfolding *at, struct flat_op *op)
{
    bool pair = at->call.kind->class == CALL_SENDRECV;
    if (!at->schedule && at->started->len == (pair ? 2 : 1)) {
        flatten_wait_for_started(at, op);
        at->called = false;
        return true;
    }
    if (at->schedule)
        return unfold_collective(flatten, at, op);
    switch (at->call.kind->class) {
    case CALL_TRANSFER:
        return unfold_transfer(at, op);
    case CALL_SENDRECV:
        unfold_sendrecv(at, op);
        return true;
    case CALL_PERSISTENT:
        return flatten_persistent(at);
    case CALL_REQUEST:
        return flatten_requests(at, op);
    case CALL_BUFFER:
        return flatten_buffer(at, op);
    case CALL_WAIT:
        return flatten_wait(at, op);
    case CALL_LOCAL:
        unfold_local(at, op, op_call_is(&at->call, OP_COMPUTE) ? FLAT_COMPUTE : FLAT_COPY);
        return true;
    case CALL_MEMORY:
        unfold_local(at, op, FLAT_OTHER);
        return true;
    case CALL_OPERATION:
        unfold_operation(at, op);
        return true;
    case CALL_MEASURE:
        if (!at->asks && (op_call_is(&at->call, OP_CLOCK) || op_call_is(&at->call, OP_LAP)))
            break; // what replays a program measures for itself
        unfold_local(at, op, FLAT_MEASURE);
        return true;
    case CALL_COMMUNICATOR:
        return unfold_communicator(flatten, at);
    case CALL_COLLECTIVE: // its schedule is unfolded
    case CALL_STREAM:     // flatten_next has refused it
    case CALL_LOOP:
        break;
    }
    at->called = false;
    return false;
}

// ---- The stream ----

static void begin(struct unfolding *at)
{
    if (!at->started) {
        at->started = g_array_new(FALSE, FALSE, sizeof(uint32_t));
        flatten_requests_init(at);
    }
    if (at->waits)
        g_array_set_size(at->started, 0);
    at->waits = false;
}

static void keep_arguments(struct unfolding *at)
{
    size_t size = operation_arguments_size(at->call.kind);
    if (size > at->room)
        at->arguments = g_realloc(at->arguments, at->room = size);
    memcpy(at->arguments, at->call.arguments, size);
    ((struct operation_arguments *)at->arguments)->layout = NULL; // the size has its bytes
    at->call.arguments = at->arguments;
}

enum source_next flatten_next(struct flatten *flatten, int rank, struct flat_op *op)
{
    struct unfolding *at = &flatten->unfoldings[rank];
    begin(at);
    for (;;) {
        *op = (struct flat_op){.call = &at->call, .peer = RANK_ANY};
        if (at->called && unfold(flatten, at, op))
            return SOURCE_CALL;
        if (at->call.wrong)
            return SOURCE_WRONG;
        if (at->called)
            continue;
        enum source_next next = flatten->source->next(flatten->source, rank, &at->call);
        if (next == SOURCE_END || next == SOURCE_WRONG)
            return next;
        at->called = next == SOURCE_CALL;
        at->call.wrong = NULL;
        at->step = 0;
        at->collectives = 0;
        at->copied = false;
        if (at->called && at->call.kind->class == CALL_STREAM) {
            at->call.wrong = "how much is written until a time is over, only a run says";
            return SOURCE_WRONG;
        }
        if (at->called)
            keep_arguments(at);
        if (at->called)
            schedule_of_call(flatten, rank, at);
    }
}

struct flatten *flatten_new(struct op_source *source, int ranks,
                            const struct mpi_library_config *library)
{
    struct flatten *flatten = g_new0(struct flatten, 1);
    flatten->source = source;
    flatten->ranks = ranks;
    flatten->library = library;
    flatten->unfoldings = g_new0(struct unfolding, ranks);
    flatten->schedules = g_ptr_array_new_with_free_func(schedule_free);
    return flatten;
}

void flatten_own_source(struct flatten *flatten)
{
    flatten->owns_source = true;
}

void flatten_ask(struct flatten *flatten)
{
    for (int rank = 0; rank < flatten->ranks; rank++)
        flatten->unfoldings[rank].asks = true;
}

void flatten_took(struct flatten *flatten, int rank, int which)
{
    struct unfolding *at = &flatten->unfoldings[rank];
    flatten_close(at, g_array_index(at->started, uint32_t, which));
}

void flatten_free(struct flatten *flatten)
{
    if (!flatten)
        return;
    if (flatten->owns_source)
        op_source_free(flatten->source);
    for (int rank = 0; rank < flatten->ranks; rank++) {
        struct unfolding *at = &flatten->unfoldings[rank];
        if (at->schedule)
            schedule_free(at->schedule);
        g_free(at->arguments);
        if (at->started) {
            g_array_free(at->started, TRUE);
            flatten_requests_clear(at);
        }
    }
    g_free(flatten->unfoldings);
    g_ptr_array_free(flatten->schedules, TRUE);
    g_free(flatten);
}
