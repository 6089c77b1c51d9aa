// SPDX-License-Identifier: GPL-3.0-or-later
// PAUSE frames of full-duplex Ethernet (IEEE 802.3x; IEEE 802.3, Annex 31B).
//
// The receiver at an end of a link asks its sender to begin no frame for a time (XOFF), and renews
// that at half of it (assumed) as long as it has to; a time of zero (XON) ends it. A PAUSE frame
// goes out after the frame on the wire and before all that wait, even if its own direction is
// paused. It counts from its last bit: a frame that has begun is finished. (The standard allows the
// sender a reaction time of two quanta at 1 Gb/s besides; none is modelled.)
//
// A card asks when its receive FIFO has reached a mark (network_pause). A switch asks at a mark of
// an output queue: each link whose packet joins that queue while it is above pause_high, until it
// is below pause_low. A link is asked as long as any queue has reason to.
//
// The start of a packet on such a link, and in each queue of a switch that sends PAUSE frames, is
// known only when it begins: the channel has an event for it. On other channels it is known when
// the packet enters, as ever.
//
// Not modelled: PAUSE frames delayed or disordered by a link's jitter; their frames in captures,
// since the card takes them off before its driver; priorities (802.1Qbb).
#ifndef NETSIM_NET_PAUSE_H
#define NETSIM_NET_PAUSE_H

#include "sim/net/fabric.h"

// Of a channel, if the start of its packets isn't known when they enter.
struct pausing;

// Gives the channels their states as far as the switches' settings decide it.
void pausing_build(struct network *network);
void pausing_free(struct pausing *pausing);

// As channel_enter, for a channel with the state.
void pausing_enter(struct channel *channel, struct packet *packet);

// True if PAUSE frames may pass over the channel's link.
bool pausing_possible(const struct channel *channel);

// Adds the time of pause so far to the channel's counts.
void pausing_count(const struct channel *channel);

// True if the channel's packets are paused, and its far end ends the pause only after other
// channels have moved on (pausing_in_cycle: after itself).
bool pausing_blocked(const struct channel *channel);
bool pausing_in_cycle(const struct channel *channel);

// "switch0->switch1 is paused by switch1 with 12 packets that wait"; the caller frees it.
char *pausing_describe(const struct channel *channel);

#endif
