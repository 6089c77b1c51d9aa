// SPDX-License-Identifier: GPL-3.0-or-later
// Myrinet cards as the provider of the tests' world (world.h): two hosts with a card each, for
// tests of the cards and of firmware.
//
// Buses of 100 MB/s (10 ns per byte) in bursts of 128 B that cost 200 ns; processors of 1 GHz. The
// card's costs are the test's.
#ifndef NETSIM_TESTS_SUPPORT_WORLD_LANAI_H
#define NETSIM_TESTS_SUPPORT_WORLD_LANAI_H

#include "models/myrinet_gm/lanai/lanai.h"
#include "tests/support/world.h"

// A card on which nothing takes time: 50 MHz (20 ns a cycle), all costs and latencies 0, 64 KiB of
// SRAM.
struct lanai_config lanai_world_config(void);

// Both cards run the firmware; `owners` are their owners.
struct lanai_world_options {
    const struct lanai_config *config;
    const struct lanai_firmware *firmware;
    const struct cost *costs;
    void *owners[2];
    struct trace *trace; // NULL: none
    bool cable;          // from card to card, instead of a switch
    double phase;        // share of a tick of the clocks that has passed at time 0
    int64_t corrupt_nth; // packet of node0's link, counted from 1, that gets a bit error; 0: none
};
struct world *lanai_world_new(const struct lanai_world_options *options);

struct lanai *lanai_card(const struct world *world, int host);

// A packet of `bytes` in all from one host to the other, with a message of its own.
struct packet *lanai_world_packet(struct world *world, int from, int64_t bytes);

// Takes the packet's message as delivered whole, and frees it.
void lanai_world_deliver(struct world *world, struct packet *packet);

// Times on idle resources: `bytes` over a bus in pieces of at most `hold`, and from the first byte
// of a packet at one card to its last byte at the other.
sim_time lanai_world_bus_time(const struct world *world, int64_t bytes, int64_t hold);
sim_time lanai_world_wire_time(int64_t bytes);

#endif
