// SPDX-License-Identifier: GPL-3.0-or-later
// Links that deliver packets twice, hold them back or delay them: closed forms of the times, that
// packets never overlap at the far end, and that each direction of each link has its own faults.
//
// Links of 80 ns per byte and 50 ns; frames of 1518 B and 8 B of preamble, 12 B of gap.
#include "tests/support/probe.h"
#include "tests/support/spans.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

#include <math.h>

#define FRAME_BYTES 1518
#define WIRE ((8 + FRAME_BYTES) * 80 * TIME_NS)
#define SLOT ((8 + FRAME_BYTES + 12) * 80 * TIME_NS)
#define PROPAGATION (50 * TIME_NS)

static struct link_config link;

// An arrival at a station.
struct come {
    int number;
    sim_time when;
};

// Packets from both ends of a cable to the other; `come` are the arrivals by station.
struct cable {
    struct topology *topology;
    struct probe *probe;
    GArray *come[2];
    struct arriving {
        struct cable *cable;
        GArray *come;
    } arriving[2];
};

static void note_arrival(void *owner, struct packet *packet)
{
    struct arriving *arriving = owner;
    struct probe *probe = arriving->cable->probe;
    struct probe_packet *sent = *packet_header(packet, struct probe_packet *);
    struct come come = {sent->number, sim_now(probe->sim)};
    g_array_append_val(arriving->come, come);
    packet_free(probe->network, packet);
}

// `count` packets in each direction, back to back, numbered from 0 and from `count`.
static struct cable *cable_run(const struct link_config *config, int count, uint64_t seed)
{
    struct cable *cable = g_new0(struct cable, 1);
    cable->topology = topology_row(0, config, NULL);
    cable->probe = probe_new(cable->topology, seed, NULL);
    for (int side = 0; side < 2; side++) {
        cable->come[side] = g_array_new(FALSE, FALSE, sizeof(struct come));
        cable->arriving[side] = (struct arriving){cable, cable->come[side]};
        network_attach(cable->probe->network, side, note_arrival, &cable->arriving[side]);
    }
    for (int i = 0; i < count; i++)
        probe_send(cable->probe, 0, 0, 1, FRAME_BYTES);
    for (int i = 0; i < count; i++)
        probe_send(cable->probe, 0, 1, 0, FRAME_BYTES);
    probe_run(cable->probe);
    return cable;
}

static void cable_free(struct cable *cable)
{
    probe_free(cable->probe);
    topology_free(cable->topology);
    for (int side = 0; side < 2; side++)
        g_array_unref(cable->come[side]);
    g_free(cable);
}

static const struct come *come_at(const struct cable *cable, int station, int nth)
{
    static const struct come none = {-1, -1};
    const GArray *come = cable->come[station];
    return nth < (int)come->len ? &g_array_index(come, struct come, nth) : &none;
}

// The numbers in the order of arrival, "0 1 1 2"; and that packets come one after another.
static void expect_order(const struct cable *cable, int station, const char *expected)
{
    GString *order = g_string_new(NULL);
    for (guint i = 0; i < cable->come[station]->len; i++) {
        g_string_append_printf(order, "%s%d", i > 0 ? " " : "",
                               come_at(cable, station, (int)i)->number);
        if (i > 0)
            CU_ASSERT(come_at(cable, station, (int)i)->when -
                          come_at(cable, station, (int)i - 1)->when >=
                      SLOT);
    }
    SUITE_SAME_TEXT(order->str, expected);
    g_string_free(order, TRUE);
}

static int64_t counted(const struct cable *cable, const char *name)
{
    return *sim_counter(cable->probe->sim, name);
}

// The copy comes right after the packet, and those after it come a slot later.
static void test_duplicate_nth(void)
{
    link = topology_link_defaults();
    int64_t twice[] = {2, 5};
    link.duplicate_nth = (struct param_counts){twice, 2};
    link.fault_direction = LINK_FAULTS_FORWARD;
    struct cable *cable = cable_run(&link, 5, 1);
    expect_order(cable, 1, "0 1 1 2 3 4 4");
    expect_order(cable, 0, "5 6 7 8 9");
    for (int i = 0; i < 7; i++)
        SUITE_SAME_INTEGER(come_at(cable, 1, i)->when, i * SLOT + WIRE + PROPAGATION);
    for (int i = 0; i < 5; i++)
        SUITE_SAME_INTEGER(come_at(cable, 0, i)->when, i * SLOT + WIRE + PROPAGATION);
    SUITE_SAME_INTEGER(counted(cable, "packets duplicated on link node0->node1"), 2);
    // The sender notices nothing of it.
    struct probe_packet *last = g_ptr_array_index(cable->probe->packets, 4);
    SUITE_SAME_INTEGER(last->left, 5 * SLOT);
    cable_free(cable);
}

// A packet that is held back waits until the wire is free after its delay; the others do not wait
// for it, but for its time on the wire once it is sent on.
static void test_reorder_nth(void)
{
    link = topology_link_defaults();
    int64_t held[] = {1, 4};
    link.reorder_nth = (struct param_counts){held, 2};
    link.reorder_delay = 3 * SLOT / 2;
    link.fault_direction = LINK_FAULTS_BACKWARD;
    struct cable *cable = cable_run(&link, 5, 1);
    expect_order(cable, 1, "0 1 2 3 4");
    expect_order(cable, 0, "6 5 7 9 8");
    // Packet 5 is due at 1.5 slots, while 6 is on the wire from 1 to 2; 7, ready at 2, comes third.
    static const double starts[] = {1, 2, 3, 4, 5};
    for (int i = 0; i < 5; i++)
        SUITE_SAME_INTEGER(come_at(cable, 0, i)->when,
                           (sim_time)(starts[i] * SLOT) + WIRE + PROPAGATION);
    SUITE_SAME_INTEGER(counted(cable, "packets held back on link node1->node0"), 2);
    cable_free(cable);
}

// All that is held back at once: the order stays, and everything is later by the delay.
static void test_hold_all(void)
{
    link = topology_link_defaults();
    link.reorder_probability = 1;
    link.reorder_delay = 7 * TIME_US;
    struct cable *cable = cable_run(&link, 4, 1);
    expect_order(cable, 1, "0 1 2 3");
    for (int i = 0; i < 4; i++)
        SUITE_SAME_INTEGER(come_at(cable, 1, i)->when, i * SLOT + 7 * TIME_US + WIRE + PROPAGATION);
    cable_free(cable);
}

// Packets a long time apart are delayed by 0 .. jitter, evenly; packets back to back keep their
// order.
static void test_jitter(void)
{
    link = topology_link_defaults();
    link.jitter = 20 * SLOT;
    struct cable *cable = cable_run(&link, 100, 3);
    SUITE_SAME_INTEGER(cable->come[0]->len, 100);
    for (int i = 0; i < 100; i++) {
        const struct come *come = come_at(cable, 1, i);
        sim_time least = i * SLOT + WIRE + PROPAGATION;
        SUITE_SAME_INTEGER(come->number, i);
        CU_ASSERT(come->when >= least && come->when <= least + link.jitter);
        if (i > 0)
            CU_ASSERT(come->when - come_at(cable, 1, i - 1)->when >= SLOT);
    }
    cable_free(cable);
    struct topology *topology = topology_row(0, &link, NULL);
    struct probe *probe = probe_new(topology, 5, NULL);
    for (int i = 0; i < 4000; i++)
        probe_send(probe, i * 100 * SLOT, 0, 1, FRAME_BYTES);
    probe_run(probe);
    double sum = 0;
    for (int i = 0; i < 4000; i++) {
        const struct probe_packet *packet = g_ptr_array_index(probe->packets, i);
        sum += (double)(packet->arrived - packet->when - WIRE - PROPAGATION) / (double)link.jitter;
    }
    // A mean of n even numbers in 0 .. 1 has a deviation of 1 / sqrt(12 n).
    CU_ASSERT_DOUBLE_EQUAL(sum / 4000, 0.5, 4.5 / sqrt(12.0 * 4000));
    probe_free(probe);
    topology_free(topology);
}

static void check_binomial(int64_t count, int64_t tries, double probability)
{
    double mean = (double)tries * probability, deviation = sqrt(mean * (1 - probability));
    CU_ASSERT_DOUBLE_EQUAL((double)count, mean, 4.5 * deviation);
}

static void test_probabilities(void)
{
    link = topology_link_defaults();
    link.duplicate_probability = 0.2;
    link.reorder_probability = 0.05;
    struct cable *cable = cable_run(&link, 10000, 11);
    check_binomial(cable->come[1]->len - 10000, 10000, 0.2);
    check_binomial(counted(cable, "packets duplicated on link node1->node0"), 10000, 0.2);
    check_binomial(counted(cable, "packets held back on link node0->node1"), 10000, 0.05);
    int overtaken = 0;
    for (guint i = 1; i < cable->come[1]->len; i++)
        overtaken += come_at(cable, 1, (int)i)->number < come_at(cable, 1, (int)i - 1)->number;
    CU_ASSERT(overtaken > 300);
    cable_free(cable);
}

// Which packets are lost or corrupt does not depend on whether others come twice or late.
static void test_losses_stay(void)
{
    link = topology_link_defaults();
    link.drop_probability = 0.3;
    struct cable *plain = cable_run(&link, 500, 9);
    link.duplicate_probability = 0.3;
    link.reorder_probability = 0.3;
    link.jitter = TIME_US;
    struct cable *all = cable_run(&link, 500, 9);
    bool came[2][500] = {{false}};
    for (guint i = 0; i < plain->come[1]->len; i++)
        came[0][come_at(plain, 1, (int)i)->number] = true;
    for (guint i = 0; i < all->come[1]->len; i++)
        came[1][come_at(all, 1, (int)i)->number] = true;
    for (int i = 0; i < 500; i++)
        CU_ASSERT_EQUAL(came[0][i], came[1][i]);
    cable_free(plain);
    cable_free(all);
}

// One direction of a cable is unplugged.
static void test_down_direction(void)
{
    link = topology_link_defaults();
    struct param_window window = {SLOT, 3 * SLOT};
    link.down = (struct param_windows){&window, 1};
    link.down_direction = LINK_FAULTS_BACKWARD;
    struct cable *cable = cable_run(&link, 5, 1);
    expect_order(cable, 1, "0 1 2 3 4");
    expect_order(cable, 0, "5 8 9");
    cable_free(cable);
    link.down_direction = LINK_FAULTS_FORWARD;
    cable = cable_run(&link, 5, 1);
    expect_order(cable, 1, "0 3 4");
    expect_order(cable, 0, "5 6 7 8 9");
    cable_free(cable);
}

// Two hosts with two cables: each has its own rate, length and faults.
static void test_links_apart(void)
{
    struct link_config first = topology_link_defaults(), second = first;
    int64_t drops[] = {1}, twice[] = {2};
    first.drop_nth = (struct param_counts){drops, 1};
    first.fault_direction = LINK_FAULTS_FORWARD;
    second.rate /= 10;
    second.propagation = 25 * TIME_MS;
    second.duplicate_nth = (struct param_counts){twice, 1};
    second.fault_direction = LINK_FAULTS_BACKWARD;
    struct topology *topology = topology_new(2, 0);
    topology_add_link(topology, 0, 1, &first);
    topology_add_link(topology, 0, 1, &second);
    struct probe *probe = probe_new(topology, 1, NULL);
    struct probe_packet *sent[2][2][2]; // by cable, direction, number
    for (int cable = 0; cable < 2; cable++)
        for (int i = 0; i < 2; i++)
            for (int side = 0; side < 2; side++)
                sent[cable][side][i] =
                    probe_send(probe, 0, network_station(probe->network, side, cable),
                               network_station(probe->network, !side, cable), FRAME_BYTES);
    probe_run(probe);
    for (int cable = 0; cable < 2; cable++)
        for (int i = 0; i < 2; i++)
            for (int side = 0; side < 2; side++) {
                sim_time expected = cable == 0 ? i * SLOT + WIRE + PROPAGATION
                                               : 10 * (i * SLOT + WIRE) + 25 * TIME_MS;
                if (cable == 0 && side == 0 && i == 0)
                    expected = -1;
                if (cable == 1 && side == 1 && i == 1)
                    expected += 10 * SLOT; // the copy
                SUITE_SAME_INTEGER(sent[cable][side][i]->arrived, expected);
            }
    SUITE_SAME_INTEGER(*sim_counter(probe->sim, "packets duplicated on link node1->node0#2"), 1);
    probe_free(probe);
    topology_free(topology);
}

// Copies take their places in a switch's queue, and may find none.
static void test_behind_a_switch(void)
{
    struct link_config faulty = topology_link_defaults();
    struct switch_config node = topology_switch_defaults();
    link = faulty;
    node.queue = 10;
    faulty.duplicate_probability = 1;
    struct topology *topology = topology_new(3, 1);
    topology_set_switches(topology, &node);
    for (int i = 0; i < 3; i++)
        topology_add_link(topology, i, 3, i == 2 ? &link : &faulty);
    struct probe *probe = probe_new(topology, 1, NULL);
    for (int i = 0; i < 40; i++)
        for (int from = 0; from < 2; from++)
            probe_send(probe, 2 * i * SLOT, from, 2, FRAME_BYTES);
    probe_run(probe);
    int64_t full = *sim_counter(probe->sim, "packets dropped: queue full at switch0->node2");
    CU_ASSERT(full > 20);
    SUITE_SAME_INTEGER(probe->arrivals->len, 160 - full);
    probe_free(probe);
    topology_free(topology);
}

// A trace accounts for all the time from the wire to the far end, without a gap.
static void test_traced(void)
{
    link = topology_link_defaults();
    int64_t first[] = {1};
    link.reorder_nth = (struct param_counts){first, 1};
    link.reorder_delay = SLOT / 2;
    struct topology *topology = topology_row(0, &link, NULL);
    struct span_log *log = span_log_new();
    struct probe *probe = probe_new(topology, 1, &log->trace);
    for (int i = 0; i < 2; i++)
        probe_send(probe, 0, 0, 1, FRAME_BYTES);
    probe_run(probe);
    sim_time starts[] = {SLOT / 2, 3 * SLOT / 2};
    for (int i = 0; i < 2; i++) {
        char *expected =
            g_strdup_printf("delay held back by the link %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT,
                            i * SLOT + WIRE, starts[i] + WIRE);
        char *wire = g_strdup_printf("delay propagation %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT,
                                     starts[i] + WIRE, starts[i] + WIRE + PROPAGATION);
        char *notes = span_notes_text(log, "wire node0->node1");
        SUITE_CONTAINS(notes, expected);
        SUITE_CONTAINS(notes, wire);
        g_free(notes);
        g_free(wire);
        g_free(expected);
    }
    probe_free(probe);
    span_log_free(log);
    topology_free(topology);
}

static void test_refused(void)
{
    struct switch_config node = topology_wormhole_switch();
    int64_t first[] = {1};
    link = topology_wormhole_link();
    link.duplicate_nth = (struct param_counts){first, 1};
    struct topology *topology = topology_row(1, &link, &node);
    topology_refused(topology,
                     "duplicate_nth cannot be set: link node0-switch0 ends at a cut-through "
                     "switch, which passes on a packet's bytes as they come",
                     "set it for links between hosts and store-and-forward switches alone");
    topology_free(topology);
    link = topology_link_defaults();
    link.jitter = TIME_US;
    link.window = 7;
    topology = topology_row(0, &link, NULL);
    topology_refused(
        topology,
        "jitter cannot be set: link node0-node1 has a window: it delivers each packet once "
        "and in order",
        "give the link no window, or leave the setting out");
    topology_free(topology);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"packets that come twice", test_duplicate_nth},
        {"packets that are held back", test_reorder_nth},
        {"all packets are held back", test_hold_all},
        {"jitter", test_jitter},
        {"probabilities", test_probabilities},
        {"losses stay the same", test_losses_stay},
        {"a cable that is out in one direction", test_down_direction},
        {"two cables between two hosts", test_links_apart},
        {"copies in a queue", test_behind_a_switch},
        {"what a trace is told", test_traced},
        {"where order is kept", test_refused},
        {NULL, NULL},
    };
    return suite_run("net: disorder", cases);
}
