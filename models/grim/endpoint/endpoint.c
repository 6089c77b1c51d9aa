// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/grim/endpoint/endpoint.h"

#include "models/grim/endpoint/operations.h"
#include "sim/core/intern.h"

// ---- Calls of the library's own ----

static void look_up(struct cpu_context *context, struct mpi_request *request)
{
    struct grim_endpoint *endpoint = grim_endpoint_of(request->process);
    const char *name = grim_name_of(request);
    cpu_spend(context, endpoint->config->lookup, &grim_handlers_stage);
    bool known = grim_handlers_id(endpoint->handlers, name) != GRIM_NO_ID;
    if (!known && grim_is_server(endpoint)) {
        int64_t id = grim_names_find(endpoint->stack->names, name);
        if (id == GRIM_NO_ID) {
            grim_unknown_name(request, name);
            return;
        }
        grim_handlers_learn(endpoint->handlers, name, id);
        known = true;
    }
    if (!known)
        grim_inject(context, request, GRIM_REQUEST_ASK);
    else if (grim_is(request, GRIM_OPERATION_CALL))
        mpi_finish(context, request);
    else
        grim_inject(context, request, GRIM_REQUEST_INJECT);
}

static void synchronise(struct cpu_context *context, struct mpi_request *request, const char *name)
{
    struct grim_endpoint *endpoint = grim_endpoint_of(request->process);
    if (name)
        grim_handlers_add(endpoint->handlers, name, GRIM_NOTHING);
    if (!grim_is_server(endpoint)) {
        grim_inject(context, request, GRIM_REQUEST_INJECT);
        return;
    }
    grim_server_submit(context, endpoint);
    mpi_finish(context, request);
}

static void scanned(void *owner, struct grim_scan *scan)
{
    struct grim_endpoint *endpoint = owner;
    struct mpi_request *request = endpoint->scanning;
    endpoint->process->reported = scan->time;
    endpoint->scanning = NULL;
    mpi_queue_append(&endpoint->answered, request);
    grim_wake(endpoint);
}

static void scan(struct cpu_context *context, struct mpi_request *request)
{
    struct grim_endpoint *endpoint = grim_endpoint_of(request->process);
    const struct grim_call *call = request->arguments;
    if (call->count < 1 || call->count > GRIM_ENDPOINTS || endpoint->scanning) {
        mpi_fail(request->process, "unknown_call", json_pack("{s:s}", "call", call->name),
                 ": call \"%s\": %s", call->name,
                 endpoint->scanning ? "the card scans already"
                                    : "a scan has a count of 1 to 65536 channels");
        return;
    }
    endpoint->scanning = request;
    endpoint->scan.channels = call->count;
    endpoint->scan.done = scanned;
    endpoint->scan.owner = endpoint;
    grim_enter(context, request, GRIM_REQUEST_SCAN);
    grim_ni_scan(context, grim_channel_ni(endpoint->channel), &endpoint->scan);
}

static void count(struct cpu_context *context, struct mpi_request *request)
{
    grim_enter(context, request, GRIM_REQUEST_COUNT);
    mpi_queue_append(&grim_endpoint_of(request->process)->counting, request);
}

static void start_call(struct cpu_context *context, struct mpi_request *request)
{
    const struct grim_call *call = request->arguments;
    switch (call->called) {
    case GRIM_CALL_REGISTER:
        synchronise(context, request, call->argument);
        return;
    case GRIM_CALL_LOOKUP:
        look_up(context, request);
        return;
    case GRIM_CALL_SCAN:
        scan(context, request);
        return;
    case GRIM_CALL_NOTIFIED:
        count(context, request);
        return;
    }
}

// ---- Start ----

static void start_operation(struct cpu_context *context, struct mpi_request *request)
{
    switch ((enum grim_operation)request->operation->code) {
    case GRIM_OPERATION_PUT:
    case GRIM_OPERATION_GET:
        grim_inject(context, request, GRIM_REQUEST_INJECT);
        return;
    case GRIM_OPERATION_MESSAGE:
        look_up(context, request);
        return;
    case GRIM_OPERATION_POLL:
        count(context, request);
        return;
    case GRIM_OPERATION_CALL:
        start_call(context, request);
        return;
    case GRIM_OPERATIONS:
        return;
    }
}

static void endpoint_start(struct cpu_context *context, struct mpi_request *request)
{
    struct grim_endpoint *endpoint = grim_endpoint_of(request->process);
    *grim_of(request) = (struct grim_request){0};
    cpu_spend_for(context, endpoint->config->call, &grim_stage, request->message);
    if (request->peer == request->process->rank) {
        mpi_fail(request->process, "unsupported", NULL, ": GRIM has no messages to oneself");
        return;
    }
    switch (request->kind) {
    case REQUEST_SEND:
        grim_inject(context, request, GRIM_REQUEST_INJECT);
        return;
    case REQUEST_RECV:
    case REQUEST_PROBE:
        mpi_receive_start(context, request);
        return;
    case REQUEST_OPERATION:
        start_operation(context, request);
        return;
    }
}

// ---- Progress ----

static enum mpi_progress advance(struct cpu_context *context, struct mpi_process *process,
                                 bool blocking)
{
    struct grim_endpoint *endpoint = grim_endpoint_of(process);
    endpoint->asleep = false;
    if (endpoint->woken) // by the polling thread
        host_switch_in(context, process->host);
    endpoint->woken = false;
    cpu_spend(context, endpoint->config->poll, &grim_poll_stage);
    if (grim_progress(context, endpoint))
        return PROGRESS_EVENT;
    return blocking ? grim_sleep(context, endpoint) : PROGRESS_NOTHING;
}

static void destroy(struct cpu_context *context, struct mpi_request *request)
{
    struct grim_endpoint *endpoint = grim_endpoint_of(request->process);
    (void)context;
    mpi_queue_remove(&endpoint->counting, request); // a poll that is taken back
}

void grim_endpoint_notified(void *owner, uint16_t number, const void *content)
{
    struct grim_stack *stack = owner;
    struct grim_endpoint *endpoint = grim_endpoint_of(stack->processes[number]);
    if (content) // a read's own word, which is zero now
        mpi_queue_append(&endpoint->answered, (struct mpi_request *)(uintptr_t)content);
    else
        endpoint->notified++;
    grim_wake(endpoint);
}

// ---- Reports ----

static json_t *describe_request(const struct mpi_request *request)
{
    return json_pack("{s:s}", "state",
                     machine_state_name(&grim_request_machine, &request->machine));
}

static json_t *describe_process(const struct mpi_process *process)
{
    const struct grim_endpoint *endpoint = grim_endpoint_of(process);
    json_t *json =
        json_pack("{s:[o], s:I, s:I}", "channels", grim_channel_describe(endpoint->channel),
                  "overflow_messages", (json_int_t)endpoint->overflow_messages, "overflow_bytes",
                  (json_int_t)endpoint->overflow_bytes);
    if (endpoint->replying)
        json_object_set_new(json, "handler",
                            json_sprintf("of a message of rank %d waits to send to rank %d: %s",
                                         (int)grim_endpoint_peek(endpoint->channel)->source,
                                         endpoint->reply.next,
                                         grim_channel_waits_for(endpoint->channel)->text));
    return json;
}

// Handlers that wait for room to reply hold one another (thesis 003, 4.4.3, figure 4.12).
void grim_report_stalled(void *owner)
{
    const struct grim_stack *stack = owner;
    GString *who = g_string_new(NULL);
    json_t *ranks = json_array();
    for (int rank = 0; rank < stack->ranks; rank++) {
        const struct grim_endpoint *endpoint = grim_endpoint_of(stack->processes[rank]);
        if (!endpoint->replying)
            continue;
        g_string_append_printf(who, "%srank %d to reply to rank %d", who->len ? ", " : "", rank,
                               endpoint->reply.next);
        json_array_append_new(ranks, mpi_process_describe(endpoint->process));
    }
    if (who->len > 0)
        sim_fail(stack->processes[0]->sim, SIM_DEADLOCK, "deadlock",
                 json_pack("{s:O, s:s}", "ranks", ranks, "setting", "grim.overflow"),
                 "handlers wait for room on their cards, which only other endpoints can make that "
                 "don't handle anything meanwhile: %s; the overflow queue (grim.overflow), or more "
                 "memory for it (grim.overflow_memory), would avoid it",
                 who->str);
    json_decref(ranks);
    g_string_free(who, TRUE);
}

// ---- Create and free ----

const struct mpi_device_ops grim_ops = {
    .name = "GRIM",
    .arrival = &grim_arrival,
    .request_size = sizeof(struct grim_request),
    .machine = &grim_request_machine,
    .startup = grim_startup,
    .startup_machine = &grim_startup_machine,
    .finalize = grim_end_step,
    .start = endpoint_start,
    .advance = advance,
    .destroy = destroy,
    .register_memory = grim_register,
    .deregister_memory = grim_deregister,
    .describe_request = describe_request,
    .describe_process = describe_process,
};

void grim_endpoint_init(struct grim_endpoint *endpoint, struct grim_stack *stack,
                        struct mpi_process *process)
{
    endpoint->stack = stack;
    endpoint->process = process;
    endpoint->config = stack->config;
    endpoint->handlers = grim_handlers_new();
    grim_handlers_add(endpoint->handlers, grim_nop_name(), GRIM_NOTHING);
    grim_handlers_add(endpoint->handlers, grim_reply_name(), GRIM_REPLY);
    for (const char *const *name = endpoint->config->handlers; *name; name++)
        grim_handlers_add(endpoint->handlers, intern_text(*name), GRIM_NOTHING);
    sparse_init(&endpoint->partial, stack->ranks, sizeof(struct grim_partial));
    endpoint->overflowed = sim_counter(process->sim, "GRIM: overflow messages");
    endpoint->lookups = sim_counter(process->sim, "GRIM: handlers asked for");
    pool_init(&endpoint->overflow_pool, sizeof(struct grim_overflow));
    endpoint->channel =
        grim_channel_open(grim_fabric_ni(stack->fabric, process->host->index),
                          (uint16_t)process->rank, process->name, grim_notify, endpoint);
    grim_poll_init(endpoint);
}

void grim_endpoint_clear(struct grim_endpoint *endpoint)
{
    pool_clear(&endpoint->overflow_pool);
    sparse_clear(&endpoint->partial);
    grim_handlers_free(endpoint->handlers);
}
