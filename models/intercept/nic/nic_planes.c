// SPDX-License-Identifier: GPL-3.0-or-later
// Planes (thesis 002, 2.1.3): which one a packet takes, its queue to the link, and what comes in.
//
// A card whose cable leads to another card, or back to itself, has no switch that reads addresses:
// each packet goes to the far end, whatever its address, and the card there takes it.
#include "models/intercept/nic/nic_internal.h"

#include "sim/core/fifo.h"

static const struct stage plane_stage = {"plane", STAGE_NIC};

// ---- Ways ----

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

static void send_next(struct nic_plane *plane)
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

static void sent_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct nic_plane *plane = container_of(event, struct nic_plane, sent);
    trace_span(plane->nic->sim->trace, plane->lane, &plane_stage, plane->since,
               sim_now(plane->nic->sim), plane->message);
    plane->sending = false;
    send_next(plane);
    if (plane->used-- == plane->nic->config.plane_queue)
        nic_read_on(plane->nic, plane);
}

// The packet has passed the card.
static void passed(struct engine *engine, struct event *event)
{
    (void)engine;
    struct packet *packet = container_of(event, struct packet, event);
    struct nic_plane *plane = packet->token;
    FIFO_APPEND(plane->first, plane->last, packet, next);
    plane->waiting++;
    send_next(plane);
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

static void received(struct engine *engine, struct event *event)
{
    (void)engine;
    struct packet *packet = container_of(event, struct packet, event);
    const struct nic_plane *plane = packet->token;
    if (packet_header(packet, struct nic_header)->kind == NIC_VDMA_DATA)
        nic_receive_vdma(plane->nic, packet);
    else
        nic_receive_short(plane->nic, packet);
}

// Attached to the plane's station: the packet's last bit is in.
static void station_receive(void *owner, struct packet *packet)
{
    struct nic_plane *plane = owner;
    struct intercept_nic *nic = plane->nic;
    packet->token = plane;
    if (packet->corrupt) {
        nic_refuse(nic, packet, "CRC-32 error at the receiving card");
        return;
    }
    sim_time now = sim_now(nic->sim), when = now + nic->config.receive_latency;
    ++*nic->received;
    nic_capture(plane, packet, CAPTURE_IN);
    trace_flow(nic->sim->trace, plane->lane, packet->message, TRACE_FLOW_STEP, now);
    trace_delay(nic->sim->trace, nic->lane, &stage_nic, now, when, packet->message);
    event_init(&packet->event, received);
    engine_schedule(nic->sim->engine, &packet->event, when);
}

// ---- Life ----

static void plane_init(struct intercept_nic *nic, struct nic_plane *plane, int station)
{
    char name[32];
    g_snprintf(name, sizeof name, "Intercept packets on plane %d", plane->number);
    plane->counted = sim_counter(nic->sim, name);
    g_snprintf(name, sizeof name, "NIC plane %d", plane->number);
    plane->nic = nic;
    plane->station = station;
    plane->peer = network_peer_station(nic->network, station);
    plane->lane = trace_lane_new(nic->sim->trace, nic->host->name, name);
    event_init(&plane->sent, sent_event);
    network_attach(nic->network, station, station_receive, plane);
    network_limit(nic->network, station);
    for (int64_t i = 0; i < nic->config.receive_queue; i++)
        network_credit(nic->network, station);
}

void nic_planes_init(struct intercept_nic *nic, const struct cluster *cluster)
{
    int stations = network_host_stations(nic->network, nic->iuca);
    sparse_init(&nic->ways, cluster->host_count, sizeof(struct nic_way));
    for (int nth = 0; nth < stations; nth++) {
        int station = network_station(nic->network, nic->iuca, nth);
        if (!nic_has_station(&cluster->cards[station]))
            continue;
        struct nic_plane *plane = &nic->planes[nic->plane_count];
        plane->number = nic->plane_count++;
        plane_init(nic, plane, station);
    }
    nic->mask = (unsigned)nic->config.plane_mask & ((1U << nic->plane_count) - 1);
    nic->last_plane = nic->plane_count - 1;
}
