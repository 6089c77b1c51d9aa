// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/mpi/process.h"

#include "sim/core/intern.h"

#include "sim/mpi/group.h"
#include "sim/mpi/packing.h"
#include "sim/program/operation_kind.h"
#include <string.h>

const struct stage mpi_stage = {"MPI", STAGE_LIBRARY};

const char *const mpi_split_rules[] = {"allgather", "allreduce", "context_first", NULL};

#define GROUP_STEP UINT64_C(0x9e3779b97f4a7c15)
#define HEAP_START 0x08000000 // where the heap of an IA-32 Linux process begins, about

struct mpi_process *mpi_process_new(struct sim *sim, struct host *host, int nth_on_host, int rank,
                                    int ranks, cpu_task_fn *run)
{
    struct mpi_process *process = g_new0(struct mpi_process, 1);
    char *name = g_strdup_printf("rank %d", rank);
    process->sim = sim;
    process->host = host;
    process->rank = rank;
    process->ranks = ranks;
    process->name = intern_text(name);
    process->heap_end = HEAP_START;
    cpu_task_init(&process->task, host_process_core(host, nth_on_host), CPU_USER, run);
    mpi_matcher_init(&process->matcher);
    g_free(name);
    return process;
}

void mpi_process_free(struct mpi_process *process)
{
    if (!process)
        return;
    pool_clear(&process->request_pool);
    mpi_matcher_clear(&process->matcher);
    peer_counts_clear(&process->sequence);
    mpi_packs_clear(process);
    g_free(process);
}

// ---- Who looks on ----

static void observe(const struct mpi_request *request, enum mpi_observed what)
{
    struct mpi_observer *observer = request->process->observer;
    if (observer && observer->request)
        observer->request(observer, request->process, request, what);
}

void mpi_observe_collective(struct mpi_process *process, const char *name, bool enters)
{
    struct mpi_observer *observer = process->observer;
    if (observer && observer->collective)
        observer->collective(observer, process, name, enters);
}

// ---- Requests ----

static void active_add(struct mpi_process *process, struct mpi_request *request)
{
    request->active_previous = NULL;
    request->active_next = process->active;
    if (process->active)
        process->active->active_previous = request;
    process->active = request;
}

static void active_remove(struct mpi_process *process, struct mpi_request *request)
{
    if (request->active_previous)
        request->active_previous->active_next = request->active_next;
    else
        process->active = request->active_next;
    if (request->active_next)
        request->active_next->active_previous = request->active_previous;
}

static void charge_library(struct cpu_context *context, const struct mpi_process *process,
                           struct cost cost, int64_t times, struct message_ref message)
{
    if (process->library)
        cpu_spend_message(context, time_times(times, cpu_cost(context->cpu, cost)), &mpi_stage,
                          message);
}

void mpi_call(struct cpu_context *context, struct mpi_process *process)
{
    if (process->library)
        charge_library(context, process, process->library->call, 1, MESSAGE_NONE);
}

void mpi_build(struct cpu_context *context, struct mpi_process *process)
{
    mpi_call(context, process);
    if (process->library)
        charge_library(context, process, process->library->request, 1, MESSAGE_NONE);
}

void mpi_charge_match(struct cpu_context *context, const struct mpi_process *process, int scanned)
{
    if (process->library)
        charge_library(context, process, process->library->match, scanned, MESSAGE_NONE);
}

void mpi_charge_reduce(struct cpu_context *context, const struct mpi_process *process,
                       int64_t bytes)
{
    static const struct stage reduce_stage = {"reduce", STAGE_LIBRARY};
    if (process->library)
        cpu_spend_time(context,
                       cpu_cost_of_bytes(context->cpu, process->library->reduce_kib, bytes),
                       &reduce_stage);
}

const char *mpi_request_name(const struct mpi_request *request)
{
    static const char *const names[] = {
        [REQUEST_SEND] = "send", [REQUEST_RECV] = "recv", [REQUEST_PROBE] = "probe"};
    return request->kind == REQUEST_OPERATION ? request->operation->name : names[request->kind];
}

// ---- Messages in the ledger ----

static uint32_t way_of(const struct mpi_request *request)
{
    const struct mpi_device_ops *ops = request->process->ops;
    return ops->way ? (uint32_t)ops->way(request) : 0;
}

// Messages of a flow keep their order: those of sends of one source, destination, context and tag;
// those of operations of one source, destination, context and route. A group's part of the key is
// above all ranks.
static uint64_t flow_key(const struct mpi_request *request, int source, int destination)
{
    uint64_t pair = (uint64_t)source * (uint64_t)request->process->ranks + (uint64_t)destination;
    uint32_t label = (uint32_t)request->tag;
    enum mpi_context kind = mpi_context_kind(request->context);
    if (request->kind == REQUEST_OPERATION) // no tag is that large
        label = UINT32_C(0x80000000) | way_of(request) << 8 | (uint32_t)kind;
    uint64_t key = (pair << 32 | (uint64_t)label) << 1 | (uint64_t)(kind & 1);
    return key ^ (uint64_t)mpi_context_group(request->context) * GROUP_STEP;
}

bool mpi_message_under_way(const struct mpi_request *receive)
{
    return receive->peer != RANK_ANY && receive->tag != TAG_ANY &&
           ledger_flow_unmatched(receive->process->sim->ledger,
                                 flow_key(receive, receive->peer, receive->process->rank));
}

// Where the message of a request goes when it starts.
static enum operation_moves moves(const struct mpi_request *request)
{
    return request->kind == REQUEST_OPERATION ? request->operation->moves
           : request->kind == REQUEST_SEND    ? OPERATION_TO_PEER
                                              : OPERATION_MOVES_NOTHING;
}

static void open_message(const struct cpu_context *context, struct mpi_request *request)
{
    struct mpi_process *process = request->process;
    bool fetched = moves(request) == OPERATION_FROM_PEER;
    int source = fetched ? request->peer : process->rank,
        destination = fetched ? process->rank : request->peer;
    request->message = ledger_open(process->sim->ledger, source, destination, request->size,
                                   flow_key(request, source, destination));
    if (request->ready)
        ledger_mark(process->sim->ledger, request->message);
    trace_open(process->sim->trace, request->message,
               &(struct trace_message){ledger_totals(process->sim->ledger).messages, source,
                                       destination, request->size});
    trace_flow(process->sim->trace, cpu_lane(context->cpu), request->message, TRACE_FLOW_START,
               context->now);
}

// The costs of MPI are those of its own calls.
static bool charges_library(const struct mpi_request *request)
{
    return request->process->library && !request->shortcut && !request->prebuilt &&
           request->kind != REQUEST_OPERATION;
}

static enum mpi_context context_of(enum mpi_request_kind kind, const struct mpi_transfer *transfer)
{
    return kind == REQUEST_OPERATION
               ? (enum mpi_context)(CONTEXT_OPERATIONS + transfer->operation->order)
               : transfer->context;
}

// Whether the call cannot name the length of its message; if so, the run fails.
static bool too_long(const struct mpi_request *request)
{
    const struct mpi_longest *longest = &request->process->ops->longest;
    bool transfers = request->kind != REQUEST_OPERATION || moves(request);
    if (longest->bytes == 0 || request->size <= longest->bytes || !transfers)
        return false;
    mpi_fail(request->process, "too_long", NULL,
             ": a message of %" G_GINT64_FORMAT " B is longer than %s can say", request->size,
             longest->number);
    return true;
}

struct mpi_request *mpi_start(struct cpu_context *context, struct mpi_process *process,
                              enum mpi_request_kind kind, const struct mpi_transfer *transfer)
{
    if (process->request_pool.object_size == 0)
        pool_init(&process->request_pool, sizeof(struct mpi_request) + process->ops->request_size);
    struct mpi_request *request = pool_take(&process->request_pool);
    *request = (struct mpi_request){
        .process = process,
        .kind = kind,
        .number = ++process->last_number,
        .peer = transfer->peer,
        .tag = transfer->tag,
        .context = mpi_group_context(transfer->group, context_of(kind, transfer)),
        .group = transfer->group,
        .address = transfer->address,
        .size = transfer->size,
        .pieces = transfer->pieces,
        .synchronous = transfer->synchronous,
        .ready = transfer->ready,
        .prebuilt = transfer->prebuilt,
        .blocking = transfer->blocking,
        .operation = transfer->operation,
        .arguments = transfer->arguments,
    };
    memset(request->device, 0, process->ops->request_size);
    request->shortcut = process->ops->shortcut && process->ops->shortcut(request);
    active_add(process, request);
    if (moves(request) != OPERATION_MOVES_NOTHING)
        open_message(context, request);
    if (kind == REQUEST_SEND)
        request->status.sequence = (*peer_counts_at(&process->sequence, request->peer))++;
    observe(request, OBSERVED_START);
    if (kind != REQUEST_OPERATION && !request->prebuilt)
        mpi_call(context, process);
    if (charges_library(request))
        charge_library(context, process, process->library->request, 1, request->message);
    if (request->pieces > 0)
        mpi_pack(context, request);
    if (!too_long(request))
        process->ops->start(context, request);
    return request;
}

void mpi_wait(struct mpi_process *process, struct mpi_request *request)
{
    if (request->waited || request->done)
        return;
    request->waited = true;
    process->open_waits++;
}

void mpi_unwait(struct mpi_process *process, struct mpi_request *request)
{
    if (request->waited && !request->done)
        process->open_waits--;
    request->waited = false;
}

static const struct wait any_progress = {"progress", WAIT_OTHER};

static const struct wait *wait_of(const struct mpi_request *request)
{
    return request->waits_for ? request->waits_for : &any_progress;
}

// Returns the wait of the oldest request that the program waits for.
static const struct wait *waits_for(const struct mpi_process *process)
{
    const struct wait *what = &any_progress;
    for (const struct mpi_request *request = process->active; request;
         request = request->active_next)
        if (request->waited)
            what = wait_of(request);
    return what;
}

// Notes in the trace that a process which had gone to sleep is awake again.
static void trace_awake(const struct cpu_context *context, struct mpi_process *process)
{
    if (!process->blocked_for)
        return;
    trace_note(process->sim->trace, cpu_lane(context->cpu),
               &(struct trace_note){.kind = TRACE_BLOCKED,
                                    .wait = process->blocked_for,
                                    .where = process->name,
                                    .from = process->blocked_since,
                                    .to = context->now});
    process->blocked_for = NULL;
}

// The process goes to sleep, if that is what came of a call of the device.
static enum mpi_progress note_sleep(const struct cpu_context *context, struct mpi_process *process,
                                    enum mpi_progress progress)
{
    if (process->sim->trace && progress == PROGRESS_BLOCKED) {
        process->blocked_for = waits_for(process);
        process->blocked_since = context->now;
    }
    return progress;
}

enum mpi_progress mpi_go_on(struct cpu_context *context, struct mpi_process *process)
{
    if (!process->ops->go_on)
        return PROGRESS_NOTHING;
    if (process->sim->trace)
        trace_awake(context, process);
    return note_sleep(context, process, process->ops->go_on(context, process));
}

enum mpi_progress mpi_advance(struct cpu_context *context, struct mpi_process *process,
                              bool blocking)
{
    if (process->sim->trace)
        trace_awake(context, process);
    return note_sleep(context, process, process->ops->advance(context, process, blocking));
}

enum mpi_progress mpi_progress(struct cpu_context *context, struct mpi_process *process,
                               bool blocking)
{
    enum mpi_progress progress = mpi_go_on(context, process);
    if (progress == PROGRESS_NOTHING)
        return mpi_advance(context, process, blocking);
    return progress == PROGRESS_BLOCKED ? PROGRESS_BLOCKED : PROGRESS_PART;
}

void mpi_request_free(struct cpu_context *context, struct mpi_request *request)
{
    struct mpi_process *process = request->process;
    g_assert(request->done);
    observe(request, OBSERVED_RETURN);
    if (charges_library(request))
        charge_library(context, process, process->library->request, 1, request->message);
    if (request->pieces > 0)
        mpi_unpack(context, request);
    if (process->ops->destroy)
        process->ops->destroy(context, request);
    pool_give(&process->request_pool, request);
}

void mpi_request_withdraw(struct cpu_context *context, struct mpi_request *request)
{
    struct mpi_process *process = request->process;
    if (!request->done) {
        if (mpi_queue_remove(&process->matcher.posted, request))
            process->matcher.posted_count--;
        active_remove(process, request);
        request->done = true;
    }
    mpi_request_free(context, request);
}

struct mpi_envelope mpi_send_envelope(const struct mpi_request *request)
{
    return (struct mpi_envelope){
        .source = request->process->rank,
        .tag = request->tag,
        .context = request->context,
        .length = request->size,
        .sequence = request->status.sequence,
    };
}

bool mpi_request_truncates(struct mpi_request *request, const struct mpi_envelope *envelope)
{
    if (request->kind != REQUEST_RECV || envelope->length <= request->size)
        return false;
    mpi_fail(request->process, "truncated", json_pack("{s:i}", "peer", envelope->source),
             " receives %" G_GINT64_FORMAT " B from rank %d into a buffer of %" G_GINT64_FORMAT
             " B (MPI_ERR_TRUNCATE)",
             envelope->length, envelope->source, request->size);
    return true;
}

void mpi_request_match(struct mpi_request *request, const struct mpi_envelope *envelope,
                       struct message_ref message)
{
    request->status = *envelope;
    request->message = message;
    if (request->kind == REQUEST_RECV)
        ledger_match(request->process->sim->ledger, message);
    observe(request, OBSERVED_MATCH);
}

void mpi_request_done(struct cpu_context *context, struct mpi_request *request)
{
    struct mpi_process *process = request->process;
    g_assert(!request->done);
    if (request->kind == REQUEST_RECV) {
        trace_flow(process->sim->trace, cpu_lane(context->cpu), request->message, TRACE_FLOW_END,
                   context->now);
        ledger_complete(process->sim->ledger, request->message);
    }
    request->done = true;
    observe(request, OBSERVED_DONE);
    active_remove(process, request);
    if (request->waited)
        process->open_waits--;
}

void mpi_message_arrived(const struct cpu_context *context, struct mpi_process *process,
                         struct message_ref message)
{
    trace_flow(process->sim->trace, cpu_lane(context->cpu), message, TRACE_FLOW_END, context->now);
    ledger_match(process->sim->ledger, message);
    ledger_complete(process->sim->ledger, message);
}

// Notes in the trace what a request has waited for in the state that it leaves.
static void trace_held(const struct cpu_context *context, struct mpi_request *request)
{
    if (request->waits_for && request->waits_since > 0)
        trace_note(request->process->sim->trace, cpu_lane(context->cpu),
                   &(struct trace_note){.kind = TRACE_HELD,
                                        .wait = request->waits_for,
                                        .where = request->process->name,
                                        .from = request->waits_since,
                                        .to = context->now,
                                        .message = request->message});
    request->waits_since = context->now;
}

static struct machine_owner request_owner(const struct mpi_request *request)
{
    return (struct machine_owner){
        .where = request->process->name,
        .subject = request->number,
        .machine = mpi_request_name(request),
    };
}

void mpi_trace(const struct cpu_context *context, struct mpi_request *request, const char *from,
               const char *to, const char *detail)
{
    if (!request->process->sim->trace)
        return;
    cpu_trace_event(context, request_owner(request), from, to, detail);
    trace_held(context, request);
}

const struct machine_state *mpi_request_state(const struct mpi_request *request)
{
    const struct machine_kind *kind = request->process->ops->machine;
    return kind ? &kind->states[request->machine.state] : NULL;
}

void mpi_enter(struct cpu_context *context, struct mpi_request *request, unsigned state,
               const char *detail)
{
    const struct machine_kind *kind = request->process->ops->machine;
    cpu_machine_enter(context, kind, &request->machine, state, request_owner(request), detail);
    if (request->process->sim->trace)
        trace_held(context, request);
    request->waits_for = machine_wait(kind, &request->machine);
}

void mpi_enter_untraced(struct mpi_request *request, unsigned state)
{
    const struct machine_kind *kind = request->process->ops->machine;
    machine_enter(kind, &request->machine, state, request_owner(request), NULL, NULL, 0, 0);
    request->waits_for = machine_wait(kind, &request->machine);
}

static json_t *wildcard_json(int value)
{
    return value < 0 ? json_string("any") : json_integer(value);
}

// The rank that could end the request's wait, or "any rank".
static json_t *holder_json(const struct mpi_request *request, enum wait_holder holder)
{
    bool matched = request->kind != REQUEST_OPERATION && request->kind != REQUEST_SEND &&
                   request->message.generation != 0;
    int rank = holder == HELD_HERE ? request->process->rank
               : matched           ? request->status.source
                                   : request->peer;
    return rank < 0 ? json_string("any rank") : json_sprintf("rank %d", rank);
}

// Reports the values of an operation's own keys.
static void report_arguments(json_t *json, const struct mpi_request *request)
{
    const struct operation_key *key = request->operation->keys;
    for (; key && key->param.name; key++) {
        char *text = key->report ? operation_text(key, request->arguments) : NULL;
        if (text)
            json_object_set_new(json, key->report, json_string(text));
        g_free(text);
    }
}

static json_t *request_json(const struct mpi_request *request)
{
    const struct mpi_device_ops *ops = request->process->ops;
    json_t *json = json_pack("{s:s, s:i, s:o}", "kind", mpi_request_name(request), "request",
                             (int)request->number, "peer", wildcard_json(request->peer));
    if (request->kind != REQUEST_OPERATION)
        json_object_set_new(json, "tag", wildcard_json(request->tag));
    else
        report_arguments(json, request);
    if (request->group)
        json_object_set_new(json, "group", json_string(request->group->name));
    json_object_set_new(json, "size", json_integer(request->size));
    json_object_set_new(json, "waits_for", json_string(wait_of(request)->text));
    const struct machine_state *state = mpi_request_state(request);
    if (state && state->holder != HOLDER_UNKNOWN)
        json_object_set_new(json, "held_by", holder_json(request, state->holder));
    json_t *more = ops->describe_request ? ops->describe_request(request) : NULL;
    if (more)
        json_object_update(json, more);
    json_decref(more);
    return json;
}

void mpi_fail(const struct mpi_process *process, const char *kind, json_t *detail,
              const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    json_t *members = json_pack("{s:i}", "rank", process->rank);
    if (detail)
        json_object_update(members, detail);
    json_decref(detail);
    sim_fail(process->sim, SIM_FAILED, kind, members, "rank %d%s", process->rank, text);
    g_free(text);
}

json_t *mpi_process_describe(const struct mpi_process *process)
{
    json_t *requests = json_array();
    for (const struct mpi_request *request = process->active; request;
         request = request->active_next)
        json_array_insert_new(requests, 0, request_json(request));
    json_t *json = json_pack("{s:i, s:s, s:o}", "rank", process->rank, "host", process->host->name,
                             "requests", requests);
    json_t *more = process->ops->describe_process ? process->ops->describe_process(process) : NULL;
    if (more)
        json_object_update(json, more);
    json_decref(more);
    return json;
}
