// SPDX-License-Identifier: GPL-3.0-or-later
// A TCP segment in a packet's header. Sequence numbers count from the connection's start, without
// wrap: 0 is the SYN, 1 the first byte. The number on a wire is their sum with the initial
// sequence number, modulo 2^32.
#ifndef NETSIM_MODELS_TCP_SEGMENT_H
#define NETSIM_MODELS_TCP_SEGMENT_H

#include "models/inet/inet.h"

#include <stdbool.h>
#include <stdint.h>

#define TCP_PROTOCOL 6 // RFC 790
#define TCP_HEADER 20
#define TCP_TIMESTAMP_OPTION 12 // with the two no-operations that align it
#define TCP_SACK_BLOCKS 4
#define TCP_FIRST_MSS 536 // RFC 1122, 4.2.2.6

enum tcp_flag {
    TCP_FIN = 0x01,
    TCP_SYN = 0x02,
    TCP_RST = 0x04,
    TCP_PSH = 0x08,
    TCP_ACK = 0x10,
};

enum tcp_option {
    TCP_OPTION_MSS = 1,
    TCP_OPTION_SACK_PERMITTED = 2,
    TCP_OPTION_TIMESTAMP = 4,
    TCP_OPTION_SCALE = 8,
};

struct tcp_stream;

// Bytes from `from` up to `to` have arrived; both count from the segment's acknowledgment.
struct tcp_sack_offset {
    uint32_t from, to;
};

struct tcp_segment {
    struct inet_header ip;
    struct tcp_stream *stream; // with SYN: what the sender writes
    int64_t sequence, acknowledgment;
    uint32_t payload;               // bytes
    uint32_t initial, peer_initial; // initial sequence numbers of sender and receiver
    uint32_t timestamp, echo;
    uint32_t from, to; // numbers of the sockets at both ends; not on the wire; 0: not known
    uint16_t source_port, destination_port;
    uint16_t window; // as it stands in the header: before scaling
    uint16_t mss;
    uint8_t flags;   // enum tcp_flag
    uint8_t options; // enum tcp_option
    uint8_t scale;
    uint8_t sack_count;
    struct tcp_sack_offset sack[TCP_SACK_BLOCKS];
};

static inline const struct tcp_segment *tcp_segment_of(const struct packet *packet)
{
    return (const struct tcp_segment *)(const void *)packet->header;
}

// Bytes of its options, a multiple of 4.
static inline int tcp_segment_options(const struct tcp_segment *segment)
{
    int bytes = 0;
    if (segment->options & TCP_OPTION_MSS)
        bytes += 4;
    if (segment->options & TCP_OPTION_TIMESTAMP)
        bytes += TCP_TIMESTAMP_OPTION; // SACK-permitted takes the place of the no-operations
    else if (segment->options & TCP_OPTION_SACK_PERMITTED)
        bytes += 4;
    if (segment->options & TCP_OPTION_SCALE)
        bytes += 4;
    if (segment->sack_count > 0)
        bytes += 4 + 8 * segment->sack_count;
    return bytes;
}

// Bytes of its IP packet.
static inline int tcp_segment_ip_bytes(const struct tcp_segment *segment)
{
    return IP_HEADER + TCP_HEADER + tcp_segment_options(segment) + (int)segment->payload;
}

#endif
