// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/pcapng.h"

#include "sim/output/file.h"

#include <string.h>

#define SECTION_HEADER 0x0a0d0d0aU
#define BYTE_ORDER_MAGIC 0x1a2b3c4dU
#define INTERFACE_DESCRIPTION 1
#define ENHANCED_PACKET 6
#define LINKTYPE_ETHERNET 1

enum {
    OPTION_END = 0,
    OPTION_COMMENT = 1,
    OPTION_SHB_USER_APPLICATION = 4,
    OPTION_IF_NAME = 2,
    OPTION_IF_SPEED = 8,
    OPTION_IF_TIME_RESOLUTION = 9,
    OPTION_EPB_FLAGS = 2,
};

struct pcapng {
    struct capture capture;
    struct file *file;
    FILE *out;    // the file's
    char *series; // whose section is not yet written, or NULL
    int interfaces;
    GByteArray *block;
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
    put_option(block, code, text, (uint32_t)MIN(strlen(text), 60000));
}

static void block_begin(struct pcapng *pcapng, uint32_t type)
{
    g_byte_array_set_size(pcapng->block, 0);
    put32(pcapng->block, type);
    put32(pcapng->block, 0); // its length
}

static void block_end(struct pcapng *pcapng)
{
    GByteArray *block = pcapng->block;
    uint32_t length = block->len + 4;
    put32(block, length);
    for (int i = 0; i < 4; i++)
        block->data[4 + i] = (uint8_t)(length >> 8 * i);
    fwrite(block->data, 1, block->len, pcapng->out);
}

// A section begins with the first interface of its series.
static void section_begin(struct pcapng *pcapng)
{
    if (!pcapng->series)
        return;
    block_begin(pcapng, SECTION_HEADER);
    put32(pcapng->block, BYTE_ORDER_MAGIC);
    put16(pcapng->block, 1); // version 1.0
    put16(pcapng->block, 0);
    put32(pcapng->block, UINT32_MAX); // length of the section: not told
    put32(pcapng->block, UINT32_MAX);
    put_text(pcapng->block, OPTION_COMMENT, pcapng->series);
    put_text(pcapng->block, OPTION_SHB_USER_APPLICATION, "netsim");
    put32(pcapng->block, OPTION_END);
    block_end(pcapng);
    g_free(pcapng->series);
    pcapng->series = NULL;
    pcapng->interfaces = 0;
}

static int pcapng_interface(struct capture *capture, const char *name, int64_t rate)
{
    struct pcapng *pcapng = (struct pcapng *)capture;
    section_begin(pcapng);
    block_begin(pcapng, INTERFACE_DESCRIPTION);
    put16(pcapng->block, LINKTYPE_ETHERNET);
    put16(pcapng->block, 0);
    put32(pcapng->block, 0); // frames of any length
    put_text(pcapng->block, OPTION_IF_NAME, name);
    put16(pcapng->block, OPTION_IF_SPEED);
    put16(pcapng->block, 8);
    put32(pcapng->block, (uint32_t)rate);
    put32(pcapng->block, (uint32_t)(rate >> 32));
    static const uint8_t nanoseconds = 9;
    put_option(pcapng->block, OPTION_IF_TIME_RESOLUTION, &nanoseconds, 1);
    put32(pcapng->block, OPTION_END);
    block_end(pcapng);
    return pcapng->interfaces++;
}

static void pcapng_frame(struct capture *capture, int interface, sim_time when, const void *bytes,
                         uint32_t captured, uint32_t length, enum capture_direction direction)
{
    struct pcapng *pcapng = (struct pcapng *)capture;
    uint64_t stamp = (uint64_t)(when / TIME_NS);
    block_begin(pcapng, ENHANCED_PACKET);
    put32(pcapng->block, (uint32_t)interface);
    put32(pcapng->block, (uint32_t)(stamp >> 32));
    put32(pcapng->block, (uint32_t)stamp);
    put32(pcapng->block, captured);
    put32(pcapng->block, length);
    put_padded(pcapng->block, bytes, captured);
    put16(pcapng->block, OPTION_EPB_FLAGS);
    put16(pcapng->block, 4);
    put32(pcapng->block, (uint32_t)direction); // 1: in, 2: out, as in the format
    put32(pcapng->block, OPTION_END);
    block_end(pcapng);
}

static const struct capture_ops pcapng_ops = {
    .interface = pcapng_interface,
    .frame = pcapng_frame,
};

struct pcapng *pcapng_open(const char *path, GError **error)
{
    struct file *file = file_begin(path, error);
    if (!file)
        return NULL;
    struct pcapng *pcapng = g_new0(struct pcapng, 1);
    pcapng->capture.ops = &pcapng_ops;
    pcapng->file = file;
    pcapng->out = file_stream(file);
    pcapng->series = g_strdup("");
    pcapng->block = g_byte_array_new();
    return pcapng;
}

void pcapng_series(struct pcapng *pcapng, const char *name)
{
    g_free(pcapng->series);
    pcapng->series = g_strdup(name);
}

struct capture *pcapng_capture(struct pcapng *pcapng)
{
    return &pcapng->capture;
}

static void pcapng_free(struct pcapng *pcapng)
{
    g_byte_array_free(pcapng->block, TRUE);
    g_free(pcapng->series);
    g_free(pcapng);
}

bool pcapng_close(struct pcapng *pcapng, GError **error)
{
    if (!pcapng)
        return true;
    section_begin(pcapng); // also a capture of nothing is a capture
    bool whole = file_end(pcapng->file, error);
    pcapng_free(pcapng);
    return whole;
}

void pcapng_drop(struct pcapng *pcapng)
{
    if (!pcapng)
        return;
    file_drop(pcapng->file);
    pcapng_free(pcapng);
}
