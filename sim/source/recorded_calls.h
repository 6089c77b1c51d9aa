// SPDX-License-Identifier: GPL-3.0-or-later
// The calls of a source as those of a recording, for what writes recordings: the opposite of
// recording_source.h. Collectives stay what they are. A recording has MPI calls and the work
// between them; loops, clocks and measurements, which take no time, are left out.
#ifndef NETSIM_SOURCE_RECORDED_CALLS_H
#define NETSIM_SOURCE_RECORDED_CALLS_H

#include "sim/recording/recording.h"
#include "sim/source/source.h"

struct recorded_calls {
    struct op_source *source;
    int ranks;
    int64_t speed; // operations that a rank does per second, at least 1: what its work is counted
                   // in
    struct op_call from; // the source's call after the last one
    const char *why;     // after SOURCE_WRONG: `from` cannot be evaluated, or no recording has it
};

// Yields the rank's next call that a recording has: SOURCE_CALL, SOURCE_END or SOURCE_WRONG, after
// which the caller must not continue. The data that the call points at are valid until the next
// one.
enum source_next recorded_calls_next(struct recorded_calls *calls, int rank,
                                     struct recorded_call *call);

#endif
