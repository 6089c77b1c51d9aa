// SPDX-License-Identifier: GPL-3.0-or-later
// A packet's memory, from packet_new to its end.
#include "sim/net/packet.h"

#include "sim/net/fabric.h"

#include <string.h>

struct packet *packet_new(struct network *network)
{
    struct packet *packet = pool_take(&network->packets);
    memset(packet, 0, sizeof *packet);
    event_init(&packet->event, NULL);
    return packet;
}

bool packet_set_route(struct network *network, struct packet *packet, int from, int to)
{
    struct route *route = route_make(network->routes, from, to);
    packet->route = route;
    if (route)
        route->packets = 1;
    return route != NULL;
}

// The route of packets that own theirs, which they alone may change; NULL: it is the cache's.
static inline struct route *packet_own_route(const struct packet *packet)
{
    return packet->route && packet->route->packets ? (struct route *)packet->route : NULL;
}

void packet_share_route(struct packet *packet, const struct packet *of)
{
    struct route *route = packet_own_route(of);
    packet->route = of->route;
    if (route)
        route->packets++;
}

static inline void packet_end_route(struct network *network, struct packet *packet)
{
    struct route *route = packet_own_route(packet);
    if (route && --route->packets == 0)
        route_discard(network->routes, route);
}

static inline void packet_unload(struct packet *packet)
{
    if (packet->load)
        packet->load->release(packet);
    packet->load = NULL;
}

void packet_free(struct network *network, struct packet *packet)
{
    capture_ended(network->sim->capture, packet, engine_now(network->engine), NULL);
    packet_unload(packet);
    packet_end_route(network, packet);
    pool_give(&network->packets, packet);
}

void packet_lose(struct network *network, struct packet *packet, const char *reason)
{
    struct ledger *ledger = network->sim->ledger;
    if (packet->load && packet->cut_on != PACKET_STOMPED)
        packet->load->drop(packet, ledger, reason);
    else
        ledger_drop(ledger, packet->message, packet->offset, packet->length, reason);
    trace_mark(network->sim->trace, &(struct trace_mark){.kind = TRACE_DROP,
                                                         .what = reason,
                                                         .packet = packet,
                                                         .when = engine_now(network->engine),
                                                         .message = packet->message});
    capture_ended(network->sim->capture, packet, engine_now(network->engine), reason);
    packet_free(network, packet);
}

struct packet *packet_copy(struct network *network, const struct packet *of)
{
    struct packet *copy = packet_new(network);
    *copy = *of;
    packet_share_route(copy, of);
    event_init(&copy->event, NULL);
    copy->next = NULL;
    copy->sent = NULL;
    copy->begun = false;
    if (of->load)
        of->load->copy(copy, of);
    return copy;
}

static void release_packet(void *packet, void *data)
{
    (void)data;
    packet_unload(packet);
}

void network_release(struct network *network)
{
    pool_each(&network->packets, release_packet, NULL);
}

void packet_capture(const struct network *network, const struct packet *packet, int interface,
                    enum capture_direction direction, const void *bytes, uint32_t length)
{
    char *message =
        ledger_describe(network->sim->ledger, packet->message, packet->offset, packet->length);
    const struct capture_frame frame = {
        .interface = interface,
        .direction = direction,
        .when = engine_now(network->engine),
        .bytes = bytes,
        .length = length,
        .packet = packet,
        .message = message,
    };
    capture_frame(network->sim->capture, &frame);
    g_free(message);
}
