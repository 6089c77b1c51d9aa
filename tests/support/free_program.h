// SPDX-License-Identifier: GPL-3.0-or-later
// A random MPI program as data: the calls of each rank, for checkers of their results
// (mpi_reference.h), and as text for the simulator.
//
// A program has sections. In each, ranks make calls of all kinds that free programs have. It cannot
// deadlock, whatever a library buffers: the author appends calls in an order in which each can be
// done once all before it have been started, with sends that need their receiver, and so it ends in
// every other order too. Receives from any source can compete for messages, so those that could
// take one another's messages form pools: of these only numbers are known, sends to them do not
// block, and a section that has some begins and ends with a barrier.
#ifndef NETSIM_TESTS_SUPPORT_FREE_PROGRAM_H
#define NETSIM_TESTS_SUPPORT_FREE_PROGRAM_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define FREE_MOST_RANKS 6
#define FREE_ANY (-1)  // source or tag
#define FREE_TAGS 4    // of messages that receives compete for
#define FREE_NOBODY 77 // a tag that no message has

enum free_kind {
    FREE_SEND,
    FREE_SSEND,
    FREE_ISEND,
    FREE_ISSEND,
    FREE_RECV,
    FREE_IRECV,
    FREE_PROBE,
    FREE_IPROBE,
    FREE_SENDRECV,
    FREE_WAIT, // for the requests of `awaited`
    FREE_COMPUTE,
    FREE_BARRIER,
    FREE_BCAST,
    FREE_REDUCE,
    FREE_ALLREDUCE,
    FREE_GATHER,
    FREE_SCATTER,
    FREE_ALLGATHER,
    FREE_ALLTOALL,
    FREE_KINDS
};

struct free_call {
    enum free_kind kind;
    int peer, tag; // of receives and probes FREE_ANY too; of collectives the root
    int source;    // of sendrecv
    int64_t size;  // bytes; FREE_COMPUTE: us
    int request;   // number of those that do not block, unique in its rank's section
    int epoch;     // barriers that end a section so far: no message passes one
    int64_t buffer;
    GArray *awaited; // int; NULL: all. Owned by the section
    GArray *closed;  // int, if awaited is NULL: those that are open
    // How it is written: 0 with the usual call, others with calls that come to the same.
    unsigned style;
    int opened; // of a wait: requests that its section found open have smaller numbers
};

struct free_program {
    int ranks;
    GArray *calls[FREE_MOST_RANKS]; // struct free_call, loops unrolled
    GString *text[FREE_MOST_RANKS]; // as scenarios have it
    GPtrArray *lists;               // GArray *, awaited
};

// Limits of a stack's programs.
struct free_shape {
    int most_ranks;
    int most_steps;   // of a section
    bool no_self;     // no messages to oneself
    bool sealed;      // each section ends with a barrier, for lack of flow control
    bool plain;       // sends and receives have their usual calls only
    bool own_buffers; // no call has another's buffer: what overlaps can't be pinned twice
    bool only_fixed;  // no wildcards, one tag, no collectives
    uint32_t lacks;   // bits of free_kind
    // A random size, around the thresholds that the stack has been given.
    int64_t (*size)(GRand *random, const void *limits);
    const void *limits;
};

struct free_program *free_program_new(GRand *random, const struct free_shape *shape);
void free_program_free(struct free_program *program);

// For authors.
const char *free_kind_name(enum free_kind kind);
bool free_sends(enum free_kind kind);
bool free_receives(enum free_kind kind); // recv and irecv
bool free_probes(enum free_kind kind);
bool free_collective(enum free_kind kind);
void free_call_write(GString *text, const struct free_call *call);

#endif
