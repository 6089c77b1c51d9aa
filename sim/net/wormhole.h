// SPDX-License-Identifier: GPL-3.0-or-later
// Cut-through with back-pressure (wormhole routing): a packet whose output is busy stays where it
// is, on the channels that it came over and in the slack buffers between them.
//
// wormhole.c contains what all such networks share: requests for channels, grants, and the content
// of the slack buffers. The flow control signals to the sender of a channel that the buffer at its
// end is full: credits.c or stop_go.c.
#ifndef NETSIM_NET_WORMHOLE_H
#define NETSIM_NET_WORMHOLE_H

#include "sim/net/fabric.h"

struct flow_control {
    // The channel has just been granted to a packet, which is the last in the slack buffer at its
    // end (worm.buffered) or passes no buffer. When its last byte leaves, the flow control calls
    // worm_ends.
    void (*start)(struct channel *channel);
    // The time at which the front packet of the buffer at the channel's end requests its output is
    // now known (worm.asked).
    void (*fronted)(struct channel *channel);
    // The front packet of that buffer has left it, and another one is now the front.
    void (*popped)(struct channel *channel);
    // True if a packet holds the channel and will not leave it before another one moves.
    bool (*blocked)(const struct channel *channel);
};

// A credit per free byte of the buffer, returned to the sender without delay.
extern const struct flow_control credits_flow_control;
// STOP and GO symbols, sent at two levels of the buffer.
extern const struct flow_control stop_go_flow_control;

// True if the channel needs a struct worm: one of its ends cuts through, or it repeats packets.
bool worm_wanted(const struct channel *channel);

// Sets up the (zeroed) worm of a channel after channel_init.
void worm_init(struct worm *worm, struct channel *channel);
void worm_clear(struct worm *worm);

// A packet from a station or a store-and-forward switch requests its first channel at a cut-through
// switch.
void worm_enter(struct channel *channel, struct packet *packet);

// The packet's event at a cut-through switch: its header is in, and the switch's latency has
// passed.
void worm_head_arrive(struct engine *engine, struct event *event);

// Repeats are due on a channel with a repeater: sends them as soon as the copy that is on it has
// left.
void worm_go_back(struct channel *channel);

// Whether a packet waits at the channel's sender, with or without a credit.
bool worm_has_waiting(const struct channel *channel);

// Adds the packets still under way to the LINK_COUNTS counts. Changes nothing without a worm.
void worm_count_ongoing(const struct channel *channel, int64_t *counts);

// The station at the channel's end has a credit again.
void worm_open(struct channel *channel);

// True if the station at the channel's end takes no packet, as it has no credit or is held.
bool worm_closed(const struct channel *channel);

// True if a packet holds the channel and will not leave it before another one moves.
bool worm_blocked(const struct channel *channel);

// The channel may have become blocked: calls the network's on_deadlock if it closes a cycle.
void worm_look_for_cycle(struct channel *channel);

// The channel that a blocked channel waits for, and a sentence about it, which the caller frees.
struct channel *worm_waits_for(const struct channel *channel);
char *worm_describe(const struct channel *channel);

// ---- For the flow control ----

// The last byte of the channel's holder leaves it at `when`; the gap after it is held as well. If
// the cable is pulled out before that time, the packet is marked as cut.
void worm_ends(struct channel *channel, sim_time when);

// At `ready` the header of the last packet in the buffer is in and the latency has passed.
// TIME_NEVER: that time is no longer known.
void slack_ready(struct channel *channel, sim_time ready);

static inline struct slack_entry *slack_at(const struct worm *worm, uint32_t index)
{
    return &worm->entries[index & (worm->capacity - 1)];
}

#endif
