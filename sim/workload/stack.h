// SPDX-License-Identifier: GPL-3.0-or-later
// A stack: a protocol and the library that ran on it, as a model offers it (model.h).
#ifndef NETSIM_WORKLOAD_STACK_H
#define NETSIM_WORKLOAD_STACK_H

#include "sim/cluster/cluster.h"
#include "sim/mpi/process.h"
#include "sim/scenario/case.h"

struct job; // job.h

// A way of communicating that ranks can run on. What a job has of it is made in this order: its
// state, cleared; the processes with their devices, cleared; `init`; `process_init` of each rank,
// from 0; `start`. All but the schema may be missing.
struct stack {
    struct stack_schema schema;
    const char *card; // kind of card that it drives (struct card); NULL: schema.nics, or none
    const struct mpi_device_ops *device; // of every process (mpi_process.ops)
    size_t state_size;                   // bytes of job.state
    size_t process_size;                 // bytes of what mpi_process.device points to
    // Builds what the processes share: cards, the provider's fabric.
    void (*init)(struct job *job);
    // Puts a process on its host's card; its device is to be connected to all others as if the job
    // had just been started. The others' devices exist, but those of higher ranks are still clear.
    void (*process_init)(struct job *job, struct mpi_process *process);
    // All processes are there: what runs by itself begins.
    void (*start)(struct job *job);
    // Gives back what process_init (also one that failed) and init have made.
    void (*process_clear)(struct job *job, struct mpi_process *process);
    void (*clear)(struct job *job);
    // Asked when nothing is left to happen: a sentence on what of the stack holds what, and what
    // would avoid it; NULL: it knows of nothing. The caller frees it.
    char *(*blocked)(const struct job *job);
    // What captures of its cards hold; NULL: it has no frames that could be captured.
    const struct capture_link *frames;
    // The MPI library's parameter section ("lam"), NULL if the stack is no MPI library.
    const char *library_section;
};

// The benchmarks that every MPI library runs, for a stack's list.
#define LIBRARY_BENCHMARKS                                                                         \
    "pmb.pingpong", "pmb.sendrecv", "pmb.exchange", "pmb.bcast", "pmb.reduce", "pmb.allreduce",    \
        "pmb.allgather", "pmb.alltoall", "pmb.barrier"

#endif
