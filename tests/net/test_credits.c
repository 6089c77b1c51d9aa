// SPDX-License-Identifier: GPL-3.0-or-later
// Stations that take a packet only with a credit: a packet that waits is held in the network.
//
// Links of 4 ns per byte and 50 ns; switches that need 1 byte and 150 ns: a head takes 204 ns per
// hop. Slack is 80 B.
#include "tests/support/probe.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

#define TAU (4 * TIME_NS)
#define HOP (204 * TIME_NS)
#define WIRE (50 * TIME_NS)
#define SLACK 80

struct giver {
    struct event event;
    struct network *network;
    int station;
};

static struct topology *star(int hosts, struct link_config *last)
{
    struct link_config link = topology_wormhole_link();
    struct switch_config node = topology_wormhole_switch();
    struct topology *topology = topology_new(hosts, 1);
    topology_set_switches(topology, &node);
    for (int i = 0; i < hosts; i++)
        topology_add_link(topology, i, hosts, last && i == hosts - 1 ? last : &link);
    return topology;
}

static void give_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct giver *giver = container_of(event, struct giver, event);
    network_credit(giver->network, giver->station);
}

static void give_at(struct probe *probe, struct giver *giver, sim_time when, int station)
{
    giver->network = probe->network;
    giver->station = station;
    event_init(&giver->event, give_event);
    engine_schedule(probe->sim->engine, &giver->event, when);
}

// Without a credit the packet stays where it is: in the slack buffer, and, for the rest, in the
// station that sends it. With one it goes on at once, and the next one waits again.
static void test_held(void)
{
    struct topology *topology = star(3, NULL);
    struct probe *probe = probe_new(topology, 1, NULL);
    struct giver givers[2];
    network_limit(probe->network, 2);
    struct probe_packet *first = probe_send(probe, 0, 0, 2, 300);
    struct probe_packet *second = probe_send(probe, 0, 0, 2, 200);
    struct probe_packet *other = probe_send(probe, 0, 1, 0, 100);
    give_at(probe, &givers[0], 10 * TIME_US, 2);
    give_at(probe, &givers[1], 20 * TIME_US, 2);
    probe_run(probe);
    SUITE_SAME_INTEGER(first->left, 10 * TIME_US + (300 - SLACK) * TAU);
    SUITE_SAME_INTEGER(first->arrived, 10 * TIME_US + 300 * TAU + WIRE);
    SUITE_SAME_INTEGER(second->left, 20 * TIME_US + (200 - SLACK) * TAU);
    SUITE_SAME_INTEGER(second->arrived, 20 * TIME_US + 200 * TAU + WIRE);
    SUITE_SAME_INTEGER(other->arrived,
                       HOP + 100 * TAU + WIRE); // does not wait for them
    CU_ASSERT_TRUE(ledger_balanced(probe->sim->ledger));
    probe_free(probe);
    topology_free(topology);
}

struct holder {
    struct event event;
    struct network *network;
    int station;
    bool held;
};

static void hold_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct holder *holder = container_of(event, struct holder, event);
    network_hold(holder->network, holder->station, holder->held);
}

static void hold_at(struct probe *probe, struct holder *holder, sim_time when, int station,
                    bool held)
{
    *holder = (struct holder){.network = probe->network, .station = station, .held = held};
    event_init(&holder->event, hold_event);
    engine_schedule(probe->sim->engine, &holder->event, when);
}

// A station under network_hold takes no further packet, whatever credits it has: the next one waits
// until the station is released, and one on its last link goes on.
static void test_behind(void)
{
    struct topology *topology = star(3, NULL);
    struct probe *probe = probe_new(topology, 1, NULL);
    struct holder holders[2];
    struct giver giver;
    network_limit(probe->network, 2);
    for (int i = 0; i < 2; i++)
        network_credit(probe->network, 2);
    struct probe_packet *first = probe_send(probe, 0, 0, 2, 300);
    struct probe_packet *second = probe_send(probe, 0, 0, 2, 200);
    struct probe_packet *third = probe_send(probe, 0, 0, 2, 100);
    hold_at(probe, &holders[0], TIME_US, 2, true);
    hold_at(probe, &holders[1], 10 * TIME_US, 2, false);
    give_at(probe, &giver, 5 * TIME_US, 2); // opens nothing
    probe_run(probe);
    SUITE_SAME_INTEGER(first->arrived, HOP + 300 * TAU + WIRE);
    SUITE_SAME_INTEGER(second->left, 10 * TIME_US + (200 - SLACK) * TAU);
    SUITE_SAME_INTEGER(second->arrived, 10 * TIME_US + 200 * TAU + WIRE);
    SUITE_SAME_INTEGER(third->arrived, 10 * TIME_US + 300 * TAU + WIRE);
    CU_ASSERT_TRUE(ledger_balanced(probe->sim->ledger));
    probe_free(probe);
    topology_free(topology);
}

// Places given before are there for as many packets, which then pass as if
// there were no limit.
static void test_in_advance(void)
{
    struct topology *topology = star(3, NULL);
    sim_time arrived[2];
    for (int limited = 0; limited < 2; limited++) {
        struct probe *probe = probe_new(topology, 1, NULL);
        if (limited) {
            network_limit(probe->network, 2);
            for (int i = 0; i < 3; i++)
                network_credit(probe->network, 2);
        }
        struct probe_packet *last = NULL;
        for (int i = 0; i < 3; i++)
            last = probe_send(probe, 0, i % 2, 2, 300);
        struct probe_packet *late = probe_send(probe, 100 * TIME_US, 0, 2, 300);
        probe_run(probe);
        arrived[limited] = last->arrived;
        SUITE_SAME_INTEGER(late->arrived >= 0, !limited);
        probe_free(probe);
    }
    SUITE_SAME_INTEGER(arrived[1], arrived[0]);
    topology_free(topology);
}

// A packet that is lost on the last link returns its credit for the next one.
static void test_lost(void)
{
    struct link_config lossy = topology_wormhole_link();
    int64_t first = 1;
    lossy.drop_nth = (struct param_counts){&first, 1};
    lossy.fault_direction = LINK_FAULTS_BACKWARD;
    struct topology *topology = star(2, &lossy);
    struct probe *probe = probe_new(topology, 1, NULL);
    network_limit(probe->network, 1);
    network_credit(probe->network, 1);
    probe_send(probe, 0, 0, 1, 300);
    struct probe_packet *second = probe_send(probe, 0, 0, 1, 300);
    probe_run(probe);
    SUITE_SAME_INTEGER(network_drops(probe->network), 1);
    SUITE_SAME_INTEGER(second->arrived, HOP + 2 * 300 * TAU + WIRE);
    probe_free(probe);
    topology_free(topology);
}

// The report of a run that ends so names the link, its packet and the station.
static void test_described(void)
{
    struct topology *topology = star(3, NULL);
    struct probe *probe = probe_new(topology, 1, NULL);
    network_limit(probe->network, 2);
    probe_send(probe, 0, 0, 2, 300);
    probe_run(probe);
    SUITE_SAME_INTEGER(ledger_totals(probe->sim->ledger).open, 1);
    GPtrArray *lines = network_describe_blocked(probe->network);
    CU_ASSERT_PTR_NOT_NULL_FATAL(lines);
    SUITE_SAME_INTEGER(lines->len, 1);
    if (lines->len > 0)
        SUITE_SAME_TEXT(g_ptr_array_index(lines, 0),
                        "node0->switch0 is held by the packet from node0 to node2, "
                        "which waits for "
                        "switch0->node2, whose station has no place for it");
    g_ptr_array_unref(lines);
    probe_free(probe);
    topology_free(topology);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"a packet without a credit is held in the network", test_held},
        {"a station that is behind takes no further packet", test_behind},
        {"credits given in advance", test_in_advance},
        {"a lost packet returns its credit", test_lost},
        {"a station without a credit is named", test_described},
        {0},
    };
    return suite_run("net: credits", cases);
}
