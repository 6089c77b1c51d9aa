// SPDX-License-Identifier: GPL-3.0-or-later
// RECV: checks packets in receive buffers. Control packets go to their connection; a
// data packet that is the next of its connection, and has a place to go to, is acknowledged at once
// and given to RDMA, before the host knows of it (thesis 001, 3.1: the acknowledgement comes from
// the receiving card); others are dropped.
#include "models/myrinet_gm/gm/gm_internal.h"

static struct gm_port *open_port(const struct gm_card *card, const struct gm_header *header)
{
    struct gm_port *port =
        header->target_port < card->config->ports ? &card->ports[header->target_port] : NULL;
    return port && port->open ? port : NULL;
}

// The first packet of a message: it needs a receive token, or memory that is registered.
static enum gm_verdict begin(struct gm_port *port, struct gm_incoming *incoming,
                             const struct gm_header *header)
{
    if (incoming->active && incoming->token)
        gm_receive_token_post(incoming->token); // the sender has given the former one up
    incoming->active = false;
    incoming->token = NULL;
    if (header->kind == GM_PACKET_DIRECTED) {
        if (!gm_registered(port, header->remote_address, header->length))
            return GM_REJECTED;
    } else {
        incoming->token = gm_receive_token_take(port, header->size, header->priority);
        if (!incoming->token)
            return GM_REFUSED;
    }
    incoming->active = true;
    incoming->position = 0;
    return GM_ACCEPTED;
}

// The next packet of the connection: whether there is a place for it.
static enum gm_verdict place(const struct gm_card *card, struct gm_connection *connection,
                             const struct gm_header *header, struct gm_receive_token **token)
{
    struct gm_port *port = open_port(card, header);
    if (!port)
        return GM_CLOSED;
    struct gm_incoming *incoming = gm_connection_incoming(connection, header);
    enum gm_verdict verdict = GM_ACCEPTED;
    if (header->position == 0)
        verdict = begin(port, incoming, header);
    if (verdict != GM_ACCEPTED)
        return verdict;
    g_assert(incoming->active && incoming->position == header->position);
    incoming->position += header->bytes;
    *token = incoming->token;
    if (header->last)
        incoming->active = false;
    return GM_ACCEPTED;
}

static const char *reason_of(enum gm_verdict verdict)
{
    switch (verdict) {
    case GM_DUPLICATE:
    case GM_STALE:
        return "GM duplicate";
    case GM_GAP:
        return "GM packet out of order";
    case GM_REFUSED:
        return "GM no receive buffer";
    case GM_CLOSED:
        return "GM port closed";
    case GM_REJECTED:
        return "GM memory not registered";
    case GM_ACCEPTED:
        break;
    }
    return NULL;
}

static void data_packet(struct cpu_context *context, struct gm_card *card,
                        struct gm_receive_buffer *buffer)
{
    const struct gm_header *header = &buffer->header;
    struct gm_connection *connection = gm_connection_get(card, header->source_host);
    enum gm_verdict verdict = gm_connection_check(connection, header);
    buffer->token = NULL;
    if (verdict == GM_ACCEPTED)
        verdict = place(card, connection, header, &buffer->token);
    gm_connection_reply(connection, verdict, header);
    if (verdict != GM_ACCEPTED) {
        lanai_discard(card->lanai, &buffer->buffer, reason_of(verdict));
        gm_recv_release(context, card, buffer);
        return;
    }
    packet_free(card->network, buffer->buffer.packet);
    buffer->buffer.packet = NULL;
    gm_rdma_receive(card, buffer);
}

void gm_finish_recv_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct gm_card *card = owner;
    struct gm_receive_buffer *buffer = container_of(item, struct gm_receive_buffer, buffer.item);
    gm_recv_hold(card, context->now, 1);
    if (buffer->buffer.packet->corrupt) {
        lanai_discard(card->lanai, &buffer->buffer, "CRC-8 error");
        gm_recv_release(context, card, buffer);
        return;
    }
    buffer->header = *packet_header(buffer->buffer.packet, struct gm_header);
    switch (buffer->header.kind) {
    case GM_PACKET_DATA:
    case GM_PACKET_DIRECTED:
        data_packet(context, card, buffer);
        return;
    case GM_PACKET_ACK:
    case GM_PACKET_NACK_GAP:
    case GM_PACKET_NACK_REFUSED:
    case GM_PACKET_NACK_CLOSED:
    case GM_PACKET_NACK_REJECTED:
        gm_connection_answer(context, gm_connection_get(card, buffer->header.source_host),
                             &buffer->header);
        break;
    }
    packet_free(card->network, buffer->buffer.packet);
    buffer->buffer.packet = NULL;
    gm_recv_release(context, card, buffer);
}
