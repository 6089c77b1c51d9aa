// SPDX-License-Identifier: GPL-3.0-or-later
// What a channel at a cut-through switch knows: its sending end, and the slack buffer at its far
// end if a cut-through switch is there. wormhole.c runs it.
//
// Its members stand in the order in which they are touched: in a large network the time goes into
// fetching these lines.
#ifndef NETSIM_NET_WORM_H
#define NETSIM_NET_WORM_H

#include "sim/core/engine.h"
#include "sim/core/ledger.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#define CACHE_LINE 64
#define SLACK_ENTRIES 4 // in a slack buffer that needs no memory of its own

struct channel;
struct gate;
struct packet;

// A packet in a slack buffer, wholly or in part.
struct slack_entry {
    struct packet *packet; // only valid until it is granted its next channel
    int64_t length;
    sim_time ready; // its header is in, and the latency has passed; TIME_NEVER: not known yet
};

struct worm {
    // While it is held: tail and gap have left. Else the arbitration, at the end of an instant at
    // which it became free or was asked for.
    alignas(CACHE_LINE) struct event event;
    struct channel *channel;
    struct channel *waiting; // inputs that ask, through next_waiting

    sim_time granted;             // when the holder got the channel
    struct packet *packet;        // the holder; only valid while its tail is held back; NULL: lost
    struct event *sent;           // of network_send
    struct channel *feeder;       // the input that the holder comes from; NULL: none
    struct channel *front_out;    // granted to the packet in front of the buffer; NULL: not yet
    sim_time asked;               // when the packet in front asks, or has asked
    struct channel *next_waiting; // beside this input at an output
    bool held : 1;
    bool buffered : 1;               // what is sent goes into the slack buffer at the far end
    bool lost : 1;                   // what is sent goes nowhere
    bool from_cuts : 1, to_cuts : 1; // which ends are cut-through switches
    bool to_limited : 1; // the far end is a station that takes a packet only if it has a place
    uint16_t port;       // at which the channel ends
    int16_t last_port;   // the input served last
    uint16_t ports;      // of the switch that sends

    // The far end, if it cuts through: the slack buffer of that input.
    struct slack_entry *entries; // ring; capacity is a power of two
    uint32_t head, tail;
    uint32_t capacity;
    uint32_t header;            // bytes before a packet can be switched
    int64_t length;             // bytes of the holder
    struct message_ref message; // of the holder
    int64_t slack;              // B
    int64_t behind;             // B of this slack buffer and those that the holder came through
    uint64_t walk;              // of places.c, that came by here last

    int64_t walk_bytes; // and asked for so many bytes
    struct gate *gate;  // of stop_go.c; NULL: no symbols are sent
    struct slack_entry first_entries[SLACK_ENTRIES];
    // What waits for it at a station or a store-and-forward switch.
    struct packet *first, *last;
    int64_t queued, queued_bytes;
};

#endif
