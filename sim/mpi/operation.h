// SPDX-License-Identifier: GPL-3.0-or-later
// How the data of one-sided transfers lie in memory.
#ifndef NETSIM_MPI_OPERATION_H
#define NETSIM_MPI_OPERATION_H

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

#endif
