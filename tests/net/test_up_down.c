// SPDX-License-Identifier: GPL-3.0-or-later
// Up*/down* routes: no cycle of channels that wait for one another on any topology, no detour that
// the rule does not ask for, and none at all in a Clos network.
#include "sim/core/random.h"
#include "sim/net/fabric.h"
#include "sim/net/up_down.h"
#include "tests/support/probe.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

#define CASES 300

static struct link_config link;
static struct switch_config node;

static void setup(void)
{
    link = topology_wormhole_link();
    node = topology_wormhole_switch();
}

// ---- Waiting ----

// Waits that packets on the routes of all pairs can cause: on channel i for channel k.
struct waits {
    int count;
    bool *edges; // count x count
    char *seen;  // 0: no, 1: on this walk, 2: done
};

static void waits_add(struct waits *waits, const struct network *network, const struct route *route)
{
    for (int i = 0; i + 1 < route->links; i++) {
        int from = (int)(route->channels[i] - network->channels);
        int to = (int)(route->channels[i + 1] - network->channels);
        waits->edges[from * waits->count + to] = true;
    }
}

static bool waits_from(struct waits *waits, int channel)
{
    if (waits->seen[channel])
        return waits->seen[channel] == 1;
    waits->seen[channel] = 1;
    for (int next = 0; next < waits->count; next++)
        if (waits->edges[channel * waits->count + next] && waits_from(waits, next))
            return true;
    waits->seen[channel] = 2;
    return false;
}

// True if a deadlock is possible. Counts pairs without a route in *lost.
static bool may_block(struct network *network, int *lost)
{
    int channels = network->channel_count;
    struct waits waits = {channels, g_new0(bool, (gsize)channels *(gsize)channels),
                          g_new0(char, (gsize)channels)};
    for (int from = 0; from < network->station_count; from++) {
        for (int to = 0; to < network->station_count; to++) {
            const struct route *route = network_route(network, from, to);
            *lost += !route && from != to;
            if (route)
                waits_add(&waits, network, route);
        }
    }
    bool cycle = false;
    for (int i = 0; i < channels; i++)
        cycle |= waits_from(&waits, i);
    g_free(waits.edges);
    g_free(waits.seen);
    return cycle;
}

// ---- The shortest path that the rule allows, by relaxation ----

static int legal_hops(const struct network *network, const int *ranks, int from, int to)
{
    int count = network->switch_count, hops[2][64];
    for (int i = 0; i < count; i++)
        hops[0][i] = hops[1][i] = 1000;
    hops[0][from] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < 2 * count; i++) {
            int at = i / 2, down = i % 2;
            for (int k = 0; k < network->switches[at].neighbour_count; k++) {
                int next = network->switches[at].neighbours[k].node;
                bool up = ranks[next] < ranks[at];
                if ((up && down) || hops[!up][next] <= hops[down][at] + 1)
                    continue;
                hops[!up][next] = hops[down][at] + 1;
                changed = true;
            }
        }
    }
    return MIN(hops[0][to], hops[1][to]);
}

static int detours(struct network *network)
{
    int *ranks = up_down_ranks(network), wrong = 0;
    for (int from = 0; from < network->station_count; from++) {
        for (int to = 0; to < network->station_count; to++) {
            const struct route *route = network_route(network, from, to);
            if (!route)
                continue;
            int first = (int)(route->channels[0]->to.node - network->switches);
            int last = (int)(route->channels[route->links - 1]->from.node - network->switches);
            wrong += route->links != 2 + legal_hops(network, ranks, first, last);
        }
    }
    g_free(ranks);
    return wrong;
}

// ---- Random networks ----

static int below(struct random_stream *random, int bound)
{
    return (int)random_below(random, (uint64_t)bound);
}

// A tree of switches, often a long one, with some more links, parallel ones among them, and hosts
// at some of the switches.
static struct topology *random_network(struct random_stream *random)
{
    int switches = 2 + below(random, 11), hosts = 2 + below(random, 20);
    struct topology *topology = topology_new(hosts, switches);
    topology_set_switches(topology, &node);
    for (int i = 1; i < switches; i++)
        topology_add_link(topology, hosts + i,
                          hosts + (below(random, 4) ? i - 1 : below(random, i)), &link);
    for (int more = below(random, switches); more > 0; more--) {
        int a = below(random, switches), b = below(random, switches);
        if (a != b)
            topology_add_link(topology, hosts + a, hosts + b, &link);
    }
    for (int i = 0; i < hosts; i++)
        topology_add_link(topology, i, hosts + below(random, switches), &link);
    return topology;
}

static void test_random_networks(void)
{
    setup();
    int shortest_may = 0, up_down_may = 0, lost = 0, longer = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct random_stream *random = random_new(seed, "up_down");
        struct topology *topology = random_network(random);
        for (int way = 0; way < 2; way++) {
            topology->routing = way ? TOPOLOGY_ROUTES_SHORTEST : TOPOLOGY_ROUTES_DEFAULT;
            struct sim *sim = sim_new(1, NULL);
            struct network *network = network_new(sim, topology);
            *(way ? &shortest_may : &up_down_may) += may_block(network, &lost);
            longer += way ? 0 : detours(network);
            network_free(network);
            sim_free(sim);
        }
        topology_free(topology);
        random_free(random);
    }
    SUITE_SAME_INTEGER(up_down_may, 0);
    SUITE_SAME_INTEGER(lost, 0);
    SUITE_SAME_INTEGER(longer, 0);
    // Shortest paths must be able to block enough of the networks.
    CU_ASSERT(shortest_may > CASES / 10);
}

// ---- Clos ----

// Leaves with hosts below `tops` spines, in two or three stages: `pods` of leaves with as many
// middle switches, each joined to a share of the spines.
static struct topology *clos(int pods, int leaves, int hosts_a_leaf, int tops)
{
    int middles = pods > 1 ? leaves : 0;
    int hosts = pods * leaves * hosts_a_leaf, first_middle = hosts + pods * leaves;
    int first_top = first_middle + pods * middles;
    struct topology *topology = topology_new(hosts, first_top - hosts + tops);
    topology_set_switches(topology, &node);
    for (int i = 0; i < hosts; i++)
        topology_add_link(topology, i, hosts + i / hosts_a_leaf, &link);
    for (int pod = 0; pod < pods; pod++)
        for (int i = 0; i < leaves; i++)
            for (int k = 0; k < (middles ? middles : tops); k++)
                topology_add_link(topology, hosts + pod * leaves + i,
                                  first_middle + (middles ? pod * middles : 0) + k, &link);
    for (int i = 0; i < pods * middles; i++)
        for (int k = 0; k < tops / middles; k++)
            topology_add_link(topology, first_middle + i,
                              first_top + i % middles * (tops / middles) + k, &link);
    return topology;
}

// The rule costs nothing: all pairs go as short as without it, and all spines are used alike.
static void check_clos(struct topology *topology, int tops)
{
    int links[2] = {0, 0};
    for (int way = 0; way < 2; way++) {
        topology->routing = way ? TOPOLOGY_ROUTES_SHORTEST : TOPOLOGY_ROUTES_UP_DOWN;
        struct sim *sim = sim_new(1, NULL);
        struct network *network = network_new(sim, topology);
        int least = INT_MAX, most = 0, *through = g_new0(int, network->switch_count);
        for (int i = 0; i < network->station_count * network->station_count; i++) {
            const struct route *route =
                network_route(network, i / network->station_count, i % network->station_count);
            for (int k = 0; route && k + 1 < route->links; k++)
                through[route->channels[k]->to.node - network->switches]++;
            links[way] += route ? route->links : 0;
        }
        for (int i = network->switch_count - tops; i < network->switch_count; i++) {
            least = MIN(least, through[i]);
            most = MAX(most, through[i]);
        }
        CU_ASSERT(least > 0 && most < 2 * least);
        g_free(through);
        network_free(network);
        sim_free(sim);
    }
    SUITE_SAME_INTEGER(links[0], links[1]);
    topology_free(topology);
}

static void test_clos(void)
{
    setup();
    check_clos(clos(1, 4, 4, 4), 4);
    check_clos(clos(1, 16, 8, 8), 8);
    check_clos(clos(4, 2, 2, 4), 4);
}

// ---- Rings ----

static struct topology *ring(int count)
{
    struct topology *topology = topology_new(count, count);
    topology_set_switches(topology, &node);
    for (int i = 0; i < count; i++)
        topology_add_link(topology, i, count + i, &link);
    for (int i = 0; i < count; i++)
        topology_add_link(topology, count + i, count + (i + 1) % count, &link);
    return topology;
}

// All send to the one two switches further on a ring of five, which is the shortest path: each
// channel is held, and waits for the next. With the rule, one takes the other direction.
static void test_ring(void)
{
    setup();
    enum { COUNT = 5 };
    struct topology *topology = ring(COUNT);
    for (int way = 0; way < 2; way++) {
        topology->routing = way ? TOPOLOGY_ROUTES_SHORTEST : TOPOLOGY_ROUTES_DEFAULT;
        struct probe *probe = probe_new(topology, 1, NULL);
        for (int i = 0; i < COUNT; i++)
            probe_send(probe, 0, i, (i + 2) % COUNT, 1000);
        probe_run(probe);
        SUITE_SAME_INTEGER(probe->arrivals->len, way ? 0 : COUNT);
        GPtrArray *lines = network_describe_blocked(probe->network);
        SUITE_SAME_INTEGER(lines ? lines->len : 0, way ? COUNT : 0);
        if (lines)
            g_ptr_array_unref(lines);
        probe_free(probe);
    }
    topology_free(topology);
}

// Store-and-forward switches never block: there the default is the shortest path.
static void test_default(void)
{
    setup();
    struct topology *topology = ring(5);
    node = topology_switch_defaults();
    topology_set_switches(topology, &node);
    struct sim *sim = sim_new(1, NULL);
    struct network *network = network_new(sim, topology);
    for (int i = 0; i < 25; i++)
        if (i / 5 != i % 5)
            CU_ASSERT(network_route(network, i / 5, i % 5)->links <= 4);
    network_free(network);
    sim_free(sim);
    topology_free(topology);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"random networks can't deadlock", test_random_networks},
        {"a Clos network loses nothing", test_clos},
        {"a ring", test_ring},
        {"the default by discipline", test_default},
        {NULL, NULL},
    };
    return suite_run("net: up*/down*", cases);
}
