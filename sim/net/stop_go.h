// SPDX-License-Identifier: GPL-3.0-or-later
// STOP and GO: flow control of a channel into a cut-through switch by the level of its slack
// buffer. stop_go.c explains the computation.
#ifndef NETSIM_NET_STOP_GO_H
#define NETSIM_NET_STOP_GO_H

#include "sim/net/fabric.h"

// For a channel into a switch with thresholds, whose worm has been set up. The caller frees it with
// gate_free.
struct gate *gate_new(struct channel *channel);
void gate_free(struct gate *gate);

#endif
