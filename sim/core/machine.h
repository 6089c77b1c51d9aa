// SPDX-License-Identifier: GPL-3.0-or-later
// A protocol's state machine. Its kind is a table of states in the words of its source, each with
// what it waits for and the states that may follow. Only machine_enter changes a state: it refuses
// a step that the table does not have, and traces every other. `netsim describe machine` prints and
// draws the tables (struct model, `machines`).
#ifndef NETSIM_CORE_MACHINE_H
#define NETSIM_CORE_MACHINE_H

#include "sim/core/time.h"
#include "sim/core/trace.h"

#include <stdbool.h>
#include <stdint.h>

#define MACHINE_STATES 64 // most states of a kind

// `next` of struct machine_state: these states, at most twelve, may follow. More are joined by |.
#define MACHINE_TO(...)                                                                            \
    MACHINE_BITS(__VA_ARGS__, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64)
#define MACHINE_BIT(state) ((state) < 64 ? UINT64_C(1) << ((state)&63) : 0)
#define MACHINE_BITS(a, b, c, d, e, f, g, h, i, j, k, l, end, ...)                                 \
    (MACHINE_BIT(a) | MACHINE_BIT(b) | MACHINE_BIT(c) | MACHINE_BIT(d) | MACHINE_BIT(e) |          \
     MACHINE_BIT(f) | MACHINE_BIT(g) | MACHINE_BIT(h) | MACHINE_BIT(i) | MACHINE_BIT(j) |          \
     MACHINE_BIT(k) | MACHINE_BIT(l) | 0 * sizeof(char[(end) == 64 ? 1 : -1]))

struct machine_state {
    const char *name;        // in the words of the source, as state logs have it. NULL, of state 0:
                             // its owner is new, and a log has no state for that
    struct wait wait;        // for the next event; a NULL text: for nothing in particular
    enum wait_holder holder; // of the wait
    uint64_t next;           // MACHINE_TO the states that may follow
};

// States are numbered from 0, in which a machine starts. Constant; outlives the run.
struct machine_kind {
    const char *name;   // as state logs have it, unless an owner has a name of its own: "tcp"
    const char *logged; // the names of owners, for people: "send, recv"; NULL: there are none; "":
                        // its steps are untraced
    const char *title;  // "TCP connection"; identifies the kind
    const char *source; // where its states and steps are from: "RFC 9293, figure 5"
    const struct machine_state *states;
    unsigned count; // of states, 1 .. MACHINE_STATES
};

// Embedded in its owner, from which its kind follows: a byte, since there may be a million. Any
// code may read it, machine_enter alone writes it. The owner's zeroed memory is state 0.
struct machine {
    uint8_t state;
};

// Whose machine takes a step, for traces: "node0", "rank 1", and the number there of the
// connection, queue pair ... The texts must outlive the trace.
struct machine_owner {
    const char *where;
    int64_t subject;
    const char *machine; // as state logs name it: "send", of a request; NULL: as its kind
};

// Takes the step to a state and traces it on the lane, with what caused it (`event`, or NULL; it is
// copied). A step that the kind's table lacks is an error of the model and aborts the program.
void machine_enter(const struct machine_kind *kind, struct machine *machine, unsigned state,
                   struct machine_owner owner, const char *event, struct trace *trace,
                   trace_lane lane, sim_time when);

// NULL before the first step of a kind whose state 0 has no name.
static inline const char *machine_state_name(const struct machine_kind *kind,
                                             const struct machine *machine)
{
    return kind->states[machine->state].name;
}

// Returns the wait of its state. NULL: none in particular.
static inline const struct wait *machine_wait(const struct machine_kind *kind,
                                              const struct machine *machine)
{
    const struct wait *wait = &kind->states[machine->state].wait;
    return wait->text ? wait : NULL;
}

// True if the kind has the step.
static inline bool machine_may(const struct machine_kind *kind, unsigned from, unsigned to)
{
    return kind->states[from].next >> to & 1;
}

#endif
