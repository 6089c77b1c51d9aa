// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/world_lanai.h"

struct lanai_config lanai_world_config(void)
{
    return (struct lanai_config){
        .clock = 50000000, .sram = 64 * 1024, .bus_hold = 1024, .host_channels = 1};
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

// The type of world->state.
struct lanai_state {
    const struct lanai_world_options *options; // while the world is built
    struct link_config links[2];
    struct lanai *cards[2];
};

static void build(struct world *world)
{
    struct lanai_state *state = world->state;
    const struct lanai_world_options *options = state->options;
    struct network *network = world->cluster->network;
    for (int i = 0; i < 2; i++)
        state->cards[i] =
            lanai_new(world->cluster->hosts[i], world->cluster->hosts[i]->bus, network,
                      network_station(network, i, 0), "lanai7", options->config, options->firmware,
                      options->costs, options->owners[i]);
}

static void free_state(struct world *world)
{
    struct lanai_state *state = world->state;
    for (int i = 0; i < 2; i++) {
        lanai_free(state->cards[i]);
        world_link_clear(&state->links[i]);
    }
}

const struct world_provider world_lanai = {.build = build, .free = free_state};

struct world *lanai_world_new(const struct lanai_world_options *options)
{
    struct lanai_state *state = g_new0(struct lanai_state, 1);
    struct host_config host = host_config();
    host.phase.card = options->phase;
    state->options = options;
    state->links[0] = world_link(options->corrupt_nth);
    state->links[1] = world_link(0);
    struct world_star star = {
        .hosts = 2,
        .cable = options->cable,
        .links = state->links,
        .host = &host,
        .seed = 1,
        .trace = options->trace,
        .state = state,
    };
    struct world *world = world_new_star(&world_lanai, &star);
    world_keep(world, state);
    return world;
}

struct lanai *lanai_card(const struct world *world, int host)
{
    struct lanai_state *state = world->state;
    return state->cards[host];
}

struct packet *lanai_world_packet(struct world *world, int from, int64_t bytes)
{
    struct packet *packet = packet_new(world->cluster->network);
    packet->route = network_route(world->cluster->network, lanai_station(lanai_card(world, from)),
                                  lanai_station(lanai_card(world, 1 - from)));
    packet->wire_bytes = packet->length = (uint32_t)bytes;
    packet->message = ledger_open(world->sim->ledger, from, 1 - from, bytes, (uint64_t)from);
    return packet;
}

void lanai_world_deliver(struct world *world, struct packet *packet)
{
    ledger_deliver(world->sim->ledger, packet->message, packet->offset, packet->length);
    ledger_match(world->sim->ledger, packet->message);
    ledger_complete(world->sim->ledger, packet->message);
    packet_free(world->cluster->network, packet);
}

sim_time lanai_world_bus_time(const struct world *world, int64_t bytes, int64_t hold)
{
    const struct bus_config *bus = &world->cluster->hosts[0]->config.bus;
    sim_time time = bytes / hold * bus_time(bus, BUS_READ, hold);
    return time + bus_time(bus, BUS_READ, bytes % hold);
}

// The first byte takes 4 + 50 + 150 ns to the switch's output, all bytes then 4 ns each and 50 ns.
sim_time lanai_world_wire_time(int64_t bytes)
{
    return (204 + 4 * bytes + 50) * TIME_NS;
}
