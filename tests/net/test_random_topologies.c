// SPDX-License-Identifier: GPL-3.0-or-later
// Random topologies with random traffic, several hundred of them, must keep what always holds:
//   - every packet ends delivered, or is told lost with a reason; none is left in the network
//   - the ledger's bytes: delivered and lost make up what was sent
//   - packets of one pair arrive in the order in which they were sent
//   - none arrives before it could; no event is scheduled into the past (the engine aborts)
//   - the same seed gives the same run, another seed another one
//
// Store-and-forward switches stand in any graph, with parallel links; cut-through ones in a tree,
// so that they can't deadlock, half of the time with STOP and GO; and there are topologies that mix
// both. A third of the links have faults.
#include "sim/core/random.h"
#include "tests/support/probe.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

#define TOPOLOGIES 300
#define MOST_HOSTS 12
#define MOST_SWITCHES 6
#define MOST_PACKETS 400

enum shape { SHAPE_STORES, SHAPE_CUTS, SHAPE_MIXED, SHAPES };

struct random_net {
    struct random_stream *random;
    struct topology *topology;
    enum shape shape;
    bool faults;
    bool symbols;                   // cut-through switches send STOP and GO
    struct param_window windows[2]; // the lists of the faulty links
    int64_t nth[3];
};

static int64_t pick(struct random_stream *random, int64_t least, int64_t most)
{
    return least + (int64_t)random_below(random, (uint64_t)(most - least + 1));
}

static void add_faults(struct random_net *net, struct link_config *config)
{
    if (!net->faults || !random_chance(net->random, 0.33))
        return;
    switch (pick(net->random, 0, 4)) {
    case 0:
        config->drop_probability = 0.05;
        break;
    case 1:
        config->bit_error_rate = 2e-6;
        break;
    case 2:
        config->drop_nth = (struct param_counts){net->nth, 3};
        break;
    case 3:
        config->corrupt_nth = (struct param_counts){net->nth, 2};
        break;
    case 4:
        config->down = (struct param_windows){net->windows, 2};
        break;
    }
}

// All links that a cut-through switch may see are alike; those of store-and-forward networks differ
// in rate.
static struct link_config random_link(struct random_net *net)
{
    static const int64_t rates[] = {100000000, 1000000000, 1200000000, 10000000000};
    struct link_config config =
        net->shape == SHAPE_STORES ? topology_link_defaults() : topology_wormhole_link();
    if (net->shape == SHAPE_STORES) {
        config.rate = rates[random_below(net->random, G_N_ELEMENTS(rates))];
        config.propagation = pick(net->random, 0, 1000) * TIME_NS;
    }
    add_faults(net, &config);
    return config;
}

// 27 B come in while a symbol goes back over a link of topology_wormhole_link.
static void random_thresholds(struct random_net *net, struct switch_config *node)
{
    node->go = pick(net->random, 27, 60);
    node->stop = node->go + pick(net->random, 1, 40);
    node->slack = node->stop + pick(net->random, 26, 80);
}

static void random_switches(struct random_net *net, int switches)
{
    for (int i = 0; i < switches; i++) {
        bool cuts = net->shape == SHAPE_CUTS ||
                    (net->shape == SHAPE_MIXED && random_chance(net->random, 0.5));
        struct switch_config node = cuts ? topology_wormhole_switch() : topology_switch_defaults();
        if (cuts && net->symbols)
            random_thresholds(net, &node);
        else if (cuts)
            node.slack = pick(net->random, 51, 400);
        else
            node.queue = random_chance(net->random, 0.5) ? pick(net->random, 1, 20) : 0;
        topology_set_switch(net->topology, i, &node);
    }
}

static void random_wire(struct random_net *net, int a, int b)
{
    struct link_config link = random_link(net);
    topology_add_link(net->topology, a, b, &link);
}

static void random_build(struct random_net *net)
{
    int hosts = (int)pick(net->random, 2, MOST_HOSTS);
    int switches = (int)pick(net->random, 1, MOST_SWITCHES);
    net->topology = topology_new(hosts, switches);
    random_switches(net, switches);
    for (int i = 1; i < switches; i++)
        for (int twins = (int)pick(net->random, 1, 3); twins > 0; twins--)
            random_wire(net, hosts + i, hosts + (int)pick(net->random, 0, i - 1));
    // Further links make cycles, over which only stored packets may go.
    for (int i = net->shape == SHAPE_STORES ? (int)pick(net->random, 0, 3) : 0; i > 0; i--)
        if (switches > 1)
            random_wire(net, hosts, hosts + (int)pick(net->random, 1, switches - 1));
    for (int i = 0; i < hosts; i++)
        for (int rails = random_chance(net->random, 0.2) ? 2 : 1; rails > 0; rails--)
            random_wire(net, i, hosts + (int)pick(net->random, 0, switches - 1));
}

static void random_net_init(struct random_net *net, uint64_t seed)
{
    net->random = random_new(seed, "random topology");
    net->shape = (enum shape)(seed % SHAPES);
    net->faults = random_chance(net->random, 0.6);
    net->symbols = random_chance(net->random, 0.5);
    for (int i = 0; i < 2; i++) {
        sim_time from = pick(net->random, 1 + 300 * i, 200 + 300 * i) * TIME_US;
        net->windows[i] = (struct param_window){from, from + pick(net->random, 1, 100) * TIME_US};
    }
    for (int i = 0; i < 3; i++)
        net->nth[i] = (i ? net->nth[i - 1] : 0) + pick(net->random, 1, 5);
    random_build(net);
}

static void random_net_clear(struct random_net *net)
{
    topology_free(net->topology);
    random_free(net->random);
}

static void random_traffic(struct random_net *net, struct probe *probe)
{
    int stations = network_stations(probe->network);
    for (int64_t i = pick(net->random, 1, MOST_PACKETS); i > 0; i--) {
        int from = (int)pick(net->random, 0, stations - 1);
        int to = (int)pick(net->random, 0, stations - 1);
        if (from == to)
            continue;
        CU_ASSERT_PTR_NOT_NULL_FATAL(network_route(probe->network, from, to));
        sim_time when = pick(net->random, 0, 500) * TIME_US;
        probe_send(probe, when, from, to, (uint32_t)pick(net->random, 1, 4096));
    }
}

// What the network tells about a run, and what must be the same in a second one.
struct outcome {
    uint64_t fingerprint, drops, hops;
    sim_time end;
    uint64_t packets;
};

static void check_ledger(const struct probe *probe)
{
    struct ledger_totals totals = ledger_totals(probe->sim->ledger);
    uint64_t corrupt = 0, bytes = 0;
    for (guint i = 0; i < probe->packets->len; i++) {
        const struct probe_packet *packet = g_ptr_array_index(probe->packets, i);
        corrupt += packet->corrupt;
        bytes += packet->arrived >= 0 && !packet->corrupt ? packet->wire_bytes : 0;
    }
    CU_ASSERT_EQUAL(totals.messages, probe->packets->len);
    CU_ASSERT_EQUAL(totals.open, 0);
    CU_ASSERT_EQUAL(totals.delivered + totals.lost, totals.messages);
    CU_ASSERT_EQUAL(totals.delivered_bytes, bytes);
    CU_ASSERT_EQUAL(totals.lost, network_drops(probe->network) + corrupt);
    CU_ASSERT_EQUAL(totals.dropped_parts, totals.lost);
    CU_ASSERT_EQUAL(totals.duplicated, 0);
    CU_ASSERT_EQUAL(totals.misordered, 0);
    CU_ASSERT_EQUAL(probe->arrivals->len + network_drops(probe->network), totals.messages);
}

// In order of arrival, the packets of a pair were sent one after the other, and none came faster
// than its own link allows.
static void check_arrivals(const struct probe *probe)
{
    int stations = network_stations(probe->network), wrong = 0;
    const struct probe_packet **last = g_new0(const struct probe_packet *, stations *stations);
    for (guint i = 0; i < probe->arrivals->len; i++) {
        const struct probe_packet *packet = g_ptr_array_index(probe->arrivals, i);
        const struct probe_packet **before = &last[packet->from * stations + packet->to];
        if (*before)
            wrong += packet->when < (*before)->when ||
                     (packet->when == (*before)->when && packet->number < (*before)->number);
        *before = packet;
        sim_time least =
            time_of_bytes(packet->wire_bytes, network_station_rate(probe->network, packet->from));
        wrong += packet->arrived < packet->when + least || packet->left < packet->when + least;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    g_free(last);
}

static struct outcome run_once(uint64_t seed, uint64_t traffic_seed)
{
    struct random_net net;
    random_net_init(&net, seed);
    struct diag_list *diags = diag_list_new();
    CU_ASSERT_FATAL(network_check(net.topology, diags));
    struct probe *probe = probe_new(net.topology, traffic_seed, NULL);
    random_traffic(&net, probe);
    probe_run(probe);
    check_ledger(probe);
    check_arrivals(probe);
    CU_ASSERT_PTR_NULL(network_describe_blocked(probe->network));
    struct outcome outcome = {
        .fingerprint = engine_fingerprint(probe->sim->engine),
        .drops = network_drops(probe->network),
        .hops = network_hops(probe->network),
        .end = sim_now(probe->sim),
        .packets = probe->packets->len,
    };
    probe_free(probe);
    diag_list_free(diags);
    random_net_clear(&net);
    return outcome;
}

static void test_invariants(void)
{
    uint64_t lossy = 0, packets = 0;
    for (uint64_t seed = 1; seed <= TOPOLOGIES; seed++) {
        struct outcome first = run_once(seed, seed), second = run_once(seed, seed);
        CU_ASSERT_EQUAL(first.fingerprint, second.fingerprint);
        CU_ASSERT_EQUAL(first.drops, second.drops);
        CU_ASSERT_EQUAL(first.hops, second.hops);
        CU_ASSERT_EQUAL(first.end, second.end);
        lossy += first.drops > 0;
        packets += first.packets;
    }
    // The cases must be of the kind that tells.
    CU_ASSERT(lossy > TOPOLOGIES / 4);
    CU_ASSERT(packets > TOPOLOGIES * MOST_PACKETS / 4);
}

// The seed decides on random faults, and these show in the fingerprint.
static void test_seed_matters(void)
{
    int different = 0;
    for (uint64_t seed = 1; seed <= 60; seed++)
        different += run_once(seed, 1).fingerprint != run_once(seed, 2).fingerprint;
    CU_ASSERT(different > 0);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"what holds in every network", test_invariants},
        {"the seed matters", test_seed_matters},
        {NULL, NULL},
    };
    return suite_run("net: random topologies", cases);
}
