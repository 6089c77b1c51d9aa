// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/sctp_cmt/wire/codec.h"

#include <glib.h>
#include <string.h>

// ---- Writing ----

// Bytes go to a window of the packet, and all of them into the checksum, in which runs of zeros
// are short.
struct writer {
    uint8_t *bytes;
    uint32_t room, at; // `at` may be beyond `room`
    uint32_t crc;
};

static void put(struct writer *writer, const uint8_t *bytes, uint32_t length)
{
    if (writer->at < writer->room)
        memcpy(writer->bytes + writer->at, bytes, MIN(length, writer->room - writer->at));
    writer->crc = sctp_crc32c(writer->crc, bytes, length);
    writer->at += length;
}

static void put_zeros(struct writer *writer, uint32_t length)
{
    writer->crc = sctp_crc32c_zeros(writer->crc, length);
    writer->at += length;
}

static void put8(struct writer *writer, uint32_t value)
{
    put(writer, (const uint8_t[]){(uint8_t)value}, 1);
}

static void put16(struct writer *writer, uint32_t value)
{
    put(writer, (const uint8_t[]){(uint8_t)(value >> 8), (uint8_t)value}, 2);
}

static void put32(struct writer *writer, uint32_t value)
{
    put16(writer, value >> 16);
    put16(writer, value);
}

static void put_bytes(struct writer *writer, const struct sctp_bytes *bytes)
{
    if (bytes)
        put(writer, bytes->data, bytes->length);
}

static void put_data(struct writer *writer, const struct sctp_data *data)
{
    const struct sctp_message *message = data->message;
    put32(writer, data->tsn);
    put16(writer, data->stream);
    put16(writer, data->ssn);
    put32(writer, data->protocol);
    uint32_t content = 0;
    if (message && data->offset < message->content_length)
        content = MIN(data->bytes, message->content_length - data->offset);
    if (content > 0)
        put(writer, message->content + data->offset, content);
    put_zeros(writer, data->bytes - content);
}

static void put_sack(struct writer *writer, const struct sctp_sack *sack)
{
    put32(writer, sack->cum_tsn);
    put32(writer, sack->a_rwnd);
    put16(writer, sack->gap_count);
    put16(writer, sack->duplicate_count);
    for (int i = 0; i < sack->gap_count; i++) {
        put16(writer, sctp_sack_gaps(sack)[i].start);
        put16(writer, sctp_sack_gaps(sack)[i].end);
    }
    for (int i = 0; i < sack->duplicate_count; i++)
        put32(writer, sctp_sack_duplicates(sack)[i]);
}

static void put_init(struct writer *writer, const struct sctp_init *init)
{
    put32(writer, init->tag);
    put32(writer, init->a_rwnd);
    put16(writer, init->streams_out);
    put16(writer, init->streams_in);
    put32(writer, init->tsn);
    put_bytes(writer, init->parameters);
}

static void put_body(struct writer *writer, const struct sctp_chunk *chunk)
{
    switch (sctp_chunk_form(chunk)) {
    case SCTP_FORM_EMPTY:
        break;
    case SCTP_FORM_DATA:
        put_data(writer, &chunk->data);
        break;
    case SCTP_FORM_INIT:
        put_init(writer, &chunk->init);
        break;
    case SCTP_FORM_SACK:
        put_sack(writer, &chunk->sack);
        break;
    case SCTP_FORM_CUM_TSN:
        put32(writer, chunk->cum_tsn);
        break;
    case SCTP_FORM_FORWARD:
        put32(writer, chunk->forward.cum_tsn);
        put_bytes(writer, chunk->forward.streams);
        break;
    case SCTP_FORM_BYTES:
        put_bytes(writer, chunk->bytes);
        break;
    }
}

static void put_chunk(struct writer *writer, const struct sctp_chunk *chunk)
{
    uint32_t end = writer->at + chunk->length;
    put8(writer, chunk->type);
    put8(writer, chunk->flags);
    put16(writer, chunk->length);
    put_body(writer, chunk);
    if (!chunk->fault && writer->at < end) // from outside: more than its type has
        put_zeros(writer, end - writer->at);
}

uint32_t sctp_chunk_encode(const struct sctp_chunk *chunk, uint8_t *bytes, uint32_t room)
{
    struct writer writer = {.room = room};
    writer.bytes = bytes;
    put_chunk(&writer, chunk);
    return MIN(writer.at, room);
}

#define CHECKSUM_AT 8 // in the common header

// Little-endian, unlike all other fields (RFC 9260, appendix A).
static void checksum_write(uint8_t *bytes, uint32_t room, uint32_t crc)
{
    for (uint32_t i = 0; i < 4 && CHECKSUM_AT + i < room; i++)
        bytes[CHECKSUM_AT + i] = (uint8_t)(crc >> (8 * i));
}

uint32_t sctp_encode(const struct sctp_packet *packet, uint8_t *bytes, uint32_t room)
{
    struct writer writer = {.bytes = bytes, .room = room};
    put16(&writer, packet->source_port);
    put16(&writer, packet->destination_port);
    put32(&writer, packet->tag);
    put_zeros(&writer, 4);
    for (const struct sctp_chunk *chunk = packet->first; chunk; chunk = chunk->next) {
        uint32_t start = writer.at;
        put_chunk(&writer, chunk);
        if (chunk->next || !chunk->fault) // a cut-off chunk has no padding
            put_zeros(&writer, sctp_padded(writer.at - start) - (writer.at - start));
    }
    checksum_write(bytes, room, packet->bad_checksum ? ~writer.crc : writer.crc);
    return MIN(writer.at, room);
}

// ---- Reading ----

// A chunk's bytes after its header.
struct reader {
    const uint8_t *at;
    uint32_t left;
};

static uint32_t take16(struct reader *reader)
{
    uint32_t value = sctp_get16(reader->at);
    reader->at += 2, reader->left -= 2;
    return value;
}

static uint32_t take32(struct reader *reader)
{
    uint32_t value = sctp_get32(reader->at);
    reader->at += 4, reader->left -= 4;
    return value;
}

// The rest as a block; NULL if nothing is left.
static struct sctp_bytes *take_bytes(struct sctp_pools *pools, const struct reader *reader)
{
    if (reader->left == 0)
        return NULL;
    struct sctp_bytes *bytes = sctp_bytes_new(pools, reader->left);
    memcpy(bytes->data, reader->at, reader->left);
    bytes->length = reader->left;
    return bytes;
}

// The bytes are kept as content, so that a later encoding gives the same.
static void take_data(struct sctp_pools *pools, struct reader *reader, struct sctp_data *data)
{
    data->tsn = take32(reader);
    data->stream = (uint16_t)take16(reader);
    data->ssn = (uint16_t)take16(reader);
    data->protocol = take32(reader);
    data->bytes = reader->left;
    if (data->bytes == 0)
        return;
    data->message = sctp_message_new(pools);
    data->message->length = data->bytes;
    data->message->content_length = MIN(data->bytes, SCTP_CONTENT_BYTES);
    memcpy(data->message->content, reader->at, data->message->content_length);
}

static void take_init(struct sctp_pools *pools, struct reader *reader, struct sctp_init *init)
{
    init->tag = take32(reader);
    init->a_rwnd = take32(reader);
    init->streams_out = (uint16_t)take16(reader);
    init->streams_in = (uint16_t)take16(reader);
    init->tsn = take32(reader);
    init->parameters = take_bytes(pools, reader);
}

// Returns false if the chunk is too short for the blocks that it announces.
static bool take_sack(struct sctp_pools *pools, struct reader *reader, struct sctp_sack *sack)
{
    sack->cum_tsn = take32(reader);
    sack->a_rwnd = take32(reader);
    sack->gap_count = (uint16_t)take16(reader);
    sack->duplicate_count = (uint16_t)take16(reader);
    uint32_t length = 4u * (sack->gap_count + (uint32_t)sack->duplicate_count);
    if (length == 0)
        return true;
    if (length > reader->left)
        return false;
    sack->blocks = sctp_bytes_new(pools, length);
    sack->blocks->length = length;
    struct sctp_gap *gaps = (struct sctp_gap *)(void *)sack->blocks->data;
    for (int i = 0; i < sack->gap_count; i++) {
        gaps[i].start = (uint16_t)take16(reader);
        gaps[i].end = (uint16_t)take16(reader);
    }
    uint32_t *duplicates = (uint32_t *)(void *)(sack->blocks->data + 4 * sack->gap_count);
    for (int i = 0; i < sack->duplicate_count; i++)
        duplicates[i] = take32(reader);
    return true;
}

// Fills in the chunk from its bytes, as its form has it. Returns false if they are too few.
static bool take_chunk(struct sctp_pools *pools, struct reader *reader, struct sctp_chunk *chunk,
                       uint32_t fixed)
{
    if (chunk->length < fixed)
        return false;
    switch (sctp_chunk_form(chunk)) {
    case SCTP_FORM_EMPTY:
        break;
    case SCTP_FORM_DATA:
        take_data(pools, reader, &chunk->data);
        break;
    case SCTP_FORM_INIT:
        take_init(pools, reader, &chunk->init);
        break;
    case SCTP_FORM_SACK:
        return take_sack(pools, reader, &chunk->sack);
    case SCTP_FORM_CUM_TSN:
        chunk->cum_tsn = take32(reader);
        break;
    case SCTP_FORM_FORWARD:
        chunk->forward.cum_tsn = take32(reader);
        chunk->forward.streams = take_bytes(pools, reader);
        break;
    case SCTP_FORM_BYTES:
        chunk->bytes = take_bytes(pools, reader);
        break;
    }
    return true;
}

// Reads the chunk at the start of `bytes`. Returns the bytes to go on after, 0 if none may follow.
static uint32_t decode_chunk(const uint8_t *bytes, uint32_t left, struct packet *packet)
{
    struct sctp_pools *pools = sctp_packet_of(packet)->pools;
    struct sctp_chunk *chunk = sctp_chunk_new(pools, left > 0 ? bytes[0] : 0, 0);
    uint32_t fixed = chunk->length;
    enum sctp_chunk_fault fault = SCTP_CHUNK_SOUND;
    if (left >= SCTP_CHUNK_HEADER) {
        chunk->flags = bytes[1];
        chunk->length = sctp_get16(bytes + 2);
    }
    if (left < SCTP_CHUNK_HEADER || chunk->length > left)
        fault = SCTP_CHUNK_OVERRUN;
    else if (chunk->length < SCTP_CHUNK_HEADER)
        fault = SCTP_CHUNK_SHORT;
    struct reader reader = {bytes + SCTP_CHUNK_HEADER, 0};
    if (!fault) {
        reader.left = chunk->length - SCTP_CHUNK_HEADER;
        if (!take_chunk(pools, &reader, chunk, fixed))
            fault = SCTP_CHUNK_SHORT;
    }
    if (fault) { // whatever bytes it has are kept as they are
        uint32_t end = MIN(left, MAX(chunk->length, SCTP_CHUNK_HEADER));
        reader = (struct reader){bytes + SCTP_CHUNK_HEADER,
                                 end > SCTP_CHUNK_HEADER ? end - SCTP_CHUNK_HEADER : 0};
        chunk->fault = (uint8_t)fault;
        chunk->bytes = take_bytes(pools, &reader);
    }
    uint32_t next = sctp_padded(chunk->length);
    bool ends = fault == SCTP_CHUNK_OVERRUN || chunk->length < SCTP_CHUNK_HEADER || next >= left;
    sctp_packet_add(packet, chunk);
    return ends ? 0 : next;
}

static bool checksum_right(const uint8_t *bytes, uint32_t length)
{
    const uint8_t *at = bytes + CHECKSUM_AT;
    uint32_t crc = sctp_crc32c(0, bytes, CHECKSUM_AT);
    crc = sctp_crc32c_zeros(crc, 4);
    crc = sctp_crc32c(crc, at + 4, length - SCTP_COMMON_HEADER);
    return crc == (at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);
}

void sctp_decode(const uint8_t *bytes, uint32_t length, struct packet *packet)
{
    struct sctp_packet *sctp = sctp_packet_of(packet);
    if (length < SCTP_COMMON_HEADER) {
        sctp->short_header = true;
        return;
    }
    sctp->source_port = sctp_get16(bytes);
    sctp->destination_port = sctp_get16(bytes + 2);
    sctp->tag = sctp_get32(bytes + 4);
    sctp->bad_checksum = !checksum_right(bytes, length);
    uint32_t at = SCTP_COMMON_HEADER, next;
    while (at < length) {
        next = decode_chunk(bytes + at, length - at, packet);
        if (next == 0)
            break;
        at += next;
    }
}
