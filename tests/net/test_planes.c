// SPDX-License-Identifier: GPL-3.0-or-later
// Planes: disjoint networks with a link of every host each. A host's n-th station is on plane n;
// nothing passes from one plane to another, and planes do not disturb each other.
#include "tests/support/probe.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

#define PLANES 4
#define HOSTS 8
#define BYTES 532

static struct link_config link;
static struct switch_config node;

static void setup(void)
{
    link = topology_wormhole_link();
    link.window = 7;
    node = topology_wormhole_switch();
    node.header = 16;
    node.slack = 1024;
    node.ports = HOSTS;
}

// Every host with every plane.
static struct topology *planes(const struct link_config *second)
{
    struct topology *topology = topology_new(HOSTS, PLANES);
    topology_set_switches(topology, &node);
    for (int host = 0; host < HOSTS; host++)
        for (int plane = 0; plane < PLANES; plane++)
            topology_add_link(topology, host, HOSTS + plane, plane == 1 ? second : &link);
    return topology;
}

// Four cables back to back.
static struct topology *cables(void)
{
    struct topology *topology = topology_new(2, 0);
    for (int plane = 0; plane < PLANES; plane++)
        topology_add_link(topology, 0, 1, &link);
    return topology;
}

static void check_routes(struct network *network, int hosts, int links)
{
    int wrong = 0;
    SUITE_SAME_INTEGER(network_stations(network), hosts * PLANES);
    for (int from = 0; from < hosts * PLANES; from++)
        for (int to = 0; to < hosts * PLANES; to++) {
            const struct route *route = network_route(network, from, to);
            bool joined = from % PLANES == to % PLANES && from != to;
            wrong += joined ? !route || route_links(route) != links : route != NULL;
            wrong += network_station(network, from / PLANES, from % PLANES) != from;
        }
    SUITE_SAME_INTEGER(wrong, 0);
}

static void test_routes(void)
{
    setup();
    struct topology *topology = planes(&link);
    struct probe *probe = probe_checked(topology, NULL);
    check_routes(probe->network, HOSTS, 2);
    probe_free(probe);
    topology_free(topology);
    topology = cables();
    probe = probe_checked(topology, NULL);
    check_routes(probe->network, 2, 1);
    for (int plane = 0; plane < PLANES; plane++)
        SUITE_SAME_INTEGER(network_peer_station(probe->network, plane), PLANES + plane);
    probe_free(probe);
    topology_free(topology);
}

// Each host sends to the next over all planes at once: all at the rate of the link.
static void send_ring(struct probe *probe, int hosts, int packets)
{
    for (int i = 0; i < packets; i++)
        for (int host = 0; host < hosts; host++)
            for (int plane = 0; plane < PLANES; plane++)
                probe_send(probe, 0, host * PLANES + plane, (host + 1) % hosts * PLANES + plane,
                           BYTES);
    probe_run(probe);
}

static void check_full_rate(const struct probe *probe, int plane, sim_time first)
{
    int64_t seen[HOSTS * PLANES] = {0}, wrong = 0;
    for (guint i = 0; i < probe->packets->len; i++) {
        const struct probe_packet *packet = g_ptr_array_index(probe->packets, i);
        sim_time slot = time_of_bytes(BYTES, link.rate);
        if (packet->from % PLANES == plane)
            wrong += packet->arrived != first + seen[packet->from]++ * slot;
    }
    SUITE_SAME_INTEGER(wrong, 0);
}

static void test_full_rate(void)
{
    setup();
    struct topology *topology = planes(&link);
    struct probe *probe = probe_checked(topology, NULL);
    send_ring(probe, HOSTS, 50);
    sim_time cable = time_of_bytes(BYTES, link.rate) + link.propagation;
    sim_time hop = time_of_bytes(16, link.rate) + link.propagation + node.latency;
    for (int plane = 0; plane < PLANES; plane++)
        check_full_rate(probe, plane, cable + hop);
    probe_free(probe);
    topology_free(topology);
    topology = cables();
    probe = probe_checked(topology, NULL);
    send_ring(probe, 2, 50);
    for (int plane = 0; plane < PLANES; plane++)
        check_full_rate(probe, plane, cable);
    probe_free(probe);
    topology_free(topology);
}

// A plane that is dead, or repeats, concerns the others in nothing.
static void check_second(const struct link_config *second, bool dead)
{
    struct topology *topology = planes(second);
    struct probe *probe = probe_checked(topology, NULL);
    send_ring(probe, HOSTS, 50);
    sim_time first = time_of_bytes(BYTES + 16, link.rate) + 2 * link.propagation + node.latency;
    for (int plane = 0; plane < PLANES; plane++)
        if (plane != 1)
            check_full_rate(probe, plane, first);
    struct ledger_totals totals = ledger_totals(probe->sim->ledger);
    SUITE_SAME_INTEGER(totals.open, dead ? 50 * HOSTS : 0);
    SUITE_SAME_INTEGER(totals.delivered + totals.open, 50 * HOSTS * PLANES);
    char *text = network_describe_stuck(probe->network);
    SUITE_SAME_TEXT(text, dead ? "link node0->switch1: 7 packets unacknowledged, link down; and 7 "
                                 "more links"
                               : NULL);
    g_free(text);
    CU_ASSERT_EQUAL(network_repeats(probe->network) > 0, !dead);
    probe_free(probe);
    topology_free(topology);
}

static void test_dead_plane(void)
{
    setup();
    struct param_window for_ever = {0, TIME_NEVER};
    struct link_config second = link;
    second.down = (struct param_windows){&for_ever, 1};
    check_second(&second, true);
    second = link;
    second.bit_error_rate = 1e-5;
    check_second(&second, false);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"stations and routes", test_routes},
        {"all planes at full rate", test_full_rate},
        {"a plane that is dead or repeats", test_dead_plane},
        {NULL, NULL},
    };
    return suite_run("net: planes", cases);
}
