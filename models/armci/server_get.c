// SPDX-License-Identifier: GPL-3.0-or-later
// The data server's half of a get: each piece is packed into a send buffer (COPYSD) and written
// into the client's memory (XMITD). Two buffers alternate: one is packed while the other is in
// transit (thesis 001, 4.3.1).
#include "models/armci/server.h"

static const struct armci_message *message_of(const struct armci_server *server)
{
    return server->current->message;
}

// ---- Sending ----

static void data_sent(struct cpu_context *context, struct gm_port *port, void *callback_context,
                      enum gm_status status)
{
    struct armci_slot *slot = callback_context;
    struct armci_server *server = container_of(slot->buffers, struct armci_server, buffers);
    armci_buffers_acknowledge(slot);
    armci_server_sent(context, port, server, status);
}

static void send_data(struct cpu_context *context, struct armci_server *server)
{
    const struct armci_message *message = message_of(server);
    const struct armci_config *config = server->config;
    const struct armci_client *client = armci_client_at(server->job, message->client);
    struct armci_slot *slot = server->slot;
    struct armci_flag *flag = &server->flags[slot->number];
    bool flagged = message->get->arrival == ARMCI_NOTICE_FLAG;
    int target = message->get->each_piece ? 0 : (int)(server->sent % config->get_buffers);
    *flag = (struct armci_flag){
        .kind = message->get->direct ? ARMCI_FLAG_DIRECT
                : flagged            ? ARMCI_FLAG_DATA
                                     : ARMCI_FLAG_SILENT,
        .client = message->client,
        .number = message->number,
        .slot = target,
        .piece = server->piece,
    };
    // Into the user's memory only the data are written.
    int64_t header =
        (flagged && !message->get->direct) || server->piece.bytes == 0 ? config->flag : 0;
    struct gm_message send = {
        .address = slot->address,
        .length = server->piece.bytes + header,
        .header = header,
        .target_host = client->process->host->index,
        .target_port = gm_port_number(client->port),
        .message = message->message,
        .offset = server->piece.offset,
        .content = armci_flag_new(server->job, flag),
        .callback = data_sent,
        .callback_context = slot,
    };
    int64_t place =
        message->get->direct ? server->piece.offset : target * armci_buffer_bytes(config);
    ++*server->sends;
    cpu_trace_eventf(context, armci_server_owner(server), NULL, "XMITD", "buffer %d", slot->number);
    gm_directed_send_with_callback(context, server->responses, &send,
                                   message->client_address + place);
}

// Notifies the client by a message to its data server, once the data are acknowledged. Returns
// false before that.
static bool tell_target(struct cpu_context *context, struct armci_server *server)
{
    const struct armci_slot *slot = server->untold;
    if (!slot)
        return true;
    if (slot->sending || gm_send_tokens(server->responses) == 0)
        return false;
    const struct armci_flag *flag = &server->flags[slot->number];
    const struct armci_server *to =
        armci_server_of(armci_client_at(server->job, flag->client), flag->client);
    struct armci_message *arrived = pool_take(&server->job->messages);
    *arrived = (struct armci_message){
        .self = arrived,
        .kind = ARMCI_ARRIVED,
        .client = flag->client,
        .target = flag->client,
        .number = flag->number,
        .header = server->config->header,
        .tag = server->config->header,
        .piece = flag->piece,
        .slot = flag->slot,
    };
    struct gm_message send = {
        .address = server->answer_address,
        .length = arrived->header,
        .header = arrived->header,
        .size = to->small.size,
        .target_host = to->host->index,
        .target_port = armci_server_port(to),
        .content = arrived,
        .callback = armci_server_sent,
        .callback_context = server,
    };
    ++*server->sends;
    cpu_trace_eventf(context, armci_server_owner(server), NULL, "ack", "buffer %d", slot->number);
    gm_send_with_callback(context, server->responses, &send);
    server->untold = NULL;
    return true;
}

static enum cpu_next after_piece(struct cpu_context *context, struct armci_server *server)
{
    const struct armci_message *message = message_of(server);
    server->sent++;
    if (armci_pieces_next(&server->pieces, &server->piece))
        armci_server_enter(context, server, ARMCI_SERVER_SENDS);
    else if (server->untold)
        armci_server_enter(context, server, ARMCI_SERVER_SENT);
    else if (message->get->direct) // a flag follows the data
        armci_server_reply(context, server, message->client, message->number, 0);
    else
        armci_server_done(context, server);
    return CPU_AGAIN;
}

// ---- Packing ----

static enum cpu_next pack(struct cpu_context *context, struct armci_server *server)
{
    const struct armci_message *message = message_of(server);
    const struct armci_config *config = server->config;
    // A buffer is not filled again before the client knows of the data that were in it.
    if (server->untold && server->untold == server->buffers.turn && !tell_target(context, server))
        return armci_server_look(context, server);
    server->slot = armci_buffers_take(&server->buffers, server->piece.bytes + config->flag);
    if (!server->slot)
        return armci_server_look(context, server);
    cpu_trace_eventf(context, armci_server_owner(server), NULL, "COPYSD",
                     "buffer %d: %" G_GINT64_FORMAT " B at %" G_GINT64_FORMAT, server->slot->number,
                     server->piece.bytes, server->piece.offset);
    struct copy_reuse reuse = {
        .source = armci_user_reuse(message->bytes, server->buffers.count, message->limit),
        .destination = armci_buffer_reuse(message->bytes, server->buffers.count, message->limit),
    };
    armci_copy(context, server->host, &server->piece, reuse, config->block, message->message);
    armci_server_enter(context, server, ARMCI_SERVER_READY);
    return CPU_AGAIN;
}

void armci_serve_get(struct cpu_context *context, struct armci_server *server)
{
    const struct armci_message *message = message_of(server);
    server->sent = 0;
    server->piece = message->piece;
    server->pieces.ended = true;
    if (!message->get->each_piece) {
        armci_pieces_init(&server->pieces, message->layout, message->bytes, message->limit);
        armci_pieces_next(&server->pieces, &server->piece);
    }
    armci_server_enter(context, server, ARMCI_SERVER_SENDS);
}

// ---- Leave to write ----

enum leave { LEAVE_NOW, LEAVE_LATER, LEAVE_NEVER };

static enum leave leave(const struct armci_server *server)
{
    const struct armci_message *message = message_of(server);
    const struct armci_ready *ready = sparse_peek(&server->ready, message->client);
    bool said = ready && ready->number == message->number;
    int64_t free = server->config->get_buffers + (said ? ready->free : 0);
    if (message->get->direct)
        return !said || ready->registration == ARMCI_FLAG_NONE ? LEAVE_LATER
               : ready->registration == ARMCI_FLAG_REGISTERED  ? LEAVE_NOW
                                                               : LEAVE_NEVER;
    return message->get->each_piece || server->sent < free ? LEAVE_NOW : LEAVE_LATER;
}

static enum cpu_next server_send_piece(struct cpu_context *context, struct armci_server *server)
{
    if (gm_send_tokens(server->responses) == 0)
        return armci_server_look(context, server);
    send_data(context, server);
    if (message_of(server)->get->arrival == ARMCI_NOTICE_MESSAGE)
        server->untold = server->slot;
    return after_piece(context, server);
}

static enum cpu_next ready(struct cpu_context *context, struct armci_server *server)
{
    if (!tell_target(context, server))
        return armci_server_look(context, server);
    switch (leave(server)) {
    case LEAVE_NOW:
        return server_send_piece(context, server);
    case LEAVE_LATER:
        return message_of(server)->get->availability == ARMCI_NOTICE_MESSAGE
                   ? armci_server_wait(context, server)
                   : armci_server_watch(context, server);
    case LEAVE_NEVER: // the client asks again, for pieces
        armci_buffers_acknowledge(server->slot);
        armci_server_done(context, server);
        return CPU_AGAIN;
    }
    return CPU_SLEEP;
}

static enum cpu_next wait_sent(struct cpu_context *context, struct armci_server *server)
{
    if (!tell_target(context, server))
        return armci_server_look(context, server);
    armci_server_done(context, server);
    return CPU_AGAIN;
}

enum cpu_next armci_get_slice(struct cpu_context *context, struct armci_server *server)
{
    switch ((enum armci_server_state)server->machine.state) {
    case ARMCI_SERVER_SENDS:
        return pack(context, server);
    case ARMCI_SERVER_READY:
        return ready(context, server);
    case ARMCI_SERVER_SENT:
        return wait_sent(context, server);
    case ARMCI_SERVER_STARTS:
    case ARMCI_SERVER_IDLE:
    case ARMCI_SERVER_ANSWER:
        break;
    }
    return CPU_SLEEP;
}
