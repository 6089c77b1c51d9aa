// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/sctp_cmt/wire/chunk.h"

#include <glib.h>
#include <string.h>

// ---- Pools ----

#define LEAST_CLASS 64 // bytes of the smallest class, its header included; each next has four times

static uint32_t class_size(int class)
{
    return (uint32_t)LEAST_CLASS << (2 * class);
}

void sctp_pools_init(struct sctp_pools *pools)
{
    pool_init(&pools->chunks, sizeof(struct sctp_chunk));
    pool_init(&pools->messages, sizeof(struct sctp_message));
    for (int i = 0; i < SCTP_BYTE_CLASSES; i++)
        pool_init(&pools->bytes[i], sizeof(struct sctp_bytes) + class_size(i));
}

void sctp_pools_clear(struct sctp_pools *pools)
{
    pool_clear(&pools->chunks);
    pool_clear(&pools->messages);
    for (int i = 0; i < SCTP_BYTE_CLASSES; i++)
        pool_clear(&pools->bytes[i]);
}

static int class_of(uint32_t room)
{
    int class = 0;
    while (class_size(class) < room)
        class ++;
    g_assert(class < SCTP_BYTE_CLASSES);
    return class;
}

struct sctp_bytes *sctp_bytes_new(struct sctp_pools *pools, uint32_t room)
{
    int class = class_of(room);
    struct sctp_bytes *bytes = pool_take(&pools->bytes[class]);
    *bytes = (struct sctp_bytes){.pools = pools, .references = 1, .room = class_size(class)};
    return bytes;
}

void sctp_bytes_ref(struct sctp_bytes *bytes)
{
    bytes->references++;
}

void sctp_bytes_free(struct sctp_bytes *bytes)
{
    if (bytes && --bytes->references == 0)
        pool_give(&bytes->pools->bytes[class_of(bytes->room)], bytes);
}

struct sctp_message *sctp_message_new(struct sctp_pools *pools)
{
    struct sctp_message *message = pool_take(&pools->messages);
    // Nothing reads the content beyond content_length.
    memset(message, 0, offsetof(struct sctp_message, content));
    message->pools = pools;
    message->references = 1;
    return message;
}

void sctp_message_ref(struct sctp_message *message)
{
    message->references++;
}

void sctp_message_free(struct sctp_message *message)
{
    if (message && --message->references == 0)
        pool_give(&message->pools->messages, message);
}

// ---- Chunks ----

// Types are numbers of 8 bits with large gaps.
static const struct form {
    uint8_t type;
    uint8_t form;    // enum sctp_chunk_form
    uint16_t length; // of the fixed part
    const char *name;
} forms[] = {
    {SCTP_DATA, SCTP_FORM_DATA, SCTP_DATA_HEADER, "DATA"},
    {SCTP_INIT, SCTP_FORM_INIT, SCTP_INIT_HEADER, "INIT"},
    {SCTP_INIT_ACK, SCTP_FORM_INIT, SCTP_INIT_HEADER, "INIT-ACK"},
    {SCTP_SACK, SCTP_FORM_SACK, SCTP_SACK_HEADER, "SACK"},
    {SCTP_HEARTBEAT, SCTP_FORM_BYTES, SCTP_CHUNK_HEADER, "HEARTBEAT"},
    {SCTP_HEARTBEAT_ACK, SCTP_FORM_BYTES, SCTP_CHUNK_HEADER, "HEARTBEAT-ACK"},
    {SCTP_ABORT, SCTP_FORM_BYTES, SCTP_CHUNK_HEADER, "ABORT"},
    {SCTP_SHUTDOWN, SCTP_FORM_CUM_TSN, 8, "SHUTDOWN"},
    {SCTP_SHUTDOWN_ACK, SCTP_FORM_EMPTY, SCTP_CHUNK_HEADER, "SHUTDOWN-ACK"},
    {SCTP_ERROR, SCTP_FORM_BYTES, SCTP_CHUNK_HEADER, "ERROR"},
    {SCTP_COOKIE_ECHO, SCTP_FORM_BYTES, SCTP_CHUNK_HEADER, "COOKIE-ECHO"},
    {SCTP_COOKIE_ACK, SCTP_FORM_EMPTY, SCTP_CHUNK_HEADER, "COOKIE-ACK"},
    {SCTP_ECNE, SCTP_FORM_CUM_TSN, 8, "ECNE"},
    {SCTP_CWR, SCTP_FORM_CUM_TSN, 8, "CWR"},
    {SCTP_SHUTDOWN_COMPLETE, SCTP_FORM_EMPTY, SCTP_CHUNK_HEADER, "SHUTDOWN-COMPLETE"},
    {SCTP_FORWARD_TSN, SCTP_FORM_FORWARD, 8, "FORWARD-TSN"},
};

// Returns the last row, whose name is "chunk", if the type is unknown.
static const struct form *form_of(uint8_t type)
{
    static const struct form unknown = {0, SCTP_FORM_BYTES, SCTP_CHUNK_HEADER, "chunk"};
    if (type <= SCTP_SHUTDOWN_COMPLETE)
        return &forms[type];
    return type == SCTP_FORWARD_TSN ? &forms[G_N_ELEMENTS(forms) - 1] : &unknown;
}

enum sctp_chunk_form sctp_chunk_form(const struct sctp_chunk *chunk)
{
    return chunk->fault ? SCTP_FORM_BYTES : (enum sctp_chunk_form)form_of(chunk->type)->form;
}

const char *sctp_chunk_name(uint8_t type)
{
    return form_of(type)->name;
}

struct sctp_chunk *sctp_chunk_new(struct sctp_pools *pools, uint8_t type, uint8_t flags)
{
    struct sctp_chunk *chunk = pool_take(&pools->chunks);
    *chunk = (struct sctp_chunk){.type = type, .flags = flags, .length = form_of(type)->length};
    return chunk;
}

// The object that the chunk refers to, if any: a block of bytes or a message.
static struct sctp_bytes *bytes_of(const struct sctp_chunk *chunk)
{
    switch (sctp_chunk_form(chunk)) {
    case SCTP_FORM_INIT:
        return chunk->init.parameters;
    case SCTP_FORM_SACK:
        return chunk->sack.blocks;
    case SCTP_FORM_FORWARD:
        return chunk->forward.streams;
    case SCTP_FORM_BYTES:
        return chunk->bytes;
    case SCTP_FORM_EMPTY:
    case SCTP_FORM_DATA:
    case SCTP_FORM_CUM_TSN:
        break;
    }
    return NULL;
}

void sctp_chunk_free(struct sctp_pools *pools, struct sctp_chunk *chunk)
{
    sctp_bytes_free(bytes_of(chunk));
    if (sctp_chunk_form(chunk) == SCTP_FORM_DATA)
        sctp_message_free(chunk->data.message);
    pool_give(&pools->chunks, chunk);
}

struct sctp_chunk *sctp_chunk_copy(struct sctp_pools *pools, const struct sctp_chunk *chunk)
{
    struct sctp_chunk *copy = pool_take(&pools->chunks);
    *copy = *chunk;
    copy->next = NULL;
    struct sctp_bytes *bytes = bytes_of(chunk);
    if (bytes)
        sctp_bytes_ref(bytes);
    if (sctp_chunk_form(chunk) == SCTP_FORM_DATA && chunk->data.message)
        sctp_message_ref(chunk->data.message);
    return copy;
}

// ---- Parameters and causes ----

#define TLV_HEADER 4

uint16_t sctp_get16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

uint32_t sctp_get32(const uint8_t *at)
{
    return (uint32_t)sctp_get16(at) << 16 | sctp_get16(at + 2);
}

bool sctp_tlv_next(const struct sctp_bytes *bytes, uint32_t *at, struct sctp_tlv *tlv)
{
    if (!bytes || *at >= bytes->length)
        return false;
    uint32_t left = bytes->length - *at;
    const uint8_t *from = bytes->data + *at;
    *tlv = (struct sctp_tlv){.value = from};
    if (left >= TLV_HEADER) {
        tlv->type = sctp_get16(from);
        tlv->length = sctp_get16(from + 2);
        tlv->sound = tlv->length >= TLV_HEADER && tlv->length <= left;
    }
    if (!tlv->sound) {
        *at = bytes->length;
        return true;
    }
    tlv->value = from + TLV_HEADER;
    tlv->value_length = tlv->length - TLV_HEADER;
    *at += MIN(left, (tlv->length + 3u) & ~3u);
    return true;
}

uint8_t *sctp_tlv_append(struct sctp_bytes *bytes, uint16_t type, const void *value,
                         uint32_t value_length)
{
    uint32_t at = (bytes->length + 3) & ~3u;
    uint32_t end = at + TLV_HEADER + value_length;
    g_assert(end <= bytes->room);
    memset(bytes->data + bytes->length, 0, end - bytes->length);
    uint8_t *to = bytes->data + at;
    to[0] = (uint8_t)(type >> 8), to[1] = (uint8_t)type;
    to[2] = (uint8_t)((TLV_HEADER + value_length) >> 8);
    to[3] = (uint8_t)(TLV_HEADER + value_length);
    if (value && value_length > 0)
        memcpy(to + TLV_HEADER, value, value_length);
    bytes->length = end;
    return to + TLV_HEADER;
}
