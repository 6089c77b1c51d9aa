// SPDX-License-Identifier: GPL-3.0-or-later
// An SCTP packet: a common header and a list of chunks, in a packet's header and load.
#ifndef NETSIM_MODELS_SCTP_WIRE_PACKET_H
#define NETSIM_MODELS_SCTP_WIRE_PACKET_H

#include "models/inet/inet.h"
#include "models/sctp_cmt/wire/chunk.h"

#define SCTP_PROTOCOL 132 // of IP

struct sctp_packet {
    struct inet_header ip;
    struct sctp_pools *pools;
    struct sctp_chunk *first, *last;
    uint32_t tag;   // verification tag
    uint32_t bytes; // of the SCTP packet so far: common header and padded chunks
    uint16_t source_port, destination_port;
    bool bad_checksum;
    bool short_header; // from outside: fewer bytes than a common header
};

static inline struct sctp_packet *sctp_packet_of(const struct packet *packet)
{
    return (struct sctp_packet *)(void *)(uintptr_t)packet->header;
}

// Returns a packet without chunks for `route`. The caller frees it with inet_packet_free, or sends
// it.
struct packet *sctp_packet_new(struct sctp_pools *pools, struct inet_interface *interface,
                               const struct route *route);

// Makes an SCTP packet without chunks of any packet, whose route and sizes are left as they are.
void sctp_packet_init(struct packet *packet, struct sctp_pools *pools);

// Appends a chunk; the packet owns it from then on. Its length must be final.
void sctp_packet_add(struct packet *packet, struct sctp_chunk *chunk);

// Bytes of an IP packet that are left for chunks if its MTU is `mtu`.
static inline int64_t sctp_packet_room(const struct packet *packet, int64_t mtu)
{
    return mtu - IP_HEADER - sctp_packet_of(packet)->bytes;
}

// A chunk's bytes in a packet: its length, padded to a multiple of 4.
static inline uint32_t sctp_padded(uint32_t length)
{
    return (length + 3) & ~3u;
}

// Describes the packet by its chunks, for traces: "SCTP SACK, DATA".
void sctp_packet_words(const struct sctp_packet *packet, struct trace_words *words);

// A chunk (ABORT, ERROR) with one cause; 0: with none. `info`: its value, copied; may be NULL.
struct sctp_chunk *sctp_cause_chunk(struct sctp_pools *pools, enum sctp_chunk_type type,
                                    enum sctp_cause cause, const void *info, uint32_t info_bytes);

#endif
