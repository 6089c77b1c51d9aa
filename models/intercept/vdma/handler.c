// SPDX-License-Identifier: GPL-3.0-or-later
// The handler's thread and its queues.
#include "models/intercept/vdma/handler_internal.h"

#include "sim/core/intern.h"

#include <string.h>

const struct stage vdma_handler_stage = {"VDMA handler", STAGE_KERNEL};

// ---- Waking the thread ----

void vdma_wake(struct cpu_context *context, struct vdma_handler *handler)
{
    if (!handler->asleep || handler->waking) {
        cpu_post_wake(context, &handler->thread);
        return;
    }
    handler->waking = true;
    host_wake_thread(context, handler->host, &handler->thread);
}

static void message_interrupt(struct cpu_context *context, void *owner)
{
    vdma_wake(context, owner);
}

static void received(struct cpu_context *context, void *owner, int channel)
{
    struct vdma_handler *handler = owner;
    handler->channels[channel].over = true;
    vdma_wake(context, handler);
}

// Software finds it at its next activity; the thread checks again if it waits for a channel.
static void sent(void *owner, int channel)
{
    struct vdma_handler *handler = owner;
    handler->channels[channel].over = true;
    if (handler->channels_wait)
        cpu_wake(&handler->thread);
}

static void room(void *owner)
{
    struct vdma_handler *handler = owner;
    handler->room = true;
    cpu_wake(&handler->thread);
}

static const struct vnic_ops vnic_ops = {
    .interrupt = message_interrupt, .frame = vdma_frame, .words = vdma_words};
static const struct vdma_ops engine_ops = {.received = received, .sent = sent};

// ---- Requests ----

static void post(struct cpu_context *context, struct vdma_handler *handler,
                 struct vdma_request request)
{
    struct vdma_request *posted = pool_take(&handler->request_pool);
    *posted = request;
    posted->when = context->now;
    FIFO_APPEND(handler->requests, handler->requests_last, posted, next);
    vdma_wake(context, handler);
}

void vdma_post_connect(struct cpu_context *context, struct vdma_handler *handler, int peer)
{
    post(context, handler, (struct vdma_request){.kind = VDMA_REQUEST_CONNECT, .peer = peer});
}

void vdma_post_read(struct cpu_context *context, struct vdma_handler *handler,
                    const struct vdma_transfer *transfer)
{
    post(context, handler, (struct vdma_request){.kind = VDMA_REQUEST_READ, .transfer = *transfer});
}

void vdma_post_write(struct cpu_context *context, struct vdma_handler *handler,
                     const struct vdma_transfer *transfer)
{
    post(context, handler,
         (struct vdma_request){.kind = VDMA_REQUEST_WRITE, .transfer = *transfer});
}

void vdma_post_message(struct cpu_context *context, struct vdma_handler *handler, int peer,
                       const struct vdma_client_message *message)
{
    struct vdma_message *made =
        vdma_message_new(handler, peer, VDMA_PORTALS_CLIENT, message->bytes, message->message);
    struct vdma_body *body = vdma_message_body(made);
    body->type = message->type;
    body->count = message->number;
    memcpy(body->client, message->body, VDMA_CLIENT_BYTES);
    post(context, handler, (struct vdma_request){.kind = VDMA_REQUEST_MESSAGE, .message = made});
}

static void handle_request(struct cpu_context *context, struct vdma_handler *handler)
{
    struct vdma_request request = *handler->requests;
    pool_give(&handler->request_pool, handler->requests);
    handler->requests = request.next;
    switch (request.kind) {
    case VDMA_REQUEST_CONNECT:
        vdma_spend(context, handler->config.request, MESSAGE_NONE);
        vdma_connect(context, handler, request.peer);
        break;
    case VDMA_REQUEST_READ:
        vdma_spend(context, handler->config.request, request.transfer.message);
        vdma_read_begin(context, handler, &request.transfer);
        break;
    case VDMA_REQUEST_WRITE:
        vdma_spend(context, handler->config.request, request.transfer.message);
        vdma_write_begin(context, handler, &request.transfer);
        break;
    case VDMA_REQUEST_MESSAGE:
        vdma_spend(context, handler->config.request, request.message->sm.message);
        vdma_message_send(context, handler, request.message);
        break;
    }
}

// ---- Messages of other handlers ----

static void handle_client_message(struct cpu_context *context, struct vdma_handler *handler,
                                  const struct intercept_sm *sm, const struct vdma_body *body)
{
    struct vdma_client_message message = {
        .type = body->type,
        .number = body->count,
        .bytes = sm->bytes - handler->config.header,
        .message = sm->message,
    };
    memcpy(message.body, body->client, VDMA_CLIENT_BYTES);
    handler->client->message(context, handler->owner, sm->from, &message);
}

static void handle_body(struct cpu_context *context, struct vdma_handler *handler,
                        const struct intercept_sm *sm)
{
    const struct vdma_body *body = (const void *)sm->body;
    int from = sm->from;
    vdma_trace_message(context, handler, body, "from", from);
    switch ((enum vdma_kind)body->kind) {
    case VDMA_CONNECT:
        vdma_connect_arrived(context, handler, from, body->count);
        return;
    case VDMA_CONNECT_REFUSED:
        vdma_refused_arrived(context, handler, from);
        return;
    case VDMA_CREDIT:
        vdma_credit_arrived(context, handler, from, body->count);
        return;
    case VDMA_GET:
        vdma_get_arrived(context, handler, from, body);
        break;
    case VDMA_PUT:
        vdma_put_arrived(context, handler, from, &body->put);
        break;
    case VDMA_DONE:
        vdma_done_arrived(context, handler, body->key);
        break;
    case VDMA_PORTALS_GET_EXT_REPLY:
        vdma_ext_reply_arrived(context, handler, body->key);
        break;
    case VDMA_PORTALS_CLIENT:
        handle_client_message(context, handler, sm, body);
        break;
    case VDMA_KINDS:
        g_assert_not_reached();
    }
    vdma_message_taken(context, handler, from);
}

static void handle_message(struct cpu_context *context, struct vdma_handler *handler,
                           const struct intercept_sm *first)
{
    struct intercept_sm sm = *first;
    vnic_take(context, handler->vnic);
    vdma_spend(context, handler->config.handle, sm.message);
    handle_body(context, handler, &sm);
}

// ---- The thread ----

static bool handle_channel(struct cpu_context *context, struct vdma_handler *handler)
{
    for (int i = 0; i < INTERCEPT_CHANNELS; i++) {
        struct vdma_channel *channel = &handler->channels[i];
        if (!channel->over)
            continue;
        channel->over = false;
        if (channel->machine.state == VDMA_SENDS)
            vdma_slice_sent(context, handler, i);
        else
            vdma_slice_received(context, handler, i);
        return true;
    }
    return false;
}

// One event. Returns false if there is none.
static bool turn(struct cpu_context *context, struct vdma_handler *handler)
{
    if (handler->room) {
        handler->room = false;
        vdma_flush(context, handler);
        return true;
    }
    if (handle_channel(context, handler))
        return true;
    const struct intercept_sm *first = vnic_first(handler->vnic);
    if (first) {
        handle_message(context, handler, first);
        return true;
    }
    if (handler->requests && handler->requests->when <= context->now) {
        handle_request(context, handler);
        return true;
    }
    handler->channels_wait = false;
    return vdma_serve(context, handler) || vdma_next_slice(context, handler);
}

static enum cpu_next run(struct cpu_context *context, struct cpu_task *task)
{
    struct vdma_handler *handler = container_of(task, struct vdma_handler, thread);
    if (handler->asleep)
        host_thread_switch_in(context, handler->host);
    handler->asleep = handler->waking = false;
    if (turn(context, handler))
        return CPU_AGAIN;
    handler->asleep = true;
    return CPU_SLEEP;
}

// ---- Create and free ----

static void count_from(struct vdma_handler *handler)
{
    for (int kind = 0; kind < VDMA_KINDS; kind++) {
        char *name = g_strdup_printf("VDMA handler: %s sent", vdma_kind_names[kind]);
        handler->sent[kind] = sim_counter(handler->sim, name);
        g_free(name);
    }
    handler->slices = sim_counter(handler->sim, "VDMA handler: slices received");
    handler->copies = sim_counter(handler->sim, "VDMA handler: slices copied");
    handler->stray_credits =
        sim_counter(handler->sim, "VDMA handler: credit updates without a connection");
}

struct vdma_handler *vdma_handler_new(struct cluster *cluster, int host,
                                      const struct vdma_handler_config *config, bool extended)
{
    struct vdma_handler *handler = g_new0(struct vdma_handler, 1);
    handler->sim = cluster->sim;
    handler->host = cluster->hosts[host];
    handler->hosts = cluster->hosts;
    handler->host_count = cluster->host_count;
    char *where = g_strdup_printf("%s VDMA handler", handler->host->name);
    handler->where = intern_text(where);
    g_free(where);
    handler->config = *config;
    handler->splits = config->unaligned == VDMA_UNALIGNED_AUTO
                          ? extended
                          : config->unaligned == VDMA_UNALIGNED_SPLIT;
    handler->nic = intercept_nic(cluster, host);
    handler->vnic = vnic_open(handler->nic, VDMA_VNIC, &vnic_ops, handler);
    vnic_on_room(handler->vnic, room);
    vdma_open(handler->nic, &engine_ops, handler);
    handler->asleep = true;
    // Portals' NAL has a thread of its own per process, which is the first. The machines of thesis
    // 002, 6.1, have two processors with two logical ones each, so that process, NAL and handler
    // each have their own. Where the handler's is the process's, of two cores, it takes it from a
    // process that spins, which then sees its event later by what the handler still does: 0.2 us of
    // a put of 100 MiB.
    cpu_task_init(&handler->thread, host_thread_core(handler->host, extended ? 1 : 0), CPU_KERNEL,
                  run);
    sparse_init(&handler->peers, cluster->host_count, sizeof(struct vdma_peer));
    pool_init(&handler->request_pool, sizeof(struct vdma_request));
    pool_init(&handler->message_pool, sizeof(struct vdma_message));
    pool_init(&handler->read_pool, sizeof(struct vdma_read));
    pool_init(&handler->write_pool, sizeof(struct vdma_write));
    pool_init(&handler->served_pool, sizeof(struct vdma_served));
    count_from(handler);
    return handler;
}

void vdma_handler_free(struct vdma_handler *handler)
{
    if (!handler)
        return;
    sparse_clear(&handler->peers);
    pool_clear(&handler->request_pool);
    pool_clear(&handler->message_pool);
    pool_clear(&handler->read_pool);
    pool_clear(&handler->write_pool);
    pool_clear(&handler->served_pool);
    g_free(handler);
}

void vdma_handler_set_client(struct vdma_handler *handler, const struct vdma_client *client,
                             void *owner)
{
    handler->client = client;
    handler->owner = owner;
}
