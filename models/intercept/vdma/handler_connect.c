// SPDX-License-Identifier: GPL-3.0-or-later
// Connections between handlers, and the credits of messages (thesis 002, 2.2.2). A CONNECT carries
// the credit that the other side may use; the handler that accepts one gives its own by an initial
// credit update. Two CONNECTs that cross have both been accepted.
#include "models/intercept/vdma/handler_internal.h"

static const struct wait connection_wait = {"the connection of the VDMA handlers", WAIT_ACK};
static const struct wait credit_wait = {"credit of the VDMA handler", WAIT_CREDIT};
static const struct wait room_wait = {"room in the VDMA handler's TX-CB", WAIT_DESCRIPTOR};

// ---- Messages ----

// Thesis 002, 4.1.1: the handler's messages go over one plane, so that they stay in order: the
// first that joins both cards. If none does, the card ends the run.
static uint8_t one_plane(const struct vdma_handler *handler, int peer)
{
    unsigned planes = intercept_planes_to(handler->nic, peer);
    return (uint8_t)(planes & (~planes + 1));
}

struct vdma_message *vdma_message_new(struct vdma_handler *handler, int peer, enum vdma_kind kind,
                                      int64_t bytes, struct message_ref on_behalf)
{
    struct vdma_message *message = pool_take(&handler->message_pool);
    *message = (struct vdma_message){
        .sm = {.to = peer,
               .vnic = VDMA_VNIC,
               .planes = one_plane(handler, peer),
               .marked = true,
               .bytes = (uint16_t)(handler->config.header + bytes),
               .message = on_behalf},
    };
    vdma_message_body(message)->kind = (uint8_t)kind;
    return message;
}

static bool needs_credit(const struct vdma_message *message)
{
    const struct vdma_body *body = (const void *)message->sm.body;
    return body->kind != VDMA_CONNECT && body->kind != VDMA_CONNECT_REFUSED &&
           body->kind != VDMA_CREDIT;
}

static void hold(const struct cpu_context *context, struct vdma_message *message,
                 const struct wait *wait)
{
    if (message->wait)
        return;
    message->wait = wait;
    message->since = context->now;
}

static void trace_held(const struct cpu_context *context, const struct vdma_handler *handler,
                       const struct vdma_message *message)
{
    if (message->wait)
        trace_note(handler->sim->trace, cpu_lane(context->cpu),
                   &(struct trace_note){.kind = TRACE_HELD,
                                        .wait = message->wait,
                                        .where = handler->where,
                                        .from = message->since,
                                        .to = context->now,
                                        .message = message->sm.message});
}

// Puts a message into the TX-CB. Returns false if that is full.
static bool hand_over(struct cpu_context *context, struct vdma_handler *handler,
                      struct vdma_message *message)
{
    if (!vnic_send(context, handler->vnic, 0, &message->sm)) {
        hold(context, message, &room_wait);
        return false;
    }
    trace_held(context, handler, message);
    vdma_trace_message(context, handler, vdma_message_body(message), "to", message->sm.to);
    ++*handler->sent[vdma_message_body(message)->kind];
    pool_give(&handler->message_pool, message);
    return true;
}

// Credits over time, for the trace.
static void credits_tell(const struct cpu_context *context, const struct vdma_handler *handler,
                         struct vdma_peer *peer)
{
    static const struct trace_quantity credits = {"credits", "messages"};
    struct trace *trace = handler->sim->trace;
    if (!trace_takes_values(trace))
        return;
    trace_values_once(trace, &peer->values,
                      (struct trace_values_info){
                          .group = handler->host->name, .quantities = &credits, .count = 1},
                      "VDMA handler to %s", handler->hosts[peer->number]->name);
    trace_value(trace, peer->values, 0, context->now, peer->credits);
}

// Returns false if the TX-CB is full.
static bool flush_peer(struct cpu_context *context, struct vdma_handler *handler,
                       struct vdma_peer *peer)
{
    while (peer->waiting && peer->machine.state == VDMA_CONNECTED && peer->credits > 0) {
        struct vdma_message *message = peer->waiting, *next = message->next;
        if (!hand_over(context, handler, message))
            return false;
        peer->waiting = next;
        peer->credits--;
        credits_tell(context, handler, peer);
    }
    bool starved = peer->waiting && peer->machine.state == VDMA_CONNECTED;
    if (peer->waiting)
        hold(context, peer->waiting_last, starved ? &credit_wait : &connection_wait);
    if (starved && !peer->starved)
        cpu_trace_event(context,
                        vdma_owner(handler, &vdma_connection_machine, (uint64_t)peer->number),
                        "CONNECTED", "no credit", NULL);
    peer->starved = starved;
    return true;
}

// Returns false if the TX-CB is full.
static bool flush_control(struct cpu_context *context, struct vdma_handler *handler)
{
    while (handler->control) {
        struct vdma_message *next = handler->control->next;
        if (!hand_over(context, handler, handler->control))
            return false;
        handler->control = next;
    }
    return true;
}

void vdma_flush(struct cpu_context *context, struct vdma_handler *handler)
{
    bool goes_on = flush_control(context, handler);
    for (struct vdma_peer **at = &handler->waiting_peers; *at && goes_on;) {
        struct vdma_peer *peer = *at;
        goes_on = flush_peer(context, handler, peer);
        if (peer->waiting) {
            at = &peer->next;
            continue;
        }
        peer->listed = false;
        *at = peer->next;
    }
}

void vdma_message_send(struct cpu_context *context, struct vdma_handler *handler,
                       struct vdma_message *message)
{
    vdma_spend(context, handler->config.message, message->sm.message);
    if (!needs_credit(message)) {
        FIFO_APPEND(handler->control, handler->control_last, message, next);
        flush_control(context, handler);
        return;
    }
    struct vdma_peer *peer = vdma_peer(handler, message->sm.to);
    FIFO_APPEND(peer->waiting, peer->waiting_last, message, next);
    flush_peer(context, handler, peer);
    if (!peer->waiting || peer->listed)
        return;
    peer->listed = true;
    peer->next = handler->waiting_peers;
    handler->waiting_peers = peer;
}

static void send_credit(struct cpu_context *context, struct vdma_handler *handler, int number,
                        enum vdma_kind kind, int64_t credits)
{
    struct vdma_message *message = vdma_message_new(handler, number, kind, VDMA_WORD, MESSAGE_NONE);
    vdma_message_body(message)->count = (uint32_t)credits;
    vdma_message_send(context, handler, message);
}

void vdma_message_taken(struct cpu_context *context, struct vdma_handler *handler, int from)
{
    struct vdma_peer *peer = vdma_peer(handler, from);
    if (++peer->taken < handler->config.credit_update)
        return;
    send_credit(context, handler, from, VDMA_CREDIT, peer->taken);
    peer->taken = 0;
}

// ---- Connections ----

static void connection_enter(const struct cpu_context *context, const struct vdma_handler *handler,
                             struct vdma_peer *peer, enum vdma_connection state, const char *event)
{
    cpu_machine_enter(context, &vdma_connection_machine, &peer->machine, state,
                      vdma_owner(handler, &vdma_connection_machine, (uint64_t)peer->number), event);
}

static void tell(struct cpu_context *context, struct vdma_handler *handler, struct vdma_peer *peer)
{
    if (!peer->asked)
        return;
    peer->asked = false;
    if (handler->client->connected)
        handler->client->connected(context, handler->owner, peer->number);
}

void vdma_connect(struct cpu_context *context, struct vdma_handler *handler, int number)
{
    struct vdma_peer *peer = vdma_peer(handler, number);
    peer->asked = true;
    switch ((enum vdma_connection)peer->machine.state) {
    case VDMA_NONE:
        connection_enter(context, handler, peer, VDMA_CONNECTING, "asked");
        send_credit(context, handler, number, VDMA_CONNECT, handler->config.credits);
        return;
    case VDMA_CONNECTING:
        return;
    case VDMA_CONNECTED:
        tell(context, handler, peer);
        return;
    }
}

static void is_connected(struct cpu_context *context, struct vdma_handler *handler,
                         struct vdma_peer *peer, int64_t credits, const char *why)
{
    connection_enter(context, handler, peer, VDMA_CONNECTED, why);
    peer->credits += credits;
    credits_tell(context, handler, peer);
    tell(context, handler, peer);
    flush_peer(context, handler, peer);
}

void vdma_connect_arrived(struct cpu_context *context, struct vdma_handler *handler, int from,
                          int64_t credits)
{
    struct vdma_peer *peer = vdma_peer(handler, from);
    switch ((enum vdma_connection)peer->machine.state) {
    case VDMA_NONE:
        send_credit(context, handler, from, VDMA_CREDIT, handler->config.credits);
        is_connected(context, handler, peer, credits, "accepts");
        return;
    case VDMA_CONNECTING:
        is_connected(context, handler, peer, credits, "CONNECTs crossed");
        return;
    case VDMA_CONNECTED:
        connection_enter(context, handler, peer, VDMA_CONNECTED, "refuses");
        send_credit(context, handler, from, VDMA_CONNECT_REFUSED, 0);
        return;
    }
}

void vdma_credit_arrived(struct cpu_context *context, struct vdma_handler *handler, int from,
                         int64_t credits)
{
    struct vdma_peer *peer = vdma_peer(handler, from);
    switch ((enum vdma_connection)peer->machine.state) {
    case VDMA_NONE:
        ++*handler->stray_credits;
        return;
    case VDMA_CONNECTING:
        is_connected(context, handler, peer, credits, "initial credit");
        return;
    case VDMA_CONNECTED:
        peer->credits += credits;
        credits_tell(context, handler, peer);
        vdma_flush(context, handler);
        return;
    }
}

void vdma_refused_arrived(struct cpu_context *context, struct vdma_handler *handler, int from)
{
    const char *here = handler->host->name, *there = handler->hosts[from]->name;
    cpu_trace_event(context, vdma_owner(handler, &vdma_connection_machine, (uint64_t)from), NULL,
                    "refused", NULL);
    sim_fail(handler->sim, SIM_FAILED, "vdma_connection_refused",
             json_pack("{s:s, s:s, s:s}", "host", here, "peer", there, "setting",
                       "vdma_handler.self_connect"),
             "%s's VDMA handler refuses to be connected with %s, as it thinks that it is: without "
             "a switch between them, %s's connection to itself went there, too; set "
             "vdma_handler.self_connect to false (INIT_VDMA_NOSELFCONNECT), or use a switch",
             there, here, here);
}

bool vdma_connected(const struct vdma_handler *handler, int peer)
{
    const struct vdma_peer *at = sparse_peek(&handler->peers, peer);
    return at && at->machine.state == VDMA_CONNECTED;
}
