// SPDX-License-Identifier: GPL-3.0-or-later
// Sources of operations: a source yields the calls of each rank one by one, flat and evaluated. The
// code that runs calls (interpreter.h) or unfolds them (flatten.h) needs no loops, expressions or
// trees. A program tree is such a source (program_source.h), and so is a benchmark. A recorded
// trace can be one that is read as a stream.
//
// Requests that are waited for later have numbers. A source that identifies them otherwise, such as
// a trace by source, destination and tag, numbers them itself, and need not reuse numbers.
// Arguments that not all calls share are in the kind's own struct.
#ifndef NETSIM_SOURCE_SOURCE_H
#define NETSIM_SOURCE_SOURCE_H

#include "sim/core/time.h"
#include "sim/mpi/group.h"
#include "sim/program/program.h"

#include <stdbool.h>
#include <stdint.h>

#define CALL_NO_REQUEST (-1)

// One operation of one rank. The source owns everything that it points at; it is valid until the
// next call of the source, for any rank.
struct op_call {
    const struct operation_kind *kind;
    const struct source_mark *mark; // its place in a file; line 0: none, it comes from a benchmark
    const struct mpi_group *group;  // in which it communicates; NULL: all ranks
    const void *arguments;          // the kind's struct, evaluated
    int own_buffer; // of a call that names no buffer: calls of a rank with the same number share
                    // one; from 0
    int64_t span;   // bytes of the caller's memory over which the data extend
    int request;    // number of the named request that the call starts; CALL_NO_REQUEST: none
    const char *request_name; // NULL: the request has no name
    const int *awaited;       // numbers of the requests that are waited for
    int awaited_count;
    bool awaits_all; // instead: it waits for all open requests
    bool passes;     // it concerns a communicator that the rank is not in; no action
    // SOURCE_LAP: the turn of the loop that has ended, from 1, of so many; whether they are the
    // repetitions of the current measurement; the ranks with a loop whose turns correspond.
    int64_t turn, turns;
    bool measured;
    int sharers;
    const char *wrong; // SOURCE_WRONG: the reason
};

// The arguments that all calls share.
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
    SOURCE_CALL,  // a call to run. The start of a loop is a call, too, that does nothing
    SOURCE_LAP,   // a turn of a loop has ended that is a repetition of the current measurement, or
                  // (op_source.all_laps) has sharers; no call
    SOURCE_END,   // the rank has no more calls
    SOURCE_WRONG, // the call cannot be evaluated; its `wrong`, kind and mark are set
};

struct op_source {
    // Yields the rank's next call. Every argument is within its key's range. Allocates nothing once
    // the rank's loops have been entered. Not called again for the rank after SOURCE_END, nor for
    // any rank after SOURCE_WRONG.
    enum source_next (*next)(struct op_source *source, int rank, struct op_call *call);
    // Ends the loop of the rank whose latest call was a SOURCE_LAP, unless that was of the last
    // turn. NULL: there are no loops.
    void (*leave)(struct op_source *source, int rank);
    bool all_laps; // turns of loops with sharers are reported of every rank
    void (*free)(struct op_source *source);
};

// NULL is ignored.
static inline void op_source_free(struct op_source *source)
{
    if (source)
        source->free(source);
}

#endif
