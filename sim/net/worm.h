// SPDX-License-Identifier: GPL-3.0-or-later
// The state of a channel at a cut-through switch: its sending end, and the slack buffer at its far
// end if that is a cut-through switch. wormhole.c runs it.
//
// The members are in the order in which they are accessed: in a large network most time goes into
// fetching these cache lines.
#ifndef NETSIM_NET_WORM_H
#define NETSIM_NET_WORM_H

#include "sim/core/engine.h"
#include "sim/core/ledger.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_LINE 64
#define SLACK_ENTRIES 4 // of a slack buffer, before it needs memory of its own

struct channel;
struct gate;
struct packet;

// A packet in a slack buffer, in whole or in part.
struct slack_entry {
    struct packet *packet; // only valid until it is granted its next channel
    int64_t length;
    sim_time ready; // when its header is in and the latency has passed; TIME_NEVER: not known yet
};

struct worm {
    // While the channel is held: tail and gap have left. Else: the arbitration, at the end of an
    // instant at which the channel became free or was requested.
    alignas(CACHE_LINE) struct event event;
    struct channel *channel;
    struct channel *waiting; // list of requesting inputs, linked by next_waiting

    sim_time granted;             // when the holder got the channel
    struct packet *packet;        // the holder; only valid while its tail is held back; NULL: lost
    struct channel *feeder;       // the input from which the holder comes; NULL: none
    struct channel *front_out;    // granted to the packet at the front of the buffer; NULL: not yet
    sim_time asked;               // when the front packet requests, or requested, its output
    struct channel *next_waiting; // of the inputs that wait for one output
    bool held : 1;
    bool buffered : 1;               // the holder goes into the slack buffer at the far end
    bool lost : 1;                   // the holder is lost
    bool from_cuts : 1, to_cuts : 1; // which ends are cut-through switches
    bool careful : 1;                // packets may be lost on it, or it repeats them
    bool repeats : 1;                // the channel has a repeater
    bool kept : 1;       // held without a packet: for a repeat, or because its window is full
    bool corrupt : 1;    // the holder came to the channel with a bit error, or got one on it
    bool cut : 1;        // the cable was pulled out under the holder
    bool to_limited : 1; // the far end is a station that takes a packet only with a credit
    bool notifies : 1;   // the holder's station waits for its end: `sent`
    uint16_t port;       // at which the channel ends
    int16_t last_port;   // the input served last
    uint16_t ports;      // of the sending switch
    int64_t length;      // bytes of the holder

    // The far end, if it cuts through: the slack buffer of that input.
    struct slack_entry *entries; // ring; capacity is a power of two
    uint32_t head, tail;
    uint32_t capacity;
    uint32_t header;    // bytes before a packet can be switched
    int64_t slack;      // B
    int64_t behind;     // B of this slack buffer and of those upstream that the holder came through
    uint64_t walk;      // of credits.c: the last walk that visited this channel
    int64_t walk_bytes; // and the number of bytes it asked for

    // For the counts of the link: packets that wait for the channel, and since when they are so
    // many.
    int64_t waiting_packets, waiting_bytes;
    sim_time waiting_since;
    struct slack_entry first_entries[SLACK_ENTRIES];

    // Few packets touch these.
    struct gate *gate;          // of stop_go.c; NULL: no symbols are sent
    struct event *sent;         // of network_send
    struct message_ref message; // of the holder, for a trace
    // Packets that wait for the channel at a station or a store-and-forward switch.
    struct packet *first, *last;
    int64_t queued, queued_bytes;
    sim_time closed_since; // packets wait, and the station has no credit; TIME_NEVER: not so
};

_Static_assert(offsetof(struct worm, first_entries) + 2 * sizeof(struct slack_entry) ==
                   4 * CACHE_LINE,
               "the lines that each hop touches");
_Static_assert(sizeof(struct worm) == 6 * CACHE_LINE, "a large network has many");

#endif
