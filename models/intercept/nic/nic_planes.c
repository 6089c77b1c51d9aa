// SPDX-License-Identifier: GPL-3.0-or-later
// Planes (thesis 002, 2.1.3): the choice of a plane for a packet, and its queue to the link.
//
// A card whose cable leads to another card, or back to itself, has no switch that reads addresses:
// each packet goes to the far end, whatever its address, and the card there takes it.
#include "models/intercept/nic/nic_internal.h"

#include "sim/core/fifo.h"

#include <string.h>

// ---- Stations ----

// A host may have other cards besides, if it lists them.
bool nic_has_station(const struct cluster_card *card)
{
    return card->nic && strcmp(card->nic, NIC_NAME) == 0 && !(card->listed && card->idle);
}

// ---- Routes ----

// The route of a plane to another card: to the station with its own number if a network joins
// them, and else to any that one joins.
static const struct route *route_to_card(const struct nic_plane *plane, int to)
{
    struct network *network = plane->nic->network;
    const struct route *route = NULL;
    int stations = network_host_stations(network, to);
    if (plane->peer >= 0)
        return network_route(network, plane->station, plane->peer);
    if (to == plane->nic->iuca)
        return network_route_back(network, plane->station);
    if (plane->number < stations)
        route = network_route(network, plane->station, network_station(network, to, plane->number));
    for (int nth = 0; !route && nth < stations; nth++)
        route = network_route(network, plane->station, network_station(network, to, nth));
    return route;
}

const struct nic_way *nic_way(struct intercept_nic *nic, int to)
{
    struct nic_way *way = sparse_at(&nic->ways, to);
    if (way->known)
        return way;
    way->known = true;
    for (int i = 0; i < nic->plane_count; i++) {
        way->routes[i] = route_to_card(&nic->planes[i], to);
        if (way->routes[i])
            way->mask |= (uint8_t)(1U << i);
    }
    return way;
}

unsigned intercept_planes_to(struct intercept_nic *nic, int peer)
{
    return nic->mask & nic_way(nic, peer)->mask;
}

static char *mask_text(unsigned mask)
{
    GString *text = g_string_new(mask ? NULL : "none");
    for (int i = 0; i < INTERCEPT_PLANES; i++)
        if (mask >> i & 1)
            g_string_append_printf(text, "%s%d", text->len > 0 ? ", " : "", i);
    return g_string_free(text, FALSE);
}

static void fail_unreachable(const struct intercept_nic *nic, int to, unsigned mask,
                             unsigned reached)
{
    char *wanted = mask_text(mask), *used = mask_text(nic->mask), *joined = mask_text(reached);
    sim_fail(nic->sim, SIM_FAILED, "no_plane", NULL,
             "%s can send nothing to %s: the packet may use planes %s, the card planes %s "
             "(intercept.plane_mask), and the planes that join both cards are: %s",
             nic->host->name, nic->cluster->hosts[to]->name, wanted, used, joined);
    g_free(wanted);
    g_free(used);
    g_free(joined);
}

// ---- Choice ----

struct nic_plane *nic_plane_choose(struct intercept_nic *nic, int to, unsigned mask)
{
    const struct nic_way *way = nic_way(nic, to);
    unsigned left = mask & nic->mask & way->mask;
    struct nic_plane *chosen = NULL;
    if (left == 0) {
        fail_unreachable(nic, to, mask, way->mask);
        return NULL;
    }
    for (int i = 1; i <= nic->plane_count; i++) {
        struct nic_plane *plane = &nic->planes[(nic->last_plane + i) % nic->plane_count];
        if (!(left >> plane->number & 1))
            continue;
        if (nic->config.striping == INTERCEPT_ROUND_ROBIN)
            return plane;
        if (!chosen || plane->used < chosen->used)
            chosen = plane;
    }
    return chosen;
}

bool nic_plane_full(const struct nic_plane *plane)
{
    return plane->used >= plane->nic->config.plane_queue;
}

void nic_plane_take(struct nic_plane *plane)
{
    plane->used++;
    plane->packets++;
    ++*plane->counted;
    plane->nic->last_plane = plane->number;
}

int64_t intercept_plane_packets(const struct intercept_nic *nic, int plane)
{
    return nic->planes[plane].packets;
}

// ---- To the link ----

void nic_plane_next(struct nic_plane *plane)
{
    struct intercept_nic *nic = plane->nic;
    struct packet *packet = plane->first;
    if (plane->sending || !packet)
        return;
    plane->first = packet->next;
    plane->waiting--;
    plane->sending = true;
    (*nic->sent)++;
    trace_flow(nic->sim->trace, plane->lane, packet->message, TRACE_FLOW_STEP, sim_now(nic->sim));
    nic_capture(plane, packet, CAPTURE_OUT);
    plane->since = sim_now(nic->sim);
    plane->message = packet->message;
    network_send(nic->network, packet, &plane->sent);
}

// The packet has passed the card.
static void passed(struct engine *engine, struct event *event)
{
    (void)engine;
    struct packet *packet = container_of(event, struct packet, event);
    struct nic_plane *plane = packet->token;
    FIFO_APPEND(plane->first, plane->last, packet, next);
    plane->waiting++;
    nic_plane_next(plane);
}

void nic_plane_send(struct nic_plane *plane, struct packet *packet, int to)
{
    struct intercept_nic *nic = plane->nic;
    sim_time now = sim_now(nic->sim), when = now + nic->config.send_latency;
    packet->route = nic_way(nic, to)->routes[plane->number];
    packet->token = plane;
    trace_delay(nic->sim->trace, nic->lane, &stage_nic, now, when, packet->message);
    event_init(&packet->event, passed);
    engine_schedule(nic->sim->engine, &packet->event, when);
}

// ---- From the link ----

void nic_packet_written(struct packet *packet)
{
    const struct nic_plane *plane = packet->token;
    struct nic_header *header = packet_header(packet, struct nic_header);
    if (!header->credited)
        network_credit(plane->nic->network, plane->station);
    header->credited = true;
}

void nic_refuse(struct intercept_nic *nic, struct packet *packet, const char *reason)
{
    ++*nic->errors;
    nic_packet_written(packet);
    packet_drop(nic->network, packet, reason);
}
