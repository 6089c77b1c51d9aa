// SPDX-License-Identifier: GPL-3.0-or-later
// What a program asks of a library beside sends and receives: one-sided transfers, active messages,
// and what a library has of its own. Each is a request like any other (request.h): started, waited
// for, and done when the call would return.
//
// In the ledger a put, an accumulate and an active message go from the caller to the peer, a get
// from the peer to the caller. A library that keeps two kinds of messages in order only among
// themselves opens them under different contexts.
#ifndef NETSIM_MPI_OPERATION_H
#define NETSIM_MPI_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#define MPI_LAYOUT_LEVELS 7 // of strides, at most

// How the data of a one-sided transfer lie in memory.
enum mpi_layout_kind { MPI_CONTIGUOUS, MPI_STRIDED, MPI_VECTOR };

// Of a vector: `count` segments of `bytes` each.
struct mpi_segments {
    int64_t bytes, count;
};

struct mpi_layout {
    enum mpi_layout_kind kind;
    // MPI_STRIDED: counts[0] bytes lie together, counts[i] of level i - 1 lie strides[i - 1] bytes
    // apart, for i = 1 .. levels. The peer's memory has peer_strides.
    int levels;
    int64_t counts[MPI_LAYOUT_LEVELS + 1];
    int64_t strides[MPI_LAYOUT_LEVELS], peer_strides[MPI_LAYOUT_LEVELS];
    // MPI_VECTOR: sets of segments between arbitrary places.
    int sets;
    const struct mpi_segments *segments;
    int64_t bytes; // of all data; of MPI_CONTIGUOUS the only thing that counts
};

// Pieces of the layout that lie together in memory: 1 of contiguous ones, >= 1.
int64_t mpi_layout_blocks(const struct mpi_layout *layout);

// What belongs to such a request beside peer, address and size. Zero: nothing special.
struct mpi_operation {
    struct mpi_layout layout;
    int64_t peer_address; // in the peer's memory; 0: the place that corresponds to the caller's
    bool physical;        // the peer's memory is named by its physical address
    bool notify;          // a word is written where the transfer ends, behind the data
    bool paged;           // the memory was pinned page by page, not as one contiguous piece
    int64_t channel;      // logical channel of the peer; -1: the stack's choice
    int64_t count;        // MPI_POLL: messages to handle before it returns; MPI_CALL: its argument
    const char *name;     // MPI_CALL: what is called; MPI_ACTIVE_MESSAGE: handler. Interned
};

#endif
