// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/tcp/capture.h"

#include <glib.h>
#include <string.h>

#define PROTOCOL_TCP 6
#define TIME_TO_LIVE 64
#define DONT_FRAGMENT 0x4000 // Linux discovers the path's MTU

static uint8_t *put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
    return at + 2;
}

static uint8_t *put32(uint8_t *at, uint32_t value)
{
    return put16(put16(at, value >> 16), value & 0xffff);
}

// RFC 1071, of an even number of bytes, as headers have.
static uint32_t sum_of(uint32_t sum, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i += 2)
        sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

static uint32_t address_of(int station)
{
    return 0x0a000000U + (uint32_t)station + 1;
}

static void put_ip(const struct tcp_segment *segment, int from, int to, uint8_t *bytes)
{
    uint8_t *at = bytes;
    *at++ = 0x45; // version 4, five words
    *at++ = 0;
    at = put16(at, (uint32_t)tcp_segment_ip_bytes(segment));
    at = put16(at, segment->identification);
    at = put16(at, DONT_FRAGMENT);
    *at++ = TIME_TO_LIVE;
    *at++ = PROTOCOL_TCP;
    uint8_t *checksum = at;
    at = put16(at, 0);
    at = put32(at, address_of(from));
    put32(at, address_of(to));
    put16(checksum, ~sum_of(0, bytes, IP_HEADER) & 0xffff);
}

static uint8_t *put_options(const struct tcp_segment *segment, uint8_t *at)
{
    enum { NOP = 1, MSS = 2, SCALE = 3, SACK_PERMITTED = 4, SACK = 5, TIMESTAMP = 8 };
    bool permitted = segment->options & TCP_OPTION_SACK_PERMITTED;
    bool timestamp = segment->options & TCP_OPTION_TIMESTAMP;
    if (segment->options & TCP_OPTION_MSS)
        at = put32(at, MSS << 24 | 4 << 16 | segment->mss);
    if (permitted)
        at = put16(at, SACK_PERMITTED << 8 | 2);
    else if (timestamp)
        at = put16(at, NOP << 8 | NOP);
    if (timestamp) {
        at = put16(at, TIMESTAMP << 8 | 10);
        at = put32(put32(at, segment->timestamp), segment->echo);
    } else if (permitted) {
        at = put16(at, NOP << 8 | NOP);
    }
    if (segment->options & TCP_OPTION_SCALE)
        at = put32(at, NOP << 24 | SCALE << 16 | 3 << 8 | segment->scale);
    if (segment->sack_count == 0)
        return at;
    at = put16(at, NOP << 8 | NOP);
    at = put16(at, (uint32_t)(SACK << 8 | (2 + 8 * segment->sack_count)));
    uint32_t base = (uint32_t)((uint64_t)segment->acknowledgment + segment->peer_initial);
    for (int i = 0; i < segment->sack_count; i++)
        at = put32(put32(at, base + segment->sack[i].from), base + segment->sack[i].to);
    return at;
}

static void put_tcp(const struct tcp_segment *segment, int from, int to, uint8_t *bytes)
{
    uint32_t header = (uint32_t)(TCP_HEADER + tcp_segment_options(segment));
    uint32_t length = header + segment->payload;
    bool ack = segment->flags & TCP_ACK;
    uint8_t *at = put16(put16(bytes, segment->source_port), segment->destination_port);
    at = put32(at, (uint32_t)((uint64_t)segment->sequence + segment->initial));
    at = put32(at, ack ? (uint32_t)((uint64_t)segment->acknowledgment + segment->peer_initial) : 0);
    *at++ = (uint8_t)(header / 4 << 4);
    *at++ = segment->flags;
    at = put16(at, segment->window);
    uint8_t *checksum = at;
    at = put32(at, 0); // checksum, urgent pointer
    put_options(segment, at);
    uint8_t pseudo[12];
    put16(put16(put32(put32(pseudo, address_of(from)), address_of(to)), PROTOCOL_TCP), length);
    // The payload is 0 and adds nothing.
    put16(checksum, ~sum_of(sum_of(0, pseudo, sizeof pseudo), bytes, header) & 0xffff);
}

void tcp_segment_bytes(const struct tcp_segment *segment, int from, int to, uint8_t *bytes,
                       uint32_t room)
{
    if (room < (uint32_t)(IP_HEADER + TCP_HEADER + tcp_segment_options(segment)))
        return;
    put_ip(segment, from, to, bytes);
    put_tcp(segment, from, to, bytes + IP_HEADER);
}
