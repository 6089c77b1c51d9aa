// SPDX-License-Identifier: GPL-3.0-or-later
// A program unfolded: what each rank does as point-to-point requests, waits and time of its own,
// with collectives as the schedules that its library runs (sim/mpi/collective.h). Who writes a
// trace, or runs a program on another model of the network, reads that.
//
// It is a stream: of a rank there is where it stands, its open requests, and the schedule of the
// collective that it is in. What the simulated library does with a request (limits, copies,
// envelopes) is not in it.
#ifndef NETSIM_WORKLOAD_FLATTEN_H
#define NETSIM_WORKLOAD_FLATTEN_H

#include "sim/mpi/process.h"
#include "sim/workload/model.h"
#include "sim/workload/source.h"

enum flat_kind {
    FLAT_SEND,    // is started
    FLAT_RECV,    // is started
    FLAT_PROBE,   // is started: done once a message is there
    FLAT_IPROBE,  // looks once, and is over
    FLAT_WAIT,    // until all of `awaited` are done
    FLAT_COMPUTE, // time
    FLAT_COPY,    // size, within the memory of the process
    FLAT_REDUCE,  // size, of each of two operands that are combined
    FLAT_MEASURE, // a benchmark's clock starts or stops: as the call says
    FLAT_OTHER,   // what is no message between two ranks that both call: as the call says
};

struct flat_op {
    enum flat_kind kind;
    const struct op_call *call; // that it is a part of; stays until the rank's next
    uint32_t request;           // of what is started: counts the rank's requests from 1; else 0
    int peer, tag;              // as in struct mpi_transfer
    enum mpi_context context;   // messages of different contexts do not match
    const struct mpi_group *group;
    int64_t size; // bytes
    bool synchronous;
    sim_time time;
    const uint32_t *awaited; // requests, in the order in which the call gives them back
    int awaited_count;
};

struct flatten;

// Unfolds what `source` yields for `ranks` ranks, by the rules of `library` (NULL: no MPI library).
// Both must outlive it. Free with flatten_free.
struct flatten *flatten_new(struct op_source *source, int ranks,
                            const struct mpi_library_config *library);

// The same of a case's workload, or one like it (NULL: the case's own), which must outlive it as
// the case must.
struct flatten *flatten_case(const struct registry *registry, const struct scenario_case *test_case,
                             const struct workload *workload);
void flatten_free(struct flatten *flatten);

// The rank's next operation; ranks may be asked in any order. SOURCE_CALL, SOURCE_END or
// SOURCE_WRONG: then op->call says what is wrong, and nothing is asked any more. What `op` points
// at stays until the rank is asked again.
enum source_next flatten_next(struct flatten *flatten, int rank, struct flat_op *op);

// "isend", "irecv", "wait": as they are printed.
const char *flat_kind_name(enum flat_kind kind);

#endif
