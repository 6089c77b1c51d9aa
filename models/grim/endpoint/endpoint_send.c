// SPDX-License-Identifier: GPL-3.0-or-later
// Injecting messages: requests in the order of the calls, replies of handlers, and the overflow
// queue (thesis 003, 4.4.3).
#include "models/grim/endpoint/endpoint.h"
#include "models/grim/endpoint/operations.h"
#include "sim/core/fifo.h"

static const struct wait overflow_room = {"room in the overflow queue", WAIT_BUFFER};

static const struct stage overflow_stage = {"overflow", STAGE_LIBRARY};

// Hands a message to the card. The card reports room only after a refusal, so a success has all
// that wait try again.
static bool hand_over(struct cpu_context *context, struct grim_endpoint *endpoint,
                      const struct grim_message *message)
{
    cpu_spend_for(context, endpoint->config->message, &grim_stage, message->message);
    if (!grim_channel_inject(context, endpoint->channel, message))
        return false;
    if (endpoint->handlers_wait)
        grim_wake(endpoint);
    endpoint->calls_wait = endpoint->handlers_wait = false;
    return true;
}

// ---- The overflow queue ----

static const struct machine_state overflow_states[] = {
    [GRIM_OVERFLOW_EMPTY] = {"empty", .next = MACHINE_TO(GRIM_OVERFLOW_HOLDING)},
    [GRIM_OVERFLOW_HOLDING] = {"holding", .next = MACHINE_TO(GRIM_OVERFLOW_EMPTY)},
};

const struct machine_kind grim_overflow_machine = {
    .name = "overflow",
    .title = "Overflow queue of a GRIM endpoint",
    .source = "thesis 003, 4.4.3",
    .states = overflow_states,
    .count = G_N_ELEMENTS(overflow_states),
};

static void overflow_enter(const struct cpu_context *context, struct grim_endpoint *endpoint,
                           enum grim_overflow_state state)
{
    struct machine_owner owner = {.where = endpoint->process->name,
                                  .subject = endpoint->overflow_messages};
    cpu_machine_enter(context, &grim_overflow_machine, &endpoint->overflowing, state, owner, NULL);
}

static bool overflow_holds(const struct grim_endpoint *endpoint, const struct grim_message *message)
{
    return endpoint->overflow_bytes + grim_message_bytes(message) <=
           endpoint->config->overflow_memory;
}

static void overflow_append(struct cpu_context *context, struct grim_endpoint *endpoint,
                            const struct grim_message *message)
{
    struct grim_overflow *entry = pool_take(&endpoint->overflow_pool);
    *entry = (struct grim_overflow){.message = *message};
    cpu_spend_for(context, endpoint->config->overflow_entry, &overflow_stage, message->message);
    mem_copy(context, &endpoint->process->host->config.memory, grim_message_bytes(message),
             COPY_WARM, message->message);
    FIFO_APPEND(endpoint->overflow, endpoint->overflow_last, entry, next);
    endpoint->overflow_bytes += grim_message_bytes(message);
    (*endpoint->overflowed)++;
    if (endpoint->overflow_messages++ == 0)
        overflow_enter(context, endpoint, GRIM_OVERFLOW_HOLDING);
}

bool grim_overflow_drain(struct cpu_context *context, struct grim_endpoint *endpoint)
{
    struct grim_overflow *entry = endpoint->overflow;
    if (!entry || endpoint->handlers_wait)
        return false;
    if (!hand_over(context, endpoint, &entry->message)) {
        endpoint->handlers_wait = true;
        return false;
    }
    endpoint->overflow = entry->next;
    endpoint->overflow_bytes -= grim_message_bytes(&entry->message);
    if (--endpoint->overflow_messages == 0)
        overflow_enter(context, endpoint, GRIM_OVERFLOW_EMPTY);
    pool_give(&endpoint->overflow_pool, entry);
    return true;
}

// ---- Calls and handlers ----

bool grim_call_inject(struct cpu_context *context, struct grim_endpoint *endpoint,
                      const struct grim_message *message)
{
    if (endpoint->overflow) { // after those in the queue
        if (!overflow_holds(endpoint, message))
            return false;
        overflow_append(context, endpoint, message);
        return true;
    }
    if (endpoint->calls_wait)
        return false;
    if (hand_over(context, endpoint, message))
        return true;
    endpoint->calls_wait = true;
    return false;
}

bool grim_handler_inject(struct cpu_context *context, struct grim_endpoint *endpoint,
                         const struct grim_message *message)
{
    if (!endpoint->overflow && !endpoint->handlers_wait) {
        if (hand_over(context, endpoint, message))
            return true;
        endpoint->handlers_wait = true;
    }
    if (!endpoint->config->overflow || !overflow_holds(endpoint, message))
        return false;
    overflow_append(context, endpoint, message);
    return true;
}

// ---- Requests ----

// All messages of the request are injected; it has left the queue. Kinds that inject nothing have
// stopped at grim_build_part.
static void injected_all(struct cpu_context *context, struct mpi_request *request)
{
    if (request->kind == REQUEST_SEND && request->synchronous)
        grim_enter(context, request, GRIM_REQUEST_TAKEN);
    else if (grim_is(request, GRIM_OPERATION_GET) &&
             ((const struct grim_transfer *)request->arguments)->notify)
        grim_enter(context, request, GRIM_REQUEST_WORD);
    else if (grim_is(request, GRIM_OPERATION_CALL))
        grim_enter(context, request, GRIM_REQUEST_LIST);
    else
        mpi_finish(context, request);
}

static void injected(struct cpu_context *context, struct grim_endpoint *endpoint,
                     struct mpi_request *request, int64_t bytes)
{
    struct grim_request *r = grim_of(request);
    if (request->machine.state == GRIM_REQUEST_ASK) {
        (*endpoint->lookups)++;
        grim_enter(context, request, GRIM_REQUEST_ASKED);
        return;
    }
    r->done += bytes;
    bool parts =
        request->machine.state == GRIM_REQUEST_INJECT && !grim_is(request, GRIM_OPERATION_CALL);
    if (parts && r->done < request->size)
        return;
    mpi_queue_pop(&endpoint->injecting);
    injected_all(context, request);
}

bool grim_inject_next(struct cpu_context *context, struct grim_endpoint *endpoint)
{
    struct mpi_request *request = endpoint->injecting.head;
    struct grim_message message;
    // While a handler waits for room the program is inside it.
    if (!request || endpoint->replying || request->machine.state == GRIM_REQUEST_ASKED ||
        (endpoint->calls_wait && !endpoint->overflow))
        return false;
    int64_t bytes = grim_build_part(request, &message);
    if (bytes < 0)
        return false;
    if (grim_call_inject(context, endpoint, &message)) {
        injected(context, endpoint, request, bytes);
        return true;
    }
    request->waits_for =
        endpoint->overflow ? &overflow_room : grim_channel_waits_for(endpoint->channel);
    return false;
}

void grim_inject(struct cpu_context *context, struct mpi_request *request,
                 enum grim_request_state state)
{
    struct grim_endpoint *endpoint = grim_endpoint_of(request->process);
    grim_enter(context, request, state);
    mpi_queue_append(&endpoint->injecting, request);
    while (endpoint->injecting.head == request && grim_inject_next(context, endpoint))
        ;
}
