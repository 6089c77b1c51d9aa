// SPDX-License-Identifier: GPL-3.0-or-later
// A stack: a protocol and the library on top of it, as part of a model (model.h).
#ifndef NETSIM_MODEL_STACK_H
#define NETSIM_MODEL_STACK_H

#include "sim/cluster/cluster.h"
#include "sim/mpi/process.h"
#include "sim/scenario/case.h"

struct job; // job.h

// Lengths of messages that an MPI library sends eagerly, in bytes.
struct eager_limit {
    int64_t value;   // of the setting
    int64_t longest; // of the longest message that is eager with it
    int64_t most;    // of the longest message that a higher setting alone can make eager
};

// The setting up to which a standard send of an MPI library waits for no receive.
struct stack_eager {
    const char *setting; // its parameter, by its full name: "lam_tcp.short"
    const char *also;    // the parameters that determine `most`; NULL: there are none
    struct eager_limit (*limit)(const struct scenario_case *test_case);
};

// Streams of short messages that a delayed acknowledgment stops. The sender's window counts
// segments, however short, and the receiver holds its acknowledgment back for data to carry it
// (RFC 1122, 4.2.3.2; RFC 2581, 3.1).
struct stack_stream {
    int64_t segment; // bytes of a full one
    int64_t least;   // bytes that a receiver takes for a full one before it has seen a longer one
    int64_t header;  // bytes, of the library, in front of each message
    bool exchanged;  // the processes have exchanged data when the stream is opened
    int64_t window;  // segments: the first
    sim_time tick;   // period of the kernel's clock
    int64_t delay;   // ticks, of an acknowledgment
    int64_t pause;   // ticks, after which a window shrinks that was not full
};

// A communication stack for the ranks of a job. Its parts of a job are made in this order: its
// state, zeroed; the processes with their devices, zeroed; `init`; `process_init` of each rank,
// from 0; `start`. All members but the schema are optional.
struct stack {
    struct stack_schema schema;
    const char *card; // kind of card that it drives (struct card); NULL: schema.nics, or none
    const struct mpi_device_ops *device; // of every process (mpi_process.ops)
    size_t state_size;                   // bytes of job.state
    size_t process_size;                 // bytes of mpi_process.device
    // Builds the shared parts: cards, the provider's fabric.
    void (*init)(struct job *job);
    // Attaches a process to its host's card and connects its device to all others, as when the job
    // has just been started. All devices exist, but those of higher ranks are still zero.
    void (*process_init)(struct job *job, struct mpi_process *process);
    // All processes exist: starts the activities that run by themselves.
    void (*start)(struct job *job);
    // Free everything that process_init (even a failed one) and init have made.
    void (*process_clear)(struct job *job, struct mpi_process *process);
    void (*clear)(struct job *job);
    // Called when no event is left: returns a sentence on what in the stack blocks the program and
    // what would avoid it, or NULL if it knows of nothing. The caller frees it.
    char *(*blocked)(const struct job *job);
    // Link type of its cards' captures. NULL: its frames cannot be captured.
    const struct capture_link *frames;
    // NULL: no send waits for its receive only because it is long.
    const struct stack_eager *eager;
    // Bytes of a long message that the library hands over at once, to a card or a socket, so that
    // what it sends next waits for them. NULL: next to none.
    int64_t (*hands_over)(const struct scenario_case *test_case);
    // Short messages to a process take the cards of a host in turn.
    bool cards_in_turn;
    // Describes the streams between two processes, if acknowledgments can stop them. NULL: none
    // can.
    bool (*stream)(const struct scenario_case *test_case, struct stack_stream *stream);
    // The MPI library's parameter section ("lam"), NULL if the stack is no MPI library.
    const char *library_section;
};

// The NAS programs, for the list of a stack with all operations of MPI.
#define NAS_BENCHMARKS                                                                             \
    "nas.bt", "nas.cg", "nas.ep", "nas.ft", "nas.is", "nas.lu", "nas.mg", "nas.sp"

// The benchmarks that every MPI library runs, for a stack's list.
#define LIBRARY_BENCHMARKS                                                                         \
    "pmb.pingpong", "pmb.sendrecv", "pmb.exchange", "pmb.bcast", "pmb.reduce", "pmb.allreduce",    \
        "pmb.allgather", "pmb.alltoall", "pmb.barrier", "osu.bandwidth", "osu.bibandwidth",        \
        "osu.latency", NAS_BENCHMARKS

#endif
