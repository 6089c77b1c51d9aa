// SPDX-License-Identifier: GPL-3.0-or-later
// GM as the provider of the tests' world (world.h): each host has a card, and a test opens ports.
//
// An end is a process with one port. While there is no job to do, and it listens, it takes events
// out of its queue: received messages go on the books and are closed in the ledger, all else goes
// to gm_unknown.
#ifndef NETSIM_TESTS_SUPPORT_WORLD_GM_H
#define NETSIM_TESTS_SUPPORT_WORLD_GM_H

#include "models/myrinet_gm/gm/gm.h"
#include "models/myrinet_gm/gm/gm_internal.h"
#include "tests/support/world.h"

struct gm_received {
    struct gm_event event;
    sim_time when;
};

struct gm_returned {
    enum gm_status status;
    int64_t number; // of the send, counted from 0
    sim_time when;
};

struct gm_written_note {
    struct gm_write write;
    sim_time when;
};

struct gm_end {
    struct world_process process;
    int host, number; // of the host, and of the port
    struct gm_port *port;
    bool deaf;          // never takes events
    bool blocks;        // waits by interrupt
    bool keeps;         // does not return a receive buffer after its message
    sim_time work;      // that it does on each message
    sim_time poll_turn; // 100 ns
    GArray *received;   // struct gm_received
    GArray *returned;   // struct gm_returned, in the order of the callbacks
    GArray *written;    // struct gm_written_note
    int64_t sends;      // begun so far
};

// Two hosts "node0" and "node1" on one switch. All of GM's costs are written out.
extern const char gm_pair[];

struct gm_fabric *gm_fabric(const struct world *world);

// Memory of each end: registered, but for its last GM_WORLD_OUTSIDE bytes.
#define GM_WORLD_MEMORY INT64_C(0x10000000)
#define GM_WORLD_BYTES (INT64_C(16) << 20)
#define GM_WORLD_OUTSIDE 4096

// Opens the port of a host's card.
struct gm_end *gm_end_new(struct world *world, int host, int number);

// ---- Jobs ----

struct gm_send_job {
    struct gm_end *to;
    int64_t bytes, header; // of the message, and in front of it
    int priority;
    int size;        // class; -1: the least that fits
    bool directed;   // to `remote`
    int64_t remote;  // 0: the target's memory
    int64_t address; // 0: the sender's memory
    sim_time at;     // not before
};
void gm_end_send(struct gm_end *end, const struct gm_send_job *send);

// The most usual: `count` messages of `bytes` each.
void gm_end_send_to(struct gm_end *end, struct gm_end *to, int64_t bytes, int count);

// Gives `count` receive buffers of a size class, not before `at`.
void gm_end_provide(struct gm_end *end, int size, int count, sim_time at);

// ---- What has come of it ----

struct gm_received *gm_end_received(struct gm_end *end, guint i);
struct gm_returned *gm_end_returned(struct gm_end *end, guint i);

// How many callbacks came with the status.
int gm_end_count(const struct gm_end *end, enum gm_status status);

// Fails the running case unless every message opened was delivered, once and in order.
void gm_check(const struct world *world);

// The connection of a card to that of another host; NULL: they have not talked.
const struct gm_connection *gm_world_connection(const struct gm_card *card, int host);

#endif
