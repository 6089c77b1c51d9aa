// SPDX-License-Identifier: GPL-3.0-or-later
// Paths without contention against closed formulas, to the picosecond.
//
// With T(n) the time of n bytes on a link, L the bytes of a packet there (preamble, frame,
// padding), p the propagation, l a switch's latency and h the bytes (preamble, header) that it
// needs, a path of n switches takes
//     store and forward:  (n + 1) (T(L) + p) + n l
//     cut through:        n (T(min(h, L)) + p + l) + T(L) + p
// and packets sent back to back arrive T(L + gap) apart.
#include "tests/support/probe.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

#include <CUnit/CUnit.h>

#define LARGEST_PAYLOAD 9000
#define ETHERNET_BYTES 18 // header and check sequence
#define MOST_SWITCHES 6

struct path {
    struct link_config link;
    struct switch_config node;
    int switches;
};

static sim_time path_time(const struct path *path, int64_t bytes)
{
    return time_of_bytes(bytes, path->link.rate);
}

static int64_t path_bytes(const struct path *path, uint32_t wire_bytes)
{
    return path->link.preamble + MAX(path->link.least_frame, wire_bytes);
}

static sim_time closed_form(const struct path *path, uint32_t wire_bytes)
{
    int64_t bytes = path_bytes(path, wire_bytes), n = path->switches;
    sim_time whole = path_time(path, bytes) + path->link.propagation;
    if (path->node.discipline == SWITCH_STORE_AND_FORWARD)
        return (n + 1) * whole + n * path->node.latency;
    int64_t head = MIN(path->link.preamble + path->node.header, bytes);
    return n * (path_time(path, head) + path->link.propagation + path->node.latency) + whole;
}

// Sends the next payload when the one before has arrived: each finds the path idle.
static void check_all_sizes(const struct path *path)
{
    struct topology *topology = topology_row(path->switches, &path->link, &path->node);
    struct diag_list *diags = diag_list_new();
    CU_ASSERT_FATAL(network_check(topology, diags));
    struct probe *probe = probe_new(topology, 1, NULL);
    int wrong = 0;
    for (uint32_t payload = 0; payload <= LARGEST_PAYLOAD; payload++) {
        uint32_t wire_bytes = payload + ETHERNET_BYTES;
        // An odd picosecond more than now: nothing rests on round times.
        sim_time start = sim_now(probe->sim) + 7;
        struct probe_packet *packet = probe_send(probe, start, 0, 1, wire_bytes);
        probe_run(probe);
        wrong += packet->arrived != start + closed_form(path, wire_bytes);
        wrong += packet->left != start + network_station_time(probe->network, 0, wire_bytes);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(ledger_balanced(probe->sim->ledger));
    CU_ASSERT_EQUAL(network_hops(probe->network),
                    (LARGEST_PAYLOAD + 1) * (uint64_t)(path->switches + 1));
    probe_free(probe);
    diag_list_free(diags);
    topology_free(topology);
}

// 1.2 Gb/s has no whole number of picoseconds a byte: each link rounds up once.
static void test_store_and_forward(void)
{
    static const int64_t rates[] = {100000000, 1000000000, 1200000000};
    struct path path = {topology_link_defaults(), topology_switch_defaults(), 0};
    for (size_t i = 0; i < G_N_ELEMENTS(rates); i++) {
        path.link.rate = rates[i];
        for (path.switches = 0; path.switches <= MOST_SWITCHES; path.switches++)
            check_all_sizes(&path);
    }
}

static void test_cut_through(void)
{
    struct path path = {topology_wormhole_link(), topology_wormhole_switch(), 0};
    for (path.switches = 1; path.switches <= MOST_SWITCHES; path.switches++)
        check_all_sizes(&path);
}

// Ethernet frames on cut-through switches: preamble, padding, and the 14 bytes of the header are
// waited for.
static void test_cut_through_ethernet(void)
{
    struct path path = {topology_link_defaults(), topology_wormhole_switch(), 0};
    path.link.rate = 1000000000;
    path.node.header = 14;
    for (path.switches = 1; path.switches <= MOST_SWITCHES; path.switches++)
        check_all_sizes(&path);
}

// A packet shorter than the header that a switch waits for is routed when all of it has arrived.
static void test_shorter_than_header(void)
{
    struct path path = {topology_wormhole_link(), topology_wormhole_switch(), 3};
    path.node.header = 40;
    path.node.slack = 200;
    check_all_sizes(&path);
}

static void check_back_to_back(const struct path *path, uint32_t wire_bytes)
{
    enum { FRAMES = 1000 };
    struct topology *topology = topology_row(path->switches, &path->link, &path->node);
    struct probe *probe = probe_new(topology, 1, NULL);
    for (int i = 0; i < FRAMES; i++)
        probe_send(probe, 0, 0, 1, wire_bytes);
    probe_run(probe);
    sim_time slot = path_time(path, path_bytes(path, wire_bytes) + path->link.gap);
    int wrong = 0;
    for (int i = 0; i < FRAMES; i++) {
        const struct probe_packet *packet = g_ptr_array_index(probe->packets, i);
        wrong += packet->arrived != i * slot + closed_form(path, wire_bytes);
        wrong += packet->left != (i + 1) * slot;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(network_drops(probe->network), 0);
    probe_free(probe);
    topology_free(topology);
}

static void test_line_rate(void)
{
    static const uint32_t sizes[] = {1, 63, 64, 65, 512, 1518, 9018};
    struct path ethernet = {topology_link_defaults(), topology_switch_defaults(), 0};
    struct path wormhole = {topology_wormhole_link(), topology_wormhole_switch(), 0};
    wormhole.link.gap = 2;
    for (int switches = 0; switches <= MOST_SWITCHES; switches++) {
        ethernet.switches = wormhole.switches = switches;
        for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
            check_back_to_back(&ethernet, sizes[i]);
            check_back_to_back(&wormhole, sizes[i]);
        }
    }
}

// The numbers of the standard: 84 and 1538 byte times of 80 ns are 6.72 us and 123.04 us.
static void test_fast_ethernet_slots(void)
{
    struct path path = {topology_link_defaults(), topology_switch_defaults(), 0};
    struct topology *topology = topology_row(0, &path.link, &path.node);
    struct probe *probe = probe_new(topology, 1, NULL);
    CU_ASSERT_EQUAL(network_station_time(probe->network, 0, 64), 6720 * TIME_NS);
    CU_ASSERT_EQUAL(network_station_time(probe->network, 0, 1), 6720 * TIME_NS);
    CU_ASSERT_EQUAL(network_station_time(probe->network, 0, 1518), 123040 * TIME_NS);
    CU_ASSERT_EQUAL(network_station_rate(probe->network, 0), 100000000);
    probe_free(probe);
    topology_free(topology);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"store and forward, 0 to 6 switches, all sizes", test_store_and_forward},
        {"cut through, 1 to 6 switches, all sizes", test_cut_through},
        {"cut through, Ethernet frames, all sizes", test_cut_through_ethernet},
        {"cut through, packets shorter than the header", test_shorter_than_header},
        {"back to back at line rate", test_line_rate},
        {"Fast Ethernet's frame times", test_fast_ethernet_slots},
        {NULL, NULL},
    };
    return suite_run("net: closed forms", cases);
}
