// SPDX-License-Identifier: GPL-3.0-or-later
// SEND: puts packets that SDMA has fetched on the link, and before them the ACKs and NACKs, which
// need no DMA from the host and no send buffer.
#include "models/myrinet_gm/gm/gm_internal.h"

static void send_enter(struct gm_card *card, sim_time now, enum gm_send_state state)
{
    gm_enter(card, now, &gm_send_machine, &card->send, state, 0, NULL);
}

static void start_control(struct cpu_context *context, struct gm_card *card)
{
    struct gm_connection *connection = card->control;
    struct lanai_transfer *transfer = &card->control_transfer;
    struct packet *packet = packet_new(card->network);
    card->control = connection->next_control;
    connection->control_pending = false;
    packet->route = connection->route;
    packet->wire_bytes = (uint32_t)(card->config->acknowledgement + card->config->crc);
    *packet_header(packet, struct gm_header) = connection->control;
    transfer->move = LANAI_SEND;
    transfer->packet = packet;
    transfer->item.handler = GM_FINISH_SEND;
    lanai_start(card->lanai, transfer, context->now);
    send_enter(card, context->now, GM_SEND_CONTROL);
}

// The next packet of its connection's current session. The receiver would drop those of earlier
// sessions, so they are dropped here.
static struct gm_send_buffer *next_buffer(struct gm_card *card)
{
    while (card->fetched) {
        struct gm_send_buffer *buffer = card->fetched;
        card->fetched = buffer->next;
        if (buffer->session == buffer->connection->session)
            return buffer;
        packet_free(card->network, buffer->packet);
        gm_send_buffer_free(card, buffer);
    }
    return NULL;
}

void gm_start_send_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    (void)item;
    struct gm_card *card = owner;
    if (card->send.state != GM_SEND_IDLE)
        return;
    if (card->control) {
        start_control(context, card);
        return;
    }
    struct gm_send_buffer *buffer = next_buffer(card);
    if (!buffer)
        return;
    buffer->transfer.move = LANAI_SEND;
    buffer->transfer.packet = buffer->packet;
    buffer->transfer.item.handler = GM_FINISH_SEND;
    lanai_start(card->lanai, &buffer->transfer, context->now);
    send_enter(card, context->now, GM_SEND_DATA);
}

void gm_finish_send_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct gm_card *card = owner;
    send_enter(card, context->now, GM_SEND_IDLE);
    if (item != &card->control_transfer.item) {
        struct gm_send_buffer *buffer = container_of(item, struct gm_send_buffer, transfer.item);
        gm_connection_left(context, buffer->connection);
        gm_send_buffer_free(card, buffer);
    }
    gm_send_kick(card);
}
