// SPDX-License-Identifier: GPL-3.0-or-later
// The network's part of a message's time, in closed form: its own serialisation, waits for other
// packets and at which port, propagation and switches; to the picosecond.
#include "sim/explain/path.h"

#include "tests/support/probe.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

#include <inttypes.h>
#include <string.h>

struct world {
    struct topology *topology;
    struct record *record;
    struct probe *probe;
};

static struct world world_of(int hosts, const struct link_config *link,
                             const struct switch_config *node)
{
    struct world world = {.topology = topology_star(hosts, link, node), .record = record_new()};
    world.probe = probe_new(world.topology, 1, &world.record->trace);
    return world;
}

static struct world ethernet_world(int hosts)
{
    struct link_config link = topology_link_defaults();
    struct switch_config node = topology_switch_defaults();
    return world_of(hosts, &link, &node);
}

static struct world wormhole_world(int hosts)
{
    struct link_config link = topology_wormhole_link();
    struct switch_config node = topology_wormhole_switch();
    return world_of(hosts, &link, &node);
}

static void world_run(struct world *world)
{
    probe_run(world->probe);
    record_settle(world->record);
}

static void world_free(struct world *world)
{
    probe_free(world->probe);
    record_free(world->record);
    topology_free(world->topology);
}

static trace_lane lane_of(const struct record *record, const char *name)
{
    for (guint i = 0; i < record->lanes->len; i++)
        if (strcmp(record_lane(record, i)->name, name) == 0)
            return i + 1;
    g_error("no lane %s", name);
}

struct told {
    GString *text;
    sim_time sum;
};

static void on_part(void *owner, const struct path_part *part)
{
    struct told *told = owner;
    told->sum += part->to - part->from;
    g_string_append_printf(told->text, "%s%s", told->text->len ? ", " : "", part->stage);
    if (part->by)
        g_string_append_printf(told->text, " (%s)", part->by);
    g_string_append_printf(told->text, " %" PRId64, part->to - part->from);
}

// The path of a packet from when it was sent until it has arrived over the last link.
static void expect_way(const struct world *world, const struct probe_packet *packet,
                       const char *last, const char *expected)
{
    struct told told = {.text = g_string_new(NULL)};
    path_walk(world->record, lane_of(world->record, last), packet->when, packet->arrived, on_part,
              &told);
    SUITE_SAME_TEXT(told.text->str, expected);
    SUITE_SAME_INTEGER(told.sum, packet->arrived - packet->when);
    g_string_free(told.text, TRUE);
}

// 80 ns per byte: 1000 B and 8 B of preamble are 80.64 us, the gap 0.96 us.
static void test_two_senders(void)
{
    struct world world = ethernet_world(3);
    struct probe_packet *first = probe_send(world.probe, 0, 0, 2, 1000);
    struct probe_packet *second = probe_send(world.probe, 0, 1, 2, 1000);
    struct probe_packet *alone = probe_send(world.probe, 400 * TIME_US, 1, 2, 1000);
    world_run(&world);
    static const char uncontended[] = "propagation 50000, serialisation 80640000, switch 5000000, "
                                      "propagation 50000, serialisation 80640000";
    expect_way(&world, first, "wire switch0->node2", uncontended);
    expect_way(&world, second, "wire switch0->node2",
               "propagation 50000, serialisation 80640000, "
               "behind others at switch0->node2 (packets of node0) 960000, "
               "behind others at switch0->node2 (packets of node0) 80640000, "
               "switch 5000000, propagation 50000, serialisation 80640000");
    expect_way(&world, alone, "wire switch0->node2", uncontended);
    world_free(&world);
}

// Frames of two hosts take turns at the port: of the time there, each host's frames are its own
// serialisation, and the other's are its wait.
static void test_turns(void)
{
    struct world world = ethernet_world(3);
    struct probe_packet *last = NULL;
    for (int i = 0; i < 3; i++) {
        probe_send(world.probe, 0, 0, 2, 1000);
        last = probe_send(world.probe, 0, 1, 2, 1000);
    }
    world_run(&world);
    expect_way(&world, last, "wire switch0->node2",
               "propagation 50000, serialisation 80640000, "
               "behind others at switch0->node2 (packets of node0) 960000, "
               "behind others at switch0->node2 (packets of node0) 80640000, "
               "serialisation 960000, serialisation 80640000, "
               "behind others at switch0->node2 (packets of node0) 960000, "
               "behind others at switch0->node2 (packets of node0) 80640000, "
               "serialisation 960000, serialisation 80640000, "
               "behind others at switch0->node2 (packets of node0) 960000, "
               "behind others at switch0->node2 (packets of node0) 80640000, "
               "switch 5000000, propagation 50000, serialisation 80640000");
    world_free(&world);
}

// Cut-through, 4 ns per byte: the header's byte, the switch, and a packet of 1000 B that has the
// port.
static void test_wormhole(void)
{
    struct world world = wormhole_world(3);
    struct probe_packet *first = probe_send(world.probe, 0, 0, 2, 1000);
    struct probe_packet *second = probe_send(world.probe, 0, 1, 2, 1000);
    world_run(&world);
    expect_way(&world, first, "wire switch0->node2",
               "propagation 50000, serialisation 4000000, switch 150000, propagation 50000, "
               "serialisation 4000");
    expect_way(&world, second, "wire switch0->node2",
               "propagation 50000, serialisation 4000000, "
               "behind others at switch0->node2 (packets of node0) 4000000, "
               "switch 150000, propagation 50000, serialisation 4000");
    world_free(&world);
}

// A packet of the same host stands in front in the slack buffer, and its port is another host's for
// 4 us: so long the next one waits for a port that is free.
static void test_head_of_line(void)
{
    struct world world = wormhole_world(4);
    probe_send(world.probe, 0, 0, 2, 1000);
    probe_send(world.probe, 0, 1, 2, 30);
    struct probe_packet *behind = probe_send(world.probe, 0, 1, 3, 30);
    world_run(&world);
    expect_way(&world, behind, "wire switch0->node3",
               "propagation 50000, serialisation 120000, "
               "behind others at switch0->node3 (packets to other ports) 4000000, "
               "switch 150000, propagation 50000, serialisation 4000, serialisation 120000");
    world_free(&world);
}

// The first of two long packets fills the slack buffer of 80 B and is held back on its own link
// until its last 80 B stand there, 6.204 - 0.320 us: 3.884 us longer than its 2 us. The second then
// waits for these 320 ns less a byte, the propagation and the switch.
static void test_held_back(void)
{
    struct world world = wormhole_world(4);
    probe_send(world.probe, 0, 0, 2, 1000);
    probe_send(world.probe, 0, 1, 2, 500);
    struct probe_packet *behind = probe_send(world.probe, 0, 1, 3, 500);
    world_run(&world);
    expect_way(&world, behind, "wire switch0->node3",
               "propagation 50000, serialisation 2000000, "
               "behind others at switch0->node3 (packets to other ports) 116000, "
               "switch 150000, propagation 50000, serialisation 4000, "
               "behind others at switch0->node2 (held back on node1->switch0) 3884000, "
               "serialisation 2000000");
    world_free(&world);
}

struct giver {
    struct event event;
    struct network *network;
};

static void give(struct engine *engine, struct event *event)
{
    (void)engine;
    network_credit(container_of(event, struct giver, event)->network, 2);
}

// The far end takes no packet before 10 us; the first goes then, and the second, of the same host,
// gets no place before 30 us.
static void test_no_place(void)
{
    struct world world = wormhole_world(3);
    struct giver givers[2];
    network_limit(world.probe->network, 2);
    for (int i = 0; i < 2; i++) {
        givers[i].network = world.probe->network;
        event_init(&givers[i].event, give);
        engine_schedule(world.probe->sim->engine, &givers[i].event, (10 + 20 * i) * TIME_US);
    }
    struct probe_packet *first = probe_send(world.probe, 0, 0, 2, 30);
    struct probe_packet *second = probe_send(world.probe, 5 * TIME_US, 1, 2, 30);
    world_run(&world);
    expect_way(&world, first, "wire switch0->node2",
               "propagation 50000, serialisation 120000, "
               "behind others at switch0->node2 (no place at node2) 9796000, "
               "switch 150000, propagation 50000, serialisation 4000");
    expect_way(&world, second, "wire switch0->node2",
               "propagation 50000, serialisation 120000, "
               "behind others at switch0->node2 (no place at node2) 19880000, "
               "behind others at switch0->node2 (packets of node0) 120000, "
               "behind others at switch0->node2 (no place at node2) 4796000, "
               "switch 150000, propagation 50000, serialisation 4000");
    world_free(&world);
}

static const struct suite_case cases[] = {
    {"two senders into one port", test_two_senders},
    {"two senders whose frames take turns", test_turns},
    {"cut-through: behind a packet that has the port", test_wormhole},
    {"cut-through: behind a packet to another port", test_head_of_line},
    {"cut-through: behind a packet that is held back", test_held_back},
    {"cut-through: no place at the far end", test_no_place},
    {0},
};

int main(void)
{
    return suite_run("explain: network", cases);
}
