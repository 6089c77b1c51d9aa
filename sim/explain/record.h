// SPDX-License-Identifier: GPL-3.0-or-later
// A record of a run's time: a trace sink that keeps every piece of work in memory, lane by lane,
// with what is needed to find out afterwards which piece had to wait for which.
//
// A lane is a resource: a processor, a bus, one direction of a link. Its group is the host or
// switch it belongs to; a link's lane ("wire a->b") belongs to both of its ends.
//
// Memory grows with the time that is kept (48 B per piece), of which record_forget() drops a part.
// A record that is full drops what has ended, and is idle from then on.
#ifndef NETSIM_EXPLAIN_RECORD_H
#define NETSIM_EXPLAIN_RECORD_H

#include "sim/core/trace.h"

#include <glib.h>
#include <stdbool.h>

#define RECORD_MOST_PIECES 20000000u
// So many pieces are collected before an idle record drops those that have ended.
#define RECORD_IDLE_PIECES (1u << 18)

enum piece_kind {
    PIECE_WORK,  // something was busy
    PIECE_DELAY, // a latency: nothing was busy
    PIECE_GAP,   // the lane was taken and carried nothing
    PIECE_STALL, // the lane's packet was held back by what is ahead of it
};

struct piece {
    sim_time from, to;         // from < to
    const struct stage *stage; // NULL: a gap
    const char *sender;        // of a packet on a link: its host, interned; NULL: unknown
    struct message_ref message;
    uint32_t slice : 30; // index into the lane's slices, counted from 1; 0: not a processor's work
    uint32_t kind : 2;   // enum piece_kind
};

// A handler's time on a processor, from its start to its end, interruptions included.
struct slice_span {
    sim_time from, to;
    int class; // 0 goes first
};

// The lane was busy on its own account, with work that delayed no message.
struct load {
    sim_time from, to;
};

// The lane's queue grew (+1) or shrank (-1) at `when`.
struct queue_step {
    sim_time when;
    int change;
};

// A packet got its link at `to`; it had been queued since `from`, and first in the queue since
// `asked`.
struct packet_wait {
    sim_time from, asked, to;
};

struct lane_record {
    const char *group, *name; // interned
    enum trace_lane_kind kind;
    const char *link;         // a link's: "a->b", or "a->b#2"; else NULL
    const char *ends[2];      // a link's: the groups that it joins; else NULL
    GArray *pieces;           // struct piece, by end once record_settle has run
    GArray *slices;           // struct slice_span, of a processor
    GArray *loads;            // struct load
    GArray *steps;            // struct queue_step, by time after record_settle
    GArray *queued;           // struct packet_wait, of a link: of packets that waited, by end
    struct trace_note packet; // the last TRACE_PACKET, whose span has not come yet
    sim_time asked;           // when that packet, or an earlier one, became first in the queue
    sim_time stalled;         // start of the time that packet was held back; TIME_NEVER: none
    GArray *waits; // struct sleep: those that held messages up, by end after record_settle
};

// A process slept, or a message could not go on.
struct sleep {
    const char *where, *what; // "rank 0", interned; static
    guint lane;               // of its processor, an index
    sim_time from, to;
    enum wait_class wait;
};

struct record {
    struct trace trace;      // give &record->trace to run_case
    GPtrArray *lanes;        // struct lane_record *; trace lane n is at n - 1
    GArray *sleeps;          // struct sleep
    guint pieces, most;      // kept, and at most: RECORD_MOST_PIECES
    sim_time lost;           // pieces that ended until then may be missing; -1: none is
    const struct sim *clock; // shows what has ended; NULL: pieces beyond the largest number are
                             // lost
    bool idle;               // nothing that has ended is wanted
    guint idle_limit;        // pieces at which an idle record drops what has ended
    void (*overflow)(void *owner); // all that has ended is about to be dropped; or NULL
    void *owner;
};

// The classes of processor time, indexed by `class`; CPU_CLASSES of them.
extern const char *const record_classes[];
#define RECORD_CLASSES 3

struct record *record_new(void);
void record_free(struct record *record);

// To be called before the record is read: sorts the pieces of each lane by their ends.
void record_settle(struct record *record);

// Drops what had ended by `when`, but for the last work of each lane.
void record_forget(struct record *record, sim_time when);

static inline struct lane_record *record_lane(const struct record *record, guint index)
{
    return g_ptr_array_index(record->lanes, index);
}

// Whether the lane is a direction of a link.
static inline bool lane_is_link(const struct lane_record *lane)
{
    return lane->kind == TRACE_LINK;
}

// Whether the lane belongs to the group.
bool lane_of_group(const struct lane_record *lane, const char *group);

// Whether both lanes belong to one group, so that what ends on one can start something on the
// other.
bool lanes_related(const struct lane_record *a, const struct lane_record *b);

#endif
