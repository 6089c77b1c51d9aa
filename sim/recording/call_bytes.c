// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/recording/call_bytes.h"

#include <string.h>

// The members that are numbers, in the order of their bits in the mask.
enum member_kind { MEMBER_INT, MEMBER_INT64, MEMBER_DOUBLE, MEMBER_BOOL };

static const struct member {
    size_t offset;
    enum member_kind kind;
} members[] = {
#define MEMBER(name, kind)                                                                         \
    {                                                                                              \
        offsetof(struct recorded_call, name), kind                                                 \
    }
    MEMBER(communicator, MEMBER_INT),   MEMBER(peer, MEMBER_INT),
    MEMBER(tag, MEMBER_INT64),          MEMBER(size, MEMBER_INT64),
    MEMBER(source, MEMBER_INT),         MEMBER(receive_tag, MEMBER_INT64),
    MEMBER(receive_size, MEMBER_INT64), MEMBER(root, MEMBER_INT),
    MEMBER(work, MEMBER_DOUBLE),        MEMBER(seconds, MEMBER_DOUBLE),
    MEMBER(request, MEMBER_INT),        MEMBER(awaited_count, MEMBER_INT),
    MEMBER(awaits_all, MEMBER_BOOL),    MEMBER(block_count, MEMBER_INT),
#undef MEMBER
};

// Bits of the mask after those of the members: the lists that are there.
#define LIST_BLOCKS (1u << G_N_ELEMENTS(members))
#define LIST_RECEIVE_BLOCKS (LIST_BLOCKS << 1)

// ---- Writing ----

// Seven bits a byte, the least significant first; the highest bit: more follow.
static void write_unsigned(GByteArray *bytes, uint64_t value)
{
    unsigned char buffer[10];
    guint count = 0;
    do {
        buffer[count] = (unsigned char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
        count++;
    } while (value > 0);
    g_byte_array_append(bytes, buffer, count);
}

// Small negative numbers are short, too.
static void write_signed(GByteArray *bytes, int64_t value)
{
    write_unsigned(bytes, ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

static bool member_same(const struct member *member, const void *one, const void *other)
{
    const char *a = (const char *)one + member->offset, *b = (const char *)other + member->offset;
    switch (member->kind) {
    case MEMBER_INT:
        return *(const int *)a == *(const int *)b;
    case MEMBER_INT64:
        return *(const int64_t *)a == *(const int64_t *)b;
    case MEMBER_DOUBLE:
        return *(const double *)a == *(const double *)b;
    case MEMBER_BOOL:
        return *(const bool *)a == *(const bool *)b;
    }
    g_assert_not_reached();
}

static void member_write(GByteArray *bytes, const struct member *member, const void *call)
{
    const void *value = (const char *)call + member->offset;
    switch (member->kind) {
    case MEMBER_INT:
        write_signed(bytes, *(const int *)value);
        return;
    case MEMBER_INT64:
        write_signed(bytes, *(const int64_t *)value);
        return;
    case MEMBER_DOUBLE:
        g_byte_array_append(bytes, value, sizeof(double));
        return;
    case MEMBER_BOOL: // its presence is its value
        return;
    }
}

static void write_list(GByteArray *bytes, const int64_t *values, int count)
{
    for (int i = 0; i < count; i++)
        write_signed(bytes, values[i]);
}

guint call_bytes_write(GByteArray *bytes, const struct recorded_call *call, int last_line)
{
    const struct recorded_call bare = recorded_call(call->code, call->line);
    uint64_t mask =
        (call->blocks ? LIST_BLOCKS : 0) | (call->receive_blocks ? LIST_RECEIVE_BLOCKS : 0);
    for (size_t i = 0; i < G_N_ELEMENTS(members); i++)
        mask |= member_same(&members[i], call, &bare) ? 0 : UINT64_C(1) << i;
    guint before = bytes->len;
    write_signed(bytes, (int64_t)call->line - last_line);
    guint place = bytes->len - before;
    write_unsigned(bytes, call->code);
    write_unsigned(bytes, mask);
    for (size_t i = 0; i < G_N_ELEMENTS(members); i++)
        if (mask >> i & 1)
            member_write(bytes, &members[i], call);
    for (int i = 0; i < call->awaited_count; i++)
        write_signed(bytes, call->awaited[i]);
    if (call->blocks)
        write_list(bytes, call->blocks, call->block_count);
    if (call->receive_blocks)
        write_list(bytes, call->receive_blocks, call->block_count);
    return place;
}

// ---- Reading ----

void call_reader_init(struct call_reader *reader, call_bytes_more_fn *more, void *owner)
{
    *reader = (struct call_reader){.more = more, .owner = owner};
}

void call_reader_clear(struct call_reader *reader)
{
    GArray *lists[] = {reader->awaited, reader->blocks, reader->receive_blocks};
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
        if (lists[i])
            g_array_unref(lists[i]);
}

static unsigned char next_byte(struct call_reader *reader)
{
    if (reader->at == reader->end && !reader->more(reader->owner, &reader->at, &reader->end))
        g_assert_not_reached();
    return *reader->at++;
}

static uint64_t read_unsigned(struct call_reader *reader)
{
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        unsigned char byte = next_byte(reader);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
}

static int64_t read_signed(struct call_reader *reader)
{
    uint64_t value = read_unsigned(reader);
    return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

static void member_read(struct call_reader *reader, const struct member *member, void *call)
{
    void *value = (char *)call + member->offset;
    unsigned char bytes[sizeof(double)];
    switch (member->kind) {
    case MEMBER_INT:
        *(int *)value = (int)read_signed(reader);
        return;
    case MEMBER_INT64:
        *(int64_t *)value = read_signed(reader);
        return;
    case MEMBER_DOUBLE:
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = next_byte(reader);
        memcpy(value, bytes, sizeof bytes);
        return;
    case MEMBER_BOOL:
        *(bool *)value = true;
        return;
    }
}

static const int64_t *read_number_list(struct call_reader *reader, GArray **list, int count)
{
    if (!*list)
        *list = g_array_new(FALSE, FALSE, sizeof(int64_t));
    g_array_set_size(*list, (guint)count);
    for (int i = 0; i < count; i++)
        g_array_index(*list, int64_t, i) = read_signed(reader);
    return &g_array_index(*list, int64_t, 0);
}

static const int *read_awaited(struct call_reader *reader, int count)
{
    if (!reader->awaited)
        reader->awaited = g_array_new(FALSE, FALSE, sizeof(int));
    g_array_set_size(reader->awaited, (guint)count);
    for (int i = 0; i < count; i++)
        g_array_index(reader->awaited, int, i) = (int)read_signed(reader);
    return &g_array_index(reader->awaited, int, 0);
}

void call_bytes_read(struct call_reader *reader, struct recorded_call *call)
{
    reader->line += (int)read_signed(reader);
    enum op_code code = (enum op_code)read_unsigned(reader);
    *call = recorded_call(code, reader->line);
    uint64_t mask = read_unsigned(reader);
    for (size_t i = 0; i < G_N_ELEMENTS(members); i++)
        if (mask >> i & 1)
            member_read(reader, &members[i], call);
    if (call->awaited_count > 0)
        call->awaited = read_awaited(reader, call->awaited_count);
    if (mask & LIST_BLOCKS)
        call->blocks = read_number_list(reader, &reader->blocks, call->block_count);
    if (mask & LIST_RECEIVE_BLOCKS)
        call->receive_blocks = read_number_list(reader, &reader->receive_blocks, call->block_count);
}
