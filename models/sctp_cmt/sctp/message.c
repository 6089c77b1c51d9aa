// SPDX-License-Identifier: GPL-3.0-or-later
// User messages between processes and associations: send, receive, and waiting for either.
#include "models/sctp_cmt/sctp/association.h"

#include "sim/core/fifo.h"

#include <string.h>

static int64_t room_of(const struct sctp_association *association)
{
    return association->out.buffer.size - association->out.buffer.used;
}

// It takes messages; those before it is up wait for that.
static bool takes_messages(const struct sctp_association *association)
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

// ---- Sending ----

// Copies from the user; the data are as warm as the whole message that they are part of.
static void copy_in(struct cpu_context *context, const struct sctp_socket *socket,
                    const struct sctp_send_info *info)
{
    const struct memory_config *memory = &socket->host->host->config.memory;
    int64_t whole = info->bytes + (info->message.generation ? info->offset : 0);
    sim_time setup = cpu_cost(context->cpu, memory->copy_setup);
    sim_time all = memory_copy_time(memory, context->cpu, whole, COPY_WARM) - setup;
    sim_time part = (sim_time)((__int128)all * info->bytes / whole);
    cpu_spend_message(context, setup + part, &stage_copy, info->message);
}

static struct sctp_message *message_of(struct sctp_host *host, const struct sctp_send_info *info)
{
    struct sctp_message *message = sctp_message_new(&host->pools);
    g_assert(info->content_length <= SCTP_CONTENT_BYTES);
    message->length = (uint32_t)info->bytes;
    message->content_length = info->content ? info->content_length : 0;
    message->message = info->message;
    message->offset = info->offset;
    message->stands_in = info->stands_in;
    if (message->content_length > 0)
        memcpy(message->content, info->content, message->content_length);
    return message;
}

// The association that a message goes to; NULL and *error if there is none. One-to-many: the first
// message to an address associates.
static struct sctp_association *target(struct cpu_context *context, struct sctp_socket *socket,
                                       const struct sctp_send_info *info, int *error)
{
    struct sctp_association *found = NULL;
    *error = SCTP_GONE;
    if (socket->style == SCTP_ONE_TO_ONE)
        found = sctp_socket_association(socket, 0);
    else if (info->association != 0)
        found = sctp_socket_association(socket, info->association);
    else if (info->station < 0)
        *error = SCTP_INVALID;
    else {
        found = sctp_host_find(socket->host, info->station, socket->port, info->port);
        *error = SCTP_NO_ROUTE;
        if (found && found->socket != socket) { // peeled off
            *error = SCTP_INVALID;
            return NULL;
        }
        if (!found)
            found = sctp_socket_open(context, socket, &info->station, 1, info->port);
    }
    if (found && !takes_messages(found)) {
        *error = found->error ? found->error : SCTP_GONE;
        return NULL;
    }
    return found;
}

// A send has found no room.
static void full(struct sctp_association *association, int64_t bytes)
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

int64_t sctp_send(struct cpu_context *context, struct sctp_socket *socket,
                  const struct sctp_send_info *info)
{
    struct sctp_host *host = socket->host;
    int error;
    inet_enter(context, socket->inet.process);
    cpu_spend_for(context, host->config->costs.send_call, &sctp_stage, info->message);
    if (info->bytes <= 0)
        return SCTP_INVALID;
    if (socket->style == SCTP_ONE_TO_MANY && info->bytes > socket->settings.send_buffer &&
        info->association == 0)
        return SCTP_TOO_LONG; // before it associates
    struct sctp_association *association = target(context, socket, info, &error);
    if (!association)
        return error;
    if (info->stream >= association->out.stream_count)
        return SCTP_INVALID;
    if (info->bytes > association->out.buffer.size)
        return SCTP_TOO_LONG;
    if (info->bytes > room_of(association)) {
        full(association, info->bytes);
        return SCTP_AGAIN;
    }
    sctp_socket_not_full(association);
    copy_in(context, socket, info);
    sctp_stream_put(association, info, message_of(host, info));
    if (association->machine.state != SCTP_COOKIE_WAIT)
        sctp_output(context, association);
    return info->bytes;
}

// ---- Receiving ----

void sctp_incoming_free(struct sctp_host *host, struct sctp_incoming *incoming)
{
    sctp_message_free(incoming->message);
    pool_give(&host->incoming, incoming);
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
        sctp_in_read(context, association, bytes, charge);
        return;
    }
    FIFO_APPEND(socket->ready_head, socket->ready_tail, incoming, next);
    inet_notify(context, &socket->inet);
}

// The peer of a one-to-one socket sends nothing more.
static bool at_end(const struct sctp_socket *socket)
{
    const struct sctp_association *association = sctp_socket_association(socket, 0);
    if (socket->style == SCTP_ONE_TO_MANY || !association)
        return false;
    return association->ended || association->machine.state == SCTP_SHUTDOWN_RECEIVED ||
           association->machine.state == SCTP_SHUTDOWN_ACK_SENT;
}

static int64_t nothing_read(struct sctp_socket *socket)
{
    bool one_to_one = socket->style == SCTP_ONE_TO_ONE;
    if (one_to_one && socket->error)
        return sctp_socket_error(socket);
    if (at_end(socket))
        return 0;
    return one_to_one && socket->associations->len == 0 ? SCTP_GONE : SCTP_AGAIN;
}

// What the user is told of the next `bytes` bytes of it.
static void describe(struct sctp_received *received, const struct sctp_incoming *incoming,
                     int64_t bytes)
{
    const struct sctp_message *message = incoming->message;
    uint32_t from = incoming->offset + (uint32_t)incoming->read;
    *received = (struct sctp_received){
        .bytes = bytes,
        .association = incoming->association->id,
        .station = incoming->station,
        .stream = incoming->stream,
        .ssn = incoming->ssn,
        .protocol = incoming->protocol,
        .tsn = incoming->first_tsn,
        .unordered = incoming->unordered,
        .end = incoming->ends && incoming->read + bytes == incoming->bytes,
        .notification = incoming->notification,
    };
    if (!message)
        return;
    received->message = message->message;
    received->stands_in = message->stands_in;
    received->offset =
        message->offset + MAX(from, message->content_length) - message->content_length;
    if (from < message->content_length) {
        bool whole = incoming->notification != SCTP_NOTHING;
        int64_t left = message->content_length - (int64_t)from;
        received->content = message->content + from;
        received->content_length = (uint32_t)(whole ? left : MIN(bytes, left));
    }
}

// Copies to the user. Only what a processor has checksummed has been in a cache.
static void copy_out(struct cpu_context *context, const struct sctp_socket *socket,
                     const struct sctp_received *received)
{
    const struct host *host = socket->host->host;
    enum copy_source source =
        socket->host->config->checksum ? host_received_source(host, context->cpu) : COPY_COLD;
    mem_copy(context, &host->config.memory, received->bytes, source, received->message);
}

static void take(struct cpu_context *context, struct sctp_socket *socket,
                 struct sctp_incoming *incoming, int64_t bytes)
{
    struct sctp_association *association = incoming->association;
    bool data = incoming->notification == SCTP_NOTHING, whole;
    incoming->read += bytes;
    whole = incoming->read == incoming->bytes;
    int64_t charge = whole ? incoming->charge : MIN(bytes, incoming->charge);
    incoming->charge -= charge;
    if (incoming->message) {
        sctp_message_ref(incoming->message);
        socket->reading = incoming->message;
    }
    if (whole) {
        socket->ready_head = incoming->next;
        sctp_incoming_free(socket->host, incoming);
    }
    if (data && !association->ended)
        sctp_in_read(context, association, bytes, charge);
}

int64_t sctp_receive(struct cpu_context *context, struct sctp_socket *socket, int64_t room,
                     struct sctp_received *received)
{
    struct sctp_incoming *incoming = socket->ready_head;
    inet_enter(context, socket->inet.process);
    cpu_spend(context, socket->host->config->costs.receive_call, &sctp_stage);
    sctp_message_free(socket->reading);
    socket->reading = NULL;
    if (room <= 0)
        return SCTP_INVALID;
    if (!incoming)
        return nothing_read(socket);
    int64_t bytes = MIN(room, incoming->bytes - incoming->read);
    describe(received, incoming, bytes);
    if (incoming->notification == SCTP_NOTHING)
        copy_out(context, socket, received);
    take(context, socket, incoming, bytes);
    return bytes;
}

// ---- Waiting ----

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
        if (association->full_for > 0 && room_of(association) >= association->full_for)
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
           (association->ended || (sctp_established(socket) && room_of(association) > 0));
}

static int socket_ready(const struct inet_socket *inet)
{
    const struct sctp_socket *socket = container_of(inet, const struct sctp_socket, inet);
    bool readable = socket->ready_head || socket->accept_head || at_end(socket);
    return (readable ? INET_READABLE : 0) | (writable(socket) ? INET_WRITABLE : 0);
}

const struct inet_socket_ops sctp_socket_ops = {
    .stage = &sctp_stage,
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
    return takes_messages(association) ? MAX(0, room_of(association)) : 0;
}
