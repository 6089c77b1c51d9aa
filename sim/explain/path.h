// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path through a record: from the end of an interval back to its start, always to the
// piece of work that had to end before the next could begin. The parts fill the interval without
// gap or overlap, so that they add up to it exactly.
//
// How a cause is found: work begins at the picosecond at which what it waited for ended, on the
// same lane (it was its turn), or on another lane of the same host, switch or link. Of several
// pieces that ended then, one of the same lane goes first, then one of the same message. A
// handler's work goes on behind what interrupted it; its start is never laid to what it
// interrupted. A packet that a cut-through switch passes on, and a frame that was loaded when the
// FIFO had room, begin while the piece before them goes on: then the path leaves that piece in
// its midst. What no piece explains is waiting, for a timer or for what the model does not trace;
// if a process of the host slept then, the stage's name says what for.
//
// A packet waits for its link behind others: those of other hosts. Then the path does not go on
// with what these had waited for, but with the packet's own way: from when it could have had the
// link. What the link did until then is told by whose packets it carried. Packets of the same host
// before it are its host's own work, and the path follows them.
//
// A message that is held up (for a credit, a descriptor, an ACK, a window) goes on when what it
// waits for comes, and the path leads on to there. Its parts between the beginning and the end of
// such a wait carry the wait's name beside their own, but for what the process that waits does
// itself meanwhile. Of waits within waits the outermost counts.
#ifndef NETSIM_EXPLAIN_PATH_H
#define NETSIM_EXPLAIN_PATH_H

#include "sim/explain/record.h"

// A part of the path; strings are interned or static.
struct path_part {
    const char *stage;
    enum stage_class class;
    bool bare;      // it is a wait that holds messages up, and no more is known of it
    const char *by; // of waiting behind others: "packets of node1", "no place at node1"; else NULL
    enum wait_class held;       // what held the message up meanwhile; WAIT_OTHER: nothing
    struct message_ref message; // whose packet is on a link, else none
    trace_lane lane;            // that was busy with it; 0: none, it is a latency or a wait
    sim_time from, to;
};

// Told from the last to the first.
typedef void path_part_fn(void *owner, const struct path_part *part);

// Walks back from `to` (on lane number `lane` of a settled record, counted from 1) to `from`.
void path_walk(const struct record *record, trace_lane lane, sim_time from, sim_time to,
               path_part_fn *part, void *owner);

#endif
