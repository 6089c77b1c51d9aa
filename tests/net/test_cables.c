// SPDX-License-Identifier: GPL-3.0-or-later
// Cables of cut-through switches that are pulled out and put back: packets on them are lost with
// that reason, packets for them are consumed and lost, and nothing stays held. Each case runs with
// credits and with STOP and GO.
//
// Links of 4 ns per byte and 46 ns; switches that need 1 byte and 150 ns: a head takes 200 ns per
// hop.
#include "tests/support/probe.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

#define TAU (4 * TIME_NS)
#define WIRE (46 * TIME_NS)
#define HOP (200 * TIME_NS)
#define MS TIME_MS

static struct link_config link;
static struct switch_config node;

static void setup(bool symbols)
{
    link = topology_wormhole_link();
    link.propagation = WIRE;
    node = topology_wormhole_switch();
    node.slack = 80;
    node.stop = symbols ? 56 : 0;
    node.go = symbols ? 40 : 0;
}

// A star of four hosts at one switch; the link of `host` is down in the window.
static struct topology *star(int host, struct param_window *window)
{
    struct link_config pulled = link;
    pulled.down = (struct param_windows){window, 1};
    struct topology *topology = topology_new(4, 1);
    topology_set_switches(topology, &node);
    for (int i = 0; i < 4; i++)
        topology_add_link(topology, i, 4, i == host ? &pulled : &link);
    return topology;
}

// Every packet has arrived or is lost with a reason, and no port is held.
static void finish(struct probe *probe, struct topology *topology)
{
    struct ledger_totals totals = ledger_totals(probe->sim->ledger);
    SUITE_SAME_INTEGER(totals.open, 0);
    SUITE_SAME_INTEGER(totals.lost, network_drops(probe->network));
    SUITE_SAME_INTEGER(totals.delivered + totals.lost, probe->packets->len);
    CU_ASSERT_PTR_NULL(network_describe_blocked(probe->network));
    probe_free(probe);
    topology_free(topology);
}

static int64_t dropped(const struct probe *probe, const char *reason)
{
    char *name = g_strconcat("packets dropped: ", reason, NULL);
    int64_t count = *sim_counter(probe->sim, name);
    g_free(name);
    return count;
}

// While node2's cable is out its switch does not know: packets for it are consumed and lost, and
// later ones proceed. The traffic resumes when the cable is put back.
static void check_dead_port(bool symbols)
{
    setup(symbols);
    struct param_window window = {1 * MS, 51 * MS};
    struct topology *topology = star(2, &window);
    struct probe *probe = probe_checked(topology, NULL);
    struct probe_packet *before = probe_send(probe, 0, 0, 2, 1000);
    for (int i = 0; i < 20; i++) {
        probe_send(probe, 2 * MS + i * TIME_US, 0, 2, 1000);
        probe_send(probe, 2 * MS + i * TIME_US, 1, 2, 1000);
        probe_send(probe, 2 * MS + i * TIME_US, 1, 3, 1000);
    }
    struct probe_packet *after = probe_send(probe, 51 * MS, 0, 2, 1000);
    probe_run(probe);
    SUITE_SAME_INTEGER(before->arrived, HOP + 1000 * TAU + WIRE);
    SUITE_SAME_INTEGER(after->arrived, 51 * MS + HOP + 1000 * TAU + WIRE);
    SUITE_SAME_INTEGER(dropped(probe, "link switch0->node2 down"), 40);
    SUITE_SAME_INTEGER(probe->arrivals->len, 22);
    finish(probe, topology);
}

static void test_dead_port(void)
{
    check_dead_port(false);
    check_dead_port(true);
}

// The cable is pulled under a packet that moves.
static void check_moving(bool symbols)
{
    setup(symbols);
    struct param_window window = {1 * TIME_US, 2 * TIME_US};
    struct topology *topology = star(0, &window);
    struct probe *probe = probe_checked(topology, NULL);
    struct probe_packet *cut = probe_send(probe, 0, 0, 2, 1000);
    struct probe_packet *next = probe_send(probe, 0, 0, 2, 1000);
    struct probe_packet *other = probe_send(probe, 0, 1, 2, 1000);
    probe_run(probe);
    SUITE_SAME_INTEGER(cut->arrived, -1);
    SUITE_SAME_INTEGER(cut->left, 1000 * TAU);
    CU_ASSERT(next->arrived > 0 && other->arrived > 0);
    SUITE_SAME_INTEGER(dropped(probe, "link node0->switch0 down"), 1);
    finish(probe, topology);
}

static void test_moving(void)
{
    check_moving(false);
    check_moving(true);
}

// The cable is pulled, and put back, under a packet that another one holds back on it. The packet
// is lost although its bytes would have passed before or after, and the path that it held is freed.
static void check_held_back(bool symbols, bool limited)
{
    setup(symbols);
    struct param_window window = {3 * TIME_US, 4 * TIME_US};
    struct topology *topology = star(1, &window);
    struct probe *probe = probe_checked(topology, NULL);
    if (limited) {
        // Two credits: one for the packet that holds the link, one that the cut one frees.
        network_limit(probe->network, 2);
        network_credit(probe->network, 2);
        network_credit(probe->network, 2);
    }
    struct probe_packet *holder = probe_send(probe, 0, 0, 2, 1000);
    struct probe_packet *cut = probe_send(probe, 0, 1, 2, 500);
    struct probe_packet *behind = probe_send(probe, 0, 1, 2, 500);
    probe_run(probe);
    sim_time freed = HOP + 1000 * TAU;
    SUITE_SAME_INTEGER(holder->arrived, freed + WIRE);
    SUITE_SAME_INTEGER(cut->arrived, -1);
    CU_ASSERT(cut->left >= freed);
    CU_ASSERT(behind->arrived >= freed + 1000 * TAU + WIRE);
    SUITE_SAME_INTEGER(dropped(probe, "link node1->switch0 down"), 1);
    finish(probe, topology);
}

static void test_held_back(void)
{
    check_held_back(false, false);
    check_held_back(true, false);
    check_held_back(false, true);
    check_held_back(true, true);
}

// A packet that ends in the slack buffer while the one before it is held back has left the cable
// before that is pulled.
static void check_gone_before(bool symbols)
{
    setup(symbols);
    struct param_window window = {1 * TIME_US, 2 * TIME_US};
    struct topology *topology = star(1, &window);
    struct probe *probe = probe_checked(topology, NULL);
    probe_send(probe, 0, 0, 2, 1000);
    struct probe_packet *waits = probe_send(probe, 0, 1, 2, 50);
    probe_run(probe);
    SUITE_SAME_INTEGER(waits->left, 50 * TAU);
    SUITE_SAME_INTEGER(waits->arrived, HOP + 1050 * TAU + WIRE);
    finish(probe, topology);
}

static void test_gone_before(void)
{
    check_gone_before(false);
    check_gone_before(true);
}

// A bit error is no matter of the switches: the packet arrives, and its station sees it.
static void check_corrupt(bool symbols)
{
    setup(symbols);
    int64_t second[] = {2};
    struct link_config faulty = link;
    faulty.corrupt_nth = (struct param_counts){second, 1};
    struct topology *topology = topology_row(2, &faulty, &node);
    struct probe *probe = probe_checked(topology, NULL);
    for (int i = 0; i < 3; i++)
        probe_send(probe, 0, 0, 1, 1000);
    probe_run(probe);
    SUITE_SAME_INTEGER(probe->arrivals->len, 3);
    SUITE_SAME_INTEGER(network_drops(probe->network), 0);
    for (guint i = 0; i < 3; i++) {
        const struct probe_packet *packet = g_ptr_array_index(probe->packets, i);
        SUITE_SAME_INTEGER(packet->corrupt, i == 1);
    }
    CU_ASSERT_PTR_NULL(network_describe_blocked(probe->network));
    probe_free(probe);
    topology_free(topology);
}

static void test_corrupt(void)
{
    check_corrupt(false);
    check_corrupt(true);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"packets for a dead port are lost", test_dead_port},
        {"a cable pulled under a packet that moves", test_moving},
        {"a cable pulled under a packet that is held back", test_held_back},
        {"a packet that has left the cable", test_gone_before},
        {"a bit error is the receiver's matter", test_corrupt},
        {NULL, NULL},
    };
    return suite_run("net: cables", cases);
}
