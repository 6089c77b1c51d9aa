// SPDX-License-Identifier: GPL-3.0-or-later
// Requests under way into the data server: receive buffers, what is taken off the port, and what
// processes of the own node hand over.
#include "models/armci/server.h"
#include "sim/core/fifo.h"

// ---- Receive buffers ----

static struct armci_receive_buffers *buffers_of(struct armci_server *server, int size)
{
    return size == server->small.size ? &server->small : &server->large;
}

static void provide(struct cpu_context *context, struct armci_server *server, int64_t address,
                    int size)
{
    cpu_trace_eventf(context, armci_server_owner(server), NULL, "provide", "size class %d", size);
    gm_provide_receive_buffer(context, server->requests, address, size, 0);
}

int64_t armci_server_memory(struct armci_server *server, int64_t bytes)
{
    int64_t page = server->host->config.memory.page, address = server->heap_end;
    server->heap_end += (bytes + page - 1) / page * page;
    gm_dma_memory(server->requests, address, bytes);
    if (server->responses != server->requests)
        gm_dma_memory(server->responses, address, bytes);
    return address;
}

// All buffers but one are given to the port; the one is what a received buffer is replaced by. A
// single one is given, and returns to the port when it has been copied out.
static void provide_all(struct cpu_context *context, struct armci_server *server,
                        struct armci_receive_buffers *buffers)
{
    int64_t bytes = INT64_C(1) << buffers->size,
            address = armci_server_memory(server, bytes * buffers->count);
    for (int64_t i = 0; i < buffers->count; i++)
        if (i == 0 || i < buffers->count - 1)
            provide(context, server, address + i * bytes, buffers->size);
        else
            buffers->spare = address + i * bytes;
}

// Another buffer of the same size is provided first (thesis 001, 3.2.4).
static void replenish(struct cpu_context *context, struct armci_server *server,
                      struct armci_received *received)
{
    struct armci_receive_buffers *buffers = buffers_of(server, received->size);
    if (!buffers->spare)
        return;
    provide(context, server, buffers->spare, received->size);
    buffers->spare = 0;
    received->replenished = true;
}

// The buffer is empty.
static void release(struct cpu_context *context, struct armci_server *server,
                    struct armci_received *received)
{
    struct armci_receive_buffers *buffers = buffers_of(server, received->size);
    if (received->buffer && received->replenished)
        buffers->spare = received->buffer;
    else if (received->buffer)
        provide(context, server, received->buffer, received->size);
    received->buffer = 0;
}

static void give_back(struct cpu_context *context, struct armci_server *server,
                      struct armci_received *received)
{
    release(context, server, received);
    pool_give(&server->job->messages, received->message);
    pool_give(&server->received, received);
}

void armci_server_done(struct cpu_context *context, struct armci_server *server)
{
    cpu_trace_eventf(context, armci_server_owner(server), NULL, "done", "%s",
                     armci_kind_name(server->current->message->kind));
    armci_server_enter(context, server, ARMCI_SERVER_IDLE);
    give_back(context, server, server->current);
    server->current = NULL;
}

// ---- Taking requests ----

static void store(struct armci_server *server, struct armci_received *received)
{
    FIFO_APPEND(server->first, server->last, received, next);
}

static void arrived_event(struct engine *engine, struct event *event)
{
    struct armci_message *message = container_of(event, struct armci_message, event);
    struct armci_client *client = message->client_of;
    struct armci_flag flag = {
        .kind = ARMCI_FLAG_DATA,
        .number = message->number,
        .slot = message->slot,
        .piece = message->piece,
    };
    (void)engine;
    armci_client_written(client, &flag);
    pool_give(&client->job->messages, message);
}

// A message about a get under way is handled at once, whatever the server does.
static bool notice(struct cpu_context *context, struct armci_server *server,
                   struct armci_received *received)
{
    struct armci_message *message = received->message;
    if (message->kind != ARMCI_AVAILABLE && message->kind != ARMCI_ARRIVED)
        return false;
    armci_server_spend(context, server, server->config->dispatch);
    if (message->kind == ARMCI_AVAILABLE) {
        struct armci_ready *ready = sparse_at(&server->ready, message->client);
        ready->free = ready->number == message->number ? ready->free + 1 : 1;
        ready->number = message->number;
        cpu_trace_eventf(context, armci_server_owner(server), NULL, "RCV",
                         "rank %d has a free buffer", message->client);
    } else { // the process polls its memory, which the thread shares
        struct armci_message *copy = pool_take(&server->job->messages);
        *copy = *message;
        copy->client_of = armci_client_at(server->job, message->client);
        event_init(&copy->event, arrived_event);
        cpu_post(context, &copy->event);
        cpu_trace_eventf(context, armci_server_owner(server), NULL, "RECVD", "rank %d: buffer %d",
                         message->client, message->slot + 1);
    }
    give_back(context, server, received);
    return true;
}

static bool has_data(const struct armci_message *message)
{
    return message->kind == ARMCI_PUT || message->kind == ARMCI_ACCUMULATE;
}

bool armci_server_take(struct cpu_context *context, struct armci_server *server)
{
    struct gm_event event;
    if (server->held_up)
        return false;
    switch (gm_receive(context, server->requests, &event)) {
    case GM_NO_EVENT:
        return false;
    case GM_SENT_EVENT:
    case GM_ALARM_EVENT:
        gm_unknown(context, server->requests, &event);
        return true;
    case GM_RECV_EVENT:
    case GM_FAST_RECV_EVENT:
        break;
    }
    struct armci_received *received = pool_take(&server->received);
    *received = (struct armci_received){
        .message = ((const struct armci_message *)event.content)->self,
        .buffer = event.buffer,
        .size = event.size,
    };
    ++*server->received_count;
    cpu_trace_eventf(context, armci_server_owner(server), NULL, "RECV",
                     "%s[%u] of rank %d: %" G_GINT64_FORMAT " B in a buffer of %" G_GINT64_FORMAT
                     " B",
                     armci_kind_name(received->message->kind), received->message->number,
                     received->message->client, event.length, received->message->tag);
    if (server->current && !server->config->server_stores) {
        server->held_up = received;
        return true;
    }
    replenish(context, server, received);
    if (server->current || !has_data(received->message)) { // to ordinary memory; one without data
                                                           // at once, so that its buffer is free
                                                           // for others
        mem_copy(context, &server->host->config.memory, event.length, COPY_COLD,
                 received->message->message);
        release(context, server, received);
    }
    if (!notice(context, server, received)) {
        *server->stored += server->current != NULL;
        store(server, received);
    }
    return true;
}

bool armci_server_take_local(struct armci_server *server)
{
    if (!server->local)
        return false;
    struct armci_received *received = pool_take(&server->received);
    *received = (struct armci_received){.message = server->local};
    server->local = server->local->next;
    store(server, received);
    return true;
}

static void local_event(struct engine *engine, struct event *event)
{
    struct armci_message *message = container_of(event, struct armci_message, event);
    struct armci_server *server = armci_server_of(message->client_of, message->target);
    (void)engine;
    FIFO_APPEND(server->local, server->local_tail, message, next);
    cpu_wake(&server->task);
}

void armci_server_hand(struct cpu_context *context, struct armci_server *server,
                       struct armci_message *message)
{
    message->client_of = armci_client_at(server->job, message->client);
    cpu_spend(context, server->host->config.kernel.wake_process, &stage_wake_up);
    event_init(&message->event, local_event);
    cpu_post(context, &message->event);
}

void armci_server_provide(struct cpu_context *context, struct armci_server *server)
{
    provide_all(context, server, &server->small);
    provide_all(context, server, &server->large);
}

// ---- Waiting ----

enum cpu_next armci_server_wait(struct cpu_context *context, struct armci_server *server)
{
    if (armci_server_take(context, server))
        return CPU_AGAIN;
    if (server->held_up)
        return CPU_SLEEP;
    server->blocked = true;
    gm_block(context, server->requests);
    return CPU_SLEEP;
}

enum cpu_next armci_server_look(struct cpu_context *context, struct armci_server *server)
{
    struct gm_event event;
    bool handled;
    armci_server_spend(context, server, server->config->look);
    if (server->responses == server->requests) {
        handled = armci_server_take(context, server);
    } else {
        handled = gm_receive(context, server->responses, &event) != GM_NO_EVENT;
        if (handled)
            gm_unknown(context, server->responses, &event);
    }
    if (handled)
        return CPU_AGAIN;
    if (!server->held_up)
        gm_poll(context, server->responses, MAX(1, cpu_cost(context->cpu, server->config->look)));
    return CPU_SLEEP;
}

enum cpu_next armci_server_watch(struct cpu_context *context, struct armci_server *server)
{
    armci_server_spend(context, server, server->config->look);
    server->watching = true;
    server->watching_since = context->now;
    return CPU_SLEEP;
}
