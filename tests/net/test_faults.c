// SPDX-License-Identifier: GPL-3.0-or-later
// Faults of links and full queues: each loss is reported with its reason.
#include "tests/support/probe.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

#include <math.h>

#define FRAME_BYTES 1518

static struct link_config link;
static struct switch_config node;

// Two hosts; between them a switch or, if `direct`, the link alone. The first link, from node0, has
// the faults.
static struct topology *faulty_pair(const struct link_config *faulty, bool direct)
{
    if (direct)
        return topology_row(0, faulty, &node);
    struct topology *topology = topology_new(2, 1);
    topology_set_switches(topology, &node);
    topology_add_link(topology, 0, 2, faulty);
    topology_add_link(topology, 2, 1, &link);
    return topology;
}

static void send_many(struct probe *probe, int count, int from, int to, uint32_t wire_bytes)
{
    for (int i = 0; i < count; i++)
        probe_send(probe, 0, from, to, wire_bytes);
}

static const struct probe_packet *packet_at(const struct probe *probe, int number)
{
    return g_ptr_array_index(probe->packets, number);
}

static int64_t dropped(const struct probe *probe, const char *reason)
{
    char *name = g_strconcat("packets dropped: ", reason, NULL);
    int64_t count = *sim_counter(probe->sim, name);
    g_free(name);
    return count;
}

static void setup(void)
{
    link = topology_link_defaults();
    node = topology_switch_defaults();
    node.queue = 0;
}

static void test_nth(void)
{
    setup();
    int64_t drops[] = {3, 17}, corrupts[] = {5};
    struct link_config faulty = link;
    faulty.drop_nth = (struct param_counts){drops, 2};
    faulty.corrupt_nth = (struct param_counts){corrupts, 1};
    faulty.fault_direction = LINK_FAULTS_FORWARD;
    struct topology *topology = faulty_pair(&faulty, false);
    struct probe *probe = probe_new(topology, 1, NULL);
    send_many(probe, 20, 0, 1, FRAME_BYTES);
    send_many(probe, 20, 1, 0, FRAME_BYTES);
    probe_run(probe);
    for (int i = 0; i < 40; i++) {
        bool lost = i == 2 || i == 16 || i == 4;
        SUITE_SAME_INTEGER(packet_at(probe, i)->arrived >= 0, !lost);
        CU_ASSERT(packet_at(probe, i)->left >= 0);
    }
    SUITE_SAME_INTEGER(dropped(probe, "lost on link node0->switch0"), 2);
    SUITE_SAME_INTEGER(dropped(probe, "FCS error at switch0"), 1);
    SUITE_SAME_INTEGER((int64_t)network_drops(probe->network), 3);
    struct ledger_totals totals = ledger_totals(probe->sim->ledger);
    SUITE_SAME_INTEGER(totals.delivered, 37);
    SUITE_SAME_INTEGER(totals.lost, 3);
    GPtrArray *lines = ledger_report(probe->sim->ledger, 10);
    SUITE_SAME_INTEGER(lines->len, 3);
    SUITE_CONTAINS(g_ptr_array_index(lines, 0), "bytes 0..1517 lost: lost on link node0->switch0");
    SUITE_CONTAINS(g_ptr_array_index(lines, 1), "FCS error at switch0");
    g_ptr_array_unref(lines);
    probe_free(probe);
    topology_free(topology);
}

// Without a switch that checks it, a corrupt packet reaches the station, marked as corrupt.
static void test_corrupt_reaches_station(void)
{
    setup();
    int64_t corrupts[] = {2};
    struct link_config faulty = link;
    faulty.corrupt_nth = (struct param_counts){corrupts, 1};
    faulty.fault_direction = LINK_FAULTS_BACKWARD;
    struct topology *topology = faulty_pair(&faulty, true);
    struct probe *probe = probe_new(topology, 1, NULL);
    send_many(probe, 3, 0, 1, FRAME_BYTES);
    send_many(probe, 3, 1, 0, FRAME_BYTES);
    probe_run(probe);
    for (int i = 0; i < 6; i++)
        SUITE_SAME_INTEGER(packet_at(probe, i)->corrupt, i == 4);
    SUITE_SAME_INTEGER(network_drops(probe->network), 0);
    SUITE_SAME_INTEGER(ledger_totals(probe->sim->ledger).lost, 1);
    probe_free(probe);
    topology_free(topology);
}

// A binomial count strays further than 4.5 deviations once in 150,000; the seed is fixed.
static void check_binomial(int64_t count, int64_t tries, double probability)
{
    double mean = (double)tries * probability, deviation = sqrt(mean * (1 - probability));
    CU_ASSERT_DOUBLE_EQUAL((double)count, mean, 4.5 * deviation);
}

static int64_t losses(const struct link_config *faulty, int packets, uint32_t wire_bytes)
{
    struct topology *topology = faulty_pair(faulty, false);
    struct probe *probe = probe_new(topology, 7, NULL);
    send_many(probe, packets, 0, 1, wire_bytes);
    probe_run(probe);
    int64_t lost = packets - (int64_t)probe->arrivals->len;
    SUITE_SAME_INTEGER((int64_t)network_drops(probe->network), lost);
    probe_free(probe);
    topology_free(topology);
    return lost;
}

static void test_drop_probability(void)
{
    setup();
    struct link_config faulty = link;
    faulty.drop_probability = 0.1;
    check_binomial(losses(&faulty, 40000, FRAME_BYTES), 40000, 0.1);
    faulty.drop_probability = 1;
    SUITE_SAME_INTEGER(losses(&faulty, 100, FRAME_BYTES), 100);
}

// All bits of a frame count, those of the padding too.
static void test_bit_errors(void)
{
    setup();
    struct link_config faulty = link;
    faulty.bit_error_rate = 1e-5;
    check_binomial(losses(&faulty, 40000, FRAME_BYTES), 40000, 1 - pow(1 - 1e-5, 8 * FRAME_BYTES));
    faulty.bit_error_rate = 1e-4;
    check_binomial(losses(&faulty, 40000, 20), 40000, 1 - pow(1 - 1e-4, 8 * 64));
}

// The losses of a link depend on its own name and packets alone.
static void test_streams_are_independent(void)
{
    setup();
    struct link_config faulty = link;
    faulty.drop_probability = 0.2;
    struct topology *one = faulty_pair(&faulty, false);
    struct topology *many = topology_new(4, 1);
    topology_set_switches(many, &node);
    for (int i = 0; i < 4; i++)
        topology_add_link(many, i, 4, i == 1 ? &link : &faulty);
    struct probe *first = probe_new(one, 7, NULL), *second = probe_new(many, 7, NULL);
    send_many(first, 500, 0, 1, FRAME_BYTES);
    send_many(second, 500, 0, 1, FRAME_BYTES);
    send_many(second, 500, 2, 1, FRAME_BYTES);
    probe_run(first);
    probe_run(second);
    int different = 0;
    for (int i = 0; i < 500; i++)
        different += (packet_at(first, i)->arrived < 0) != (packet_at(second, i)->arrived < 0);
    SUITE_SAME_INTEGER(different, 0);
    probe_free(first);
    probe_free(second);
    topology_free(one);
    topology_free(many);
}

// Frames back to back, one a slot: lost are those that are on the wire while it is down. The
// windows end and begin exactly at a frame's start and end, which they then do not touch.
static void test_down_windows(void)
{
    setup();
    sim_time slot = time_of_bytes(8 + FRAME_BYTES + 12, link.rate);
    sim_time on_wire = time_of_bytes(8 + FRAME_BYTES, link.rate);
    struct param_window windows[] = {
        {4 * slot + on_wire, 7 * slot},               // 5, 6
        {9 * slot + on_wire - 1, 9 * slot + on_wire}, // 9
        {12 * slot, 12 * slot + 1},                   // 12
    };
    struct link_config faulty = link;
    faulty.down = (struct param_windows){windows, 3};
    struct topology *topology = faulty_pair(&faulty, true);
    struct probe *probe = probe_new(topology, 1, NULL);
    send_many(probe, 20, 0, 1, FRAME_BYTES);
    send_many(probe, 20, 1, 0, FRAME_BYTES);
    probe_run(probe);
    for (int i = 0; i < 40; i++) {
        int nth = i % 20;
        bool lost = nth == 5 || nth == 6 || nth == 9 || nth == 12;
        sim_time arrival = lost ? -1 : nth * slot + on_wire + link.propagation;
        SUITE_SAME_INTEGER(packet_at(probe, i)->arrived, arrival);
    }
    SUITE_SAME_INTEGER(dropped(probe, "link node0->node1 down"), 4);
    SUITE_SAME_INTEGER(dropped(probe, "link node1->node0 down"), 4);
    probe_free(probe);
    topology_free(topology);
}

// Two senders at line rate into one output: from the slot on in which the queue is full, one frame
// a slot has no place.
static void check_drop_tail(int frames, int places)
{
    struct topology *topology = topology_star(3, &link, &node);
    struct probe *probe = probe_new(topology, 1, NULL);
    send_many(probe, frames, 0, 2, FRAME_BYTES);
    send_many(probe, frames, 1, 2, FRAME_BYTES);
    probe_run(probe);
    SUITE_SAME_INTEGER(probe->arrivals->len, frames + places);
    SUITE_SAME_INTEGER(dropped(probe, "queue full at switch0->node2"), frames - places);
    SUITE_SAME_INTEGER(ledger_totals(probe->sim->ledger).lost, frames - places);
    // Reported for both directions of the pair, and for no other pair.
    char *expected = g_strdup_printf(
        "%d packets dropped, queue full at switch0->node2 (switch.queue)", frames - places);
    char *there = network_describe_drops(probe->network, 1, 2);
    char *back = network_describe_drops(probe->network, 2, 0);
    SUITE_SAME_TEXT(there, expected);
    SUITE_SAME_TEXT(back, expected);
    CU_ASSERT_PTR_NULL(network_describe_drops(probe->network, 0, 1));
    g_free(expected);
    g_free(there);
    g_free(back);
    probe_free(probe);
    topology_free(topology);
}

static void test_drop_tail(void)
{
    setup();
    static const int places[] = {1, 2, 10, 64, 100};
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        node.queue = places[i];
        node.queue_bytes = 0;
        check_drop_tail(150, places[i]);
        node.queue = 0;
        node.queue_bytes = places[i] * FRAME_BYTES + FRAME_BYTES / 2;
        check_drop_tail(150, places[i]);
        node.queue_bytes = places[i] * FRAME_BYTES; // filled to the last byte, and not beyond
        check_drop_tail(150, places[i]);
        node.queue_bytes = (places[i] + 1) * FRAME_BYTES - 1;
        check_drop_tail(150, places[i]);
    }
}

static void test_nobody_attached(void)
{
    setup();
    struct topology *topology = topology_row(1, &link, &node);
    struct probe *probe = probe_new(topology, 1, NULL);
    network_attach(probe->network, 1, NULL, NULL);
    send_many(probe, 1, 0, 1, FRAME_BYTES);
    probe_run(probe);
    SUITE_SAME_INTEGER(dropped(probe, "no receiver at the end of switch0->node1"), 1);
    SUITE_SAME_INTEGER(ledger_totals(probe->sim->ledger).lost, 1);
    probe_free(probe);
    topology_free(topology);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"the n-th packet of a direction", test_nth},
        {"a corrupt packet reaches the station", test_corrupt_reaches_station},
        {"drop probability", test_drop_probability},
        {"bit errors", test_bit_errors},
        {"a link's faults are its own", test_streams_are_independent},
        {"a link that is down", test_down_windows},
        {"drop-tail by packets and by bytes", test_drop_tail},
        {"a station without a receiver", test_nobody_attached},
        {NULL, NULL},
    };
    return suite_run("net: faults", cases);
}
