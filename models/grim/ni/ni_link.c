// SPDX-License-Identifier: GPL-3.0-or-later
// Packets onto the link: messages, and ACKs and NACKs.
#include "models/grim/ni/ni_internal.h"

struct packet *ni_packet(struct grim_ni *ni, const struct grim_ni *to,
                         const struct grim_header *header, int64_t bytes)
{
    struct network *network = ni->fabric->cluster->network;
    struct packet *packet = packet_new(network);
    packet_set_route(network, packet, lanai_station(ni->card), lanai_station(to->card));
    packet->wire_bytes = (uint32_t)bytes;
    packet->protocol = GRIM_ID;
    grim_encode(header, packet_header(packet, struct grim_packet)->bytes);
    return packet;
}

void ni_start_send(struct cpu_context *context, struct grim_ni *ni, struct packet *packet,
                   bool control, const char *to)
{
    g_assert(!ni->sending);
    ni->sending = true;
    ni->sending_control = control;
    ni->sent_to = to;
    if (control)
        (*ni->fabric->control)++;
    *(control ? ni->fabric->control_bytes : ni->fabric->sent_bytes) += packet->wire_bytes;
    ni->send.item.handler = GRIM_FINISH_SEND;
    ni->send.item.message = packet->message;
    ni->send.move = LANAI_SEND;
    ni->send.packet = packet;
    lanai_start(ni->card, &ni->send, context->now);
}
