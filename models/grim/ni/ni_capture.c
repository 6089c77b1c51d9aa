// SPDX-License-Identifier: GPL-3.0-or-later
// GRIM's messages as captures show them: in the format that message.h gives (thesis 003, 4.1.1).
#include "models/grim/ni/ni_internal.h"

#include <string.h>

const struct capture_link grim_capture_link = {148, "GRIM"};

static uint32_t packet_length(void *owner, const struct packet *packet)
{
    (void)owner;
    return packet->wire_bytes; // the CRC-8 is the link's
}

static void packet_bytes(void *owner, const struct packet *packet, uint8_t *bytes, uint32_t room)
{
    (void)owner;
    const struct grim_packet *carried = (const struct grim_packet *)(const void *)packet->header;
    memcpy(bytes, carried->bytes, MIN(room, GRIM_HEADER_BYTES));
}

static void packet_words(const struct packet *packet, struct trace_words *words)
{
    const struct grim_packet *carried = (const struct grim_packet *)(const void *)packet->header;
    struct grim_header header;
    if (!grim_decode(carried->bytes, GRIM_HEADER_BYTES, &header))
        return;
    g_snprintf(words->text, sizeof words->text, "GRIM %s", grim_type_name(header.type));
    words->answers = grim_type_is_control(header.type);
    *(words->answers ? &words->acknowledges : &words->sequence) = header.sequence;
}

const struct lanai_frames grim_frames = {&grim_capture_link, packet_length, packet_bytes,
                                         packet_words};
