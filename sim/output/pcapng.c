// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/pcapng.h"

#include "sim/output/file.h"

#include <string.h>

#define SECTION_HEADER 0x0a0d0d0aU
#define BYTE_ORDER_MAGIC 0x1a2b3c4dU
#define INTERFACE_DESCRIPTION 1
#define ENHANCED_PACKET 6
#define LONGEST_TEXT 60000 // of the 65535 bytes that an option can have

enum {
    OPTION_END = 0,
    OPTION_COMMENT = 1,
    OPTION_SHB_USER_APPLICATION = 4,
    OPTION_IF_NAME = 2,
    OPTION_IF_DESCRIPTION = 3,
    OPTION_IF_SPEED = 8,
    OPTION_IF_TIME_RESOLUTION = 9,
    OPTION_EPB_FLAGS = 2,
};

struct pcapng {
    struct file *file;
    FILE *out; // the file's
    int interfaces;
};

// Numbers are little-endian on every machine, so that a capture is the same everywhere.
static void put16(GByteArray *block, uint32_t value)
{
    const uint8_t bytes[] = {(uint8_t)value, (uint8_t)(value >> 8)};
    g_byte_array_append(block, bytes, sizeof bytes);
}

static void put32(GByteArray *block, uint32_t value)
{
    put16(block, value);
    put16(block, value >> 16);
}

static void put_padded(GByteArray *block, const void *bytes, uint32_t length)
{
    static const uint8_t zeros[4] = {0};
    g_byte_array_append(block, bytes, length);
    g_byte_array_append(block, zeros, -length & 3);
}

static void put_option(GByteArray *block, uint32_t code, const void *bytes, uint32_t length)
{
    put16(block, code);
    put16(block, length);
    put_padded(block, bytes, length);
}

static void put_text(GByteArray *block, uint32_t code, const char *text)
{
    put_option(block, code, text, (uint32_t)MIN(strlen(text), LONGEST_TEXT));
}

static GByteArray *block_new(uint32_t type)
{
    GByteArray *block = g_byte_array_new();
    put32(block, type);
    put32(block, 0); // its length
    return block;
}

void pcapng_write(struct pcapng *pcapng, GByteArray *block)
{
    put32(block, OPTION_END);
    uint32_t length = block->len + 4;
    put32(block, length);
    for (int i = 0; i < 4; i++)
        block->data[4 + i] = (uint8_t)(length >> 8 * i);
    fwrite(block->data, 1, block->len, pcapng->out); // the stream keeps the failure
    g_byte_array_free(block, TRUE);
}

struct pcapng *pcapng_open(const char *path, const char *comment, GError **error)
{
    struct file *file = file_begin(path, error);
    if (!file)
        return NULL;
    struct pcapng *pcapng = g_new0(struct pcapng, 1);
    pcapng->file = file;
    pcapng->out = file_stream(file);
    GByteArray *block = block_new(SECTION_HEADER);
    put32(block, BYTE_ORDER_MAGIC);
    put16(block, 1); // version 1.0
    put16(block, 0);
    put32(block, UINT32_MAX); // length of the section: not told
    put32(block, UINT32_MAX);
    put_text(block, OPTION_COMMENT, comment);
    put_text(block, OPTION_SHB_USER_APPLICATION, "netsim");
    pcapng_write(pcapng, block);
    return pcapng;
}

int pcapng_interface(struct pcapng *pcapng, const char *name, const struct capture_link *link,
                     int64_t rate, uint32_t snap)
{
    static const uint8_t nanoseconds = 9;
    GByteArray *block = block_new(INTERFACE_DESCRIPTION);
    put16(block, (uint32_t)link->type);
    put16(block, 0);
    put32(block, snap);
    put_text(block, OPTION_IF_NAME, name);
    put_text(block, OPTION_IF_DESCRIPTION, link->name);
    put16(block, OPTION_IF_SPEED);
    put16(block, 8);
    put32(block, (uint32_t)rate);
    put32(block, (uint32_t)(rate >> 32));
    put_option(block, OPTION_IF_TIME_RESOLUTION, &nanoseconds, 1);
    pcapng_write(pcapng, block);
    return pcapng->interfaces++;
}

GByteArray *pcapng_block(int interface, const struct capture_frame *frame, uint32_t captured)
{
    uint64_t stamp = (uint64_t)(frame->when / TIME_NS);
    GByteArray *block = block_new(ENHANCED_PACKET);
    put32(block, (uint32_t)interface);
    put32(block, (uint32_t)(stamp >> 32));
    put32(block, (uint32_t)stamp);
    put32(block, captured);
    put32(block, frame->length);
    put_padded(block, frame->bytes, captured);
    put16(block, OPTION_EPB_FLAGS);
    put16(block, 4);
    put32(block, (uint32_t)frame->direction); // 1: in, 2: out, as in the format
    return block;
}

void pcapng_comment(GByteArray *block, const char *text)
{
    put_text(block, OPTION_COMMENT, text);
}

bool pcapng_close(struct pcapng *pcapng, GError **error)
{
    if (!pcapng)
        return true;
    bool whole = file_end(pcapng->file, error);
    g_free(pcapng);
    return whole;
}

void pcapng_drop(struct pcapng *pcapng)
{
    if (!pcapng)
        return;
    file_drop(pcapng->file);
    g_free(pcapng);
}
