// SPDX-License-Identifier: GPL-3.0-or-later
// The meaning of a call, as primitive steps: requests that are started, waits and tests, time,
// copies and reductions. Every player of programs reads it: the interpreter runs the steps on a
// device, flows and exporters read them by flatten.h.
//
// A call is unfolded when it begins: all of its steps but those of a collective are known then. A
// collective's steps come from the schedule of its library (sim/mpi/collective.h).
#ifndef NETSIM_FLATTEN_UNFOLD_H
#define NETSIM_FLATTEN_UNFOLD_H

#include "sim/mpi/process.h"
#include "sim/source/call_kind.h"
#include "sim/source/source.h"

enum flat_kind {
    FLAT_SEND,    // is started
    FLAT_RECV,    // is started
    FLAT_PROBE,   // is started; done when a message has arrived
    FLAT_IPROBE,  // probes once
    FLAT_WAIT,    // until all of `awaited` are done
    FLAT_WAITANY, // until one of `awaited` is done: see unfold_took
    FLAT_COMPUTE, // time
    FLAT_COPY,    // copies size within the memory of the process
    FLAT_REDUCE,  // combines two operands of size
    FLAT_MEASURE, // a clock, of a benchmark or the program, starts or stops; see the call
    FLAT_OTHER,   // not a message between two ranks that both call; see the call
    // For an unfolding with a process alone, which runs the steps:
    FLAT_CHARGE_CALL,  // the entry of a call that starts no request
    FLAT_CHARGE_BUILD, // a persistent request is built or freed
    FLAT_PROGRESS,     // handles what has happened, without waiting
    FLAT_TEST,         // tests `awaited`, once or `every` so often: see unfold_took
    FLAT_ROOM,         // finds room of `size` in the attached buffer, for the next FLAT_SEND;
                       // waits for it unless that is prebuilt
    FLAT_ATTACH,       // `size` bytes at `address` are the buffer of buffered sends
    FLAT_DETACH,       // waits for all buffered sends
    FLAT_FREE,         // no call waits for the request `handle`
    FLAT_ENTER,        // a collective begins
    FLAT_LEAVE,        // a collective ends
    FLAT_SLICE,        // the call goes on in another slice of its processor
    FLAT_MEMORY,       // registers or deregisters memory; see the call
    FLAT_STREAM,       // a message of `size` at a time until a time has passed; see the call
};

struct flat_op {
    enum flat_kind kind;
    const struct op_call *call; // that it belongs to; valid until the rank's next step
    uint32_t request;           // number of the started request, from 1 by rank; else 0
    int peer, tag;              // as in struct mpi_transfer, as are those up to `prebuilt`
    enum mpi_context context;   // messages of different contexts do not match
    const struct mpi_group *group;
    int64_t size;    // bytes
    int64_t address; // 0 without a process
    int64_t pieces;  // with a process; else a FLAT_COPY precedes
    bool synchronous, ready, blocking, prebuilt;
    bool named;    // the program waits for the request in another call
    bool buffered; // FLAT_SEND: from the attached buffer
    bool round;    // FLAT_WAIT: ends a round of a collective
    sim_time time, every;
    const uint32_t *awaited; // requests, in the order in which the call returns them
    void *const *handles;    // theirs (unfold_started); NULL: done from the start
    int awaited_count;
    enum completion completion;              // FLAT_WAITANY, FLAT_TEST
    void *handle;                            // FLAT_FREE
    const struct operation_kind *collective; // FLAT_ENTER, FLAT_LEAVE
};

// Unfolds the calls of one rank.
struct unfold;

// Shared by the unfoldings of a program's ranks.
struct unfold_program {
    int ranks;
    const struct mpi_library_config *library; // NULL: no MPI library
    GPtrArray *schedules; // struct mpi_schedule *, that no rank uses now; made by unfold_schedules
};
GPtrArray *unfold_schedules(void);

// process: the steps are run on it; NULL: they are only read. Both must outlive the unfolding. The
// caller frees it with unfold_free.
struct unfold *unfold_new(const struct unfold_program *program, int rank,
                          struct mpi_process *process);
void unfold_free(struct unfold *at);

// For steps that are read by a player that knows which of several requests is done first: calls
// that close one of several are FLAT_WAITANY, and clocks of the program FLAT_MEASURE. (Else the
// former are refused, and the latter left out.)
void unfold_ask(struct unfold *at);

// Begins a call. The data that it points at must be valid until its last step has been taken; of a
// collective and without a process, until its first.
void unfold_begin(struct unfold *at, const struct op_call *call);

// Yields the next step of the call: SOURCE_CALL; SOURCE_END: it has none; SOURCE_WRONG: op->call
// has what is wrong with it, and the caller must not continue. `op` is valid until the next step.
enum source_next unfold_next(struct unfold *at, struct flat_op *op);

// The player identifies the request of the latest step by `handle`.
void unfold_started(struct unfold *at, void *handle);

// Answers FLAT_WAITANY and FLAT_TEST, before the next step: which of `awaited` the call closes,
// once for each.
void unfold_took(struct unfold *at, int which);

#endif
