// SPDX-License-Identifier: GPL-3.0-or-later
// The BML r2: the rails that lead to a peer, in descending order of their bandwidth. Each card of
// this host that takes part is paired with the peer's card of the same subnet, or else with the
// first that is free.
#ifndef NETSIM_MODELS_OPENMPI_BML_H
#define NETSIM_MODELS_OPENMPI_BML_H

#include "models/openmpi/btl.h"

#define OPENMPI_MOST_RAILS 4

struct pml_flow;

// Rails that take turns.
struct bml_list {
    int rails[OPENMPI_MOST_RAILS]; // index in the peer's endpoints
    int count, next;
};

struct bml_peer {
    struct openmpi_process *ompi;
    int rank;
    struct btl_endpoint endpoints[OPENMPI_MOST_RAILS];
    int count;
    int64_t bandwidth;                // of all
    struct bml_list eager, send, put; // eager: those of least latency
    int registered;                   // the first rail of the next registered buffer
    struct pml_flow *flows;
};

// Returns the peer, made if it is new. Returns NULL, and fails the run, if no card that takes part
// leads to it.
struct bml_peer *bml_peer_of(struct openmpi_process *ompi, int rank);

// The next of a list, in turn.
struct btl_endpoint *bml_next(struct bml_peer *peer, struct bml_list *list);

// A rail's part of `bytes`, by its weight.
int64_t bml_share(const struct btl_endpoint *endpoint, int64_t bytes);

#endif
