// SPDX-License-Identifier: GPL-3.0-or-later
// The record of a run for the diagram of one message: a record (record.h) and, from when the
// message is opened, packets, steps of state machines, calls of programs and time-outs.
#ifndef NETSIM_EXPLAIN_DIAGRAM_RECORD_H
#define NETSIM_EXPLAIN_DIAGRAM_RECORD_H

#include "sim/explain/diagram.h"
#include "sim/explain/record.h"

// A program, by its rank's name, and the call that it is in.
struct diagram_program {
    const char *rank, *host; // "rank 0", "node0"
    const char *name;        // NULL: none
    sim_time since;
    struct trace_call call;
};

// A program's call that has ended.
struct diagram_call {
    guint program; // index
    const char *name;
    sim_time from, to;
    struct trace_call call;
};

// A step or a time-out where it was recorded.
struct diagram_event {
    trace_lane lane; // 0: none
    struct diagram_step step;
};

// A hop of an arrow; NULL: none.
struct diagram_pending {
    struct diagram_arrow *arrow;
    guint hop;
};

struct diagram_record {
    struct trace trace;
    struct record *record;
    const struct sim *sim;
    uint64_t number;            // of the wanted message; 0: the first that is measured,
    int64_t size;               // of so many bytes; -1: any
    uint64_t opened;            // messages so far
    struct trace_message first; // that is measured, of the size; number 0: none yet
    struct message_ref target;
    struct trace_message message;
    bool found, ended;
    sim_time from, to;
    trace_lane end;        // on which it ended
    GArray *programs;      // struct diagram_program; activity lane n is at n - 1
    GArray *calls;         // struct diagram_call
    GArray *steps, *marks; // struct diagram_event; struct diagram_timeout
    GPtrArray *arrows;     // struct diagram_arrow *
    GHashTable *under_way; // identity -> its last arrow
    GArray *pending;       // struct diagram_pending by record lane: whose span follows
};

// A time-out, and the host on which a timer expired.
struct diagram_timeout {
    const char *what, *where;
    sim_time since, when;
};

struct diagram_record *diagram_record_new(void);
void diagram_record_free(struct diagram_record *diagram);

// To be called when the run has begun, before its first event.
void diagram_record_begin(struct diagram_record *diagram, const struct sim *sim);

// Whether the message has ended, and all else that may belong to it.
bool diagram_record_enough(const struct diagram_record *diagram);

void diagram_arrow_clear(struct diagram_arrow *arrow);

#endif
