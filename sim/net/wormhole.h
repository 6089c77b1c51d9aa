// SPDX-License-Identifier: GPL-3.0-or-later
// Cut-through with back-pressure (wormhole routing): a packet whose output is taken stays where it
// is, on the channels that it came over and in the slack buffers between them.
//
// wormhole.c has what all such networks share: who asks for a channel, who is granted it, what
// stands in the slack buffers. How the sender of a channel learns that the buffer at its end is
// full is the flow control: places.c or stop_go.c.
#ifndef NETSIM_NET_WORMHOLE_H
#define NETSIM_NET_WORMHOLE_H

#include "sim/net/fabric.h"

struct flow_control {
    // The channel has just been granted to a packet, which stands in the slack buffer behind it
    // (worm.buffered) or goes past all buffers: when its last byte leaves, worm_ends is called.
    void (*start)(struct channel *channel);
    // It is known when the packet in front of the buffer behind the channel asks (worm.asked).
    void (*fronted)(struct channel *channel);
    // The packet in front of that buffer has left it, and another one stands there.
    void (*popped)(struct channel *channel);
    // A packet holds the channel and will not leave it before another one moves.
    bool (*blocked)(const struct channel *channel);
};

// Every place in the buffer that gets free is known of at once.
extern const struct flow_control places_flow_control;
// STOP and GO symbols, sent at two levels of the buffer.
extern const struct flow_control stop_go_flow_control;

// True of a channel that needs a struct worm: one of its ends cuts through.
bool worm_wanted(const struct channel *channel);

// Sets up the (zeroed) worm of a channel that channel_init has seen.
void worm_init(struct worm *worm, struct channel *channel);
void worm_clear(struct worm *worm);

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

// ---- For the flow control ----

// The last byte of the channel's holder leaves it at `when`; the gap behind it is held as well. A
// packet that the cable was pulled under until then is marked as cut.
void worm_ends(struct channel *channel, sim_time when);

// The header of the last packet in the buffer is in and the latency has passed at `ready`; or, with
// TIME_NEVER, that is not known any more.
void slack_ready(struct channel *channel, sim_time ready);

static inline struct slack_entry *slack_at(const struct worm *worm, uint32_t index)
{
    return &worm->entries[index & (worm->capacity - 1)];
}

#endif
