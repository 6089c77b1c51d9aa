// SPDX-License-Identifier: GPL-3.0-or-later
// Where the operations of a program come from: a source is asked for one call after the other, rank
// by rank, and each comes flat and evaluated. Who runs calls (interpreter.h) or unfolds them
// (flatten.h) knows no loops, expressions or trees. A program as a tree is such a source
// (program_source.h), and so is a benchmark; a recorded trace can be one that reads along and keeps
// nothing whole in memory.
#ifndef NETSIM_WORKLOAD_SOURCE_H
#define NETSIM_WORKLOAD_SOURCE_H

#include "sim/program/program.h"
#include "sim/core/time.h"
#include "sim/mpi/group.h"
#include "sim/mpi/operation.h"

#include <stdbool.h>
#include <stdint.h>

#define CALL_NO_REQUEST (-1)
#define CALL_NO_ADDRESS (-1)

// One operation of one rank. What its kind does not have is zero, or as said. What it points at is
// the source's, and stays until the source is asked again, for whichever rank.
struct op_call {
    enum op_kind kind;
    const struct source_mark *mark; // where it was written; line 0: nowhere, by a benchmark
    const struct mpi_group *group;  // among which it communicates; NULL: all ranks
    int peer;       // a rank of the job; MPI_RANK_ANY: any, or all (fence), or the kind has none
    int source;     // of a sendrecv: the rank that it receives from, or MPI_RANK_ANY
    int root;       // of a collective: a rank
    int tag;        // >= 0; of receives and probes also MPI_TAG_ANY
    int64_t size;   // bytes
    int64_t count;  // of a loop: turns; of a measurement: repetitions
    sim_time time;  // of a computation
    int64_t buffer; // address; CALL_NO_ADDRESS: the call's own, by number
    int own_buffer; // calls of a rank with the same number share one; counted from 0
    int64_t receive_buffer;   // address; CALL_NO_ADDRESS: behind `buffer`
    int request;              // what the call starts under a name, by number; CALL_NO_REQUEST: none
    const char *request_name; // NULL: none
    const int *awaited;       // numbers of the requests that are waited for
    int awaited_count;
    bool awaits_all; // all that are open, instead
    int64_t parts;   // OP_MEASURE_STOP: divides a repetition's time
    bool reported;   // OP_MEASURE_STOP: the time is what the library has reported
    const struct mpi_operation *operation; // of OP_PUT to OP_CALL
    int64_t span;      // of these: bytes of the caller's memory that the data lie in
    const char *wrong; // SOURCE_WRONG: what is
};

enum source_next {
    SOURCE_CALL,  // a call to be run. A loop's beginning is one, in which nothing is to be done
    SOURCE_LAP,   // a repetition of the measurement under way has ended, of `count`; no call
    SOURCE_END,   // the rank has no more
    SOURCE_WRONG, // the call can't be evaluated: what is wrong with it, its kind and place
};

struct op_source {
    // The rank's next call. All that it says is legal: ranks are, tags, sizes and durations are
    // within their ranges. Allocates nothing once the rank's loops have been entered. After
    // SOURCE_END the rank is not asked again, after SOURCE_WRONG none is.
    enum source_next (*next)(struct op_source *source, int rank, struct op_call *call);
    void (*free)(struct op_source *source);
};

// NULL is ignored.
static inline void op_source_free(struct op_source *source)
{
    if (source)
        source->free(source);
}

#endif
