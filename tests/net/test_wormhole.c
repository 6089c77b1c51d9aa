// SPDX-License-Identifier: GPL-3.0-or-later
// Cut-through with back-pressure, on cases small enough to be worked out by hand.
//
// Links of 4 ns per byte and 50 ns; switches that need 1 byte and 150 ns: a head takes 204 ns per
// hop. Slack is 80 B.
#include "sim/core/random.h"
#include "tests/support/probe.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

#define TAU (4 * TIME_NS)
#define HOP (204 * TIME_NS)
#define WIRE (50 * TIME_NS)
#define SLACK 80

static struct link_config link;
static struct switch_config node;

static void setup(void)
{
    link = topology_wormhole_link();
    node = topology_wormhole_switch();
}

static void finish(struct probe *probe, struct topology *topology)
{
    probe_free(probe);
    topology_free(topology);
}

// node1's second packet is for an idle output, but follows its first, which waits for node0's.
static void test_head_of_line(void)
{
    setup();
    struct topology *topology = topology_star(4, &link, &node);
    struct probe *probe = probe_checked(topology, NULL);
    struct probe_packet *holder = probe_send(probe, 0, 0, 2, 1000);
    struct probe_packet *waits = probe_send(probe, 0, 1, 2, 500);
    struct probe_packet *behind = probe_send(probe, 0, 1, 3, 100);
    probe_run(probe);
    sim_time freed = HOP + 1000 * TAU;
    SUITE_SAME_INTEGER(holder->arrived, freed + WIRE);
    SUITE_SAME_INTEGER(waits->arrived, freed + 500 * TAU + WIRE);
    SUITE_SAME_INTEGER(waits->left, freed + (500 - SLACK) * TAU);
    SUITE_SAME_INTEGER(behind->arrived, freed + (500 + 100) * TAU + WIRE);
    finish(probe, topology);
}

// The waiting heads are served in the order of their ports, starting after the one served last.
static void test_round_robin(void)
{
    setup();
    enum { SENDERS = 5, EACH = 8 };
    struct topology *topology = topology_star(SENDERS + 1, &link, &node);
    struct probe *probe = probe_checked(topology, NULL);
    for (int i = 0; i < SENDERS * EACH; i++)
        probe_send(probe, 0, i / EACH, SENDERS, 300);
    probe_run(probe);
    for (guint i = 0; i < probe->arrivals->len; i++) {
        const struct probe_packet *packet = g_ptr_array_index(probe->arrivals, i);
        SUITE_SAME_INTEGER(packet->from, i % SENDERS);
        SUITE_SAME_INTEGER(packet->arrived, HOP + (i + 1) * 300 * TAU + WIRE);
    }
    SUITE_SAME_INTEGER(probe->arrivals->len, SENDERS * EACH);
    finish(probe, topology);
}

// node0 - switch0 - switch1 - node1, and node2 at switch1, whose packet holds node1's link.
static void check_back_pressure(uint32_t bytes, sim_time left, sim_time freed)
{
    struct topology *topology = topology_new(3, 2);
    topology_set_switches(topology, &node);
    topology_add_link(topology, 0, 3, &link);
    topology_add_link(topology, 3, 4, &link);
    topology_add_link(topology, 4, 1, &link);
    topology_add_link(topology, 2, 4, &link);
    struct probe *probe = probe_checked(topology, NULL);
    probe_send(probe, 0, 2, 1, 1000);
    struct probe_packet *packet = probe_send(probe, 0, 0, 1, bytes);
    probe_run(probe);
    SUITE_SAME_INTEGER(packet->left, left);
    SUITE_SAME_INTEGER(packet->arrived, freed + bytes * TAU + WIRE);
    finish(probe, topology);
}

// The part that does not fit into the two slack buffers stays in the station until the output is
// free.
static void test_back_pressure(void)
{
    setup();
    sim_time freed = HOP + 1000 * TAU;
    check_back_pressure(500, freed + (500 - 2 * SLACK) * TAU, freed);
    check_back_pressure(2 * SLACK + 1, freed + TAU, freed);
    check_back_pressure(2 * SLACK, 2 * SLACK * TAU, freed);
    check_back_pressure(SLACK, SLACK * TAU, freed);
    check_back_pressure(10, 10 * TAU, freed);
}

// A packet enters the network longer by one byte a switch, of which each takes one. node0 - switch0
// - switch1 - node1, and node2 at switch1, whose packet holds node1's link in the second round.
static void check_route_bytes(bool blocked)
{
    setup();
    node.route_bytes = 1;
    struct topology *topology = topology_new(3, 2);
    topology_set_switches(topology, &node);
    topology_add_link(topology, 0, 3, &link);
    topology_add_link(topology, 3, 4, &link);
    topology_add_link(topology, 4, 1, &link);
    topology_add_link(topology, 2, 4, &link);
    struct probe *probe = probe_checked(topology, NULL);
    struct probe_packet *holder = blocked ? probe_send(probe, 0, 2, 1, 1000) : NULL;
    struct probe_packet *first = probe_send(probe, 0, 0, 1, 500);
    struct probe_packet *second = probe_send(probe, 0, 0, 1, 500);
    probe_run(probe);
    sim_time start = blocked ? HOP + 1000 * TAU : 2 * HOP;
    if (holder) {
        SUITE_SAME_INTEGER(holder->left, 1001 * TAU);
        // 502 bytes, of which the buffers hold 80 each, and two have been taken off.
        SUITE_SAME_INTEGER(first->left, start + (500 - 2 * SLACK) * TAU);
    } else {
        SUITE_SAME_INTEGER(first->left, 502 * TAU);
        SUITE_SAME_INTEGER(second->left, 2 * 502 * TAU);
    }
    SUITE_SAME_INTEGER(first->arrived, start + 500 * TAU + WIRE);
    // The wire is silent for the byte times of the route bytes: the station's, or, if the packets
    // have waited in the buffers, the last switch's.
    sim_time silence = blocked ? TAU : 2 * TAU;
    SUITE_SAME_INTEGER(second->arrived, first->arrived + 500 * TAU + silence);
    finish(probe, topology);
}

static void test_route_bytes(void)
{
    check_route_bytes(false);
    check_route_bytes(true);
}

// Short packets queue in the slack buffer, and the next one enters as far as there is room.
static void test_several_in_slack(void)
{
    setup();
    struct topology *topology = topology_star(3, &link, &node);
    struct probe *probe = probe_checked(topology, NULL);
    probe_send(probe, 0, 0, 2, 1000);
    struct probe_packet *packets[4];
    for (int i = 0; i < 4; i++)
        packets[i] = probe_send(probe, 0, 1, 2, 30);
    probe_run(probe);
    sim_time freed = HOP + 1000 * TAU;
    SUITE_SAME_INTEGER(packets[0]->left, 30 * TAU);
    SUITE_SAME_INTEGER(packets[1]->left, 60 * TAU);
    SUITE_SAME_INTEGER(packets[2]->left, freed + 10 * TAU);
    SUITE_SAME_INTEGER(packets[3]->left, freed + 40 * TAU);
    for (int i = 0; i < 4; i++)
        SUITE_SAME_INTEGER(packets[i]->arrived, freed + 30 * (i + 1) * TAU + WIRE);
    finish(probe, topology);
}

// ---- Deadlock ----

// `count` switches in a ring with a host each; from each host a given route to the one `hops`
// further.
static struct topology *ring(int count, int hops)
{
    struct topology *topology = topology_new(count, count);
    topology_set_switches(topology, &node);
    for (int i = 0; i < count; i++)
        topology_add_link(topology, i, count + i, &link);
    for (int i = 0; i < count; i++)
        topology_add_link(topology, count + i, count + (i + 1) % count, &link);
    for (int i = 0; i < count; i++) {
        int via[8], links[9];
        for (int hop = 0; hop <= hops; hop++) {
            via[hop] = count + (i + hop) % count;
            links[hop] = links[hop + 1] = -1;
        }
        topology_add_route(topology, i, (i + hops) % count, hops + 1, via, links);
    }
    return topology;
}

static void check_lines(const struct probe *probe, const char *const *expected)
{
    GPtrArray *lines = network_describe_blocked(probe->network);
    CU_ASSERT_PTR_NOT_NULL(lines);
    if (!lines)
        return;
    guint i = 0;
    for (; expected[i] && i < lines->len; i++)
        SUITE_SAME_TEXT(g_ptr_array_index(lines, i), expected[i]);
    SUITE_SAME_INTEGER(lines->len, i);
    CU_ASSERT_PTR_NULL(expected[i]);
    g_ptr_array_unref(lines);
}

// Each packet holds one side of the triangle and waits for the next.
static void test_deadlock(void)
{
    setup();
    struct topology *topology = ring(3, 2);
    struct probe *probe = probe_checked(topology, NULL);
    for (int i = 0; i < 3; i++)
        probe_send(probe, 0, i, (i + 2) % 3, 1000);
    probe_run(probe);
    SUITE_SAME_INTEGER(probe->arrivals->len, 0);
    SUITE_SAME_INTEGER(ledger_totals(probe->sim->ledger).open, 3);
    static const char *const lines[] = {
        "switch0->switch1 is held by the packet from node0 to node2, which waits for "
        "switch1->switch2",
        "switch1->switch2 is held by the packet from node1 to node0, which waits for "
        "switch2->switch0",
        "switch2->switch0 is held by the packet from node2 to node1, which waits for "
        "switch0->switch1",
        NULL,
    };
    check_lines(probe, lines);
    finish(probe, topology);
}

// The short packet is in the slack buffer of switch1 with its tail; the next one holds the link.
static void test_deadlock_behind(void)
{
    setup();
    struct topology *topology = ring(3, 2);
    struct probe *probe = probe_checked(topology, NULL);
    probe_send(probe, 0, 0, 2, 60);
    probe_send(probe, 0, 1, 0, 1000);
    probe_send(probe, 0, 2, 1, 1000);
    probe_run(probe);
    static const char *const lines[] = {
        "switch0->switch1 is held by the packet from node2 to node1, behind the packet from node0 "
        "to node2, which waits for switch1->switch2",
        "switch1->switch2 is held by the packet from node1 to node0, which waits for "
        "switch2->switch0",
        "switch2->switch0 is held by the packet from node2 to node1, which is held back on "
        "switch0->switch1",
        NULL,
    };
    check_lines(probe, lines);
    finish(probe, topology);
}

// Two packets hold two sides of the square each.
static void test_deadlock_of_long_worms(void)
{
    setup();
    struct topology *topology = ring(4, 3);
    struct probe *probe = probe_checked(topology, NULL);
    probe_send(probe, 0, 0, 3, 1000);
    probe_send(probe, 0, 2, 1, 1000);
    probe_run(probe);
    static const char *const lines[] = {
        "switch0->switch1 is held by the packet from node0 to node3, which is held back on "
        "switch1->switch2",
        "switch1->switch2 is held by the packet from node0 to node3, which waits for "
        "switch2->switch3",
        "switch2->switch3 is held by the packet from node2 to node1, which is held back on "
        "switch3->switch0",
        "switch3->switch0 is held by the packet from node2 to node1, which waits for "
        "switch0->switch1",
        NULL,
    };
    check_lines(probe, lines);
    finish(probe, topology);
}

// Packets that fit into the slack buffers get through, as long as one place is left in them: full
// to the last byte, the buffers of the cycle wait for one another though every packet has been
// granted its output.
static void check_ring_of_small(uint32_t bytes, int arrivals)
{
    struct topology *topology = ring(3, 2);
    struct probe *probe = probe_checked(topology, NULL);
    for (int i = 0; i < 3; i++)
        probe_send(probe, 0, i, (i + 2) % 3, bytes);
    probe_run(probe);
    SUITE_SAME_INTEGER(probe->arrivals->len, arrivals);
    SUITE_SAME_INTEGER(ledger_balanced(probe->sim->ledger), arrivals == 3);
    GPtrArray *lines = network_describe_blocked(probe->network);
    SUITE_SAME_INTEGER(lines ? lines->len : 0, 3 - arrivals);
    if (lines)
        g_ptr_array_unref(lines);
    finish(probe, topology);
}

static void test_ring_of_small(void)
{
    setup();
    check_ring_of_small(SLACK - 1, 3);
    check_ring_of_small(SLACK, 0);
}

// ---- Together with other things ----

// A cut-through and a store-and-forward switch in a row, either first.
static void check_mixed(bool cut_through_first)
{
    struct switch_config stores = topology_switch_defaults();
    struct topology *topology = topology_row(2, &link, &node);
    topology_set_switch(topology, cut_through_first ? 1 : 0, &stores);
    struct probe *probe = probe_checked(topology, NULL);
    struct probe_packet *packets[2];
    for (int i = 0; i < 2; i++)
        packets[i] = probe_send(probe, 0, 0, 1, 1000);
    probe_run(probe);
    sim_time first = HOP + 2 * (1000 * TAU + WIRE) + stores.latency;
    SUITE_SAME_INTEGER(packets[0]->arrived, first);
    SUITE_SAME_INTEGER(packets[1]->arrived, first + 1000 * TAU);
    finish(probe, topology);
}

static void test_mixed_disciplines(void)
{
    setup();
    check_mixed(true);
    check_mixed(false);
}

// A store-and-forward switch that is held back drops what its queue has no place for.
static void test_drop_tail_behind_wormhole(void)
{
    setup();
    struct switch_config stores = topology_switch_defaults();
    stores.queue = 3;
    struct topology *topology = topology_new(3, 2);
    topology_set_switch(topology, 0, &stores);
    topology_set_switch(topology, 1, &node);
    topology_add_link(topology, 0, 3, &link);
    topology_add_link(topology, 3, 4, &link);
    topology_add_link(topology, 4, 1, &link);
    topology_add_link(topology, 2, 4, &link);
    struct probe *probe = probe_checked(topology, NULL);
    probe_send(probe, 0, 2, 1, 10000);
    for (int i = 0; i < 6; i++)
        probe_send(probe, 0, 0, 1, 1000);
    probe_run(probe);
    // One stands on the link between the switches, three wait.
    SUITE_SAME_INTEGER(probe->arrivals->len, 1 + 4);
    SUITE_SAME_INTEGER((int64_t)network_drops(probe->network), 2);
    finish(probe, topology);
}

// A packet that is lost on a link takes its time there and holds nothing after it; a corrupt one
// goes on to the station.
static void test_faults(void)
{
    setup();
    int64_t second[] = {2}, third[] = {3};
    struct link_config faulty = link;
    faulty.drop_nth = (struct param_counts){second, 1};
    faulty.corrupt_nth = (struct param_counts){third, 1};
    struct topology *topology = topology_new(2, 2);
    topology_set_switches(topology, &node);
    topology_add_link(topology, 0, 2, &link);
    topology_add_link(topology, 2, 3, &faulty);
    topology_add_link(topology, 3, 1, &link);
    struct probe *probe = probe_checked(topology, NULL);
    struct probe_packet *packets[4];
    for (int i = 0; i < 4; i++)
        packets[i] = probe_send(probe, 0, 0, 1, 1000);
    probe_run(probe);
    for (int i = 0; i < 4; i++) {
        sim_time arrival = 2 * HOP + (i + 1) * 1000 * TAU + WIRE;
        SUITE_SAME_INTEGER(packets[i]->arrived, i == 1 ? -1 : arrival);
        SUITE_SAME_INTEGER(packets[i]->left, (i + 1) * 1000 * TAU);
        SUITE_SAME_INTEGER(packets[i]->corrupt, i == 2);
    }
    SUITE_SAME_INTEGER(*sim_counter(probe->sim, "packets dropped: lost on link switch0->switch1"),
                       1);
    finish(probe, topology);
}

// A packet waits for its second link, and is lost there; the first was pulled out while it held
// back its tail. It is lost once, for the first reason.
static void test_lost_before_cut(void)
{
    setup();
    int64_t second[] = {2};
    struct param_window window = {2000 * TIME_NS, 2001 * TIME_NS};
    struct link_config pulled = link, faulty = link;
    pulled.down = (struct param_windows){&window, 1};
    faulty.drop_nth = (struct param_counts){second, 1};
    struct topology *topology = topology_new(3, 2);
    topology_set_switches(topology, &node);
    topology_add_link(topology, 0, 3, &pulled);
    topology_add_link(topology, 3, 4, &faulty);
    topology_add_link(topology, 4, 1, &link);
    topology_add_link(topology, 2, 3, &link);
    struct probe *probe = probe_checked(topology, NULL);
    struct probe_packet *holder = probe_send(probe, 0, 2, 1, 1000);
    struct probe_packet *lost = probe_send(probe, 100 * TIME_NS, 0, 1, 100 + SLACK);
    probe_run(probe);
    SUITE_SAME_INTEGER(holder->arrived, 2 * HOP + 1000 * TAU + WIRE);
    SUITE_SAME_INTEGER(lost->left, HOP + 1000 * TAU + 100 * TAU);
    SUITE_SAME_INTEGER(lost->arrived, -1);
    SUITE_SAME_INTEGER(*sim_counter(probe->sim, "packets dropped: lost on link switch0->switch1"),
                       1);
    SUITE_SAME_INTEGER((int64_t)network_drops(probe->network), 1);
    finish(probe, topology);
}

// 4 leaf switches with 4 hosts and two links to each of 2 spine switches: uniform traffic of
// packets up to 4 KiB.
static void test_clos(void)
{
    setup();
    enum { HOSTS = 16, LEAVES = 4, SPINES = 2, PACKETS = 20000 };
    struct topology *topology = topology_new(HOSTS, LEAVES + SPINES);
    topology_set_switches(topology, &node);
    for (int i = 0; i < HOSTS; i++)
        topology_add_link(topology, i, HOSTS + i / (HOSTS / LEAVES), &link);
    for (int i = 0; i < LEAVES * SPINES * 2; i++)
        topology_add_link(topology, HOSTS + i % LEAVES, HOSTS + LEAVES + i / LEAVES % SPINES,
                          &link);
    struct probe *probe = probe_checked(topology, NULL);
    struct random_stream *random = random_new(1, "clos traffic");
    for (int i = 0; i < PACKETS; i++) {
        int from = (int)random_below(random, HOSTS);
        int to = (from + 1 + (int)random_below(random, HOSTS - 1)) % HOSTS;
        sim_time when = (sim_time)random_below(random, 1000000) * 20 * TIME_NS;
        probe_send(probe, when, from, to, 1 + (uint32_t)random_below(random, 4096));
    }
    probe_run(probe);
    SUITE_SAME_INTEGER(probe->arrivals->len, PACKETS);
    CU_ASSERT(ledger_balanced(probe->sim->ledger));
    CU_ASSERT_PTR_NULL(network_describe_blocked(probe->network));
    random_free(random);
    finish(probe, topology);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"head-of-line blocking", test_head_of_line},
        {"round robin", test_round_robin},
        {"back-pressure reaches the station", test_back_pressure},
        {"a route byte for each switch", test_route_bytes},
        {"several packets in a slack buffer", test_several_in_slack},
        {"a cycle of held ports is named", test_deadlock},
        {"a cycle through a packet behind another", test_deadlock_behind},
        {"a cycle of packets over two links", test_deadlock_of_long_worms},
        {"packets that fit into slack pass a cycle", test_ring_of_small},
        {"with a store-and-forward switch", test_mixed_disciplines},
        {"drop-tail behind back-pressure", test_drop_tail_behind_wormhole},
        {"lost and corrupt packets", test_faults},
        {"lost before its tail is cut", test_lost_before_cut},
        {"uniform traffic on a Clos network", test_clos},
        {NULL, NULL},
    };
    return suite_run("net: wormhole", cases);
}
