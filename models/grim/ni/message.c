// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/grim/ni/message.h"

#include <glib.h>

const char *grim_type_name(enum grim_type type)
{
    switch (type) {
    case GRIM_ACTIVE_MESSAGE:
        return "active message";
    case GRIM_WRITE_VIRTUAL:
        return "RM-V write";
    case GRIM_WRITE_PHYSICAL:
        return "RM-P write";
    case GRIM_READ_VIRTUAL:
        return "RM-RV read";
    case GRIM_READ_REPLY:
        return "RM-RV reply";
    case GRIM_MULTICAST:
        return "multicast";
    case GRIM_ACK:
        return "ACK";
    case GRIM_NACK:
        return "NACK";
    case GRIM_TYPES:
        break;
    }
    g_assert_not_reached();
}

bool grim_type_is_control(enum grim_type type)
{
    return type == GRIM_ACK || type == GRIM_NACK;
}

uint32_t grim_padded(uint32_t bytes)
{
    return (bytes + GRIM_WORD_BYTES - 1) / GRIM_WORD_BYTES * GRIM_WORD_BYTES;
}

int64_t grim_message_bytes(const struct grim_message *message)
{
    return GRIM_HEADER_BYTES + (int64_t)grim_padded(message->bytes);
}

struct grim_header grim_header_of(const struct grim_message *message, uint16_t channel)
{
    uint32_t padded = grim_padded(message->bytes);
    struct grim_header header = {
        .id = GRIM_ID,
        .token = message->token,
        .sequence = message->sequence,
        .type = message->type,
        .correction = (uint8_t)(padded - message->bytes),
        .tree = message->tree,
        .source = message->source,
        .words = (uint16_t)(padded / GRIM_WORD_BYTES),
        .destination = message->destination,
        .channel = channel,
        .handler = message->handler,
    };
    for (int i = 0; i < GRIM_ARGUMENTS; i++)
        header.argument[i] = message->argument[i];
    return header;
}

uint32_t grim_payload(const struct grim_header *header)
{
    return (uint32_t)header->words * GRIM_WORD_BYTES - header->correction;
}

static void put_word(uint8_t *bytes, int word, uint32_t value)
{
    for (int i = 0; i < GRIM_WORD_BYTES; i++)
        bytes[word * GRIM_WORD_BYTES + i] = (uint8_t)(value >> (24 - 8 * i));
}

static uint32_t get_word(const uint8_t *bytes, int word)
{
    uint32_t value = 0;
    for (int i = 0; i < GRIM_WORD_BYTES; i++)
        value = value << 8 | bytes[word * GRIM_WORD_BYTES + i];
    return value;
}

int grim_encode(const struct grim_header *header, uint8_t bytes[GRIM_HEADER_BYTES])
{
    put_word(bytes, 0,
             (uint32_t)header->id << 16 | (uint32_t)header->token << 8 | header->sequence);
    put_word(bytes, 1,
             (uint32_t)header->type << 26 | (uint32_t)header->correction << 24 |
                 (uint32_t)header->tree << 16 | header->source);
    if (grim_type_is_control(header->type))
        return GRIM_CONTROL_BYTES;
    put_word(bytes, 2, (uint32_t)header->words << 16 | header->destination);
    put_word(bytes, 3, (uint32_t)header->channel << 16 | header->handler);
    for (int i = 0; i < GRIM_ARGUMENTS; i++)
        put_word(bytes, 4 + i, header->argument[i]);
    return GRIM_HEADER_BYTES;
}

bool grim_decode(const uint8_t *bytes, int count, struct grim_header *header)
{
    *header = (struct grim_header){0};
    if (count < GRIM_CONTROL_BYTES)
        return false;
    uint32_t word = get_word(bytes, 0);
    header->id = (uint16_t)(word >> 16);
    header->token = (uint8_t)(word >> 8);
    header->sequence = (uint8_t)word;
    word = get_word(bytes, 1);
    if (header->id != GRIM_ID || word >> 26 >= GRIM_TYPES)
        return false;
    header->type = (enum grim_type)(word >> 26);
    header->correction = word >> 24 & 3;
    header->tree = (uint8_t)(word >> 16);
    header->source = (uint16_t)word;
    if (grim_type_is_control(header->type))
        return true;
    if (count < GRIM_HEADER_BYTES)
        return false;
    word = get_word(bytes, 2);
    header->words = (uint16_t)(word >> 16);
    header->destination = (uint16_t)word;
    word = get_word(bytes, 3);
    header->channel = (uint16_t)(word >> 16);
    header->handler = (uint16_t)word;
    for (int i = 0; i < GRIM_ARGUMENTS; i++)
        header->argument[i] = get_word(bytes, 4 + i);
    return header->words * GRIM_WORD_BYTES <= GRIM_MOST_PAYLOAD &&
           (header->words > 0 || header->correction == 0);
}
