// SPDX-License-Identifier: GPL-3.0-or-later
// GM's packets as captures show them. The layout of the real ones is not published; this one holds
// the fields of the model's packets, in the 24 bytes that gm.header has unless it is set, numbers
// big-endian. wireshark/netsim.lua reads it.
//
//     0..1    type of the packet, 5: GM's (assumed)
//     2       subtype: enum gm_packet_kind
//     3       bit 7: the last of its message; bit 6: high priority; bits 4..0: size class
//     4..5    node that it goes to       6..7    node that it comes from (stations, from 1)
//     8..9    session                    10..11  sequence number; of an answer: the one expected
//     12..13  data: bytes of the message in it; an answer: which sending of the packet it is for
//     14      port that it goes to       15      port that it comes from
//     16..19  data: where in the message its bytes begin
//     20..23  data: bytes of the message
//     24..31  directed: remote address of the message's first byte
//
// An answer ends with its 16 bytes. Where a parameter leaves a header less than that, what there is
// no room for is cut off, or lies over the payload, all of which is 0.
#include "models/myrinet_gm/gm/gm_internal.h"

#include <string.h>

#define PACKET_TYPE 5
#define ANSWER_BYTES 16
#define DATA_BYTES 24
#define DIRECTED_BYTES 32

const struct capture_link gm_capture_link = {147, "GM"};

// Big-endian, of `count` bytes.
static uint8_t *put(uint8_t *at, uint64_t value, int count)
{
    for (int i = count - 1; i >= 0; i--)
        *at++ = (uint8_t)(value >> 8 * i);
    return at;
}

static uint32_t encode(const struct gm_header *header, const struct route *route, uint8_t *bytes)
{
    bool data = header->kind == GM_PACKET_DATA || header->kind == GM_PACKET_DIRECTED;
    uint32_t marks =
        data ? (uint32_t)header->last << 7 | (header->priority & 1U) << 6 | (header->size & 0x1fU)
             : 0;
    uint8_t *at = put(bytes, PACKET_TYPE, 2);
    at = put(put(at, header->kind, 1), marks, 1);
    at = put(put(at, (uint64_t)route_to(route) + 1, 2), (uint64_t)route_from(route) + 1, 2);
    at = put(put(at, header->session, 2), header->sequence, 2);
    at = put(at, data ? (uint64_t)header->bytes : header->attempt, 2);
    at = put(put(at, header->target_port, 1), header->source_port, 1);
    if (!data)
        return ANSWER_BYTES;
    at = put(put(at, (uint64_t)header->position, 4), (uint64_t)header->length, 4);
    if (header->kind == GM_PACKET_DATA)
        return DATA_BYTES;
    put(at, (uint64_t)header->remote_address, 8);
    return DIRECTED_BYTES;
}

static void packet_bytes(void *owner, const struct packet *packet, uint8_t *bytes, uint32_t room)
{
    (void)owner;
    uint8_t encoded[DIRECTED_BYTES];
    uint32_t length =
        encode((const struct gm_header *)(const void *)packet->header, packet->route, encoded);
    memcpy(bytes, encoded, MIN(length, room));
}

static uint32_t packet_length(void *owner, const struct packet *packet)
{
    const struct gm_card *card = owner;
    return packet->wire_bytes - (uint32_t)card->config->crc;
}

static void packet_words(const struct packet *packet, struct trace_words *words)
{
    static const char *const names[] = {
        [GM_PACKET_DATA] = "GM data",
        [GM_PACKET_DIRECTED] = "GM directed send",
        [GM_PACKET_ACK] = "GM ACK",
        [GM_PACKET_NACK_GAP] = "GM NACK (gap)",
        [GM_PACKET_NACK_REFUSED] = "GM NACK (no buffer)",
        [GM_PACKET_NACK_CLOSED] = "GM NACK (port closed)",
        [GM_PACKET_NACK_REJECTED] = "GM NACK (not registered)",
    };
    const struct gm_header *header = (const struct gm_header *)(const void *)packet->header;
    g_strlcpy(words->text, names[header->kind], sizeof words->text);
    words->answers = header->kind != GM_PACKET_DATA && header->kind != GM_PACKET_DIRECTED;
    *(words->answers ? &words->acknowledges : &words->sequence) = header->sequence;
}

const struct lanai_frames gm_frames = {&gm_capture_link, packet_length, packet_bytes, packet_words};
