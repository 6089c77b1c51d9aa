// SPDX-License-Identifier: GPL-3.0-or-later
// Counters by peer, for those peers that a process has dealt with: memory grows with these, not
// with the ranks of the job.
#ifndef NETSIM_MPI_PEER_COUNTS_H
#define NETSIM_MPI_PEER_COUNTS_H

#include <stdint.h>

struct peer_count {
    uint32_t key; // 1 + the peer's rank; 0: unused
    uint32_t count;
};

// A hash table with linear probing, at most three quarters full. Zeroed memory is an empty one.
struct peer_counts {
    struct peer_count *places;
    uint32_t size; // a power of two, or 0
    uint32_t used;
};

void peer_counts_clear(struct peer_counts *counts);

// The counter of a peer (>= 0), 0 at first; valid until the next call.
uint32_t *peer_counts_at(struct peer_counts *counts, int peer);

#endif
