// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/sctp_cmt/wire/packet.h"

// The part of a DATA chunk that belongs to a message of the ledger: its bytes after the content.
static bool ledger_part(const struct sctp_data *data, int64_t *offset, int64_t *length)
{
    const struct sctp_message *message = data->message;
    if (!message || message->message.generation == 0)
        return false;
    int64_t from = MAX(data->offset, message->content_length);
    int64_t to = (int64_t)data->offset + data->bytes;
    *offset = message->offset + from - message->content_length;
    *length = to - from;
    if (message->stands_in)
        *length = 0;
    return to > from || message->stands_in;
}

static void load_drop(const struct packet *packet, struct ledger *ledger, const char *reason)
{
    int64_t offset, length;
    for (const struct sctp_chunk *chunk = sctp_packet_of(packet)->first; chunk; chunk = chunk->next)
        if (sctp_chunk_form(chunk) == SCTP_FORM_DATA && ledger_part(&chunk->data, &offset, &length))
            ledger_drop(ledger, chunk->data.message->message, offset, length, reason);
}

static void load_release(struct packet *packet)
{
    struct sctp_packet *sctp = sctp_packet_of(packet);
    struct sctp_chunk *next;
    for (struct sctp_chunk *chunk = sctp->first; chunk; chunk = next) {
        next = chunk->next;
        sctp_chunk_free(sctp->pools, chunk);
    }
    sctp->first = sctp->last = NULL;
}

static void append(struct sctp_packet *sctp, struct sctp_chunk *chunk)
{
    chunk->next = NULL;
    if (sctp->last)
        sctp->last->next = chunk;
    else
        sctp->first = chunk;
    sctp->last = chunk;
}

static void load_copy(struct packet *copy, const struct packet *of)
{
    struct sctp_packet *to = sctp_packet_of(copy);
    const struct sctp_packet *from = sctp_packet_of(of);
    to->first = to->last = NULL;
    for (const struct sctp_chunk *chunk = from->first; chunk; chunk = chunk->next)
        append(to, sctp_chunk_copy(from->pools, chunk));
}

static const struct packet_load sctp_load = {
    .drop = load_drop, .release = load_release, .copy = load_copy};

void sctp_packet_init(struct packet *packet, struct sctp_pools *pools)
{
    *sctp_packet_of(packet) = (struct sctp_packet){.pools = pools, .bytes = SCTP_COMMON_HEADER};
    packet->load = &sctp_load;
}

struct packet *sctp_packet_new(struct sctp_pools *pools, struct inet_interface *interface,
                               const struct route *route)
{
    struct packet *packet = inet_packet_new(interface, route, IP_HEADER + SCTP_COMMON_HEADER);
    sctp_packet_init(packet, pools);
    return packet;
}

void sctp_packet_add(struct packet *packet, struct sctp_chunk *chunk)
{
    struct sctp_packet *sctp = sctp_packet_of(packet);
    append(sctp, chunk);
    sctp->bytes += sctp_padded(chunk->length);
    packet->wire_bytes += sctp_padded(chunk->length);
    if (sctp_chunk_form(chunk) == SCTP_FORM_DATA && packet->message.generation == 0 &&
        chunk->data.message)
        packet->message = chunk->data.message->message;
}

struct sctp_chunk *sctp_cause_chunk(struct sctp_pools *pools, enum sctp_chunk_type type,
                                    enum sctp_cause cause, const void *info, uint32_t info_bytes)
{
    struct sctp_chunk *chunk = sctp_chunk_new(pools, (uint8_t)type, 0);
    if (cause == 0)
        return chunk;
    chunk->bytes = sctp_bytes_new(pools, sctp_padded(4 + info_bytes));
    sctp_tlv_append(chunk->bytes, (uint16_t)cause, info, info_bytes);
    chunk->length = (uint16_t)(SCTP_CHUNK_HEADER + chunk->bytes->length);
    return chunk;
}

// The first DATA chunk's TSN is the packet's number.
static void chunk_words(const struct sctp_chunk *chunk, struct trace_words *words)
{
    if (chunk->type == SCTP_DATA && words->sequence < 0)
        words->sequence = chunk->data.tsn;
    if (chunk->type == SCTP_SACK)
        words->acknowledges = (uint32_t)(chunk->sack.cum_tsn + 1);
}

void sctp_packet_words(const struct sctp_packet *packet, struct trace_words *words)
{
    const struct sctp_chunk *before = NULL;
    g_strlcpy(words->text, "SCTP", sizeof words->text);
    words->answers = packet->first && packet->first->type == SCTP_SACK && !packet->first->next;
    for (const struct sctp_chunk *chunk = packet->first; chunk; chunk = chunk->next) {
        chunk_words(chunk, words);
        if (before && before->type == chunk->type)
            continue;
        g_strlcat(words->text, before ? ", " : " ", sizeof words->text);
        g_strlcat(words->text, sctp_chunk_name(chunk->type), sizeof words->text);
        before = chunk;
    }
}
