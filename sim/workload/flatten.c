// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/flatten.h"

#include "sim/workload/call_kind.h"

#include <string.h>

// A request that the program has named, and not waited for.
struct named {
    int name; // op_call.request
    uint32_t request;
};

// Where a rank stands.
struct unfolding {
    struct op_call call;           // under way, with `arguments`
    void *arguments;               // a copy: the source's are gone when another rank asks
    size_t room;                   // bytes of it
    bool called;                   // something of it is left
    struct mpi_schedule *schedule; // of a collective; NULL: the call is none
    guint step;                    // the next one
    uint32_t requests;             // so far
    GArray *started;               // uint32_t: of the call, not waited for yet
    bool waits;                    // ... but by the operation that was given last
    GArray *named;                 // struct named, in the order of starting
};

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
        [FLAT_SEND] = "isend",    [FLAT_RECV] = "irecv",    [FLAT_PROBE] = "probe",
        [FLAT_IPROBE] = "iprobe", [FLAT_WAIT] = "wait",     [FLAT_COMPUTE] = "compute",
        [FLAT_COPY] = "copy",     [FLAT_REDUCE] = "reduce", [FLAT_MEASURE] = "measure",
        [FLAT_OTHER] = "other",
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

static void schedule_build(struct flatten *flatten, int rank, struct unfolding *at)
{
    // All that building looks at.
    const struct mpi_process process = {
        .rank = rank, .ranks = flatten->ranks, .library = flatten->library};
    const struct collective_arguments *arguments = at->arguments;
    enum op_code code = (enum op_code)at->call.kind->code;
    at->schedule = schedule_take(flatten);
    at->step = 0;
    mpi_collective_build(at->schedule, &process, at->call.group, call_collective(code),
                         arguments->root, arguments->common.size);
}

// ---- Operations ----

static void start_request(struct unfolding *at, struct flat_op *op, enum mpi_request_kind kind)
{
    op->kind = kind == REQUEST_SEND ? FLAT_SEND : kind == REQUEST_RECV ? FLAT_RECV : FLAT_PROBE;
    op->request = ++at->requests;
    g_array_append_val(at->started, op->request);
}

static void wait_for_started(struct unfolding *at, struct flat_op *op)
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
        wait_for_started(at, op);
        return true;
    }
    if (at->step == steps->len) {
        g_ptr_array_add(flatten->schedules, at->schedule);
        at->schedule = NULL;
        at->called = false;
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
    start_request(at, op, step->kind == STEP_SEND ? REQUEST_SEND : REQUEST_RECV);
    return true;
}

// What was started goes under the call's name, or is waited for next.
static void name_started(struct unfolding *at)
{
    at->called = at->call.request == CALL_NO_REQUEST;
    if (at->called)
        return;
    struct named named = {at->call.request, g_array_index(at->started, uint32_t, 0)};
    g_array_append_val(at->named, named);
    g_array_set_size(at->started, 0);
}

static void unfold_transfer(struct unfolding *at, struct flat_op *op)
{
    const struct transfer_arguments *arguments = at->arguments;
    enum op_code code = (enum op_code)at->call.kind->code;
    op->peer = arguments->common.peer;
    op->tag = (int)arguments->tag;
    op->context = CONTEXT_POINT_TO_POINT;
    op->group = at->call.group;
    op->size = arguments->common.size;
    op->synchronous = call_synchronous(code);
    start_request(at, op, call_request_kind(code));
    if (code == OP_IPROBE) {
        op->kind = FLAT_IPROBE;
        g_array_set_size(at->started, 0);
        at->called = false;
        return;
    }
    name_started(at);
}

// The receive, then the send.
static void unfold_sendrecv(struct unfolding *at, struct flat_op *op)
{
    const struct sendrecv_arguments *arguments = at->arguments;
    const struct transfer_arguments *send = &arguments->send;
    bool receives = at->started->len == 0;
    op->peer = receives ? arguments->source : send->common.peer;
    op->tag = (int)send->tag;
    op->context = CONTEXT_POINT_TO_POINT;
    op->group = at->call.group;
    op->size = send->common.size;
    start_request(at, op, receives ? REQUEST_RECV : REQUEST_SEND);
}

static void take_named(struct unfolding *at, int name)
{
    for (guint i = 0; i < at->named->len; i++) {
        const struct named *named = &g_array_index(at->named, struct named, i);
        if (named->name != name)
            continue;
        g_array_append_val(at->started, named->request);
        g_array_remove_index(at->named, i);
        return;
    }
}

// False if nothing is open that the call waits for.
static bool unfold_wait(struct unfolding *at, struct flat_op *op)
{
    const struct op_call *call = &at->call;
    for (int i = 0; i < call->awaited_count; i++)
        take_named(at, call->awaited[i]);
    for (guint i = 0; call->awaits_all && i < at->named->len; i++)
        g_array_append_val(at->started, g_array_index(at->named, struct named, i).request);
    if (call->awaits_all)
        g_array_set_size(at->named, 0);
    at->called = false;
    if (at->started->len == 0)
        return false;
    wait_for_started(at, op);
    return true;
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
    start_request(at, op, REQUEST_SEND);
    op->kind = FLAT_OTHER;
    name_started(at);
}

// What is next of the call under way; false if nothing is left of it.
static bool unfold(struct flatten *flatten, struct unfolding *at, struct flat_op *op)
{
    bool pair = at->call.kind->class == CALL_SENDRECV;
    if (!at->schedule && at->started->len == (pair ? 2 : 1)) {
        wait_for_started(at, op);
        at->called = false;
        return true;
    }
    switch (at->call.kind->class) {
    case CALL_TRANSFER:
        unfold_transfer(at, op);
        return true;
    case CALL_SENDRECV:
        unfold_sendrecv(at, op);
        return true;
    case CALL_WAIT:
        return unfold_wait(at, op);
    case CALL_COLLECTIVE:
        return unfold_collective(flatten, at, op);
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
        if (op_call_is(&at->call, OP_CLOCK) || op_call_is(&at->call, OP_LAP))
            break; // what replays a program measures for itself
        unfold_local(at, op, FLAT_MEASURE);
        return true;
    case CALL_STREAM: // flatten_next has refused it
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
        at->named = g_array_new(FALSE, FALSE, sizeof(struct named));
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
        if (at->called)
            continue;
        enum source_next next = flatten->source->next(flatten->source, rank, &at->call);
        if (next == SOURCE_END || next == SOURCE_WRONG)
            return next;
        at->called = next == SOURCE_CALL;
        if (at->called && at->call.kind->class == CALL_STREAM) {
            at->call.wrong = "how much is written until a time is over, only a run says";
            return SOURCE_WRONG;
        }
        if (at->called)
            keep_arguments(at);
        if (at->called && at->call.kind->class == CALL_COLLECTIVE)
            schedule_build(flatten, rank, at);
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

struct flatten *flatten_case(const struct registry *registry, const struct scenario_case *test_case,
                             const struct workload *workload)
{
    const struct workload *asked = workload ? workload : &test_case->workload;
    const struct stack *stack = registry_stack(registry, test_case->stack->name);
    const struct benchmark *benchmark =
        asked->benchmark ? registry_benchmark(registry, asked->benchmark->name) : NULL;
    const struct mpi_library_config *library =
        stack->library_section ? scenario_section_values(test_case, stack->library_section) : NULL;
    struct flatten *flatten = flatten_new(workload_source(benchmark, asked), asked->ranks, library);
    flatten->owns_source = true;
    return flatten;
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
            g_array_free(at->named, TRUE);
        }
    }
    g_free(flatten->unfoldings);
    g_ptr_array_free(flatten->schedules, TRUE);
    g_free(flatten);
}
