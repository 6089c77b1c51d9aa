// SPDX-License-Identifier: GPL-3.0-or-later
// What a run may tell about itself while it goes: spans on lanes (a CPU, a bus, a NIC engine, a
// wire, a switch port), protocol transitions, and one arrow a message. Sinks (timeline file, state
// log) are in sim/output; without a sink every call is one test of a pointer.
#ifndef NETSIM_CORE_TRACE_H
#define NETSIM_CORE_TRACE_H

#include "sim/core/ledger.h"
#include "sim/core/stage.h"
#include "sim/core/time.h"

#include <stdint.h>

struct trace;

typedef uint32_t trace_lane; // 0: no lane

// A protocol machine took a step. All strings are static or interned.
struct trace_transition {
    const char *where;   // "rank 0"
    const char *machine; // "request", "vi", "pin cache"
    int64_t subject;     // number of the request, VI ...
    const char *from;    // state before, or NULL
    const char *to;      // state after, or the event
    const char *detail;  // or NULL; copied
};

// What a resource has to tell beside its spans, for those who explain where time went: how long it
// was held without work being seen on it, and who waited for it. `name` is static or interned.
enum trace_note_kind {
    // A processor's handler held the lane, interruptions included; told at its end, before its
    // spans. class: its class.
    TRACE_SLICE,
    TRACE_DELAY, // a message's way takes this time, and nothing is busy: a latency. stage: of what
    TRACE_GAP,   // the lane was taken, but carried nothing: the gap between two frames
    // Whose packet the lane's next span is. name: the host that sent it; it waited for the lane
    // since `from`, and got it at `to`.
    TRACE_PACKET,
    TRACE_ASKED,   // and it could have had it from `from` on; told before TRACE_PACKET
    TRACE_STALL,   // the lane's packet was held back on it by what is ahead; told before its span
    TRACE_LOAD,    // the lane was busy, and nobody waited for it
    TRACE_JOIN,    // one more waits for the lane, at `from`
    TRACE_LEAVE,   // one less does, at `from`
    TRACE_BLOCKED, // a process slept. wait: what for; where: which process
    TRACE_HELD,    // a message could not go on. wait: what it waited for; where: who held it
};

struct trace_note {
    enum trace_note_kind kind;
    const char *name;
    int class;                 // of TRACE_SLICE: 0 goes first
    const struct stage *stage; // of TRACE_DELAY
    const struct wait *wait;   // of TRACE_BLOCKED and TRACE_HELD; both stay as long as the trace
    const char *where;         // or NULL
    sim_time from, to;
    struct message_ref message;
};

// What a lane is.
enum trace_lane_kind {
    TRACE_RESOURCE, // what works: a processor, a bus, an engine or a memory of a card
    TRACE_LINK,     // one direction of a link
    TRACE_QUEUE,    // where packets wait for a link; nothing works there
};

// A lane that is asked for. The strings are copied.
struct trace_lane_info {
    const char *group, *name; // of the host or switch it belongs to, or "network"; and its own
    enum trace_lane_kind kind;
    const char *link;    // of a link: how it is called without "wire", "a->b" or "a->b#2"
    const char *ends[2]; // of a link: the groups that it leads from and to
};

struct trace_ops {
    trace_lane (*lane)(struct trace *trace, const struct trace_lane_info *info);
    void (*span)(struct trace *trace, trace_lane lane, const struct stage *stage, sim_time from,
                 sim_time to, struct message_ref message);
    // A message's arrow: its start, each step and its end, by the lane and the time it touches.
    void (*flow)(struct trace *trace, trace_lane lane, struct message_ref message, char phase,
                 sim_time when);
    void (*transition)(struct trace *trace, trace_lane lane, sim_time when,
                       const struct trace_transition *transition);
    void (*note)(struct trace *trace, trace_lane lane, const struct trace_note *note); // may be
                                                                                       // NULL
};

#define TRACE_FLOW_START 's'
#define TRACE_FLOW_STEP 't'
#define TRACE_FLOW_END 'f'

// The first member of every sink.
struct trace {
    const struct trace_ops *ops;
};

// A lane; 0 if nothing is traced.
static inline trace_lane trace_lane_add(struct trace *trace, const struct trace_lane_info *info)
{
    return trace ? trace->ops->lane(trace, info) : 0;
}

// The lane of a resource.
static inline trace_lane trace_lane_new(struct trace *trace, const char *group, const char *name)
{
    return trace_lane_add(trace, &(struct trace_lane_info){.group = group, .name = name});
}

// `stage` stays as long as the trace.
static inline void trace_span(struct trace *trace, trace_lane lane, const struct stage *stage,
                              sim_time from, sim_time to, struct message_ref message)
{
    if (trace)
        trace->ops->span(trace, lane, stage, from, to, message);
}

static inline void trace_flow(struct trace *trace, trace_lane lane, struct message_ref message,
                              char phase, sim_time when)
{
    if (trace)
        trace->ops->flow(trace, lane, message, phase, when);
}

static inline void trace_transition(struct trace *trace, trace_lane lane, sim_time when,
                                    const struct trace_transition *transition)
{
    if (trace)
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

// Somebody waits for the lane from `from` to `to`.
static inline void trace_queued(struct trace *trace, trace_lane lane, sim_time from, sim_time to)
{
    if (!trace || to <= from)
        return;
    trace_note(trace, lane, &(struct trace_note){.kind = TRACE_JOIN, .from = from, .to = from});
    trace_note(trace, lane, &(struct trace_note){.kind = TRACE_LEAVE, .from = to, .to = to});
}

#endif
