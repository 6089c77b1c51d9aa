// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as an SCTP packet: its chunks are read or marked as malformed, what was read encodes to
// the same bytes as often as it is read, and parameters end.
#include "models/sctp_cmt/wire/codec.h"
#include "tests/fuzz/fuzz.h"

#define MOST 65535

static void walk(const struct sctp_bytes *bytes)
{
    struct sctp_tlv tlv;
    uint32_t at = 0, before = 0;
    while (sctp_tlv_next(bytes, &at, &tlv)) {
        g_assert(at > before && at <= bytes->length);
        before = at;
    }
}

static void look(const struct packet *packet)
{
    for (const struct sctp_chunk *chunk = sctp_packet_of(packet)->first; chunk;
         chunk = chunk->next) {
        g_assert(sctp_chunk_name(chunk->type));
        if (sctp_chunk_form(chunk) == SCTP_FORM_INIT)
            walk(chunk->init.parameters);
        if (sctp_chunk_form(chunk) == SCTP_FORM_BYTES)
            walk(chunk->bytes);
    }
}

static bool any_fault(const struct packet *packet)
{
    const struct sctp_packet *sctp = sctp_packet_of(packet);
    return sctp->short_header || (sctp->last && sctp->last->fault);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t first[2 * MOST], second[2 * MOST];
    struct sctp_pools pools;
    struct packet packet = {0}, again = {0};
    if (size > MOST)
        return 0;
    sctp_pools_init(&pools);
    sctp_packet_init(&packet, &pools);
    sctp_packet_init(&again, &pools);
    sctp_decode(data, (uint32_t)size, &packet);
    look(&packet);
    memset(first, 0, sizeof first);
    uint32_t length = sctp_encode(sctp_packet_of(&packet), first, sizeof first);
    if (!any_fault(&packet)) {
        sctp_decode(first, length, &again);
        look(&again);
        memset(second, 0, sizeof second);
        g_assert(sctp_encode(sctp_packet_of(&again), second, sizeof second) == length);
        g_assert(memcmp(first, second, length) == 0);
        g_assert(sctp_packet_of(&again)->bad_checksum == sctp_packet_of(&packet)->bad_checksum ||
                 sctp_packet_of(&packet)->bad_checksum);
    }
    packet.load->release(&packet);
    again.load->release(&again);
    g_assert(pools.chunks.in_use == 0);
    sctp_pools_clear(&pools);
    return 0;
}
