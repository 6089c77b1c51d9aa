// SPDX-License-Identifier: GPL-3.0-or-later
// Once a simulation is warm, it asks the system for no memory: neither for an event, nor a packet,
// nor a message. malloc and its kin are counted here over long steady runs.
//
// Under AddressSanitizer, which has a malloc of its own, nothing is counted and the runs alone are
// tested.
#include "sim/core/link_load.h"
#include "sim/core/random.h"
#include "sim/net/network.h"
#include "tests/support/allocations.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

// ---- Hosts that send and receive without end ----

struct load {
    struct sim *sim;
    struct network *network;
    struct random_stream *random;
    struct host *hosts;
    int count;
    bool messages; // each packet carries one
    uint64_t received;
};

struct host {
    struct event sent, next;
    struct load *load;
    int number;
    sim_time pause; // as long as the last packet took: a load of one half, at which queues don't
                    // grow without end
};

static void host_sent(struct engine *engine, struct event *event)
{
    struct host *host = container_of(event, struct host, sent);
    engine_schedule(engine, &host->next, engine_now(engine) + host->pause);
}

static void host_send(struct engine *engine, struct event *event)
{
    (void)engine;
    struct host *host = container_of(event, struct host, next);
    struct load *load = host->load;
    struct packet *packet = packet_new(load->network);
    int to = (host->number + 1 + (int)random_below(load->random, (uint64_t)load->count - 1)) %
             load->count;
    packet->route = network_route(load->network, host->number, to);
    packet->wire_bytes = packet->length = 64 + (uint32_t)random_below(load->random, 1455);
    host->pause = network_station_time(load->network, host->number, packet->wire_bytes);
    if (load->messages)
        packet->message = ledger_open(load->sim->ledger, host->number, to, packet->length,
                                      (uint64_t)host->number << 32 | (uint64_t)to);
    network_send(load->network, packet, &host->sent);
}

static void host_receive(void *owner, struct packet *packet)
{
    struct load *load = owner;
    load->received++;
    ledger_deliver(load->sim->ledger, packet->message, 0, packet->length);
    ledger_match(load->sim->ledger, packet->message);
    ledger_complete(load->sim->ledger, packet->message);
    packet_free(load->network, packet);
}

static int64_t pause_frames(const struct network *network)
{
    GPtrArray *loads = network_link_loads(network);
    int64_t frames = 0;
    for (guint i = 0; i < loads->len; i++)
        frames += ((const struct link_load *)g_ptr_array_index(loads, i))->counts[LINK_PAUSES];
    g_ptr_array_unref(loads);
    return frames;
}

// Runs to `warm`, then to `end`, and expects no allocation in between. Returns the PAUSE frames.
static int64_t check_steady(const struct topology *topology, bool messages, sim_time warm,
                            sim_time end)
{
    struct load load = {.sim = sim_new(1, NULL), .messages = messages};
    load.network = network_new(load.sim, topology);
    load.random = random_new(1, "load");
    load.count = network_stations(load.network);
    load.hosts = g_new0(struct host, load.count);
    for (int i = 0; i < load.count; i++) {
        load.hosts[i] = (struct host){.load = &load, .number = i};
        network_attach(load.network, i, host_receive, &load);
        network_offer_pause(load.network, i, &(struct pause_offer){.mode = PAUSE_OBEY});
        event_init(&load.hosts[i].sent, host_sent);
        event_init(&load.hosts[i].next, host_send);
        engine_schedule(load.sim->engine, &load.hosts[i].next, i);
        for (int to = 0; to < load.count; to++)
            network_route(load.network, i, to);
    }
    engine_run(load.sim->engine, warm);
    uint64_t before = allocations.count, received = load.received;
    engine_run(load.sim->engine, end);
    SUITE_SAME_INTEGER(allocations.count - before, 0);
    CU_ASSERT(load.received - received > 100000);
    CU_ASSERT(messages || network_drops(load.network) > 1000);
    int64_t pauses = pause_frames(load.network);
    g_free(load.hosts);
    random_free(load.random);
    network_free(load.network);
    sim_free(load.sim);
    return pauses;
}

static void test_counting_works(void)
{
    uint64_t before = allocations.count;
    g_free(g_malloc(100));
#if !defined(__SANITIZE_ADDRESS__)
    CU_ASSERT(allocations.count > before);
#endif
    (void)before;
}

static void test_store_and_forward(void)
{
    struct link_config link = topology_link_defaults();
    struct switch_config node = topology_switch_defaults();
    node.queue = 0;
    link.rate = 1000000000;
    struct topology *topology = topology_star(8, &link, &node);
    check_steady(topology, true, TIME_S, 2 * TIME_S);
    topology_free(topology);
}

static void test_pauses(void)
{
    struct link_config link = topology_link_defaults();
    struct switch_config node = topology_switch_defaults();
    node.queue = 0;
    node.pause = PAUSE_FULL;
    node.pause_high = 3000;
    link.rate = 1000000000;
    struct topology *topology = topology_star(8, &link, &node);
    CU_ASSERT(check_steady(topology, true, TIME_S, 2 * TIME_S) > 10000);
    topology_free(topology);
}

// Drops by a full queue, by chance and by bit errors, of packets that are not on the books.
static void test_faults(void)
{
    struct link_config link = topology_link_defaults();
    struct switch_config node = topology_switch_defaults();
    node.queue = 2;
    link.rate = 1000000000;
    link.drop_probability = 0.01;
    link.bit_error_rate = 1e-6;
    struct topology *topology = topology_star(8, &link, &node);
    check_steady(topology, false, TIME_S, 2 * TIME_S);
    topology_free(topology);
}

static void check_cut_through(bool symbols)
{
    struct link_config link = topology_wormhole_link();
    struct switch_config node = topology_wormhole_switch();
    if (symbols) {
        node.slack = 90;
        node.stop = 56;
        node.go = 40;
    }
    struct topology *topology = topology_new(8, 3);
    topology_set_switches(topology, &node);
    for (int i = 0; i < 8; i++)
        topology_add_link(topology, i, 8 + i % 2, &link);
    for (int i = 0; i < 4; i++)
        topology_add_link(topology, 8 + i % 2, 10, &link);
    check_steady(topology, true, 50 * TIME_MS, 500 * TIME_MS);
    topology_free(topology);
}

static void test_cut_through(void)
{
    check_cut_through(false);
    check_cut_through(true);
}

// Parts out of order, lost and sent again, twice delivered: all from the ledger's pool.
static void ledger_round(struct ledger *ledger)
{
    struct message_ref messages[4];
    for (int i = 0; i < 4; i++)
        messages[i] = ledger_open(ledger, 0, 1, 1000, (uint64_t)i % 2);
    for (int i = 0; i < 4; i++) {
        for (int part = 9; part >= 0; part -= 2)
            ledger_deliver(ledger, messages[i], 100 * part, 100);
        for (int part = 0; part < 10; part += 2)
            ledger_drop(ledger, messages[i], 100 * part, 100, "lost");
        for (int part = 0; part < 10; part++)
            ledger_deliver(ledger, messages[i], 100 * part, 100);
        ledger_match(ledger, messages[i]);
        ledger_complete(ledger, messages[i]);
    }
}

static void test_ledger(void)
{
    struct ledger *ledger = ledger_new();
    ledger_round(ledger);
    uint64_t before = allocations.count;
    for (int i = 0; i < 10000; i++)
        ledger_round(ledger);
    SUITE_SAME_INTEGER(allocations.count - before, 0);
    SUITE_SAME_INTEGER(ledger_totals(ledger).delivered, 40004);
    ledger_free(ledger);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"allocations are counted", test_counting_works},
        {"store and forward", test_store_and_forward},
        {"PAUSE frames", test_pauses},
        {"faults and full queues", test_faults},
        {"cut through", test_cut_through},
        {"the ledger", test_ledger},
        {NULL, NULL},
    };
    return suite_run("net: allocations", cases);
}
