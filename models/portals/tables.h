// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a Portals interface: portal table, match entries, memory descriptors and event
// queues, each with a fixed limit (thesis 002, 3.2; Portals 3.2 specification). They know nothing
// of time, processes or NALs.
#ifndef NETSIM_MODELS_PORTALS_TABLES_H
#define NETSIM_MODELS_PORTALS_TABLES_H

#include "models/portals/nal.h"
#include "sim/core/time.h"

// The events of Portals 3.2 (thesis 002, A.1).
enum portals_event_kind {
    PORTALS_GET_START,
    PORTALS_GET_END,
    PORTALS_GET_FAIL,
    PORTALS_PUT_START,
    PORTALS_PUT_END,
    PORTALS_PUT_FAIL,
    PORTALS_REPLY_START,
    PORTALS_REPLY_END,
    PORTALS_REPLY_FAIL,
    PORTALS_EVENT_ACK,
    PORTALS_SEND_START,
    PORTALS_SEND_END,
    PORTALS_SEND_FAIL,
    PORTALS_UNLINK,
    PORTALS_EVENT_KINDS
};

// Programs count events of these kinds, and the loss of events.
#define PORTALS_EVENT_DROPPED PORTALS_EVENT_KINDS
#define PORTALS_EVENTS_COUNTED (PORTALS_EVENT_KINDS + 1)

extern const char *const portals_event_names[PORTALS_EVENT_KINDS + 1]; // "get_start" ...; NULL

struct portals_event {
    enum portals_event_kind kind;
    struct portals_id initiator;
    int32_t portal;
    uint32_t request; // of the operation of this process that the event is of; 0: none
    uint64_t match_bits, header_data;
    int64_t rlength, mlength, offset;
    sim_time time; // when it is written: no reader sees it earlier
};

// An event queue: a ring whose size is a power of two. When it is full, the library overwrites
// events that were not taken.
struct portals_eq {
    const char *name; // interned; NULL: the first, or free
    bool used;
    struct portals_event *ring;
    uint32_t size;
    uint64_t written, taken; // events in all
};

enum portals_md_option {
    PORTALS_OP_PUT = 1,
    PORTALS_OP_GET = 2,
    PORTALS_MANAGE_REMOTE = 4,
    PORTALS_TRUNCATE = 8,
    PORTALS_ACK_DISABLE = 16,
};

#define PORTALS_INFINITE (-1) // threshold

struct portals_md {
    const char *name; // interned; NULL: free
    bool used, unlink;
    bool dead; // unlinked: it takes no operation, and goes with the last one under way
    unsigned options;
    int64_t start, length;
    int64_t most_offset; // of what it manages itself: at it, the MD counts as full
    int64_t threshold;   // operations left, or PORTALS_INFINITE
    int64_t offset;      // local
    int64_t pending;     // operations under way
    struct portals_eq *eq;
    struct portals_me *me;   // whose it is; NULL: bound
    struct portals_md *next; // of the same ME
};

struct portals_me {
    const char *name;
    bool used, unlink;
    struct portals_id from; // PORTALS_ANY for any
    uint64_t match_bits, ignore_bits;
    int32_t portal;
    struct portals_md *mds; // in the order of their attachment; the first counts
    struct portals_me *next;
};

struct portals_limits {
    int64_t entries, descriptors, queues, access, table; // the last: indexes of the PT
};

struct portals_tables {
    struct portals_limits asked, granted;
    struct portals_me **table; // by portal index: the first of its list
    struct portals_me *mes;    // granted.entries of them
    struct portals_md *mds;    // granted.descriptors, and one for each queue (portals_md_unnamed)
    struct portals_eq *eqs;
};

#define PORTALS_MOST_ENTRIES 2048 // what the library grants at most
#define PORTALS_MOST_DESCRIPTORS 2048
#define PORTALS_MOST_QUEUES 512
#define PORTALS_MOST_TABLE 256

void portals_tables_init(struct portals_tables *tables, const struct portals_limits *asked);
void portals_tables_clear(struct portals_tables *tables);

// ---- Event queues ----

// Makes one of at least `slots` events. Returns NULL if none is left.
struct portals_eq *portals_eq_new(struct portals_tables *tables, const char *name, int64_t slots);
struct portals_eq *portals_eq_find(const struct portals_tables *tables, const char *name);
// Returns true if that overwrote an event that was not taken.
bool portals_eq_write(struct portals_eq *eq, const struct portals_event *event);

enum portals_eq_got { PORTALS_EQ_EMPTY, PORTALS_EQ_EVENT, PORTALS_EQ_DROPPED };

// Takes the oldest event that is visible at `now`. PORTALS_EQ_DROPPED: like PORTALS_EQ_EVENT, but
// events before it are lost; it is returned once for all of them.
enum portals_eq_got portals_eq_get(struct portals_eq *eq, sim_time now,
                                   struct portals_event *event);

// ---- Match entries and memory descriptors ----

enum portals_position { PORTALS_AT_END, PORTALS_BEFORE, PORTALS_AFTER };

// Puts an entry like *like into the list of its portal: at its end, or before or after `other`.
// Returns NULL if no entry is left. The portal is one of the table.
struct portals_me *portals_me_attach(struct portals_tables *tables, const struct portals_me *like,
                                     enum portals_position position, struct portals_me *other);
struct portals_me *portals_me_find(const struct portals_tables *tables, const char *name);
// Takes it out of its list, with its descriptors.
void portals_me_unlink(struct portals_tables *tables, struct portals_me *me);

// Adds a descriptor like *like to an entry, after those that it has; `me` NULL: binds it. Returns
// NULL if none is left.
struct portals_md *portals_md_attach(struct portals_tables *tables, const struct portals_md *like,
                                     struct portals_me *me);
struct portals_md *portals_md_find(const struct portals_tables *tables, const char *name);
// The one of `eq` that stands for those that a program has bound before. It has no end and does
// not count among those granted.
struct portals_md *portals_md_unnamed(struct portals_tables *tables, struct portals_eq *eq);
// Takes it out of its entry, and frees it if nothing is under way; else portals_md_release does.
void portals_md_unlink(struct portals_tables *tables, struct portals_md *md);

// An operation takes one off the threshold, and is under way from now on. If none is left and the
// descriptor unlinks itself, it takes no more.
void portals_md_use(struct portals_tables *tables, struct portals_md *md);
// The operation has ended. Returns true if that unlinks (and frees) the descriptor by itself.
bool portals_md_release(struct portals_tables *tables, struct portals_md *md);

#endif
