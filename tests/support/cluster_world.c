// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/cluster_world.h"
#include "models/ethernet/nics.h"

#include "sim/net/link.h"
#include "sim/net/switch.h"
#include "sim/workload/stack.h"

#include <string.h>

#define CLUSTER_COSTS                                                                              \
    "schema: 1\n"                                                                                  \
    "name: t\n"                                                                                    \
    "stack: mvia\n"                                                                                \
    "nic: eepro100\n"                                                                              \
    "host:\n"                                                                                      \
    "  processor: {cores: 2, clock: 1 GHz}\n"                                                      \
    "  memory: {cache: 256 KiB, copy_cached: 1000 MB/s, copy_uncached: 500 MB/s, page: 4 KiB,\n"   \
    "           copy_setup: 103 ns, pin_page: 509 ns, unpin_page: 307 ns, pin_limit: 1 MiB}\n"     \
    "  bus: {clock: 1 GHz, rate: 100 MB/s, read_setup: 241, write_setup: 137}\n"                   \
    "  kernel: {system_call: 521 ns, fast_trap: 311 ns, interrupt_entry: 2003 ns,\n"               \
    "           interrupt_exit: 1009 ns, wake_process: 1013 ns, switch_process: 4001 ns,\n"        \
    "           block_process: 2011 ns, interrupt_latency: 1507 ns, interrupt_ack: 307 ns,\n"      \
    "           interrupt_unmask: 211 ns, wake_other: 1103 ns}\n"                                  \
    "eepro100: {tx_ring: 64, rx_ring: 64, descriptor: 16 B, tx_start: 601 ns,\n"                   \
    "           tx_threshold: 512 B, tx_fifo: 2 KiB, rx_residue: 128 B, rx_status: 303 ns,\n"      \
    "           interrupt_delay: 499 ns, doorbell: 211 ns, status_read: 907 ns,\n"                 \
    "           tx_frame: 491 ns, tx_done: 397 ns, rx_frame: 701 ns}\n"                            \
    "mvia: {doorbell: fast_trap, post: 313 ns, send_setup: 1201 ns, send_frame: 607 ns,\n"         \
    "       receive_frame: 1019 ns, completion: 503 ns, queue_check: 151 ns, dequeue: 199 ns,\n"   \
    "       register_call: 2017 ns, largest_transfer: 32 KiB, header: 32 B, mtu: 1500 B,\n"        \
    "       poll_period: 1 ns, connect_retry: 100 ms}\n"                                           \
    "mvia_native: {buffer: 64 KiB}\n"                                                              \
    "link: {rate: 100 Mb/s, propagation: 53 ns}\n"                                                 \
    "switch: {latency: 5003 ns}\n"                                                                 \
    "workload: {benchmark: native.pingpong, sizes: [1 B], repetitions: 10}\n"                      \
    "hosts: [{name: node, count: 2}]\n"

const char cluster_pair[] = CLUSTER_COSTS "switches: [{name: switch}]\n"
                                          "links: [{from: node, to: switch}]\n";

const char cluster_cable[] = CLUSTER_COSTS "links: [{from: node0, to: node1}]\n";

struct cluster_world *cluster_world_new(const char *text, const char *const *sets,
                                        struct trace *trace)
{
    return cluster_world_capture(text, sets, trace, NULL);
}

struct cluster_world *cluster_world_capture(const char *text, const char *const *sets,
                                            struct trace *trace, struct capture *capture)
{
    struct cluster_world *world = g_new0(struct cluster_world, 1);
    world->compiled = compiled_new(text, sets);
    world->test_case = world->compiled.test_case;
    world->sim = sim_new(world->compiled.scenario->seed, trace);
    world->sim->capture = capture;
    world->cluster = cluster_new(world->sim, world->test_case);
    ethernet_add_nics(world->cluster, world->test_case);
    return world;
}

void cluster_world_free(struct cluster_world *world)
{
    cluster_free(world->cluster);
    sim_free(world->sim);
    compiled_free(&world->compiled);
    g_free(world);
}

void cluster_world_run(struct cluster_world *world)
{
    engine_run(world->sim->engine, TIME_NEVER);
}

sim_time cluster_wire_time(const struct cluster_world *world, int64_t wire_bytes)
{
    const struct topology *topology = &world->test_case->topology;
    const struct topology_link *item = g_ptr_array_index(topology->links, 0);
    const struct link_config *link = item->values->values;
    int64_t bytes = link->preamble + MAX(link->least_frame, wire_bytes);
    sim_time hop = time_of_bytes(bytes, link->rate) + link->propagation;
    if (topology->switches->len == 0)
        return hop;
    const struct topology_switch *node = g_ptr_array_index(topology->switches, 0);
    return 2 * hop + ((const struct switch_config *)node->values->values)->latency;
}

char *cluster_ledger_line(const struct cluster_world *world)
{
    GPtrArray *lines = ledger_report(world->sim->ledger, 1);
    char *line = g_strdup(lines->len > 0 ? g_ptr_array_index(lines, 0) : "");
    g_ptr_array_unref(lines);
    return line;
}
