// SPDX-License-Identifier: GPL-3.0-or-later
// Polling: handlers run when the library polls for messages (thesis 003, 4.4.2).
#include "models/grim/endpoint/endpoint.h"
#include "models/grim/endpoint/operations.h"

static const struct stage handler_stage = {"handler", STAGE_LIBRARY};

// ---- Handlers ----

static const struct machine_state handler_states[] = {
    [GRIM_HANDLER_WAITING] = {"waiting", .next = MACHINE_TO(GRIM_HANDLER_RUNNING)},
    [GRIM_HANDLER_RUNNING] = {"running",
                              .next = MACHINE_TO(GRIM_HANDLER_NO_ROOM, GRIM_HANDLER_DONE)},
    [GRIM_HANDLER_NO_ROOM] = {"no_room", .next = MACHINE_TO(GRIM_HANDLER_RUNNING)},
    [GRIM_HANDLER_DONE] = {.name = "done"},
};

const struct machine_kind grim_handler_machine = {
    .name = "handler",
    .title = "Active message at a GRIM endpoint",
    .source = "thesis 003, 4.4.2, 4.4.3",
    .states = handler_states,
    .count = G_N_ELEMENTS(handler_states),
};

static void handler_enter(const struct cpu_context *context, struct grim_endpoint *endpoint,
                          const struct grim_message *message, enum grim_handler_state state)
{
    const char *name = NULL;
    if (endpoint->process->sim->trace)
        name = message->handler < GRIM_FIRST_ID
                   ? grim_function_name((enum grim_function)message->handler)
                   : grim_handlers_name_of(endpoint->handlers, message->handler);
    struct machine_owner owner = {.where = endpoint->process->name,
                                  .subject = endpoint->last_handled};
    cpu_machine_enter(context, &grim_handler_machine, &endpoint->handling, state, owner, name);
}

// The function of a message's integer. An endpoint that awaits the server's list may get messages
// of one that has it; the list's contents are known then.
static bool function_of(const struct grim_endpoint *endpoint, const struct grim_message *message,
                        enum grim_function *function)
{
    if (message->handler < GRIM_FIRST_ID) {
        *function = (enum grim_function)message->handler;
        return true;
    }
    const struct grim_names *names = endpoint->stack->names;
    if (grim_handlers_function(endpoint->handlers, message->handler, function))
        return true;
    int64_t place = message->handler - GRIM_FIRST_ID;
    return place < grim_names_count(names) &&
           grim_handlers_local(endpoint->handlers, grim_names_at(names, place), function);
}

// A message of the sender's own handlers is a message of its own: replies are kept in order among
// themselves.
static struct message_ref open_reply(const struct grim_endpoint *endpoint, int to, int64_t bytes)
{
    const struct mpi_process *process = endpoint->process;
    uint64_t pair = (uint64_t)process->rank * (uint64_t)process->ranks + (uint64_t)to;
    return ledger_open(process->sim->ledger, process->rank, to, bytes,
                       (pair << 32 | UINT32_C(0x87ffffff)) << 1);
}

static void reply_to_sender(struct grim_endpoint *endpoint, const struct grim_message *message)
{
    struct grim_reply *reply = &endpoint->reply;
    reply->message =
        grim_system_message(endpoint, message->source, GRIM_NOTHING, message->bytes, NULL);
    reply->message.handler = (uint16_t)grim_names_find(endpoint->stack->names, grim_nop_name());
    reply->message.message = open_reply(endpoint, message->source, message->bytes);
    reply->message.length = message->bytes;
    reply->next = reply->last = message->source;
    endpoint->replying = true;
}

static void reply_with(struct grim_endpoint *endpoint, const struct grim_message *message,
                       bool to_all)
{
    struct grim_reply *reply = &endpoint->reply;
    reply->message = *message;
    reply->next = to_all ? 0 : message->destination;
    reply->last = to_all ? endpoint->stack->ranks - 1 : message->destination;
    endpoint->replying = true;
}

// Injects the rest of the handler's messages. Returns false if one has to wait.
static bool reply_on(struct cpu_context *context, struct grim_endpoint *endpoint)
{
    struct grim_reply *reply = &endpoint->reply;
    for (; reply->next <= reply->last; reply->next++) {
        if (reply->next == endpoint->process->rank)
            continue;
        reply->message.destination = (uint16_t)reply->next;
        if (!grim_handler_inject(context, endpoint, &reply->message))
            return false;
    }
    endpoint->replying = false;
    return true;
}

static void charge_lookups(struct cpu_context *context, const struct grim_endpoint *endpoint,
                           int64_t times)
{
    cpu_spend_time(context, time_times(times, cpu_cost(context->cpu, endpoint->config->lookup)),
                   &grim_handlers_stage);
}

// At the server: the names of an endpoint.
static void submitted(struct cpu_context *context, struct grim_endpoint *endpoint,
                      const struct grim_message *message)
{
    const struct grim_handlers *theirs = message->content;
    struct grim_names *names = endpoint->stack->names;
    int64_t count = message->argument[0];
    charge_lookups(context, endpoint, count);
    for (int64_t i = 0; i < count; i++)
        grim_names_submit(names, grim_handlers_name(theirs, i));
    struct grim_message list =
        grim_system_message(endpoint, message->source, GRIM_PUBLISH,
                            grim_names_bytes(names, grim_names_count(names)), names);
    list.argument[0] = (uint32_t)grim_names_count(names);
    reply_with(endpoint, &list, endpoint->config->publish == GRIM_PUBLISH_ALL);
}

static void published(struct cpu_context *context, struct grim_endpoint *endpoint,
                      const struct grim_message *message)
{
    const struct grim_names *names = message->content;
    int64_t count = message->argument[0];
    charge_lookups(context, endpoint, count);
    for (int64_t i = 0; i < count; i++)
        grim_handlers_learn(endpoint->handlers, grim_names_at(names, i), GRIM_FIRST_ID + i);
    grim_listed(context, endpoint);
}

static void name_asked(struct cpu_context *context, struct grim_endpoint *endpoint,
                       const struct grim_message *message)
{
    const char *name = message->content;
    charge_lookups(context, endpoint, 1);
    struct grim_message answer =
        grim_system_message(endpoint, message->source, GRIM_ANSWER, 0, name);
    answer.argument[0] = (uint32_t)grim_names_find(endpoint->stack->names, name);
    reply_with(endpoint, &answer, false);
}

static void no_handler(const struct grim_endpoint *endpoint, const struct grim_message *message)
{
    const struct grim_names *names = endpoint->stack->names;
    int64_t place = message->handler - GRIM_FIRST_ID;
    const char *name = place < grim_names_count(names) ? grim_names_at(names, place) : "?";
    mpi_fail(endpoint->process, "no_handler",
             json_pack("{s:i, s:s}", "peer", (int)message->source, "handler", name),
             " has no function %s for a message of rank %d; register it there "
             "(grim.handlers, or call register.%s)",
             name, (int)message->source, name);
}

// False after an error.
static bool run_function(struct cpu_context *context, struct grim_endpoint *endpoint,
                         const struct grim_message *message)
{
    enum grim_function function;
    if (!function_of(endpoint, message, &function)) {
        no_handler(endpoint, message);
        return false;
    }
    switch (function) {
    case GRIM_NOTHING:
    case GRIM_REPLY:
        cpu_spend_for(context, endpoint->config->function, &handler_stage, message->message);
        if (function == GRIM_REPLY)
            reply_to_sender(endpoint, message);
        break;
    case GRIM_MPI_DATA:
        grim_receive_part(context, endpoint, message);
        break;
    case GRIM_MPI_TAKEN:
        grim_send_taken(context, endpoint, message);
        break;
    case GRIM_SUBMIT:
        submitted(context, endpoint, message);
        break;
    case GRIM_PUBLISH:
        published(context, endpoint, message);
        break;
    case GRIM_ASK:
        name_asked(context, endpoint, message);
        break;
    case GRIM_ANSWER:
        grim_name_answered(context, endpoint, message->content, message->argument[0]);
        break;
    }
    return true;
}

// The handler has ended: its message gives up its room.
static void handled(struct cpu_context *context, struct grim_endpoint *endpoint,
                    const struct grim_message *message)
{
    handler_enter(context, endpoint, message, GRIM_HANDLER_DONE);
    if (message->handler >= GRIM_FIRST_ID)
        endpoint->handled++;
    endpoint->last_handled++;
    endpoint->handling = (struct machine){GRIM_HANDLER_WAITING}; // the next message
    grim_endpoint_release(context, endpoint->channel);
}

// An active message lies where its handler reads it: in the endpoint's queue.
static void take(struct cpu_context *context, const struct grim_endpoint *endpoint,
                 const struct grim_message *message)
{
    if (message->handler < GRIM_FIRST_ID)
        return;
    ledger_deliver(endpoint->process->sim->ledger, message->message, 0, message->length);
    mpi_message_arrived(context, endpoint->process, message->message);
}

bool grim_handle_next(struct cpu_context *context, struct grim_endpoint *endpoint)
{
    const struct grim_message *message = grim_endpoint_peek(endpoint->channel);
    if (!message)
        return false;
    if (!endpoint->replying) {
        cpu_spend_for(context, endpoint->config->handle, &grim_stage, message->message);
        handler_enter(context, endpoint, message, GRIM_HANDLER_RUNNING);
        take(context, endpoint, message);
        if (!run_function(context, endpoint, message))
            return false;
        if (endpoint->replying && !reply_on(context, endpoint)) {
            handler_enter(context, endpoint, message, GRIM_HANDLER_NO_ROOM);
            return true;
        }
    } else {
        if (!reply_on(context, endpoint))
            return false;
        handler_enter(context, endpoint, message, GRIM_HANDLER_RUNNING);
    }
    handled(context, endpoint, message);
    return true;
}

// ---- Polls ----

static bool satisfied(struct grim_endpoint *endpoint, const struct mpi_request *request)
{
    bool poll = grim_is(request, GRIM_OPERATION_POLL);
    int64_t *have = poll ? &endpoint->handled : &endpoint->notified;
    int64_t count = poll ? ((const struct grim_poll *)request->arguments)->count
                         : ((const struct grim_call *)request->arguments)->count;
    if (*have < count)
        return false;
    *have -= count;
    return true;
}

bool grim_serve_polls(struct cpu_context *context, struct grim_endpoint *endpoint)
{
    struct mpi_request *read = mpi_queue_pop(&endpoint->answered);
    if (read) {
        mpi_finish(context, read);
        return true;
    }
    for (struct mpi_request *at = endpoint->counting.head; at; at = at->next)
        if (satisfied(endpoint, at)) {
            mpi_queue_remove(&endpoint->counting, at);
            mpi_finish(context, at);
            return true;
        }
    return false;
}

// ---- Progress ----

bool grim_progress(struct cpu_context *context, struct grim_endpoint *endpoint)
{
    return grim_serve_polls(context, endpoint) || grim_overflow_drain(context, endpoint) ||
           grim_inject_next(context, endpoint) ||
           (!endpoint->config->polling_thread && grim_handle_next(context, endpoint));
}

enum mpi_progress grim_sleep(const struct cpu_context *context, struct grim_endpoint *endpoint)
{
    endpoint->asleep = true;
    endpoint->idle_since = context->now;
    return PROGRESS_BLOCKED;
}

// ---- Waking ----

static void wake_event(struct engine *engine, struct event *event)
{
    (void)engine;
    cpu_wake(&container_of(event, struct grim_endpoint, wake)->process->task);
}

static void tick_event(struct engine *engine, struct event *event)
{
    (void)engine;
    cpu_wake(&container_of(event, struct grim_endpoint, thread_tick)->thread);
}

void grim_notify(void *owner, enum grim_notice notice)
{
    struct grim_endpoint *endpoint = owner;
    switch (notice) {
    case GRIM_ARRIVED:
        break;
    case GRIM_ROOM:
        endpoint->calls_wait = endpoint->handlers_wait = false;
        break;
    }
    grim_wake(endpoint);
}

// ---- The polling thread ----

// Wakes the program, which waits for what the thread has found.
static void wake_program(struct cpu_context *context, struct grim_endpoint *endpoint)
{
    if (!endpoint->asleep)
        return;
    cpu_spend(context, endpoint->process->host->config.kernel.wake_process, &stage_wake_up);
    endpoint->asleep = false;
    endpoint->woken = true;
    cpu_post_wake(context, &endpoint->process->task);
}

static enum cpu_next thread_run(struct cpu_context *context, struct cpu_task *task)
{
    struct grim_endpoint *endpoint = container_of(task, struct grim_endpoint, thread);
    if (endpoint->ended || endpoint->process->sim->status != SIM_COMPLETED)
        return CPU_SLEEP;
    if (!endpoint->thread_runs)
        host_switch_in(context, endpoint->process->host);
    endpoint->thread_runs = true;
    cpu_spend(context, endpoint->config->poll, &grim_poll_stage);
    if (grim_overflow_drain(context, endpoint) || grim_handle_next(context, endpoint))
        return CPU_AGAIN;
    endpoint->thread_runs = false;
    wake_program(context, endpoint);
    return CPU_SLEEP;
}

// A thread that has slept runs before a program that computes, as in the scheduler of Linux 2.4.
void grim_poll_init(struct grim_endpoint *endpoint)
{
    event_init(&endpoint->wake, wake_event);
    event_init(&endpoint->thread_tick, tick_event);
    cpu_task_init(&endpoint->thread, endpoint->process->task.cpu, CPU_KERNEL, thread_run);
}
