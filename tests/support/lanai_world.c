// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/lanai_world.h"

#include "tests/support/topology.h"

#include <glib.h>

struct lanai_config lanai_world_config(void)
{
    return (struct lanai_config){.clock = 50000000, .sram = 64 * 1024, .bus_hold = 1024};
}

static struct host_config host_config(void)
{
    return (struct host_config){
        .processor = {.cores = 1, .clock = 1000000000, .cycle_ratio = 1},
        .bus = {.clock = 10000000,
                .rate = 100000000,
                .read_burst = 128,
                .read_setup = 2,
                .write_burst = 128,
                .write_setup = 2},
    };
}

static struct link_config link_of_50_ns(void)
{
    struct link_config link = topology_wormhole_link();
    link.propagation = 50 * TIME_NS;
    return link;
}

// Hosts and cards around a topology.
static void furnish(struct lanai_world *world, const struct lanai_config *config,
                    const struct lanai_firmware *firmware, const struct cost *costs,
                    void *const owners[2], struct trace *trace)
{
    static const char *const names[2] = {"node0", "node1"};
    struct host_config host = host_config();
    world->sim = sim_new(1, trace);
    world->network = network_new(world->sim, world->topology);
    for (int i = 0; i < 2; i++) {
        world->hosts[i] = host_new(world->sim, i, names[i], &host);
        world->cards[i] =
            lanai_new(world->hosts[i], world->network, network_station(world->network, i, 0),
                      "lanai7", config, firmware, costs, owners[i]);
    }
}

struct lanai_world *lanai_world_new_cable(const struct lanai_config *config,
                                          const struct lanai_firmware *firmware,
                                          const struct cost *costs, void *const owners[2],
                                          struct trace *trace)
{
    struct lanai_world *world = g_new0(struct lanai_world, 1);
    world->link = link_of_50_ns();
    world->topology = topology_new(2, 0);
    topology_add_link(world->topology, 0, 1, &world->link);
    furnish(world, config, firmware, costs, owners, trace);
    return world;
}

struct lanai_world *lanai_world_new(const struct lanai_config *config,
                                    const struct lanai_firmware *firmware, const struct cost *costs,
                                    void *const owners[2], struct trace *trace, int64_t corrupt_nth)
{
    struct lanai_world *world = g_new0(struct lanai_world, 1);
    struct switch_config node = topology_wormhole_switch();
    struct link_config link = link_of_50_ns();
    world->topology = topology_new(2, 1);
    topology_set_switches(world->topology, &node);
    struct link_config faulty = link;
    if (corrupt_nth > 0) {
        faulty.corrupt_nth = (struct param_counts){g_memdup2(&corrupt_nth, sizeof corrupt_nth), 1};
        faulty.fault_direction = LINK_FAULTS_FORWARD;
    }
    world->link = faulty;
    topology_add_link(world->topology, 0, 2, &faulty);
    topology_add_link(world->topology, 1, 2, &link);
    furnish(world, config, firmware, costs, owners, trace);
    return world;
}

void lanai_world_free(struct lanai_world *world)
{
    for (int i = 0; i < 2; i++) {
        lanai_free(world->cards[i]);
        host_free(world->hosts[i]);
    }
    network_free(world->network);
    sim_free(world->sim);
    topology_free(world->topology);
    g_free(world->link.corrupt_nth.values);
    g_free(world);
}

void lanai_world_run(struct lanai_world *world)
{
    engine_run(world->sim->engine, TIME_NEVER);
}

struct packet *lanai_world_packet(struct lanai_world *world, int from, int64_t bytes)
{
    struct packet *packet = packet_new(world->network);
    packet->route = network_route(world->network, lanai_station(world->cards[from]),
                                  lanai_station(world->cards[1 - from]));
    packet->wire_bytes = packet->length = (uint32_t)bytes;
    packet->message = ledger_open(world->sim->ledger, from, 1 - from, bytes, (uint64_t)from);
    return packet;
}

void lanai_world_deliver(struct lanai_world *world, struct packet *packet)
{
    ledger_deliver(world->sim->ledger, packet->message, packet->offset, packet->length);
    ledger_match(world->sim->ledger, packet->message);
    ledger_complete(world->sim->ledger, packet->message);
    packet_free(world->network, packet);
}

sim_time lanai_world_bus_time(const struct lanai_world *world, int64_t bytes, int64_t hold)
{
    const struct bus_config *bus = &world->hosts[0]->config.bus;
    sim_time time = bytes / hold * bus_time(bus, BUS_READ, hold);
    return time + bus_time(bus, BUS_READ, bytes % hold);
}

// The first byte takes 4 + 50 + 150 ns to the switch's output, all bytes then 4 ns each and 50 ns.
sim_time lanai_world_wire_time(int64_t bytes)
{
    return (204 + 4 * bytes + 50) * TIME_NS;
}
