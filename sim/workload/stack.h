// SPDX-License-Identifier: GPL-3.0-or-later
// A stack: a protocol and the library that ran on it, as a model offers it (model.h).
#ifndef NETSIM_WORKLOAD_STACK_H
#define NETSIM_WORKLOAD_STACK_H

#include "sim/cluster/cluster.h"
#include "sim/mpi/process.h"
#include "sim/scenario/case.h"

// A way of communicating that ranks can run on.
struct stack {
    struct stack_schema schema;
    const char *card; // kind of card that it drives (struct card); NULL: none, or schema.nics
    // Puts the stack on a cluster: one process per rank, rank r on host r modulo the number of
    // hosts, its device connected to all others as if the job had just been started. Returns the
    // stack's own state.
    void *(*build)(struct cluster *cluster, const struct scenario_case *test_case,
                   struct mpi_process *const *processes, int ranks);
    void (*free)(void *state);
    // Asked when nothing is left to happen: a sentence on what of the stack holds what, and what
    // would avoid it; NULL: it knows of nothing. The caller frees it. May be missing.
    char *(*blocked)(void *state);
    // What captures of its cards hold; NULL: it has no frames that could be captured.
    const struct capture_link *frames;
    // The MPI library's parameter section ("lam"), NULL if the stack is no MPI library.
    const char *library_section;
};

// The benchmarks that every MPI library runs, for a stack's list.
#define MPI_BENCHMARKS                                                                             \
    "pmb.pingpong", "pmb.sendrecv", "pmb.exchange", "pmb.bcast", "pmb.reduce", "pmb.allreduce",    \
        "pmb.allgather", "pmb.alltoall", "pmb.barrier"

#endif
