// SPDX-License-Identifier: GPL-3.0-or-later
// Both ends of a plane's link: the end of a packet that is sent, after which the read engine may go
// on, and the packets that arrive, for the RX-CBs and the VDMA engine.
#include "models/intercept/nic/nic_internal.h"

static const struct stage plane_stage = {"plane", STAGE_NIC};

static void sent_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct nic_plane *plane = container_of(event, struct nic_plane, sent);
    trace_span(plane->nic->sim->trace, plane->lane, &plane_stage, plane->since,
               sim_now(plane->nic->sim), plane->message);
    plane->sending = false;
    nic_plane_next(plane);
    if (plane->used-- == plane->nic->config.plane_queue)
        nic_read_on(plane->nic, plane);
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

// ---- Create and free ----

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
    network_attach_words(nic->network, station, nic_words, plane);
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
