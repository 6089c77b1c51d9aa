// SPDX-License-Identifier: GPL-3.0-or-later
// SDMA: fetches the payload of the next packet from host memory into a send buffer in SRAM, one at
// a time; connections take turns.
#include "models/myrinet_gm/gm/gm_internal.h"

#include "sim/core/poison.h"

static void sdma_enter(struct gm_card *card, sim_time now, enum gm_sdma_state state)
{
    gm_enter(card, now, &gm_sdma_machine, &card->sdma, state, 0, NULL);
}

// The connection whose turn it is; NULL if none has anything to fetch any more.
static struct gm_connection *sdma_turn_take(struct gm_card *card)
{
    while (card->turn) {
        struct gm_connection *connection = card->turn;
        card->turn = connection->next_turn;
        connection->queued = false;
        if (gm_connection_ready(connection))
            return connection;
    }
    return NULL;
}

static struct gm_send_buffer *buffer_take(struct gm_card *card)
{
    struct gm_send_buffer *buffer = card->free_buffers;
    unpoison(buffer, sizeof *buffer);
    card->free_buffers = buffer->next;
    return buffer;
}

// Sets the message's bytes in [position, position + bytes) of GM's data, which begin with the
// library's header.
static void set_span(struct packet *packet, const struct gm_header *header)
{
    int64_t from = MAX(header->position, header->header);
    int64_t to = MAX(header->position + header->bytes, header->header);
    packet->message = header->message;
    packet->offset = header->offset + from - header->header;
    packet->length = (uint32_t)(to - from);
}

static struct packet *packet_of(const struct gm_connection *connection,
                                const struct gm_header *header)
{
    const struct gm_config *config = connection->card->config;
    struct packet *packet = packet_new(connection->card->network);
    int64_t extra = header->kind == GM_PACKET_DIRECTED ? config->directed_header : 0;
    packet->route = connection->route;
    packet->wire_bytes = (uint32_t)(config->header + extra + header->bytes + config->crc);
    set_span(packet, header);
    *packet_header(packet, struct gm_header) = *header;
    return packet;
}

void gm_start_sdma_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    (void)item;
    struct gm_card *card = owner;
    struct gm_connection *connection =
        card->sdma.state == GM_SDMA_IDLE && card->free_buffers ? sdma_turn_take(card) : NULL;
    if (!connection)
        return;
    struct gm_header header;
    struct gm_send_buffer *buffer = buffer_take(card);
    gm_connection_next(context, connection, &header);
    buffer->connection = connection;
    buffer->session = header.session;
    buffer->packet = packet_of(connection, &header);
    buffer->transfer.move = LANAI_FROM_HOST;
    buffer->transfer.bytes = header.bytes;
    buffer->transfer.item.handler = GM_FINISH_SDMA;
    buffer->transfer.item.message = header.message;
    connection->in_pipe++;
    lanai_start(card->lanai, &buffer->transfer, context->now);
    sdma_enter(card, context->now, GM_SDMA_FETCHING);
    gm_sdma_connection(connection); // its next packet takes its turn after the others
}

void gm_finish_sdma_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct gm_card *card = owner;
    sdma_enter(card, context->now, GM_SDMA_IDLE);
    gm_send_data(card, container_of(item, struct gm_send_buffer, transfer.item));
    gm_sdma_kick(card);
}
