// SPDX-License-Identifier: GPL-3.0-or-later
// A capture sink of a test's world: the frames that its cards put on the wire.
#ifndef NETSIM_TESTS_SUPPORT_WIRE_H
#define NETSIM_TESTS_SUPPORT_WIRE_H

#include "sim/core/capture.h"
#include "tests/support/world.h"

// A provider's own begins with it.
struct wire {
    struct capture capture;
    int networks; // to which each node is joined; an interface's number is node * networks + card
    bool quiet;   // takes no frames
    void (*take)(struct wire *wire, const struct capture_frame *frame);
};

// Has the world's frames taken. To be called before there is a cluster.
void wire_init(struct wire *wire, struct world *world, int networks,
               void (*take)(struct wire *wire, const struct capture_frame *frame));

#endif
