// SPDX-License-Identifier: GPL-3.0-or-later
// STOP and GO: what the two ends of a channel into a cut-through switch tell each other about its
// slack buffer. stop_go.c says how it is computed.
#ifndef NETSIM_NET_STOP_GO_H
#define NETSIM_NET_STOP_GO_H

#include "sim/net/fabric.h"

// For a channel into a switch with thresholds, whose worm has been set up. Free with gate_free.
struct gate *gate_new(struct channel *channel);
void gate_free(struct gate *gate);

#endif
