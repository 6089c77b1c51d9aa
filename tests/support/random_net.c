// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/random_net.h"

#include "tests/support/suite.h"
#include "tests/support/topology.h"

#define MOST_HOSTS 12
#define MOST_SWITCHES 6

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
    config.window = net->window;
    add_faults(net, &config);
    return config;
}

// 27 B arrive while a symbol returns over a link of topology_wormhole_link.
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
        if (net->window)
            node.queue = 0;
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

void random_net_init(struct random_net *net, uint64_t seed, int64_t window)
{
    *net = (struct random_net){.window = window};
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

void random_net_clear(struct random_net *net)
{
    topology_free(net->topology);
    random_free(net->random);
}

void random_net_traffic(struct random_net *net, struct probe *probe)
{
    int stations = network_stations(probe->network);
    for (int64_t i = pick(net->random, 1, RANDOM_NET_MOST_PACKETS); i > 0; i--) {
        int from = (int)pick(net->random, 0, stations - 1);
        int to = (int)pick(net->random, 0, stations - 1);
        if (from == to)
            continue;
        CU_ASSERT_PTR_NOT_NULL_FATAL(network_route(probe->network, from, to));
        sim_time when = pick(net->random, 0, 500) * TIME_US;
        probe_send(probe, when, from, to, (uint32_t)pick(net->random, 1, 4096));
    }
}

void random_net_check_arrivals(const struct probe *probe)
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
