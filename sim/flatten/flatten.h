// SPDX-License-Identifier: GPL-3.0-or-later
// A flattened program: each rank's point-to-point requests, waits and local time, with collectives
// unfolded into the schedules of its library (sim/mpi/collective.h). A trace writer, or another
// model of the network, reads it.
//
// It is a stream: the state of a rank is its position, its open requests, and the schedule of its
// current collective. The simulated library's treatment of a request (limits, copies, envelopes) is
// not part of it.
#ifndef NETSIM_FLATTEN_FLATTEN_H
#define NETSIM_FLATTEN_FLATTEN_H

#include "sim/flatten/unfold.h"

struct flatten;

// Flattens the calls of `source` for `ranks` ranks, by the rules of `library` (NULL: no MPI
// library). Both must outlive it. The caller frees it with flatten_free.
struct flatten *flatten_new(struct op_source *source, int ranks,
                            const struct mpi_library_config *library);

// From now on the flattening owns its source.
void flatten_own_source(struct flatten *flatten);

void flatten_free(struct flatten *flatten);

// Yields the rank's next operation; ranks may be called in any order. Returns SOURCE_CALL,
// SOURCE_END or SOURCE_WRONG. After SOURCE_WRONG, op->call has what is wrong, and the caller must
// not continue. `op` is valid until the next call for the rank.
enum source_next flatten_next(struct flatten *flatten, int rank, struct flat_op *op);

// For a caller that runs the program: from now on calls that close one of several requests are
// FLAT_WAITANY, and clocks of the program FLAT_MEASURE. (Else the former are refused, since only a
// run determines which request is done first, and the latter left out.)
void flatten_ask(struct flatten *flatten);

// Answers the rank's FLAT_WAITANY, before its next operation: which of `awaited` it closes.
void flatten_took(struct flatten *flatten, int rank, int which);

// "isend", "irecv", "wait": as they are printed.
const char *flat_kind_name(enum flat_kind kind);

#endif
