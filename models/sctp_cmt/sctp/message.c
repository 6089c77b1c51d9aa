// SPDX-License-Identifier: GPL-3.0-or-later
// User messages between processes and associations: send, receive, and waiting for either.
#include "models/sctp_cmt/sctp/association.h"

#include "sim/core/fifo.h"

#include <string.h>

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
static struct sctp_association *association_for(struct cpu_context *context,
                                                struct sctp_socket *socket,
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
    if (found && !sctp_takes_messages(found)) {
        *error = found->error ? found->error : SCTP_GONE;
        return NULL;
    }
    return found;
}

int64_t sctp_send(struct cpu_context *context, struct sctp_socket *socket,
                  const struct sctp_send_info *info)
{
    struct sctp_host *host = socket->host;
    int error;
    inet_enter(context, socket->inet.process, INET_SCTP_SENDMSG);
    cpu_spend_for(context, host->config->costs.send_call, &sctp_stage, info->message);
    if (info->bytes <= 0)
        return SCTP_INVALID;
    if (socket->style == SCTP_ONE_TO_MANY && info->bytes > socket->settings.send_buffer &&
        info->association == 0)
        return SCTP_TOO_LONG; // before it associates
    struct sctp_association *association = association_for(context, socket, info, &error);
    if (!association)
        return error;
    if (info->stream >= association->out.stream_count)
        return SCTP_INVALID;
    if (info->bytes > association->out.buffer.size)
        return SCTP_TOO_LONG;
    if (info->bytes > sctp_send_room(association)) {
        sctp_socket_full(association, info->bytes);
        return SCTP_AGAIN;
    }
    sctp_socket_not_full(association);
    copy_in(context, socket, info);
    sctp_stream_put(association, info, message_of(host, info));
    if (association->machine.state != SCTP_COOKIE_WAIT)
        sctp_due(association, SCTP_DUE_SEND);
    sctp_run_due(context, association);
    return info->bytes;
}

// ---- Receiving ----

static int64_t nothing_read(struct sctp_socket *socket)
{
    bool one_to_one = socket->style == SCTP_ONE_TO_ONE;
    if (one_to_one && socket->error)
        return sctp_socket_error(socket);
    if (sctp_socket_at_end(socket))
        return 0;
    return one_to_one && socket->associations->len == 0 ? SCTP_GONE : SCTP_AGAIN;
}

// Describes the next `bytes` bytes of it to the user.
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

static void consume(struct cpu_context *context, struct sctp_socket *socket,
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
    sctp_run_due(context, association);
}

int64_t sctp_receive(struct cpu_context *context, struct sctp_socket *socket, int64_t room,
                     struct sctp_received *received)
{
    struct sctp_incoming *incoming = socket->ready_head;
    inet_enter(context, socket->inet.process, INET_SCTP_RECVMSG);
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
    consume(context, socket, incoming, bytes);
    return bytes;
}
