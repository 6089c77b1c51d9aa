// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/iwarp/segment.h"

#include <string.h>

// First byte of DDP: T, L and the version; second byte: RDMAP's version and opcode.
#define DDP_TAGGED 0x80
#define DDP_LAST 0x40
#define DDP_VERSION 0x01
#define RDMAP_VERSION 0x40
#define VERSION_BITS 0x03
#define RDMAP_VERSION_BITS 0xc0
#define OPCODE_BITS 0x0f

static const struct {
    uint16_t code; // layer (4 bits), type (4), code (8)
    const char *text;
} faults[IWARP_FAULTS] = {
    [IWARP_FAULT_USER] = {0x0000, "the program has posted a terminate message"},
    [IWARP_FAULT_BAD_STAG] = {0x1100, "no memory has the steering tag"},
    [IWARP_FAULT_OUT_OF_BOUNDS] = {0x1101, "out of the bounds of registered memory"},
    [IWARP_FAULT_NO_RECEIVE] = {0x1202, "no posted receive"},
    [IWARP_FAULT_TOO_LONG] = {0x1205, "the message is longer than the posted receive"},
    [IWARP_FAULT_HEADER] = {0x1206, "a header with an unknown version, opcode or queue"},
};

uint16_t iwarp_fault_code(enum iwarp_fault fault)
{
    return faults[fault].code;
}

const char *iwarp_fault_text(enum iwarp_fault fault)
{
    return faults[fault].text;
}

enum iwarp_fault iwarp_fault_of(uint16_t code)
{
    for (int fault = 0; fault < IWARP_FAULTS; fault++)
        if (faults[fault].code == code)
            return (enum iwarp_fault)fault;
    return IWARP_FAULT_USER;
}

int iwarp_header_bytes(const struct iwarp_header *header)
{
    if (header->tagged)
        return IWARP_TAGGED_HEADER;
    switch (header->opcode) {
    case IWARP_OPCODE_READ_REQUEST:
        return IWARP_UNTAGGED_HEADER + IWARP_READ_HEADER;
    case IWARP_OPCODE_TERMINATE:
        return IWARP_UNTAGGED_HEADER + IWARP_TERMINATE_HEADER;
    case IWARP_OPCODE_WRITE:
    case IWARP_OPCODE_READ_RESPONSE:
    case IWARP_OPCODE_SEND:
        break;
    }
    return IWARP_UNTAGGED_HEADER;
}

// ---- Writing ----

static unsigned char *put(unsigned char *to, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--, value >>= 8)
        to[i] = (unsigned char)value;
    return to + bytes;
}

int iwarp_header_encode(const struct iwarp_header *header, unsigned char *to)
{
    unsigned char *at = to;
    *at++ = (unsigned char)(DDP_VERSION | (header->tagged ? DDP_TAGGED : 0) |
                            (header->last ? DDP_LAST : 0));
    *at++ = (unsigned char)(RDMAP_VERSION | (int)header->opcode);
    if (header->tagged) {
        at = put(at, header->stag, 4);
        at = put(at, (uint64_t)header->address, 8);
        return (int)(at - to);
    }
    at = put(at, 0, 4); // reserved: the tag that a send invalidates
    at = put(at, header->queue, 4);
    at = put(at, header->msn, 4);
    at = put(at, header->offset, 4);
    if (header->opcode == IWARP_OPCODE_READ_REQUEST) {
        at = put(at, header->read.sink_stag, 4);
        at = put(at, (uint64_t)header->read.sink, 8);
        at = put(at, header->read.length, 4);
        at = put(at, header->read.source_stag, 4);
        at = put(at, (uint64_t)header->read.source, 8);
    } else if (header->opcode == IWARP_OPCODE_TERMINATE)
        at = put(at, (uint64_t)header->code << 16, 4);
    return (int)(at - to);
}

// ---- Reading ----

static uint64_t get(const unsigned char **from, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value = value << 8 | *(*from)++;
    return value;
}

// Tagged messages are writes and responses; of the others each has its queue.
static bool sound(const struct iwarp_header *header)
{
    switch (header->opcode) {
    case IWARP_OPCODE_WRITE:
    case IWARP_OPCODE_READ_RESPONSE:
        return header->tagged;
    case IWARP_OPCODE_READ_REQUEST:
        return !header->tagged && header->queue == IWARP_QUEUE_READ_REQUEST;
    case IWARP_OPCODE_SEND:
        return !header->tagged && header->queue == IWARP_QUEUE_SEND;
    case IWARP_OPCODE_TERMINATE:
        return !header->tagged && header->queue == IWARP_QUEUE_TERMINATE;
    }
    return false;
}

bool iwarp_header_decode(struct iwarp_header *header, const unsigned char *from, int length)
{
    const unsigned char *at = from;
    *header = (struct iwarp_header){0};
    if (length < IWARP_FIRST_BYTES || (at[0] & VERSION_BITS) != DDP_VERSION ||
        (at[1] & RDMAP_VERSION_BITS) != RDMAP_VERSION)
        return false;
    header->tagged = at[0] & DDP_TAGGED;
    header->last = at[0] & DDP_LAST;
    header->opcode = (enum iwarp_opcode)(at[1] & OPCODE_BITS);
    at += 2;
    if (header->tagged) {
        header->stag = (uint32_t)get(&at, 4);
        header->address = (int64_t)get(&at, 8);
        return sound(header);
    }
    at += 4;
    header->queue = (uint32_t)get(&at, 4);
    header->msn = (uint32_t)get(&at, 4);
    if (!sound(header))
        return false;
    if (length == IWARP_FIRST_BYTES)
        return true;
    if (length < iwarp_header_bytes(header))
        return false;
    header->offset = (uint32_t)get(&at, 4);
    if (header->opcode == IWARP_OPCODE_READ_REQUEST) {
        header->read.sink_stag = (uint32_t)get(&at, 4);
        header->read.sink = (int64_t)get(&at, 8);
        header->read.length = (uint32_t)get(&at, 4);
        header->read.source_stag = (uint32_t)get(&at, 4);
        header->read.source = (int64_t)get(&at, 8);
    } else if (header->opcode == IWARP_OPCODE_TERMINATE)
        header->code = (uint16_t)get(&at, 2);
    return true;
}
