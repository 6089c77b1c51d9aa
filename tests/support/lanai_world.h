// SPDX-License-Identifier: GPL-3.0-or-later
// Two hosts with a Myrinet card each, joined by one cut-through switch, for tests of the cards and
// of firmware.
//
// Links of 4 ns a byte and 50 ns, a switch of 150 ns; buses of 100 MB/s (10 ns a byte) in bursts of
// 128 B that cost 200 ns; processors of 1 GHz. The card's costs are the test's.
#ifndef NETSIM_TESTS_SUPPORT_LANAI_WORLD_H
#define NETSIM_TESTS_SUPPORT_LANAI_WORLD_H

#include "models/myrinet_gm/lanai/lanai.h"

struct lanai_world {
    struct sim *sim;
    struct link_config link;
    struct topology *topology;
    struct network *network;
    struct host *hosts[2];
    struct lanai *cards[2];
};

// A card on which nothing takes time: 50 MHz (20 ns a cycle), all costs and latencies 0, 64 KiB of
// SRAM.
struct lanai_config lanai_world_config(void);

// Both cards run the firmware; `owners` are their owners. trace may be NULL. corrupt_nth: the
// packet of node0's link, counted from 1, that gets a bit error; 0: none.
struct lanai_world *lanai_world_new(const struct lanai_config *config,
                                    const struct lanai_firmware *firmware, const struct cost *costs,
                                    void *const owners[2], struct trace *trace,
                                    int64_t corrupt_nth);
// The same with a cable from card to card, and without bit errors.
struct lanai_world *lanai_world_new_cable(const struct lanai_config *config,
                                          const struct lanai_firmware *firmware,
                                          const struct cost *costs, void *const owners[2],
                                          struct trace *trace);
void lanai_world_free(struct lanai_world *world);

// Until no event is left.
void lanai_world_run(struct lanai_world *world);

// A packet of `bytes` in all from one host to the other, with a message of its own.
struct packet *lanai_world_packet(struct lanai_world *world, int from, int64_t bytes);

// Takes the packet's message as delivered whole, and frees it.
void lanai_world_deliver(struct lanai_world *world, struct packet *packet);

// Times on idle resources: `bytes` over a bus in pieces of at most `hold`, and from the first byte
// of a packet at one card to its last byte at the other.
sim_time lanai_world_bus_time(const struct lanai_world *world, int64_t bytes, int64_t hold);
sim_time lanai_world_wire_time(int64_t bytes);

#endif
