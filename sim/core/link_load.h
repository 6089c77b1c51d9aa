// SPDX-License-Identifier: GPL-3.0-or-later
// The traffic over one direction of a link: the counters of sim/net, and their names.
//
// A packet that leaves one end arrives at the other or is counted with a reason:
//     packets + duplicated = arrived + lost + link_down + discarded + those still under way
// Packets that the far switch finds damaged (check) or that have no receiver count as arrived;
// packets that find the queue full do not count as sent.
#ifndef NETSIM_CORE_LINK_LOAD_H
#define NETSIM_CORE_LINK_LOAD_H

#include "sim/core/time.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum link_count {
    // The first ones are those that every packet touches; sim/net keeps the others only if needed.
    LINK_PACKETS,
    LINK_BYTES,
    LINK_BUSY,
    LINK_ARRIVED,
    LINK_QUEUE,
    LINK_QUEUE_BYTES,
    LINK_QUEUE_WHEN,
    LINK_SELDOM,
    LINK_HELD_TIME = LINK_SELDOM,
    LINK_HELD,
    LINK_STOPS,
    LINK_NO_CREDIT,
    LINK_CORRUPT,
    LINK_REPEATED,
    LINK_DUPLICATED,
    LINK_DISCARDED,
    LINK_LOST, // from here on in the order of enum drop_cause
    LINK_DOWN,
    LINK_FULL,
    LINK_CHECK,
    LINK_UNWANTED,
    LINK_PAUSES,
    LINK_PAUSES_ARRIVED,
    LINK_PAUSED,
    LINK_COUNTS
};

struct link_count_kind {
    const char *name;
    const char *unit; // "ps": stored as time, shown in us
    const char *doc;
    bool most;  // of several loads together it is the largest, not the sum
    bool pause; // shown for links that may carry PAUSE frames only
};

extern const struct link_count_kind link_count_kinds[LINK_COUNTS];

// Packets that a host or its card dropped, by reason.
struct link_drop {
    const char *reason; // interned
    int64_t packets;
};

// One direction of a link over a run.
struct link_load {
    char *name;             // "node0->switch0", "node0->switch0#2"
    const char *from, *to;  // interned
    int from_port, to_port; // of a switch; -1: the end is a host
    int64_t rate;           // b/s
    bool pauses;            // PAUSE frames may pass over the link
    int64_t counts[LINK_COUNTS];
    GArray *drops; // struct link_drop, by reason; NULL: none
};

// The traffic while messages of one size were measured.
struct link_size {
    int64_t size;     // -1: traffic that belongs to none
    sim_time time;    // how long that took, in all
    GPtrArray *links; // struct link_load *
};

// Returns an empty load, and its strings: `name` is copied.
struct link_load *link_load_new(const char *name, const char *from, const char *to);
void link_load_free(struct link_load *load);

// Adds the same link's traffic of other times: counts add up, and the longest queue is that of
// both.
void link_load_add(struct link_load *into, const struct link_load *from);

// Returns a copy of its own.
struct link_load *link_load_copy(const struct link_load *load);

// Returns a record without links; they are freed with it.
struct link_size *link_size_new(int64_t size);
void link_size_free(struct link_size *of);

// Adds to the packets dropped for a reason (interned).
void link_load_add_drop(GArray **drops, const char *reason, int64_t packets);

#endif
