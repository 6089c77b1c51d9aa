// SPDX-License-Identifier: GPL-3.0-or-later
// What a run may tell about itself while it goes: spans on lanes (a CPU, a bus, a NIC engine, a
// wire, a switch port), protocol transitions, and one arrow a message. Sinks (timeline file, state
// log) are in sim/output; without a sink every call is one test of a pointer.
#ifndef NETSIM_CORE_TRACE_H
#define NETSIM_CORE_TRACE_H

#include "sim/core/ledger.h"
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

struct trace_ops {
    trace_lane (*lane)(struct trace *trace, const char *group, const char *name);
    void (*span)(struct trace *trace, trace_lane lane, const char *name, sim_time from, sim_time to,
                 struct message_ref message);
    // A message's arrow: its start, each step and its end, by the lane and the time it touches.
    void (*flow)(struct trace *trace, trace_lane lane, struct message_ref message, char phase,
                 sim_time when);
    void (*transition)(struct trace *trace, trace_lane lane, sim_time when,
                       const struct trace_transition *transition);
};

#define TRACE_FLOW_START 's'
#define TRACE_FLOW_STEP 't'
#define TRACE_FLOW_END 'f'

// The first member of every sink.
struct trace {
    const struct trace_ops *ops;
};

// A lane named `name` in the group (process) `group`; 0 if nothing is traced. Strings are copied.
static inline trace_lane trace_lane_new(struct trace *trace, const char *group, const char *name)
{
    return trace ? trace->ops->lane(trace, group, name) : 0;
}

// `name` is static or interned.
static inline void trace_span(struct trace *trace, trace_lane lane, const char *name, sim_time from,
                              sim_time to, struct message_ref message)
{
    if (trace)
        trace->ops->span(trace, lane, name, from, to, message);
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

#endif
