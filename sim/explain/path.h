// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path through a record: from the end of an interval back to its start, always to the
// piece of work that had to end before the next could begin. The parts cover the interval without
// gap or overlap, so that they add up to it exactly.
//
// How a cause is found: work begins at the picosecond at which its cause ended, on the same lane
// (it was its turn), or on another lane of the same host, switch or link. Among several pieces that
// ended then, one of the same lane is preferred, then one of the same message. A handler's work
// resumes after what interrupted it; its start is never attributed to what it interrupted. A packet
// that a cut-through switch passes on, and a frame that was loaded when the FIFO had room, begin
// while the piece before them continues: then the path leaves that piece in the middle. Time that
// no piece explains is waiting, for a timer or for something that the model does not trace; if a
// process of the host slept then, the stage's name has what for.
//
// A packet may wait for its link while packets of other hosts are ahead of it. Then the path does
// not continue with what these waited for, but with the packet's own path, from the time at which
// it could have had the link. The link's time until then is attributed to the senders of the
// packets it carried. Packets of the same host ahead of it are its host's own work, and the path
// follows them.
//
// A message that is held up (for a credit, a descriptor, an ACK, a window) continues when the
// awaited event comes, and the path leads there. Its parts between the beginning and the end of
// such a wait carry the wait's name besides their own, except for what the waiting process itself
// does meanwhile. Of nested waits the outermost counts.
#ifndef NETSIM_EXPLAIN_PATH_H
#define NETSIM_EXPLAIN_PATH_H

#include "sim/explain/record.h"

// A part of the path; strings are interned or static.
struct path_part {
    const char *stage;
    enum stage_class class;
    bool bare;      // it is a wait that holds messages up, of unknown cause
    const char *by; // the cause of queueing: "packets of node1", "no place at node1"; else NULL
    enum wait_class held;       // what held the message up meanwhile; WAIT_OTHER: nothing
    struct message_ref message; // whose packet is on a link, else none
    trace_lane lane;            // that was busy with it; 0: none, as it is a latency or a wait
    trace_lane at;              // where the path was, busy or not
    sim_time from, to;
};

// Called for each part, last to first.
typedef void path_part_fn(void *owner, const struct path_part *part);

// Walks back from `to` (on lane number `lane` of a settled record, counted from 1) to `from`.
void path_walk(const struct record *record, trace_lane lane, sim_time from, sim_time to,
               path_part_fn *part, void *owner);

#endif
