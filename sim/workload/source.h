// SPDX-License-Identifier: GPL-3.0-or-later
// Where the operations of a program come from: a source is asked for one call after the other, rank
// by rank, and each comes flat and evaluated. Who runs calls (interpreter.h) or unfolds them
// (flatten.h) knows no loops, expressions or trees. A program as a tree is such a source
// (program_source.h), and so is a benchmark; a recorded trace can be one that reads along and keeps
// nothing whole in memory.
//
// Requests that are waited for later have numbers. A source that knows them otherwise, such as a
// trace that names them by source, destination and tag, numbers them itself, and need not use a
// number twice. What a call needs beyond what all have is in its kind's arguments.
#ifndef NETSIM_WORKLOAD_SOURCE_H
#define NETSIM_WORKLOAD_SOURCE_H

#include "sim/core/time.h"
#include "sim/mpi/group.h"
#include "sim/program/program.h"

#include <stdbool.h>
#include <stdint.h>

#define CALL_NO_REQUEST (-1)

// One operation of one rank. What it points at is the source's, and stays until the source is asked
// again, for whichever rank.
struct op_call {
    const struct operation_kind *kind;
    const struct source_mark *mark; // where it was written; line 0: nowhere, by a benchmark
    const struct mpi_group *group;  // among which it communicates; NULL: all ranks
    const void *arguments;          // the kind's struct, evaluated
    int own_buffer;                 // of a call that names no buffer: calls of a rank with the same
                                    // number share one; counted from 0
    int64_t span;                   // bytes of the caller's memory that the data lie in
    int request;              // what the call starts under a name, by number; CALL_NO_REQUEST: none
    const char *request_name; // NULL: none, also of one that has only a number
    const int *awaited;       // numbers of the requests that are waited for
    int awaited_count;
    bool awaits_all;   // all that are open, instead
    int64_t turns;     // SOURCE_LAP: repetitions of the measurement under way
    const char *wrong; // SOURCE_WRONG: what is
};

// The arguments that every call has.
static inline const struct operation_arguments *op_call_common(const struct op_call *call)
{
    return call->arguments;
}

// Whether the call is the operation of sim/ with that code.
static inline bool op_call_is(const struct op_call *call, enum op_code code)
{
    return call->kind == &operation_table[code];
}

enum source_next {
    SOURCE_CALL,  // a call to be run. A loop's beginning is one, in which nothing is to be done
    SOURCE_LAP,   // a repetition of the measurement under way has ended, of `turns`; no call
    SOURCE_END,   // the rank has no more
    SOURCE_WRONG, // the call can't be evaluated: what is wrong with it, its kind and place
};

struct op_source {
    // The rank's next call. All that it says is legal: each argument is within its key's range.
    // Allocates nothing once the rank's loops have been entered. After
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
