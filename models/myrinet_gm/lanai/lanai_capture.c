// SPDX-License-Identifier: GPL-3.0-or-later
// A card's packets as captures show them.
#include "models/myrinet_gm/lanai/lanai_internal.h"

#include <string.h>

void lanai_capture_init(struct lanai *lanai)
{
    const struct lanai_frames *frames = lanai->firmware->frames;
    int64_t rate = network_station_rate(lanai->network, lanai->station);
    lanai->interface =
        frames ? capture_interface(lanai->sim->capture, lanai->host->name, frames->link, rate) : -1;
    lanai->frame = g_byte_array_new();
}

// Route bytes as Myrinet's switches read them: the upper bit is set, as in no packet's first byte,
// and the lower six bits are the signed number of ports from the one it comes by to the one it
// leaves by (Boden and others 1995). A switch that takes off no byte needs none.
static void put_route(const struct route *route, uint8_t *at)
{
    for (int i = 0; i + 1 < route_links(route); i++)
        for (int k = 0; k < route_turn_bytes(route, i); k++)
            *at++ = (uint8_t)(0x80 | (route_turn(route, i) & 0x3f));
}

static uint32_t route_bytes(const struct route *route)
{
    uint32_t bytes = 0;
    for (int i = 0; i + 1 < route_links(route); i++)
        bytes += (uint32_t)route_turn_bytes(route, i);
    return bytes;
}

void lanai_capture(struct lanai *lanai, const struct packet *packet,
                   enum capture_direction direction)
{
    if (!capture_wants(lanai->sim->capture, lanai->interface, sim_now(lanai->sim)))
        return;
    const struct lanai_frames *frames = lanai->firmware->frames;
    uint32_t front = direction == CAPTURE_OUT ? route_bytes(packet->route) : 0;
    uint32_t length = frames->length(lanai->owner, packet);
    g_byte_array_set_size(lanai->frame, front + length);
    uint8_t *bytes = lanai->frame->data;
    memset(bytes, 0, front + length);
    if (front > 0)
        put_route(packet->route, bytes);
    frames->bytes(lanai->owner, packet, bytes + front, length);
    packet_capture(lanai->network, packet, lanai->interface, direction, bytes, front + length);
}

void lanai_words(void *owner, const struct packet *packet, struct trace_words *words)
{
    const struct lanai *lanai = owner;
    if (lanai->firmware->frames && lanai->firmware->frames->words)
        lanai->firmware->frames->words(packet, words);
}
