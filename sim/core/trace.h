// SPDX-License-Identifier: GPL-3.0-or-later
// The trace of a run: spans on lanes (a CPU, a bus, a NIC engine, a wire, a switch port), protocol
// transitions, one arrow per message, and values over time. Sinks (timeline file, state log, file
// of values) are in sim/output. Without a sink every call costs one test of a pointer.
#ifndef NETSIM_CORE_TRACE_H
#define NETSIM_CORE_TRACE_H

#include "sim/core/ledger.h"
#include "sim/core/stage.h"
#include "sim/core/time.h"

#include <stdbool.h>
#include <stdint.h>

struct trace;

typedef uint32_t trace_lane; // 0: no lane

// One step of a protocol's state machine. All strings are static or interned.
struct machine_state;

struct trace_transition {
    const char *where;                 // "rank 0"
    const char *machine;               // "request", "vi", "pin cache"
    int64_t subject;                   // number of the request, VI ...
    const char *from;                  // state before, or NULL
    const char *to;                    // state after, or the event
    const char *detail;                // or NULL; copied
    const struct machine_state *state; // the row of `to`; NULL: an event, no state of a machine
};

// Extra records for `netsim explain`, besides spans: how long a resource was held without visible
// work, and waits for it. `name` is static or interned.
enum trace_note_kind {
    // A processor's handler held the lane, interruptions included. Recorded at its end, before its
    // spans. class: the handler's.
    TRACE_SLICE,
    TRACE_DELAY, // a latency: the message takes this time while no resource is busy. stage: the
                 // cause
    TRACE_GAP,   // the lane was held but carried nothing: the gap between two frames
    // The packet of the lane's next span. name: the host that sent it. It waited for the lane since
    // `from` and got it at `to`.
    TRACE_PACKET,
    TRACE_ASKED, // the packet could have used the lane from `from` on; recorded before TRACE_PACKET
    TRACE_STALL, // the lane's packet was held back on it by packets ahead; recorded before its span
    TRACE_LOAD,  // the lane was busy while nothing waited for it
    TRACE_JOIN,  // at `from`, one more starts to wait for the lane
    TRACE_LEAVE, // at `from`, one stops waiting
    TRACE_BLOCKED, // a process slept. wait: what for; where: which process
    TRACE_HELD, // a message could not go on. wait: what it waited for; where: the process that held
                // it
};

struct trace_note {
    enum trace_note_kind kind;
    const char *name;
    int class;                 // of TRACE_SLICE: 0 goes first
    const struct stage *stage; // of TRACE_DELAY
    const struct wait *wait;   // of TRACE_BLOCKED and TRACE_HELD; stage and wait must outlive the
                               // trace
    const char *where;         // or NULL
    const struct trace_packet *packet; // of TRACE_PACKET
    sim_time from, to;
    struct message_ref message;
};

// A packet's kind, in its protocol's words.
struct trace_words {
    char text[48];        // "TCP ACK", "M-VIA RDMA write"; cut off at its end
    int64_t sequence;     // its number in its protocol; -1: none
    int64_t acknowledges; // the number that its sender expects next; -1: none
    bool answers;         // it has no data and reports what has arrived
};

// A packet on a link.
struct trace_packet {
    const void *identity;  // the same on all its links; another packet may have it later
    int hop;               // 0: the link is its first
    const char *from, *to; // hosts; static
    uint32_t bytes;        // of its frame
    int64_t offset;        // in its message, of `length` bytes
    uint32_t length;
    sim_time propagation, latency; // after its last bit: on the link, and in the switch at its end
    struct trace_words words;
};

// A mark: the fate of a message or packet, at a time. All strings are static or
// interned.
enum trace_mark_kind { TRACE_DROP, TRACE_TIMEOUT, TRACE_REPEAT };

struct trace_mark {
    enum trace_mark_kind kind;
    const char *what;     // why it was dropped; which timer; what was sent again
    const char *where;    // the host of it; NULL: not known
    const void *packet;   // of TRACE_DROP: its identity; else NULL
    sim_time since, when; // of TRACE_TIMEOUT: since when it was awaited
    struct message_ref message;
};

// A message, when it is opened.
struct trace_message {
    uint64_t number; // of the ledger
    int source, destination;
    int64_t bytes;
};

// A call of a program: -1 for what it does not have.
struct trace_call {
    int peer;
    int64_t bytes, tag;
};

enum trace_lane_kind {
    TRACE_RESOURCE, // does work: a processor, a bus, an engine or a memory of a card
    TRACE_LINK,     // one direction of a link
    TRACE_QUEUE,    // where packets wait for a link; does no work
    TRACE_ACTIVITY, // what a program or a connection is doing; does no work
    TRACE_RING,     // as TRACE_RESOURCE; what waits for it is in a ring of descriptors
};

// Describes a lane. The strings are copied.
struct trace_lane_info {
    const char *group, *name; // group: name of the host or switch that it belongs to, or "network"
    enum trace_lane_kind kind;
    const char *link;    // of a link: its name without "wire": "a->b" or "a->b#2"
    const char *ends[2]; // of a link: the groups at its ends, from and to
};

// A quantity that changes over time: "cwnd" in "B". The strings are static.
struct trace_quantity {
    const char *name, *unit;
};

typedef uint32_t trace_values; // 0: the sink ignores values

// The owner of quantities: a connection, a path. The strings are copied; the quantities must
// outlive the trace.
struct trace_values_info {
    const char *group; // name of the host, as of a lane
    const char *name;  // "tcp 1 to node1"
    const struct trace_quantity *quantities;
    int count;
};

// A sink's functions, by kind of event. NULL: it ignores them.
struct trace_ops {
    trace_lane (*lane)(struct trace *trace, const struct trace_lane_info *info);
    void (*span)(struct trace *trace, trace_lane lane, const struct stage *stage, sim_time from,
                 sim_time to, struct message_ref message);
    // A message is opened, before its arrow begins.
    void (*message)(struct trace *trace, struct message_ref message,
                    const struct trace_message *info);
    // A point of a message's arrow (its start, a step or its end): the lane and the time.
    void (*flow)(struct trace *trace, trace_lane lane, struct message_ref message, char phase,
                 sim_time when);
    void (*transition)(struct trace *trace, trace_lane lane, sim_time when,
                       const struct trace_transition *transition);
    void (*note)(struct trace *trace, trace_lane lane, const struct trace_note *note);
    // NULL: the sink has no lanes of kind TRACE_ACTIVITY.
    // call: of a program's call; else NULL.
    void (*activity)(struct trace *trace, trace_lane lane, const char *name, sim_time when,
                     const struct trace_call *call);
    void (*mark)(struct trace *trace, const struct trace_mark *mark);
    // Both or none.
    trace_values (*values)(struct trace *trace, const struct trace_values_info *info);
    void (*value)(struct trace *trace, trace_values values, int quantity, sim_time when,
                  int64_t value);
};

#define TRACE_FLOW_START 's'
#define TRACE_FLOW_STEP 't'
#define TRACE_FLOW_END 'f'

// The first member of every sink.
struct trace {
    const struct trace_ops *ops;
};

// Adds a lane. Returns 0 if nothing is traced.
static inline trace_lane trace_lane_add(struct trace *trace, const struct trace_lane_info *info)
{
    return trace && trace->ops->lane ? trace->ops->lane(trace, info) : 0;
}

// Adds the lane of a resource. Returns 0 if nothing is traced.
static inline trace_lane trace_lane_new(struct trace *trace, const char *group, const char *name)
{
    return trace_lane_add(trace, &(struct trace_lane_info){.group = group, .name = name});
}

// `stage` must outlive the trace.
static inline void trace_span(struct trace *trace, trace_lane lane, const struct stage *stage,
                              sim_time from, sim_time to, struct message_ref message)
{
    if (trace && trace->ops->span)
        trace->ops->span(trace, lane, stage, from, to, message);
}

static inline void trace_open(struct trace *trace, struct message_ref message,
                              const struct trace_message *info)
{
    if (trace && trace->ops->message)
        trace->ops->message(trace, message, info);
}

static inline void trace_mark(struct trace *trace, const struct trace_mark *mark)
{
    if (trace && trace->ops->mark)
        trace->ops->mark(trace, mark);
}

// `what` is sent again by a host (NULL: not known).
static inline void trace_repeat(struct trace *trace, const char *what, const char *where,
                                sim_time when)
{
    trace_mark(trace, &(struct trace_mark){
                          .kind = TRACE_REPEAT, .what = what, .where = where, .when = when});
}

static inline void trace_flow(struct trace *trace, trace_lane lane, struct message_ref message,
                              char phase, sim_time when)
{
    if (trace && trace->ops->flow)
        trace->ops->flow(trace, lane, message, phase, when);
}

static inline void trace_transition(struct trace *trace, trace_lane lane, sim_time when,
                                    const struct trace_transition *transition)
{
    if (trace && trace->ops->transition)
        trace->ops->transition(trace, lane, when, transition);
}

static inline void trace_note(struct trace *trace, trace_lane lane, const struct trace_note *note)
{
    if (trace && trace->ops->note)
        trace->ops->note(trace, lane, note);
}

static inline void trace_delay(struct trace *trace, trace_lane lane, const struct stage *stage,
                               sim_time from, sim_time to, struct message_ref message)
{
    if (trace && to > from)
        trace_note(
            trace, lane,
            &(struct trace_note){
                .kind = TRACE_DELAY, .stage = stage, .from = from, .to = to, .message = message});
}

// Adds a lane of activities. Returns 0 if the sink has none.
static inline trace_lane trace_activity_lane(struct trace *trace, const char *group,
                                             const char *name)
{
    return trace && trace->ops->activity
               ? trace_lane_add(trace, &(struct trace_lane_info){.group = group,
                                                                 .name = name,
                                                                 .kind = TRACE_ACTIVITY})
               : 0;
}

// From `when` on a program or a connection is doing `name` (static or interned; NULL: nothing). A
// time before an earlier call's counts as that. With lane 0 it does nothing.
static inline void trace_activity(struct trace *trace, trace_lane lane, const char *name,
                                  sim_time when)
{
    if (lane)
        trace->ops->activity(trace, lane, name, when, NULL);
}

// trace_activity for a call of a program.
static inline void trace_calls(struct trace *trace, trace_lane lane, const char *name,
                               sim_time when, const struct trace_call *call)
{
    if (lane)
        trace->ops->activity(trace, lane, name, when, call);
}

// Returns true if the sink takes values; callers that announce them with the first value ask
// before.
static inline bool trace_takes_values(const struct trace *trace)
{
    return trace && trace->ops->values;
}

// Announces quantities, whose values trace_value then reports. Returns 0 if the sink ignores them.
static inline trace_values trace_values_new(struct trace *trace,
                                            const struct trace_values_info *info)
{
    return trace_takes_values(trace) ? trace->ops->values(trace, info) : 0;
}

// Announces them if `*values` is 0, for owners that do so with their first value. The name is made
// from the format; that of `info` is not read.
void trace_values_once(struct trace *trace, trace_values *values, struct trace_values_info info,
                       const char *format, ...) G_GNUC_PRINTF(4, 5);

// The quantity, an index into those announced, has this value from `when` on. A handler's clock may
// be ahead of that of the next one: a time before an earlier call's counts as that. The same value
// may be reported again, and of several values at one time the last counts. With `values` 0 it does
// nothing.
static inline void trace_value(struct trace *trace, trace_values values, int quantity,
                               sim_time when, int64_t value)
{
    if (values)
        trace->ops->value(trace, values, quantity, when, value);
}

// Something waits for the lane from `from` to `to`.
static inline void trace_queued(struct trace *trace, trace_lane lane, sim_time from, sim_time to)
{
    if (!trace || to <= from)
        return;
    trace_note(trace, lane, &(struct trace_note){.kind = TRACE_JOIN, .from = from, .to = from});
    trace_note(trace, lane, &(struct trace_note){.kind = TRACE_LEAVE, .from = to, .to = to});
}

#endif
