// SPDX-License-Identifier: GPL-3.0-or-later
// Stations, routes, and what a topology costs.
#include "sim/net/fabric.h"
#include "tests/support/random_net.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

#include <malloc.h>
#include <string.h>

static struct link_config link;
static struct switch_config node;

static void setup(void)
{
    link = topology_link_defaults();
    node = topology_switch_defaults();
}

// The names of a route's channels, with blanks between.
static char *route_text(const struct route *route)
{
    GString *text = g_string_new(NULL);
    for (int i = 0; i < route->links; i++) {
        char *name = channel_name(route->channels[i]);
        g_string_append_printf(text, "%s%s", i ? " " : "", name);
        g_free(name);
    }
    return g_string_free(text, FALSE);
}

static void check_route(struct network *network, int from, int to, const char *expected)
{
    const struct route *route = network_route(network, from, to);
    CU_ASSERT_PTR_NOT_NULL(route);
    if (!route)
        return;
    char *text = route_text(route);
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
    SUITE_SAME_INTEGER(route_from(route), from);
    SUITE_SAME_INTEGER(route_to(route), to);
    CU_ASSERT_PTR_EQUAL(network_route(network, from, to), route);
}

// node0 has two links: its stations are 0 and 1, and node1's is 2.
static void test_stations(void)
{
    setup();
    struct topology *topology = topology_new(2, 2);
    topology_add_link(topology, 1, 2, &link);
    topology_add_link(topology, 0, 2, &link);
    topology_add_link(topology, 0, 3, &link);
    struct sim *sim = sim_new(1, NULL);
    struct network *network = network_new(sim, topology);
    SUITE_SAME_INTEGER(network_stations(network), 3);
    SUITE_SAME_INTEGER(network_host_stations(network, 0), 2);
    SUITE_SAME_INTEGER(network_host_stations(network, 1), 1);
    SUITE_SAME_INTEGER(network_station(network, 0, 1), 1);
    SUITE_SAME_INTEGER(network_station(network, 1, 0), 2);
    SUITE_SAME_INTEGER(network_station_host(network, 2), 1);
    check_route(network, 0, 2, "node0->switch0 switch0->node1");
    CU_ASSERT_PTR_NULL(network_route(network, 1, 2)); // another network
    CU_ASSERT_PTR_NULL(network_route(network, 0, 0));
    network_free(network);
    sim_free(sim);
    topology_free(topology);
}

static void test_host_to_host(void)
{
    setup();
    struct topology *topology = topology_new(3, 0);
    topology_add_link(topology, 0, 1, &link);
    topology_add_link(topology, 1, 2, &link);
    struct sim *sim = sim_new(1, NULL);
    struct network *network = network_new(sim, topology);
    check_route(network, 0, 1, "node0->node1");
    check_route(network, 3, 2, "node2->node1");
    CU_ASSERT_PTR_NULL(network_route(network, 0, 3)); // hosts don't forward
    network_free(network);
    sim_free(sim);
    topology_free(topology);
}

// A host on a cable reaches the host at its other end, and none at a switch; nor do those reach it.
static void test_cable_beside_a_switch(void)
{
    setup();
    struct topology *topology = topology_new(4, 1);
    topology_add_link(topology, 0, 1, &link);
    topology_add_link(topology, 2, 4, &link);
    topology_add_link(topology, 3, 4, &link);
    struct sim *sim = sim_new(1, NULL);
    struct network *network = network_new(sim, topology);
    check_route(network, 0, 1, "node0->node1");
    check_route(network, 2, 3, "node2->switch0 switch0->node3");
    for (int cable = 0; cable < 2; cable++)
        for (int star = 2; star < 4; star++) {
            CU_ASSERT_PTR_NULL(network_route(network, cable, star));
            CU_ASSERT_PTR_NULL(network_route(network, star, cable));
        }
    network_free(network);
    sim_free(sim);
    topology_free(topology);
}

// A ring of five switches: routes take the shorter direction.
static void test_shortest(void)
{
    setup();
    struct topology *topology = topology_new(5, 5);
    for (int i = 0; i < 5; i++)
        topology_add_link(topology, i, 5 + i, &link);
    for (int i = 0; i < 5; i++)
        topology_add_link(topology, 5 + i, 5 + (i + 1) % 5, &link);
    struct sim *sim = sim_new(1, NULL);
    struct network *network = network_new(sim, topology);
    check_route(network, 0, 2, "node0->switch0 switch0->switch1 switch1->switch2 switch2->node2");
    check_route(network, 0, 3, "node0->switch0 switch0->switch4 switch4->switch3 switch3->node3");
    network_free(network);
    sim_free(sim);
    topology_free(topology);
}

// ---- Sharing out ----

// Two switches with `hosts` hosts each and `twins` links between them; with `alternate`, the hosts
// alternate.
static struct topology *two_switches(int hosts, int twins, bool alternate)
{
    struct topology *topology = topology_new(2 * hosts, 2);
    for (int i = 0; i < 2 * hosts; i++)
        topology_add_link(topology, i, 2 * hosts + (alternate ? i % 2 : i / hosts), &link);
    for (int i = 0; i < twins; i++)
        topology_add_link(topology, 2 * hosts, 2 * hosts + 1, &link);
    return topology;
}

typedef int peer_fn(int host, int hosts, int nth);

// Routes all pairs (first switch to second) that the pattern names; the links' shares may differ by
// one at most.
static void check_shared(int hosts, int twins, bool alternate, int peers, peer_fn *peer)
{
    struct topology *topology = two_switches(hosts, twins, alternate);
    struct sim *sim = sim_new(1, NULL);
    struct network *network = network_new(sim, topology);
    int *used = g_new0(int, topology->links->len);
    for (int i = 0; i < hosts; i++) {
        for (int nth = 0; nth < peers; nth++) {
            int j = peer(i, hosts, nth);
            int from = alternate ? 2 * i : i, to = alternate ? 2 * j + 1 : hosts + j;
            used[network_route(network, from, to)->channels[1]->link]++;
        }
    }
    int least = hosts * peers / twins, most = (hosts * peers + twins - 1) / twins;
    for (int i = 0; i < twins; i++)
        CU_ASSERT(used[2 * hosts + i] >= least && used[2 * hosts + i] <= most);
    g_free(used);
    network_free(network);
    sim_free(sim);
    topology_free(topology);
}

static int peer_same(int host, int hosts, int nth)
{
    (void)hosts, (void)nth;
    return host;
}

static int peer_next(int host, int hosts, int nth)
{
    return (host + nth + 1) % hosts;
}

static int peer_one(int host, int hosts, int nth)
{
    (void)host, (void)hosts, (void)nth;
    return 0;
}

static int peer_all(int host, int hosts, int nth)
{
    (void)host, (void)hosts;
    return nth;
}

// Parallel links get equal shares of the pairs: of permutations, of a fan-in (where there are as
// many rounds of sources as links), of an exchange of all with all.
static void test_parallel_links(void)
{
    setup();
    for (int twins = 1; twins <= 4; twins++) {
        for (int alternate = 0; alternate < 2; alternate++) {
            check_shared(4 * twins, twins, alternate, 1, peer_same);
            check_shared(4 * twins, twins, alternate, 1, peer_next);
            check_shared(twins * twins, twins, alternate, 1, peer_one);
            check_shared(4 * twins, twins, alternate, 4 * twins, peer_all);
        }
    }
}

// Two leaves, four spines, two links each: the eight paths are all used.
static void test_equal_paths(void)
{
    setup();
    enum { HOSTS = 16, SPINES = 4 };
    struct topology *topology = topology_new(HOSTS, 2 + SPINES);
    for (int i = 0; i < HOSTS; i++)
        topology_add_link(topology, i, HOSTS + i % 2, &link);
    for (int i = 0; i < 2 * 2 * SPINES; i++)
        topology_add_link(topology, HOSTS + i % 2, HOSTS + 2 + i / 2 % SPINES, &link);
    struct sim *sim = sim_new(1, NULL);
    struct network *network = network_new(sim, topology);
    int *used = g_new0(int, network->channel_count);
    for (int from = 0; from < HOSTS; from++) {
        for (int to = 0; to < HOSTS; to++) {
            const struct route *route = network_route(network, from, to);
            for (int i = 0; route && i < route->links; i++)
                used[route->channels[i] - network->channels]++;
        }
    }
    // Each direction between leaf and spine: 64 pairs over 8 links up, and as many down.
    for (int i = 2 * HOSTS; i < network->channel_count; i++) {
        bool up = network->channels[i].side == 0;
        CU_ASSERT(up ? used[i] == 8 : used[i] >= 1);
    }
    g_free(used);
    network_free(network);
    sim_free(sim);
    topology_free(topology);
}

// The header of a source-routed packet for each switch: how many ports it turns, and in how many
// bytes.
static void test_turns(void)
{
    setup();
    struct switch_config wormhole = topology_wormhole_switch();
    struct link_config cable = topology_wormhole_link();
    struct topology *topology = topology_new(4, 2);
    wormhole.route_bytes = 1;
    topology_set_switches(topology, &wormhole);
    // switch0: node0, node1, switch1; switch1: switch0, node2, node3.
    topology_add_link(topology, 0, 4, &cable);
    topology_add_link(topology, 1, 4, &cable);
    topology_add_link(topology, 4, 5, &cable);
    topology_add_link(topology, 2, 5, &cable);
    topology_add_link(topology, 3, 5, &cable);
    struct sim *sim = sim_new(1, NULL);
    struct network *network = network_new(sim, topology);
    const struct route *there = network_route(network, 0, 3), *back = network_route(network, 3, 0);
    SUITE_SAME_INTEGER(route_links(there), 3);
    SUITE_SAME_INTEGER(route_turn(there, 0), 2);
    SUITE_SAME_INTEGER(route_turn(there, 1), 2);
    SUITE_SAME_INTEGER(route_turn(back, 0), -2);
    SUITE_SAME_INTEGER(route_turn(back, 1), -2);
    SUITE_SAME_INTEGER(route_turn(network_route(network, 1, 0), 0), -1);
    SUITE_SAME_INTEGER(route_turn_bytes(there, 0), 1);
    SUITE_SAME_INTEGER(route_turn_bytes(there, 1), 1);
    network_free(network);
    sim_free(sim);
    topology_free(topology);
}

// ---- Routes that packets own ----

static bool same_route(const struct route *a, const struct route *b)
{
    return a->pair == b->pair && a->links == b->links && a->route_bytes == b->route_bytes &&
           memcmp(a->channels, b->channels, (size_t)a->links * sizeof(void *)) == 0;
}

// Of every pair, and of a station to itself: what the cache returns, and nothing where it has none.
static int owned_differ(struct network *network)
{
    int stations = network_stations(network), differ = 0;
    for (int pair = 0; pair < stations * stations; pair++) {
        int from = pair / stations, to = pair % stations;
        struct packet *packet = packet_new(network), *copy;
        bool set = packet_set_route(network, packet, from, to);
        const struct route *kept = network_route(network, from, to);
        copy = packet_copy(network, packet);
        packet_free(network, packet);
        differ += set != (kept != NULL) || (kept && !same_route(copy->route, kept)) ||
                  (kept && copy->route == kept);
        packet_free(network, copy);
    }
    return differ;
}

static void test_owned(void)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct random_net net;
        random_net_init(&net, seed, 0);
        struct sim *sim = sim_new(1, NULL);
        struct network *network = network_new(sim, net.topology);
        SUITE_SAME_INTEGER(owned_differ(network), 0);
        network_free(network);
        sim_free(sim);
        random_net_clear(&net);
    }
}

// Ever other pairs need no more memory than the packets under way.
static void test_owned_are_bounded(void)
{
    setup();
    enum { HOSTS = 600, ROUNDS = 100 };
    struct topology *topology = topology_new(HOSTS, 1);
    for (int i = 0; i < HOSTS; i++)
        topology_add_link(topology, i, HOSTS, &link);
    struct sim *sim = sim_new(1, NULL);
    struct network *network = network_new(sim, topology);
    size_t first = 0, last = 0;
    for (int round = 1; round <= ROUNDS; round++) {
        for (int from = 0; from < HOSTS; from++) {
            struct packet *packet = packet_new(network);
            packet_set_route(network, packet, from, (from + round) % HOSTS);
            packet_free(network, packet);
        }
        last = mallinfo2().uordblks + mallinfo2().hblkhd;
        first = round == 1 ? last : first;
    }
    CU_ASSERT(last <= first + 1024);
    network_free(network);
    sim_free(sim);
    topology_free(topology);
}

// ---- Given routes ----

static void test_given(void)
{
    setup();
    struct topology *topology = topology_new(2, 3);
    topology_add_link(topology, 0, 2, &link);
    topology_add_link(topology, 2, 3, &link);
    topology_add_link(topology, 2, 3, &link);
    topology_add_link(topology, 2, 4, &link);
    topology_add_link(topology, 4, 3, &link);
    topology_add_link(topology, 3, 1, &link);
    int round[] = {2, 4, 3}, straight[] = {3, 2};
    int any[] = {-1, -1, -1, -1}, second[] = {-1, 2, -1};
    topology_add_route(topology, 0, 1, 3, round, any);
    topology_add_route(topology, 1, 0, 2, straight, second);
    struct sim *sim = sim_new(1, NULL);
    struct network *network = network_new(sim, topology);
    check_route(network, 0, 1, "node0->switch0 switch0->switch2 switch2->switch1 switch1->node1");
    check_route(network, 1, 0, "node1->switch1 switch1->switch0#2 switch0->node0");
    network_free(network);
    sim_free(sim);
    topology_free(topology);
}

// A given route is for the stations that it fits; another pair of the same hosts is computed.
static void test_given_for_one_rail(void)
{
    setup();
    struct topology *topology = topology_new(2, 3);
    for (int rail = 0; rail < 2; rail++) {
        topology_add_link(topology, 0, 2 + rail, &link);
        topology_add_link(topology, 1, 2 + rail, &link);
        topology_add_link(topology, 2 + rail, 4, &link);
    }
    topology_add_link(topology, 2, 3, &link);
    int via[] = {2, 4, 3}, links[] = {0, -1, -1, -1};
    topology_add_route(topology, 0, 1, 3, via, links);
    struct sim *sim = sim_new(1, NULL);
    struct network *network = network_new(sim, topology);
    // Stations 0 and 1 are node0's, 2 and 3 node1's.
    check_route(network, 0, 3, "node0->switch0 switch0->switch2 switch2->switch1 switch1->node1");
    check_route(network, 0, 2, "node0->switch0 switch0->node1");
    check_route(network, 1, 3, "node0->switch1 switch1->node1");
    network_free(network);
    sim_free(sim);
    topology_free(topology);
}

// ---- What cut-through switches ask for ----

static void test_check(void)
{
    struct link_config fast = topology_wormhole_link(), slow = fast;
    struct switch_config cut = topology_wormhole_switch();
    slow.rate /= 2;
    struct topology *topology = topology_new(2, 1);
    topology_set_switches(topology, &cut);
    topology_add_link(topology, 0, 2, &fast);
    topology_add_link(topology, 2, 1, &slow);
    topology_refused(
        topology,
        "the links node0-switch0 and switch0-node1 at cut-through switch switch0 differ in rate",
        "the same rate");
    topology_free(topology);

    cut.slack = 50; // 4 + 50 + 150 ns are 51 bytes
    topology = topology_star(2, &fast, &cut);
    topology_refused(topology, "slack of 50 B at switch0", "slack of 51 B");
    topology_free(topology);

    cut.slack = 80;
    cut.route_bytes = 2;
    topology = topology_star(2, &fast, &cut);
    topology_refused(topology, "switch0 has more route bytes (2) than its header has",
                     "as many bytes");
    topology_free(topology);

    cut.header = 2;
    cut.latency = 7 * TIME_NS;
    topology = topology_star(2, &fast, &cut);
    topology_refused(topology,
                     "switch0 has more route bytes (2) than it can take off in its latency",
                     "a byte time for each");
    topology_free(topology);
}

// ---- Size ----

// A thousand hosts: what is built up front grows with hosts and links, not with pairs.
static void test_thousand_hosts(void)
{
    setup();
    enum { HOSTS = 1024, LEAVES = 32 };
    struct topology *topology = topology_new(HOSTS, LEAVES + 1);
    for (int i = 0; i < HOSTS; i++)
        topology_add_link(topology, i, HOSTS + i % LEAVES, &link);
    for (int i = 0; i < LEAVES; i++)
        topology_add_link(topology, HOSTS + i, HOSTS + LEAVES, &link);
    struct sim *sim = sim_new(1, NULL);
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    struct network *network = network_new(sim, topology);
    for (int i = 0; i < HOSTS; i++)
        CU_ASSERT_PTR_NOT_NULL(network_route(network, i, (i + 1) % HOSTS));
    size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
    // A sanitizer's malloc does not fill mallinfo: the difference is then 0.
    CU_ASSERT(after - before < 1024 * HOSTS);
    network_free(network);
    sim_free(sim);
    topology_free(topology);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"stations of hosts", test_stations},
        {"a link from host to host", test_host_to_host},
        {"a cable beside a switch", test_cable_beside_a_switch},
        {"the shortest path", test_shortest},
        {"parallel links are shared out", test_parallel_links},
        {"equal paths are shared out", test_equal_paths},
        {"turns at switches", test_turns},
        {"routes that packets own", test_owned},
        {"the memory of routes that packets own", test_owned_are_bounded},
        {"given routes", test_given},
        {"a given route for one rail", test_given_for_one_rail},
        {"what cut-through switches ask for", test_check},
        {"a thousand hosts", test_thousand_hosts},
        {NULL, NULL},
    };
    return suite_run("net: routes", cases);
}
