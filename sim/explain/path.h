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
#ifndef NETSIM_EXPLAIN_PATH_H
#define NETSIM_EXPLAIN_PATH_H

#include "sim/explain/record.h"

#define STAGE_WAITING "waiting"

// A part of the path: `stage` is interned or static. Told from the last to the first.
typedef void path_part_fn(void *owner, const char *stage, sim_time from, sim_time to);

// Walks back from `to` (on lane number `lane` of a settled record, counted from 1) to `from`.
void path_walk(const struct record *record, trace_lane lane, sim_time from, sim_time to,
               path_part_fn *part, void *owner);

#endif
