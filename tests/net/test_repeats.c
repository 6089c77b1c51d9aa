// SPDX-License-Identifier: GPL-3.0-or-later
// Links that acknowledge and repeat their packets: closed forms of what window, repeats and
// time-outs cost, and that above the link each packet arrives once and in order.
//
// Links of 4 ns per byte and 46 ns; packets of 500 B. An answer has arrived 2 x 46 + 100 + 8 x 4 ns
// after the last bit.
#include "sim/net/fabric.h"
#include "sim/net/repeater.h"
#include "tests/support/probe.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

#define BYTES 500
#define WINDOW 7
#define SLOT (BYTES * 4 * TIME_NS)
#define WIRE (46 * TIME_NS)
#define HOP (200 * TIME_NS) // a head through a switch: 1 byte, the cable, 150 ns
#define ANSWER (2 * WIRE + 132 * TIME_NS)
#define TIME_OUT (100 * TIME_US)

static struct link_config link;
static struct switch_config node;

static void setup(void)
{
    link = topology_wormhole_link();
    link.propagation = WIRE;
    link.window = WINDOW;
    node = topology_wormhole_switch();
    node.slack = 1024;
}

static struct probe *send_many(const struct topology *topology, int count)
{
    struct probe *probe = probe_checked(topology, NULL);
    for (int i = 0; i < count; i++)
        probe_send(probe, 0, 0, 1, BYTES);
    probe_run(probe);
    return probe;
}

static sim_time arrived(const struct probe *probe, int number)
{
    return ((const struct probe_packet *)g_ptr_array_index(probe->packets, number))->arrived;
}

static int64_t repeats(const struct probe *probe, const char *where)
{
    char *name = g_strconcat("packets repeated on link ", where, NULL);
    int64_t count = *sim_counter(probe->sim, name);
    g_free(name);
    return count;
}

static int64_t timeouts(const struct probe *probe, const char *where)
{
    char *name = g_strconcat("time-outs of link ", where, NULL);
    int64_t count = *sim_counter(probe->sim, name);
    g_free(name);
    return count;
}

// Every packet has arrived once, in order, whole; nothing is lost or held.
static void finish(struct probe *probe, struct topology *topology)
{
    struct ledger_totals totals = ledger_totals(probe->sim->ledger);
    SUITE_SAME_INTEGER(totals.delivered, probe->packets->len);
    SUITE_SAME_INTEGER(totals.lost + totals.open + totals.duplicated + totals.misordered, 0);
    SUITE_SAME_INTEGER(network_drops(probe->network), 0);
    SUITE_SAME_INTEGER(probe->arrivals->len, probe->packets->len);
    for (guint i = 0; i < probe->arrivals->len; i++) {
        const struct probe_packet *packet = g_ptr_array_index(probe->arrivals, i);
        CU_ASSERT_FALSE(packet->corrupt);
        SUITE_SAME_INTEGER(packet->number, i);
    }
    CU_ASSERT_PTR_NULL(network_describe_blocked(probe->network));
    CU_ASSERT_PTR_NULL(network_describe_stuck(probe->network));
    probe_free(probe);
    topology_free(topology);
}

// ---- The window ----

// At most 7 packets per round trip, however long the cable; each starts when the channel is free
// and the 7th before it is acknowledged.
static void check_window(sim_time propagation, bool repeater)
{
    setup();
    int64_t never[] = {1000000};
    link.propagation = propagation;
    link.repeat_timeout = 1 * TIME_MS;
    link.drop_nth = (struct param_counts){never, repeater};
    struct topology *topology = topology_row(0, &link, &node);
    struct probe *probe = send_many(topology, 50);
    CU_ASSERT_EQUAL(probe->network->channels[0].repeater != NULL, repeater);
    sim_time trip = SLOT + link_answer_time(&link), start[50];
    for (int i = 0; i < 50; i++) {
        start[i] = i == 0 ? 0 : start[i - 1] + SLOT;
        if (i >= WINDOW)
            start[i] = MAX(start[i], start[i - WINDOW] + trip);
        SUITE_SAME_INTEGER(arrived(probe, i), start[i] + SLOT + propagation);
        // The station is free again when the packet has left, whatever the window.
        const struct probe_packet *packet = g_ptr_array_index(probe->packets, i);
        SUITE_SAME_INTEGER(packet->left, start[i] + SLOT);
    }
    if (trip > WINDOW * SLOT)
        SUITE_SAME_INTEGER(start[49] - start[0], 7 * trip);
    finish(probe, topology);
}

static void test_window(void)
{
    static const sim_time cables[] = {0, WIRE, 5 * TIME_US, 50 * TIME_US};
    for (size_t i = 0; i < G_N_ELEMENTS(cables); i++) {
        check_window(cables[i], false);
        check_window(cables[i], true);
    }
}

// A channel at a cut-through switch has the same window.
static void test_window_at_switch(void)
{
    setup();
    link.propagation = 20 * TIME_US;
    node.slack = 20000;
    struct topology *topology = topology_row(1, &link, &node);
    struct probe *probe = send_many(topology, 50);
    sim_time trip = SLOT + link_answer_time(&link);
    sim_time first = SLOT + 2 * link.propagation + HOP - WIRE;
    for (int i = 0; i < 50; i++)
        SUITE_SAME_INTEGER(arrived(probe, i), first + i / WINDOW * trip + i % WINDOW * SLOT);
    finish(probe, topology);
}

// ---- Faults ----

// The list keeps `nth`.
// NOLINTNEXTLINE(readability-non-const-parameter)
static void strike(struct param_counts *list, int64_t *nth)
{
    *list = (struct param_counts){nth, 1};
    link.fault_direction = LINK_FAULTS_FORWARD;
}

// One packet: a request to repeat returns, and the packet is sent again.
static void test_corrupt_one(void)
{
    setup();
    int64_t first[] = {1};
    strike(&link.corrupt_nth, first);
    struct topology *topology = topology_row(0, &link, &node);
    struct probe *probe = send_many(topology, 1);
    SUITE_SAME_INTEGER(arrived(probe, 0), SLOT + ANSWER + SLOT + WIRE);
    SUITE_SAME_INTEGER(repeats(probe, "node0->node1"), 1);
    SUITE_SAME_INTEGER(network_repeats(probe->network), 1);
    char *text = network_describe_drops(probe->network, 1, 0);
    SUITE_SAME_TEXT(text, "1 packet repeated on link node0->node1");
    g_free(text);
    finish(probe, topology);
}

// Of many: the sender finishes the copy that it is sending when the request comes, and goes back.
// The second packet is on the wire then: both are sent again.
static void check_go_back(sim_time turnaround, int vain)
{
    setup();
    int64_t third[] = {3};
    strike(&link.corrupt_nth, third);
    link.ack_turnaround = turnaround;
    struct topology *topology = topology_row(0, &link, &node);
    struct probe *probe = send_many(topology, 20);
    for (int i = 0; i < 20; i++)
        SUITE_SAME_INTEGER(arrived(probe, i), (i + 1 + (i < 2 ? 0 : 1 + vain)) * SLOT + WIRE);
    SUITE_SAME_INTEGER(repeats(probe, "node0->node1"), 1 + vain);
    finish(probe, topology);
}

static void test_go_back(void)
{
    check_go_back(100 * TIME_NS, 1);
    check_go_back(SLOT - 124 * TIME_NS, 1);
    check_go_back(SLOT, 2);
    check_go_back(5 * SLOT - 125 * TIME_NS, 5);
}

// The window is full of copies in vain: the channel is idle until the request comes.
static void test_go_back_full(void)
{
    setup();
    int64_t third[] = {3};
    strike(&link.corrupt_nth, third);
    link.ack_turnaround = 20 * SLOT;
    struct topology *topology = topology_row(0, &link, &node);
    struct probe *probe = send_many(topology, 9);
    sim_time request = 3 * SLOT + ANSWER - 100 * TIME_NS + 20 * SLOT;
    for (int i = 2; i < 9; i++)
        SUITE_SAME_INTEGER(arrived(probe, i), request + (i - 1) * SLOT + WIRE);
    SUITE_SAME_INTEGER(repeats(probe, "node0->node1"), 7);
    finish(probe, topology);
}

// Only the time-out reveals the loss of the last packet.
static void test_lost_last(void)
{
    setup();
    int64_t third[] = {3};
    strike(&link.drop_nth, third);
    struct topology *topology = topology_row(0, &link, &node);
    struct probe *probe = send_many(topology, 3);
    SUITE_SAME_INTEGER(arrived(probe, 2), 3 * SLOT + TIME_OUT + SLOT + WIRE);
    SUITE_SAME_INTEGER(timeouts(probe, "node0->node1"), 1);
    SUITE_SAME_INTEGER(repeats(probe, "node0->node1"), 1);
    finish(probe, topology);
}

// The receiver notices the gap when the next packet comes, and asks once.
static void test_lost_before_others(void)
{
    setup();
    int64_t third[] = {3};
    strike(&link.drop_nth, third);
    struct topology *topology = topology_row(0, &link, &node);
    struct probe *probe = send_many(topology, 20);
    // Packets 3 (lost), 4 (shows the gap) and 5 (under way as the request comes) take their time.
    for (int i = 0; i < 20; i++)
        SUITE_SAME_INTEGER(arrived(probe, i), (i + 1 + (i < 2 ? 0 : 3)) * SLOT + WIRE);
    SUITE_SAME_INTEGER(repeats(probe, "node0->node1"), 3);
    SUITE_SAME_INTEGER(timeouts(probe, "node0->node1"), 0);
    finish(probe, topology);
}

// A repeat can be hit as well.
static void test_repeat_corrupt(void)
{
    setup();
    int64_t nth[] = {1, 2, 3};
    strike(&link.corrupt_nth, nth);
    link.corrupt_nth.count = 3;
    struct topology *topology = topology_row(0, &link, &node);
    struct probe *probe = send_many(topology, 1);
    SUITE_SAME_INTEGER(arrived(probe, 0), 3 * (SLOT + ANSWER) + SLOT + WIRE);
    SUITE_SAME_INTEGER(repeats(probe, "node0->node1"), 3);
    finish(probe, topology);
}

// The cable is out when the acknowledgement would pass it: the packet is sent again, and discarded.
static void test_lost_acknowledgement(void)
{
    setup();
    struct param_window window = {SLOT + WIRE + 101 * TIME_NS, SLOT + WIRE + 102 * TIME_NS};
    link.down = (struct param_windows){&window, 1};
    struct topology *topology = topology_row(0, &link, &node);
    struct probe *probe = probe_checked(topology, NULL);
    probe_send(probe, 0, 0, 1, BYTES);
    probe_send(probe, TIME_OUT + SLOT + TIME_NS, 0, 1, BYTES);
    probe_run(probe);
    SUITE_SAME_INTEGER(arrived(probe, 0), SLOT + WIRE);
    SUITE_SAME_INTEGER(arrived(probe, 1), TIME_OUT + 3 * SLOT + WIRE);
    SUITE_SAME_INTEGER(timeouts(probe, "node0->node1"), 1);
    SUITE_SAME_INTEGER(repeats(probe, "node0->node1"), 1);
    finish(probe, topology);
}

// The acknowledgement of a later packet stands for one that was lost.
static void test_later_acknowledgement(void)
{
    setup();
    struct param_window window = {SLOT + WIRE + 101 * TIME_NS, SLOT + WIRE + 102 * TIME_NS};
    link.down = (struct param_windows){&window, 1};
    struct topology *topology = topology_row(0, &link, &node);
    struct probe *probe = probe_checked(topology, NULL);
    probe_send(probe, 0, 0, 1, BYTES);
    probe_send(probe, 2 * SLOT, 0, 1, BYTES);
    probe_run(probe);
    SUITE_SAME_INTEGER(arrived(probe, 1), 3 * SLOT + WIRE);
    SUITE_SAME_INTEGER(network_repeats(probe->network), 0);
    SUITE_SAME_INTEGER(timeouts(probe, "node0->node1"), 0);
    finish(probe, topology);
}

// While the cable is out time-outs repeat in vain; the first one after that brings the packet.
static void test_down(void)
{
    setup();
    struct param_window window = {0, 3 * TIME_OUT};
    link.down = (struct param_windows){&window, 1};
    struct topology *topology = topology_row(0, &link, &node);
    struct probe *probe = send_many(topology, 10);
    // Each time-out begins when the copy has left: sent at 0, T + S, 2 (T + S), 3 (T + S).
    for (int i = 0; i < 10; i++)
        SUITE_SAME_INTEGER(arrived(probe, i), 3 * (TIME_OUT + SLOT) + (i + 1) * SLOT + WIRE);
    finish(probe, topology);
}

// ---- Through a cut-through switch ----

// The copy that went on through the switch is marked bad: the next link acknowledges it and repeats
// nothing, and the last receiver discards it. The first link repeats.
static void check_stomped(bool symbols, bool limited)
{
    setup();
    int64_t second[] = {2};
    struct link_config faulty;
    node.slack = 80;
    node.stop = symbols ? 56 : 0;
    node.go = symbols ? 40 : 0;
    strike(&link.corrupt_nth, second);
    faulty = link;
    link.corrupt_nth.count = 0;
    struct topology *topology = topology_new(2, 1);
    topology_set_switches(topology, &node);
    topology_add_link(topology, 0, 2, &faulty);
    topology_add_link(topology, 2, 1, &link);
    struct probe *probe = probe_checked(topology, NULL);
    if (limited) {
        // Two packets are under way at most; the bad one frees its credit.
        network_limit(probe->network, 1);
        for (int i = 0; i < 4; i++)
            network_credit(probe->network, 1);
    }
    for (int i = 0; i < 4; i++)
        probe_send(probe, 0, 0, 1, BYTES);
    probe_run(probe);
    sim_time bad = 2 * SLOT, request = bad + ANSWER, sent = MAX(request, 3 * SLOT);
    SUITE_SAME_INTEGER(arrived(probe, 0), HOP + SLOT + WIRE);
    for (int i = 1; i < 4; i++)
        SUITE_SAME_INTEGER(arrived(probe, i), sent + HOP + i * SLOT + WIRE);
    SUITE_SAME_INTEGER(repeats(probe, "node0->switch0"), 2);
    SUITE_SAME_INTEGER(network_repeats(probe->network), 2);
    finish(probe, topology);
}

static void test_stomped(void)
{
    check_stomped(false, false);
    check_stomped(true, false);
    check_stomped(false, true);
    check_stomped(true, true);
}

// A switch that takes whole packets after one that cuts through discards what was marked bad.
static void test_stomped_stored(void)
{
    setup();
    int64_t first[] = {1};
    strike(&link.corrupt_nth, first);
    struct link_config faulty = link;
    link.corrupt_nth.count = 0;
    struct switch_config stores = topology_switch_defaults();
    struct topology *topology = topology_new(2, 2);
    topology_set_switch(topology, 0, &node);
    topology_set_switch(topology, 1, &stores);
    topology_add_link(topology, 0, 2, &faulty);
    topology_add_link(topology, 2, 3, &link);
    topology_add_link(topology, 3, 1, &link);
    struct probe *probe = send_many(topology, 3);
    SUITE_SAME_INTEGER(network_repeats(probe->network), 2);
    finish(probe, topology);
}

// The error is on the second link: it repeats, and the first does not know.
static void test_second_hop(void)
{
    setup();
    int64_t second[] = {2};
    strike(&link.corrupt_nth, second);
    struct link_config faulty = link;
    link.corrupt_nth.count = 0;
    struct topology *topology = topology_new(2, 1);
    topology_set_switches(topology, &node);
    topology_add_link(topology, 0, 2, &link);
    topology_add_link(topology, 2, 1, &faulty);
    struct probe *probe = send_many(topology, 4);
    sim_time sent = HOP + MAX(2 * SLOT + ANSWER, 3 * SLOT);
    for (int i = 1; i < 4; i++)
        SUITE_SAME_INTEGER(arrived(probe, i), sent + i * SLOT + WIRE);
    SUITE_SAME_INTEGER(repeats(probe, "switch0->node1"), 2);
    SUITE_SAME_INTEGER(network_repeats(probe->network), 2);
    finish(probe, topology);
}

// The cable is pulled, and put back, under a packet that another one holds back on it.
static void check_held_back(bool symbols)
{
    setup();
    struct param_window window = {3 * TIME_US, 4 * TIME_US};
    node.slack = 80;
    node.stop = symbols ? 56 : 0;
    node.go = symbols ? 40 : 0;
    struct link_config pulled = link;
    pulled.down = (struct param_windows){&window, 1};
    struct topology *topology = topology_new(3, 1);
    topology_set_switches(topology, &node);
    for (int i = 0; i < 3; i++)
        topology_add_link(topology, i, 3, i == 1 ? &pulled : &link);
    struct probe *probe = probe_checked(topology, NULL);
    probe_send(probe, 0, 0, 2, 1000);
    struct probe_packet *cut = probe_send(probe, 0, 1, 2, BYTES);
    struct probe_packet *after = probe_send(probe, 0, 1, 2, BYTES);
    probe_run(probe);
    CU_ASSERT(cut->arrived > 4 * TIME_US && after->arrived > cut->arrived);
    CU_ASSERT(repeats(probe, "node1->switch0") > 0);
    SUITE_SAME_INTEGER(repeats(probe, "node1->switch0"), network_repeats(probe->network));
    finish(probe, topology);
}

static void test_held_back(void)
{
    check_held_back(false);
    check_held_back(true);
}

// ---- Dead links ----

// The window fills and stays full: the sender into the link is held back, and the run ends.
static void check_dead(struct topology *topology, const char *says)
{
    struct probe *probe = send_many(topology, 10);
    struct ledger_totals totals = ledger_totals(probe->sim->ledger);
    SUITE_SAME_INTEGER(totals.open, 10);
    SUITE_SAME_INTEGER(totals.lost + totals.delivered, 0);
    SUITE_SAME_INTEGER(network_drops(probe->network), 0);
    for (int i = 0; i < 10; i++) {
        const struct probe_packet *packet = g_ptr_array_index(probe->packets, i);
        SUITE_SAME_INTEGER(packet->left, i < WINDOW ? (i + 1) * SLOT : -1);
    }
    SUITE_SAME_INTEGER(network_stuck_packets(probe->network, 0), WINDOW);
    SUITE_SAME_INTEGER(network_stuck_packets(probe->network, 1), 0);
    char *text = network_describe_stuck(probe->network);
    SUITE_SAME_TEXT(text, says);
    g_free(text);
    text = network_describe_drops(probe->network, 0, 1);
    SUITE_SAME_TEXT(text, says);
    g_free(text);
    GPtrArray *lines = network_describe_blocked(probe->network);
    CU_ASSERT_PTR_NOT_NULL_FATAL(lines);
    SUITE_SAME_TEXT(g_ptr_array_index(lines, 0), says);
    CU_ASSERT_FALSE(network_blocked_in_cycle(probe->network));
    g_ptr_array_unref(lines);
    probe_free(probe);
    topology_free(topology);
}

static void test_dead(void)
{
    setup();
    struct param_window for_ever = {0, TIME_NEVER};
    link.down = (struct param_windows){&for_ever, 1};
    check_dead(topology_row(0, &link, &node),
               "link node0->node1: 7 packets unacknowledged, link down");
    check_dead(topology_row(1, &link, &node),
               "link node0->switch0: 7 packets unacknowledged, link down");
    setup();
    link.drop_probability = 1;
    check_dead(topology_row(0, &link, &node),
               "link node0->node1: 7 packets unacknowledged, no packet passes");
    setup();
    link.bit_error_rate = 1;
    link.fault_direction = LINK_FAULTS_FORWARD;
    check_dead(topology_row(0, &link, &node),
               "link node0->node1: 7 packets unacknowledged, no packet passes");
    struct link_config dead = link;
    setup();
    struct topology *topology = topology_new(2, 1);
    topology_set_switches(topology, &node);
    topology_add_link(topology, 0, 2, &dead);
    topology_add_link(topology, 2, 1, &link);
    check_dead(topology, "link node0->switch0: 7 packets unacknowledged, no packet passes");
}

// No answer returns: the packets arrive, once, until the window is full.
static void test_dead_answers(void)
{
    setup();
    link.drop_probability = 1;
    link.fault_direction = LINK_FAULTS_BACKWARD;
    struct topology *topology = topology_row(0, &link, &node);
    struct probe *probe = send_many(topology, 10);
    SUITE_SAME_INTEGER(probe->arrivals->len, WINDOW);
    char *text = network_describe_stuck(probe->network);
    SUITE_SAME_TEXT(text, "link node0->node1: 7 packets unacknowledged, no answer comes back");
    g_free(text);
    probe_free(probe);
    topology_free(topology);
}

// A dead link beyond a switch: packets that wait for it are held in the switch, and the report
// names it.
static void test_dead_beyond(void)
{
    setup();
    struct param_window for_ever = {0, TIME_NEVER};
    struct link_config dead = link;
    dead.down = (struct param_windows){&for_ever, 1};
    struct topology *topology = topology_new(2, 1);
    topology_set_switches(topology, &node);
    topology_add_link(topology, 0, 2, &link);
    topology_add_link(topology, 2, 1, &dead);
    struct probe *probe = send_many(topology, 20);
    SUITE_SAME_INTEGER(ledger_totals(probe->sim->ledger).open, 20);
    GPtrArray *lines = network_describe_blocked(probe->network);
    SUITE_SAME_INTEGER(lines->len, 2);
    SUITE_SAME_TEXT(g_ptr_array_index(lines, 0),
                    "link switch0->node1: 7 packets unacknowledged, link down");
    SUITE_SAME_TEXT(g_ptr_array_index(lines, 1),
                    "node0->switch0 is held by the packet from node0 to node1, behind the packet "
                    "from node0 to node1, which waits for switch0->node1, whose window is full");
    g_ptr_array_unref(lines);
    probe_free(probe);
    topology_free(topology);
}

static void test_refused(void)
{
    setup();
    link.repeat_timeout = link_answer_time(&link);
    struct topology *topology = topology_row(0, &link, &node);
    topology_refused(topology,
                     "link node0-node1 repeats packets after 0.224 us, but its acknowledgements "
                     "take 0.224 us",
                     "a longer repeat_timeout");
    topology_free(topology);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"a window per round trip", test_window},
        {"a window at a switch", test_window_at_switch},
        {"a corrupt packet", test_corrupt_one},
        {"what follows it is sent again", test_go_back},
        {"a full window waits for the request", test_go_back_full},
        {"a lost packet, and a time-out", test_lost_last},
        {"a lost packet, and a gap", test_lost_before_others},
        {"repeats can be corrupt", test_repeat_corrupt},
        {"a lost acknowledgement", test_lost_acknowledgement},
        {"a later acknowledgement", test_later_acknowledgement},
        {"a cable that is out for a while", test_down},
        {"packets marked bad", test_stomped},
        {"packets marked bad before a switch that stores", test_stomped_stored},
        {"an error on the second link", test_second_hop},
        {"a cable pulled under a packet that is held back", test_held_back},
        {"dead links", test_dead},
        {"answers that are lost for good", test_dead_answers},
        {"a dead link beyond a switch", test_dead_beyond},
        {"time-outs that are too short", test_refused},
        {NULL, NULL},
    };
    return suite_run("net: repeats", cases);
}
