// SPDX-License-Identifier: GPL-3.0-or-later
// The content of a recording: its calls by operation, the bytes between each two ranks, and the
// work of each rank. It is found in one pass over the calls.
#ifndef NETSIM_FLATTEN_RECORDED_PROFILE_H
#define NETSIM_FLATTEN_RECORDED_PROFILE_H

#include "sim/flatten/size_counts.h"
#include "sim/flatten/traffic.h"
#include "sim/mpi/process.h"
#include "sim/recording/recording.h"

// The calls of one operation. A size is that of the operation's key; of blocks that differ, their
// sum.
struct profile_operation {
    uint64_t calls;
    int ranks;                // that have such a call
    bool sized;               // its calls have sizes
    int64_t bytes;            // that its callers give or, to a receive, take: in their buffers
    struct size_counts sizes; // if it is sized
};

struct profile_rank {
    uint64_t calls;
    uint64_t messages; // point to point, that it sends
    int64_t bytes;     // of these
    int peers;         // to which it sends
    uint64_t from_any; // receives that take a message of any rank
    double work;       // in units of the recording
    double seconds;    // besides that
};

struct recorded_profile {
    int ranks;
    uint64_t calls;
    struct profile_operation operations[OP_CODES];
    struct profile_rank *rank;
    struct traffic sent;     // point to point, from rank to peer
    struct traffic received; // by rank, from peer: those receives that name their source
};

// The caller frees it with recorded_profile_free.
struct recorded_profile *recorded_profile_new(struct recording *recording);
void recorded_profile_free(struct recorded_profile *profile);

// Whether the operation starts or makes a message from point to point.
bool profile_sends(enum op_code code);

// How many messages no receive names (`unreceived`), and how many receives no message is for
// (`unsent`), by pairs of ranks. False if that is not known, for some receives take any rank's.
bool recorded_profile_unmatched(const struct recorded_profile *profile, uint64_t *unreceived,
                                uint64_t *unsent);

// All messages, with the collectives unfolded into those that a library sends. A call that
// flatten_next (flatten.h) refuses is an error: returns false, and *error (g_free) has its place.
// The traffic must be initialized, and empty.
bool recorded_profile_unfold(struct recording *recording, const struct mpi_library_config *library,
                             struct traffic *traffic, char **error);

#endif
