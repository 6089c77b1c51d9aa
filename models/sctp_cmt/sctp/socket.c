// SPDX-License-Identifier: GPL-3.0-or-later
// A socket: the associations that it has, what it is ready for, what its reader has not taken yet.
#include "models/sctp_cmt/sctp/association.h"

#include "sim/core/fifo.h"

// ---- Associations of a socket ----

struct sctp_association *sctp_socket_association(const struct sctp_socket *socket, uint32_t id)
{
    for (guint i = 0; i < socket->associations->len; i++) {
        struct sctp_association *association = g_ptr_array_index(socket->associations, i);
        if (association->id == id || (id == 0 && socket->associations->len == 1))
            return association;
    }
    return NULL;
}

// ---- Readiness ----

// It takes messages; those before it is up wait for that.
bool sctp_takes_messages(const struct sctp_association *association)
{
    if (association->ended || association->shutdown_asked)
        return false;
    switch ((enum sctp_state)association->machine.state) {
    case SCTP_COOKIE_WAIT:
    case SCTP_COOKIE_ECHOED:
    case SCTP_ESTABLISHED:
        return true;
    case SCTP_CLOSED:
    case SCTP_SHUTDOWN_PENDING:
    case SCTP_SHUTDOWN_SENT:
    case SCTP_SHUTDOWN_RECEIVED:
    case SCTP_SHUTDOWN_ACK_SENT:
        return false;
    }
    return false;
}

// The peer of a one-to-one socket sends nothing more.
bool sctp_socket_at_end(const struct sctp_socket *socket)
{
    const struct sctp_association *association = sctp_socket_association(socket, 0);
    if (socket->style == SCTP_ONE_TO_MANY || !association)
        return false;
    return association->ended || association->machine.state == SCTP_SHUTDOWN_RECEIVED ||
           association->machine.state == SCTP_SHUTDOWN_ACK_SENT;
}

bool sctp_established(const struct sctp_socket *socket)
{
    const struct sctp_association *association = sctp_socket_association(socket, 0);
    if (!association)
        return false;
    switch ((enum sctp_state)association->machine.state) {
    case SCTP_ESTABLISHED:
    case SCTP_SHUTDOWN_PENDING:
    case SCTP_SHUTDOWN_RECEIVED:
        return true;
    case SCTP_CLOSED:
    case SCTP_COOKIE_WAIT:
    case SCTP_COOKIE_ECHOED:
    case SCTP_SHUTDOWN_SENT:
    case SCTP_SHUTDOWN_ACK_SENT:
        return false;
    }
    return false;
}

// One of the associations that were full has room, or one has ended.
static bool buffer_has_room(const struct sctp_socket *socket)
{
    if (socket->error)
        return true;
    for (guint i = 0; i < socket->associations->len; i++) {
        const struct sctp_association *association = g_ptr_array_index(socket->associations, i);
        if (association->full_for > 0 && sctp_send_room(association) >= association->full_for)
            return true;
    }
    return false;
}

// A message that found no room can go; a one-to-one socket must be connected.
static bool writable(const struct sctp_socket *socket)
{
    const struct sctp_association *association = sctp_socket_association(socket, 0);
    if (socket->full)
        return buffer_has_room(socket);
    if (socket->style == SCTP_ONE_TO_MANY)
        return true;
    return association &&
           (association->ended || (sctp_established(socket) && sctp_send_room(association) > 0));
}

static int socket_ready(const struct inet_socket *inet)
{
    const struct sctp_socket *socket = container_of(inet, const struct sctp_socket, inet);
    bool readable = socket->ready_head || socket->accept_head || sctp_socket_at_end(socket);
    return (readable ? INET_READABLE : 0) | (writable(socket) ? INET_WRITABLE : 0);
}

const struct inet_socket_ops sctp_socket_ops = {
    .stage = &sctp_stage,
    .reads = INET_SCTP_RECVMSG,
    .writes = INET_SCTP_SENDMSG,
    .ready = socket_ready,
};

void sctp_socket_changed(struct cpu_context *context, struct sctp_association *association)
{
    inet_notify(context, &association->socket->inet);
}

int64_t sctp_writable(const struct sctp_socket *socket)
{
    const struct sctp_association *association =
        socket->full ? socket->full : sctp_socket_association(socket, 0);
    if (!association)
        return socket->style == SCTP_ONE_TO_MANY ? socket->settings.send_buffer : 0;
    return sctp_takes_messages(association) ? MAX(0, sctp_send_room(association)) : 0;
}

// ---- A send that found no room ----

void sctp_socket_full(struct sctp_association *association, int64_t bytes)
{
    struct sctp_socket *socket = association->socket;
    socket->full_count += association->full_for == 0;
    association->full_for = association->full_for ? MIN(association->full_for, bytes) : bytes;
    socket->full = association;
}

void sctp_socket_not_full(struct sctp_association *association)
{
    struct sctp_socket *socket = association->socket;
    if (association->full_for == 0)
        return;
    association->full_for = 0;
    socket->full_count--;
    if (socket->full != association)
        return;
    socket->full = NULL;
    for (guint i = 0; i < socket->associations->len && socket->full_count > 0; i++) {
        struct sctp_association *other = g_ptr_array_index(socket->associations, i);
        if (other->full_for > 0)
            socket->full = other;
    }
}

// ---- The reader's queue ----

void sctp_message_lost(struct sctp_host *host, const struct sctp_message *message, uint32_t offset,
                       int64_t bytes, const char *reason)
{
    if (!message || message->message.generation == 0)
        return;
    if (message->stands_in) {
        ledger_drop_rest(host->sim->ledger, message->message, reason);
        return;
    }
    int64_t from = MAX(offset, message->content_length), to = offset + bytes;
    if (to > from)
        ledger_drop(host->sim->ledger, message->message,
                    message->offset + from - message->content_length, to - from, reason);
}

void sctp_incoming_free(struct sctp_host *host, struct sctp_incoming *incoming)
{
    sctp_message_free(incoming->message);
    pool_give(&host->incoming, incoming);
}

void sctp_socket_clear(struct sctp_socket *socket, const char *reason)
{
    struct sctp_incoming *next;
    for (struct sctp_incoming *incoming = socket->ready_head; incoming; incoming = next) {
        next = incoming->next;
        if (reason && incoming->notification == SCTP_NOTHING)
            sctp_message_lost(socket->host, incoming->message,
                              incoming->offset + (uint32_t)incoming->read,
                              incoming->bytes - incoming->read, reason);
        sctp_incoming_free(socket->host, incoming);
    }
    socket->ready_head = socket->ready_tail = NULL;
    sctp_message_free(socket->reading);
    socket->reading = NULL;
}

void sctp_deliver(struct cpu_context *context, struct sctp_association *association,
                  struct sctp_incoming *incoming)
{
    struct sctp_socket *socket = association->socket;
    incoming->association = association;
    if (socket->closed) {
        sctp_message_lost(socket->host, incoming->message, incoming->offset, incoming->bytes,
                          "SCTP socket closed");
        int64_t bytes = incoming->bytes, charge = incoming->charge;
        sctp_incoming_free(socket->host, incoming);
        sctp_rwnd_read(context, association, bytes, charge);
        return;
    }
    FIFO_APPEND(socket->ready_head, socket->ready_tail, incoming, next);
    inet_notify(context, &socket->inet);
}

// `message`: what could not be sent; NULL: it is not about one.
void sctp_notify_of(struct cpu_context *context, struct sctp_association *association,
                    enum sctp_notification notification, int station, struct sctp_message *message,
                    unsigned event)
{
    struct sctp_socket *socket = association->socket;
    if (!(socket->events & event) || socket->closed)
        return;
    struct sctp_incoming *incoming = pool_take(&association->host->incoming);
    *incoming = (struct sctp_incoming){
        .message = message,
        .association = association,
        .bytes = 1,
        .station = station,
        .begins = true,
        .ends = true,
        .notification = notification,
    };
    if (message)
        sctp_message_ref(message);
    FIFO_APPEND(socket->ready_head, socket->ready_tail, incoming, next);
    inet_notify(context, &socket->inet);
}

void sctp_notify(struct cpu_context *context, struct sctp_association *association,
                 enum sctp_notification notification, int station)
{
    static const unsigned events[] = {
        [SCTP_NOTHING] = 0,
        [SCTP_COMM_UP] = SCTP_EVENT_ASSOCIATION,
        [SCTP_COMM_LOST] = SCTP_EVENT_ASSOCIATION,
        [SCTP_RESTART] = SCTP_EVENT_ASSOCIATION,
        [SCTP_SHUTDOWN_COMP] = SCTP_EVENT_ASSOCIATION,
        [SCTP_CANT_STR_ASSOC] = SCTP_EVENT_ASSOCIATION,
        [SCTP_ADDR_AVAILABLE] = SCTP_EVENT_ADDRESS,
        [SCTP_ADDR_UNREACHABLE] = SCTP_EVENT_ADDRESS,
        [SCTP_ADDR_CONFIRMED] = SCTP_EVENT_ADDRESS,
        [SCTP_ADDR_MADE_PRIM] = SCTP_EVENT_ADDRESS,
        [SCTP_SEND_FAILED] = SCTP_EVENT_SEND_FAILURE,
        [SCTP_REMOTE_ERROR] = SCTP_EVENT_PEER_ERROR,
        [SCTP_SHUTDOWN_EVENT] = SCTP_EVENT_SHUTDOWN,
    };
    sctp_notify_of(context, association, notification, station, NULL, events[notification]);
}

// ---- Create and free ----

struct sctp_socket *sctp_socket_make(struct sctp_host *host, enum sctp_style style,
                                     const struct sctp_settings *settings)
{
    struct sctp_socket *socket = g_new0(struct sctp_socket, 1);
    socket->inet = (struct inet_socket){.ops = &sctp_socket_ops, .host = host->inet};
    socket->host = host;
    socket->style = style;
    socket->settings = *settings;
    socket->associations = g_ptr_array_new();
    g_ptr_array_add(host->sockets, socket);
    return socket;
}

void sctp_socket_free(struct sctp_socket *socket)
{
    socket->reading = NULL; // it belongs to its sender, whose host may be gone already
    sctp_socket_clear(socket, NULL);
    g_ptr_array_free(socket->associations, TRUE);
    g_free(socket);
}

struct sctp_socket *sctp_socket_branch(const struct sctp_socket *from)
{
    struct sctp_socket *socket = sctp_socket_make(from->host, SCTP_ONE_TO_ONE, &from->settings);
    socket->port = from->port;
    socket->cards = from->cards;
    socket->events = from->events;
    return socket;
}

struct sctp_socket *sctp_socket_for_peer(struct sctp_socket *listener)
{
    return listener->style == SCTP_ONE_TO_MANY ? listener : sctp_socket_branch(listener);
}

void sctp_socket_offer(struct cpu_context *context, struct sctp_socket *listener,
                       struct sctp_socket *socket)
{
    if (socket == listener)
        return;
    FIFO_APPEND(listener->accept_head, listener->accept_tail, socket, next);
    inet_notify(context, &listener->inet);
}

struct inet_socket *sctp_socket_inet(struct sctp_socket *socket)
{
    return &socket->inet;
}

int sctp_socket_error(struct sctp_socket *socket)
{
    int error = socket->error;
    socket->error = 0;
    return error;
}
