// SPDX-License-Identifier: GPL-3.0-or-later
// The device of processes that use Portals. A process that waits polls its event queues in user
// space (PtlEQWait of the reference library). The events that it finds end its puts and gets, and
// are counted by kind for the program's `event` operations.
#include "models/portals/internal.h"

// A put without an ACK ends with SEND_END, as does any transfer that fails.
static const struct machine_state portals_request_states[] = {
    [PORTALS_REQUEST_NEW] = {"new",
                             {"its start", WAIT_OTHER},
                             HOLDER_UNKNOWN,
                             MACHINE_TO(PORTALS_REQUEST_SEND, PORTALS_REQUEST_EVENT,
                                        PORTALS_REQUEST_DONE)},
    [PORTALS_REQUEST_SEND] = {"wait_send_end",
                              {"the end of its transfer (event SEND_END)", WAIT_OTHER},
                              HELD_BY_PEER,
                              MACHINE_TO(PORTALS_REQUEST_ACK, PORTALS_REQUEST_REPLY,
                                         PORTALS_REQUEST_DONE)},
    [PORTALS_REQUEST_ACK] = {"wait_ack",
                             {"the target's acknowledgement (event ACK)", WAIT_OTHER},
                             HELD_BY_PEER,
                             MACHINE_TO(PORTALS_REQUEST_DONE)},
    [PORTALS_REQUEST_REPLY] = {"wait_reply",
                               {"the bytes that it reads (event REPLY_END)", WAIT_OTHER},
                               HELD_BY_PEER,
                               MACHINE_TO(PORTALS_REQUEST_DONE)},
    [PORTALS_REQUEST_EVENT] = {"wait_event",
                               {"events", WAIT_OTHER},
                               HOLDER_UNKNOWN,
                               MACHINE_TO(PORTALS_REQUEST_DONE)},
    [PORTALS_REQUEST_DONE] = {"done", {"nothing", WAIT_OTHER}, .next = 0},
};

const struct machine_kind portals_request_machine = {
    .name = "request",
    .logged = "put, get, event, attach, bind, detach, equeue",
    .title = "Request of Portals",
    .source = "thesis 002, chapter 3: events of Portals 3.3",
    .states = portals_request_states,
    .count = G_N_ELEMENTS(portals_request_states),
};

static void done(struct cpu_context *context, struct mpi_request *request)
{
    mpi_enter(context, request, PORTALS_REQUEST_DONE, NULL);
    mpi_request_done(context, request);
}

// ---- Events ----

static bool wants(const struct mpi_request *request, int kind)
{
    int wanted = ((const struct portals_event_arguments *)request->arguments)->kind;
    return wanted == kind || (wanted == PORTALS_EVENT_ANY && kind != PORTALS_EVENT_DROPPED);
}

// The oldest operation that waits for such an event counts it, or it is kept.
static void count_event(struct cpu_context *context, struct portals_ni *ni, int kind)
{
    struct mpi_request *request = ni->events.head;
    while (request && !wants(request, kind))
        request = request->next;
    if (!request) {
        ni->unclaimed[kind]++;
        return;
    }
    if (--portals_of(request)->left > 0)
        return;
    mpi_queue_remove(&ni->events, request);
    done(context, request);
}

// Takes what earlier operations have seen and not wanted.
static void claim(struct portals_ni *ni, const struct mpi_request *request)
{
    int64_t *left = &portals_of(request)->left;
    for (int kind = 0; kind < PORTALS_EVENTS_COUNTED; kind++) {
        if (!wants(request, kind))
            continue;
        int64_t taken = MIN(*left, ni->unclaimed[kind]);
        *left -= taken;
        ni->unclaimed[kind] -= taken;
    }
}

static void wait_event(struct cpu_context *context, struct mpi_request *request)
{
    struct portals_ni *ni = portals_ni_of(request->process);
    portals_of(request)->left = ((const struct portals_event_arguments *)request->arguments)->count;
    claim(ni, request);
    if (portals_of(request)->left == 0) {
        done(context, request);
        return;
    }
    mpi_enter(context, request, PORTALS_REQUEST_EVENT, NULL);
    mpi_queue_append(&ni->events, request);
}

// A put ends with SEND_END, and with its ACK if it asked for one; a get with SEND_END and
// REPLY_END. If one of them fails, no more comes.
static void end_transfer(struct cpu_context *context, const struct portals_ni *ni,
                         const struct portals_event *event)
{
    struct mpi_request *request = portals_request(ni, event->request);
    if (!request)
        return;
    struct portals_device_request *device = portals_of(request);
    const struct portals_transfer_arguments *arguments = request->arguments;
    bool put = portals_is(request, PORTALS_OPERATION_PUT);
    bool failed = event->kind == PORTALS_SEND_FAIL || event->kind == PORTALS_REPLY_FAIL;
    device->sent |= event->kind == PORTALS_SEND_END;
    device->answered |= event->kind == PORTALS_EVENT_ACK || event->kind == PORTALS_REPLY_END;
    bool answer = put ? arguments->ack : true;
    if (failed || (device->sent && (device->answered || !answer)))
        done(context, request);
    else if (device->sent && request->machine.state == PORTALS_REQUEST_SEND)
        mpi_enter(context, request, put ? PORTALS_REQUEST_ACK : PORTALS_REQUEST_REPLY, NULL);
}

// Takes one event from the process's queues. Returns false if there is none to see.
static bool take_event(struct cpu_context *context, struct portals_ni *ni)
{
    struct portals_event event;
    for (int64_t i = 0; i < ni->tables.granted.queues; i++) {
        struct portals_eq *eq = &ni->tables.eqs[i];
        enum portals_eq_got got =
            eq->used ? portals_eq_get(eq, context->now, &event) : PORTALS_EQ_EMPTY;
        if (got == PORTALS_EQ_EMPTY)
            continue;
        cpu_spend(context, ni->config->see, &portals_api_stage);
        if (got == PORTALS_EQ_DROPPED)
            count_event(context, ni, PORTALS_EVENT_DROPPED);
        count_event(context, ni, (int)event.kind);
        if (event.request)
            end_transfer(context, ni, &event);
        return true;
    }
    return false;
}

// PtlPut and PtlGet do not poll the queues: only a process that waits does.
static enum mpi_progress advance(struct cpu_context *context, struct mpi_process *process,
                                 bool blocking)
{
    if (!blocking)
        return PROGRESS_NOTHING;
    return take_event(context, portals_ni_of(process)) ? PROGRESS_EVENT : PROGRESS_BLOCKED;
}

// ---- Operations ----

static void start_transfer(struct cpu_context *context, struct mpi_request *request)
{
    bool heard = true;
    mpi_enter(context, request, PORTALS_REQUEST_SEND, NULL);
    if (portals_call_transfer(context, request, &heard) && !heard)
        done(context, request);
}

static void start(struct cpu_context *context, struct mpi_request *request)
{
    bool over = false;
    g_assert(request->kind == REQUEST_OPERATION); // the stack offers no others
    switch ((enum portals_operation)request->operation->code) {
    case PORTALS_OPERATION_PUT:
    case PORTALS_OPERATION_GET:
        start_transfer(context, request);
        return;
    case PORTALS_OPERATION_EVENT:
        wait_event(context, request);
        return;
    case PORTALS_OPERATION_ATTACH:
        over = portals_call_attach(context, request);
        break;
    case PORTALS_OPERATION_BIND:
        over = portals_call_bind(context, request);
        break;
    case PORTALS_OPERATION_DETACH:
        over = portals_call_detach(context, request);
        break;
    case PORTALS_OPERATION_EQUEUE:
        over = portals_call_equeue(context, request);
        break;
    case PORTALS_OPERATIONS_END:
        return;
    }
    if (over) // else the run has failed
        done(context, request);
}

static void destroy(struct cpu_context *context, struct mpi_request *request)
{
    (void)context;
    mpi_queue_remove(&portals_ni_of(request->process)->events, request); // one that is taken back
}

// ---- Reports ----

static json_t *describe_request(const struct mpi_request *request)
{
    const struct portals_ni *ni = portals_ni_of(request->process);
    const struct portals_device_request *device = portals_of(request);
    json_t *json = json_pack("{s:s}", "state", mpi_request_state(request)->name);
    if (request->machine.state == PORTALS_REQUEST_EVENT)
        json_object_set_new(json, "left", json_integer(device->left));
    if (!device->message) { // the network layer has no message of it any more
        json_object_set_new(json, "waits_for", json_string(mpi_request_state(request)->wait.text));
        return json;
    }
    char *text = ni->nal->waits_for ? ni->nal->waits_for(ni, &device->message->transfer) : NULL;
    if (text)
        json_object_set_new(json, "waits_for", json_string(text));
    g_free(text);
    return json;
}

static json_t *describe_process(const struct mpi_process *process)
{
    const struct portals_ni *ni = portals_ni_of(process);
    json_t *transfers = json_array();
    for (const struct portals_message *message = ni->open; message; message = message->next)
        if (!message->request)
            json_array_insert_new(transfers, 0, portals_message_json(ni, message));
    json_t *json = json_pack("{s:i, s:I}", "pid", ni->id.pid, "dropped", (json_int_t)ni->dropped);
    if (ni->overwritten > 0)
        json_object_set_new(json, "events_overwritten", json_integer(ni->overwritten));
    if (json_array_size(transfers) > 0)
        json_object_set(json, "transfers", transfers);
    json_decref(transfers);
    GPtrArray *waits = ni->nal->waits ? ni->nal->waits(ni) : NULL;
    json_t *texts = json_array();
    for (guint i = 0; waits && i < waits->len; i++)
        json_array_append_new(texts, json_string(g_ptr_array_index(waits, i)));
    if (json_array_size(texts) > 0)
        json_object_set(json, "network_waits_for", texts);
    json_decref(texts);
    if (waits)
        g_ptr_array_unref(waits);
    return json;
}

// ---- Create and free ----

static int device_way(const struct mpi_request *request)
{
    const struct portals_ni *ni = request->process->device;
    return ni->nal->way ? ni->nal->way(ni, request->size) : 0;
}

const struct mpi_device_ops portals_ops = {
    .name = "Portals",
    .request_size = sizeof(struct portals_device_request),
    .machine = &portals_request_machine,
    .start = start,
    .advance = advance,
    .destroy = destroy,
    .way = device_way,
    .describe_request = describe_request,
    .describe_process = describe_process,
};

void portals_ni_init(struct portals_ni *ni, struct mpi_process *process,
                     const struct portals_config *config, const struct portals_nal *nal,
                     void *nal_process)
{
    struct sim *sim = process->sim;
    *ni = (struct portals_ni){
        .process = process,
        .config = config,
        .nal = nal,
        .nal_process = nal_process,
        .id = {process->host->index, (int32_t)config->pid},
        .counters = {.dropped = sim_counter(sim, "Portals: messages not accepted"),
                     .truncated = sim_counter(sim, "Portals: messages truncated"),
                     .overwritten = sim_counter(sim, "Portals: events overwritten")},
    };
    struct portals_limits limits = {config->entries, config->descriptors, config->queues,
                                    config->access, config->table};
    portals_tables_init(&ni->tables, &limits);
    portals_eq_new(&ni->tables, NULL, config->slots);
    pool_init(&ni->messages, sizeof(struct portals_message));
}

void portals_ni_clear(struct portals_ni *ni)
{
    if (!ni->process)
        return;
    portals_tables_clear(&ni->tables);
    pool_clear(&ni->messages);
}
