// SPDX-License-Identifier: GPL-3.0-or-later
// A packet on the wire. It carries no payload, only the identity of its bytes: (message, offset,
// length).
#ifndef NETSIM_NET_PACKET_H
#define NETSIM_NET_PACKET_H

#include "sim/core/engine.h"
#include "sim/core/ledger.h"

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#define PACKET_HEADER_BYTES 120
// As a packet's cut_on: a link will repeat it, and its last receiver discards it.
#define PACKET_STOMPED UINT32_MAX

struct packet;
struct route;

// A packet's load besides the bytes of its own message: a list of parts of several messages, in
// memory that the packet's header points to. The maker of the packet sets it.
struct packet_load {
    // Notes every part of a message that the packet carries with the ledger as dropped; `reason` as
    // for ledger_drop.
    void (*drop)(const struct packet *packet, struct ledger *ledger, const char *reason);
    // Frees the packet's load; the packet is freed after it. network_release calls it for the
    // packets under way at the end of a run.
    void (*release)(struct packet *packet);
    // `copy` has `of`'s header, route and sizes: gives it a load of its own.
    void (*copy)(struct packet *copy, const struct packet *of);
};

// It begins with the fields that every hop touches. It fills whole cache lines: a large job has
// millions of packets under way at once.
struct packet {
    alignas(64) struct event event; // its next arrival; belongs to the component that carries the
                                    // packet
    const struct route *route;
    uint32_t wire_bytes;  // of the frame without preamble and gap: headers, payload, check sequence
    uint8_t hop;          // links of the route already entered
    bool corrupt;         // a bit error: the receiver's check will find it
    uint16_t route_bytes; // in front of the frame, for the switches still ahead
    struct message_ref message; // generation 0: a control packet
    struct packet *next;        // in a queue of the component that carries the packet

    int64_t offset;
    uint32_t length;
    uint32_t idle;     // byte times in which its sender has no byte for the wire; they count as the
                       // packet's
    uint32_t cut_on;   // 1 + the channel on which it was when the cable was pulled out; 0: none
    uint16_t protocol; // EtherType or the like: the NIC passes the packet on by it
    bool begun;        // its last station was notified of its head
    sim_time born;     // when the station sent it
    const struct packet_load *load; // NULL: none
    struct event *sent; // as passed to network_send, until the packet leaves the station
    void *token;        // of the NIC that has the packet
    // The protocol's own header, in its own terms (packet_header).
    alignas(8) unsigned char header[PACKET_HEADER_BYTES];
};

_Static_assert(sizeof(struct packet) == 256, "four cache lines");

// The header as the protocol's struct. The macro checks that it fits.
#define packet_header(packet, type)                                                                \
    ((type *)(void *)((packet)->header +                                                           \
                      0 * sizeof(char[sizeof(type) <= PACKET_HEADER_BYTES ? 1 : -1])))

#endif
