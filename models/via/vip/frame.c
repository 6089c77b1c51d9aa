// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/via/vip/frame.h"

#include <string.h>

// Big-endian, of `count` bytes.
static uint8_t *put(uint8_t *at, uint64_t value, int count)
{
    for (int i = count - 1; i >= 0; i--)
        *at++ = (uint8_t)(value >> 8 * i);
    return at;
}

static void put_data(const struct via_frame *frame, uint8_t *at)
{
    at = put(put(at, frame->total, 4), frame->at, 4);
    at = put(at, frame->payload, 2);
    at = put(at, (uint64_t)frame->remote_address, 6);
    put(at, frame->immediate, 4);
}

void via_frame_bytes(const struct via_frame *frame, uint8_t *bytes, uint32_t room)
{
    uint8_t encoded[VIA_HEADER_BYTES] = {0};
    uint32_t kind = (uint32_t)frame->type << 6 | (uint32_t)frame->operation << 4 |
                    (uint32_t)frame->answer << 1 | (uint32_t)frame->immediate_flag;
    uint8_t *at = put(encoded, kind, 1);
    at = put(at, frame->remote_handle, 3);
    at = put(put(at, frame->source_vi, 2), frame->destination_vi, 2);
    at = put(at, frame->sequence, 4);
    if (frame->type == VIA_DATA)
        put_data(frame, at);
    else
        put(at, frame->discriminator, 8);
    memcpy(bytes, encoded, room < VIA_HEADER_BYTES ? room : VIA_HEADER_BYTES);
}

void via_frame_words(const struct via_frame *frame, char *words, size_t room)
{
    static const char *const operations[] = {
        [VIP_RECEIVE] = "receive", [VIP_SEND] = "send", [VIP_RDMA_WRITE] = "RDMA write"};
    const char *what = frame->type == VIA_CONNECT      ? "connect"
                       : frame->type == VIA_DISCONNECT ? "disconnect"
                                                       : operations[frame->operation];
    g_snprintf(words, room, "M-VIA %s", what);
}
