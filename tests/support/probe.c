// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/probe.h"

#include "tests/support/suite.h"

#define PROBE_FLOW(from, to) ((uint64_t)(from) << 32 | (uint64_t)(to))

static void probe_receive(void *owner, struct packet *packet)
{
    struct probe *probe = owner;
    struct ledger *ledger = probe->sim->ledger;
    struct probe_packet *sent = *packet_header(packet, struct probe_packet *);
    sent->arrived = sim_now(probe->sim);
    sent->corrupt = packet->corrupt;
    g_ptr_array_add(probe->arrivals, sent);
    if (packet->corrupt) {
        ledger_drop(ledger, packet->message, 0, packet->length, "check failed at the station");
    } else {
        ledger_deliver(ledger, packet->message, 0, packet->length);
        ledger_match(ledger, packet->message);
        ledger_complete(ledger, packet->message);
    }
    packet_free(probe->network, packet);
}

static void probe_packet_left(struct engine *engine, struct event *event)
{
    container_of(event, struct probe_packet, sent)->left = engine_now(engine);
}

static void probe_packet_send(struct engine *engine, struct event *event)
{
    (void)engine;
    struct probe_packet *sending = container_of(event, struct probe_packet, send);
    struct network *network = sending->probe->network;
    struct packet *packet = packet_new(network);
    // Some packets own their routes, some share those of the network.
    if ((sending->from + sending->to) % 2)
        packet_set_route(network, packet, sending->from, sending->to);
    else
        packet->route = network_route(network, sending->from, sending->to);
    packet->wire_bytes = packet->length = sending->wire_bytes;
    packet->message = sending->message =
        ledger_open(sending->probe->sim->ledger, sending->from, sending->to, sending->wire_bytes,
                    PROBE_FLOW(sending->from, sending->to));
    *packet_header(packet, struct probe_packet *) = sending;
    network_send(network, packet, &sending->sent);
}

struct probe *probe_new(const struct topology *topology, uint64_t seed, struct trace *trace)
{
    struct probe *probe = g_new0(struct probe, 1);
    probe->sim = sim_new(seed, trace);
    probe->network = network_new(probe->sim, topology);
    probe->packets = g_ptr_array_new_with_free_func(g_free);
    probe->arrivals = g_ptr_array_new();
    for (int i = 0; i < network_stations(probe->network); i++)
        network_attach(probe->network, i, probe_receive, probe);
    return probe;
}

struct probe *probe_checked(const struct topology *topology, struct trace *trace)
{
    struct diag_list *diags = diag_list_new();
    CU_ASSERT_FATAL(network_check(topology, diags));
    diag_list_free(diags);
    return probe_new(topology, 1, trace);
}

void probe_free(struct probe *probe)
{
    network_free(probe->network);
    sim_free(probe->sim);
    g_ptr_array_unref(probe->arrivals);
    g_ptr_array_unref(probe->packets);
    g_free(probe);
}

struct probe_packet *probe_send(struct probe *probe, sim_time when, int from, int to,
                                uint32_t wire_bytes)
{
    struct probe_packet *packet = g_new(struct probe_packet, 1);
    *packet = (struct probe_packet){
        .from = from,
        .to = to,
        .wire_bytes = wire_bytes,
        .number = (int)probe->packets->len,
        .when = when,
        .left = -1,
        .arrived = -1,
        .probe = probe,
    };
    event_init(&packet->send, probe_packet_send);
    event_init(&packet->sent, probe_packet_left);
    g_ptr_array_add(probe->packets, packet);
    engine_schedule(probe->sim->engine, &packet->send, when);
    return packet;
}

void probe_run(struct probe *probe)
{
    engine_run(probe->sim->engine, TIME_NEVER);
}
