// SPDX-License-Identifier: GPL-3.0-or-later
// Cut-through with back-pressure (wormhole routing): a packet whose output is taken stays where it
// is, on the channels that it came over and in the slack buffers between them. wormhole.c says how
// this is computed without a look at single bytes.
#ifndef NETSIM_NET_WORMHOLE_H
#define NETSIM_NET_WORMHOLE_H

#include "sim/net/fabric.h"

struct worm *worm_new(struct channel *channel);
void worm_free(struct worm *worm);

// A packet from a station or a store-and-forward switch asks for its first channel of a cut-through
// part.
void worm_enter(struct channel *channel, struct packet *packet);

// The packet's event at a cut-through switch: its header is in, and the switch's latency has
// passed.
void worm_head_arrive(struct engine *engine, struct event *event);

// The station at the channel's end has a place again.
void worm_open(struct channel *channel);

// The station at the channel's end has no place for a packet.
bool worm_closed(const struct channel *channel);

// True if a packet holds the channel and will not leave it before another one moves.
bool worm_blocked(const struct channel *channel);

// The channel may have come to be blocked: tells the network's owner if it closes a cycle.
void worm_look_for_cycle(struct channel *channel);

// What a blocked channel waits for, and a sentence on it, which the caller frees.
struct channel *worm_waits_for(const struct channel *channel);
char *worm_describe(const struct channel *channel);

#endif
