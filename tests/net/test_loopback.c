// SPDX-License-Identifier: GPL-3.0-or-later
// Loopback cables, from a card's output to its own input, and what is at the far end of a cable.
#include "tests/support/probe.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

static struct link_config link;

static void setup(void)
{
    link = topology_wormhole_link();
    link.propagation = 46 * TIME_NS;
}

// node0 has a loopback cable, a cable to node1, and another loopback cable: stations 0, 1 and 2.
static struct topology *looped(void)
{
    struct topology *topology = topology_new(2, 0);
    topology_add_link(topology, 0, 0, &link);
    topology_add_link(topology, 0, 1, &link);
    topology_add_link(topology, 0, 0, &link);
    return topology;
}

static void test_stations(void)
{
    setup();
    struct topology *topology = looped();
    struct probe *probe = probe_checked(topology, NULL);
    struct network *network = probe->network;
    SUITE_SAME_INTEGER(network_stations(network), 4);
    SUITE_SAME_INTEGER(network_host_stations(network, 0), 3);
    SUITE_SAME_INTEGER(network_host_stations(network, 1), 1);
    static const int peers[] = {0, 3, 2, 1};
    for (int station = 0; station < 4; station++)
        SUITE_SAME_INTEGER(network_peer_station(network, station), peers[station]);
    for (int from = 0; from < 4; from++)
        for (int to = 0; to < 4; to++) {
            const struct route *route = network_route(network, from, to);
            CU_ASSERT_EQUAL(route != NULL, to == peers[from]);
            if (route)
                SUITE_SAME_INTEGER(route_links(route), 1);
        }
    probe_free(probe);
    topology_free(topology);
}

// The cable has one direction: packets follow one another, and those of other cables do not delay
// them.
static void test_packets(void)
{
    setup();
    struct topology *topology = looped();
    struct probe *probe = probe_checked(topology, NULL);
    struct probe_packet *packets[6];
    for (int i = 0; i < 6; i++) {
        int cable = i % 3;
        packets[i] = probe_send(probe, 0, cable, network_peer_station(probe->network, cable), 1000);
    }
    probe_run(probe);
    for (int i = 0; i < 6; i++)
        SUITE_SAME_INTEGER(packets[i]->arrived,
                           (1 + i / 3) * time_of_bytes(1000, link.rate) + link.propagation);
    SUITE_SAME_INTEGER(ledger_totals(probe->sim->ledger).delivered, 6);
    probe_free(probe);
    topology_free(topology);
}

// Faults of a loopback cable strike its one direction; it is named after its host.
static void test_faults(void)
{
    setup();
    int64_t second[] = {2};
    struct link_config faulty = link;
    faulty.drop_nth = (struct param_counts){second, 1};
    faulty.fault_direction = LINK_FAULTS_FORWARD;
    struct topology *topology = topology_new(1, 0);
    topology_add_link(topology, 0, 0, &faulty);
    struct probe *probe = probe_checked(topology, NULL);
    for (int i = 0; i < 3; i++)
        probe_send(probe, 0, 0, 0, 1000);
    probe_run(probe);
    SUITE_SAME_INTEGER(probe->arrivals->len, 2);
    char *text = network_describe_drops(probe->network, 0, 0);
    SUITE_SAME_TEXT(text, "1 packet lost on link node0->node0");
    g_free(text);
    CU_ASSERT_PTR_NULL(network_describe_blocked(probe->network));
    probe_free(probe);
    topology_free(topology);
}

// Behind a switch of any kind no station is the peer.
static void test_switch(void)
{
    setup();
    struct switch_config kinds[] = {topology_switch_defaults(), topology_wormhole_switch()};
    for (size_t kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
        struct topology *topology = topology_star(2, &link, &kinds[kind]);
        topology_add_link(topology, 0, 0, &link);
        struct probe *probe = probe_checked(topology, NULL);
        SUITE_SAME_INTEGER(network_peer_station(probe->network, 0), -1);
        SUITE_SAME_INTEGER(network_peer_station(probe->network, 1), 1);
        SUITE_SAME_INTEGER(network_peer_station(probe->network, 2), -1);
        CU_ASSERT_PTR_NULL(network_route(probe->network, 0, 0));
        CU_ASSERT_PTR_NOT_NULL(network_route(probe->network, 1, 1));
        CU_ASSERT_PTR_NOT_NULL(network_route(probe->network, 0, 2));
        probe_free(probe);
        topology_free(topology);
    }
}

// A station at a switch has a route to it and back, which no other search for a route finds.
static void test_back(void)
{
    setup();
    struct switch_config node = topology_wormhole_switch();
    struct topology *topology = topology_star(2, &link, &node);
    struct probe *probe = probe_checked(topology, NULL);
    struct network *network = probe->network;
    for (int turn = 0; turn < 2; turn++) {
        CU_ASSERT_PTR_NULL(network_route(network, 1, 1));
        const struct route *route = network_route_back(network, 1);
        CU_ASSERT_PTR_NOT_NULL_FATAL(route);
        SUITE_SAME_INTEGER(route_links(route), 2);
        SUITE_SAME_INTEGER(route_from(route), 1);
        SUITE_SAME_INTEGER(route_to(route), 1);
    }
    probe_free(probe);
    topology_free(topology);
    topology = looped();
    probe = probe_checked(topology, NULL);
    CU_ASSERT_PTR_NULL(network_route_back(probe->network, 1));
    probe_free(probe);
    topology_free(topology);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"stations and routes", test_stations},
        {"packets on loopback cables", test_packets},
        {"faults of a loopback cable", test_faults},
        {"cables to a switch", test_switch},
        {"from a station to its switch and back", test_back},
        {NULL, NULL},
    };
    return suite_run("net: loopback", cases);
}
