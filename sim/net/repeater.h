// SPDX-License-Identifier: GPL-3.0-or-later
// Links that acknowledge every packet and repeat what was corrupted or lost (link.window > 0), so
// that above them each packet arrives once and in order, only later.
//
// The protocol is go-back-N. A sender numbers its packets, and keeps each until it is
// acknowledged; while `window` of them are unacknowledged it starts no new one. The receiver takes
// the number that it expects, and acknowledges it with all before it. A number that was taken
// before is acknowledged again and discarded. Any other is discarded; the first such one after a
// gap, and each corrupt one, makes the receiver ask for the number that it expects. The sender then
// sends everything from that number on again, in order, before anything new. It does so too if no
// answer has come `repeat_timeout` after a packet's last bit. An answer takes twice the
// propagation, `ack_turnaround`, and the time of `ack_bytes`; it can be lost like a packet of that
// size by the faults of its direction.
//
// A cut-through switch has sent on a part of a corrupt packet before it knows. It marks the end of
// the packet bad: the links after it take the packet like any other, acknowledge and do not repeat
// it, and the last receiver discards it. Only the link on which the error arose repeats.
//
// Not modelled: the load of the answers on their direction, nor that they wait for a packet that it
// is sending; faults of copies that the receiver discards because of their number (they do not
// count as packets for drop_nth and corrupt_nth either; repeats of the expected packet do); repeats
// by time-out while the cable is out, except for the first one after that.
//
// A link that never passes a packet again keeps those that it has: no timer runs, and its sender is
// held back once its window is full.
//
// Source: thesis 002, 2.1.1, for acknowledgements, requests and the window of 7; that it is
// go-back-N, and the time-out, is our reading.
#ifndef NETSIM_NET_REPEATER_H
#define NETSIM_NET_REPEATER_H

#include "sim/net/fabric.h"

// The window of a channel without faults between ends that take packets in whole: the times of its
// acknowledgements are known in advance.
struct ack_window;

// The caller frees the result with g_free.
struct ack_window *ack_window_new(const struct link_config *config);

// A packet's last bit is sent at `end`. Returns the first time at which the next one can start.
sim_time ack_window_sent(struct ack_window *window, sim_time end);

// The sending end of any other channel with a window. wormhole.c runs the channel.
struct repeater;

// `answers`: the faults of the answers' direction, of which the repeater becomes the owner; NULL:
// none.
struct repeater *repeater_new(struct channel *channel, const struct link_config *config,
                              struct link_faults *answers);
void repeater_free(struct repeater *repeater);

// The faults that strike the answers to packets of a channel; NULL: none.
struct link_faults *repeater_answer_faults(const struct channel *channel,
                                           const struct link_config *config);

// A copy to be sent.
struct repeater_copy {
    struct packet *packet; // NULL: it has been taken already, only its acknowledgement was lost
    int64_t length;        // B on the channel
    struct message_ref message;
};

// True if repeats are due: the next copy on the channel must be that of repeater_next.
bool repeater_due(const struct repeater *repeater);
struct repeater_copy repeater_next(struct repeater *repeater);

// A copy (repeater_next's if repeats are due, else a new packet) is on the channel from `start` to
// `end` or, if its end is held back, longer. Returns what goes on to the channel's end: the packet,
// or a duplicate marked bad, or NULL. The repeater owns a packet that does not go on.
struct packet *repeater_send(struct repeater *repeater, struct packet *packet, sim_time start,
                             sim_time end);

// The cable was pulled out while the last copy was held back on it. The part that went on is marked
// bad.
void repeater_cut(struct repeater *repeater, struct packet *packet);

// The last bit of the last copy left at `tail`.
void repeater_left(struct repeater *repeater, sim_time tail);

// Returns the first time from now on at which the window has room; TIME_NEVER: not before
// repeats.
sim_time repeater_opens(struct repeater *repeater);

// Packets unacknowledged now.
int repeater_unacknowledged(struct repeater *repeater);

// Packets unacknowledged now if the link will never pass any; else 0.
int repeater_stuck(struct repeater *repeater);

// "link node0->switch0: 7 packets unacknowledged, link down" if the link will never pass any; else
// NULL. The caller frees it.
char *repeater_describe_stuck(struct repeater *repeater);

// Describes what the repeater has done: "3 packets repeated on link node0->switch0", or as
// repeater_describe_stuck does, and sets *repeats. Returns NULL if it has repeated nothing. The
// caller frees it.
char *repeater_describe(struct repeater *repeater, int64_t *repeats);

#endif
