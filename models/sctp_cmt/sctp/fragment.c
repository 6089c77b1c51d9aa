// SPDX-License-Identifier: GPL-3.0-or-later
// Chunks from the user messages in their streams' queues. Once a message is partly in chunks, its
// stream keeps the turn, so that the TSNs of its fragments follow one another (RFC 9260, 6.9).
#include "models/sctp_cmt/sctp/association.h"

#define LEAST_ROOM 4 // chunks; many connections only ever carry a few

void sctp_pending_free(struct sctp_association *association, struct sctp_stream_out *stream)
{
    struct sctp_out *out = &association->out;
    struct sctp_pending *pending = stream->head;
    stream->head = pending->next;
    out->waiting--;
    out->waiting_bytes -= pending->message->length - pending->cut;
    sctp_message_free(pending->message);
    pool_give(&association->host->pending, pending);
}

// The stream at the head of the wheel has had its turn.
static void wheel_turn(struct sctp_out *out)
{
    struct sctp_stream_out *stream = out->wheel_head;
    out->wheel_head = stream->next_on_wheel;
    stream->on_wheel = false;
    if (stream->head)
        sctp_wheel_add(out, stream);
}

int64_t sctp_least_mtu(const struct sctp_association *association)
{
    int64_t mtu = association->host->config->inet.mtu;
    for (int i = 0; i < association->path_count; i++)
        mtu = MIN(mtu, association->paths[i].mtu);
    return mtu;
}

int64_t sctp_fragment_point(const struct sctp_association *association)
{
    return sctp_most_chunk_data(association->host->config, sctp_least_mtu(association));
}

static void ring_grow(struct sctp_out *out)
{
    uint32_t room = MAX(LEAST_ROOM, 2 * out->room);
    struct sctp_outgoing *ring = g_new(struct sctp_outgoing, room);
    for (uint32_t tsn = out->cum_tsn + 1; tsn != out->next; tsn++)
        ring[tsn & (room - 1)] = *sctp_out_at(out, tsn);
    g_free(out->ring);
    out->ring = ring;
    out->room = room;
}

static uint8_t chunk_flags(const struct sctp_pending *pending, bool ends)
{
    int flags = pending->cut == 0 ? SCTP_DATA_BEGIN : 0;
    if (ends)
        flags |= SCTP_DATA_END | (pending->immediate ? SCTP_DATA_IMMEDIATE : 0);
    if (pending->unordered)
        flags |= SCTP_DATA_UNORDERED;
    return (uint8_t)flags;
}

// The next `bytes` bytes of the stream's first message become a chunk for the path.
static void chunk_make(struct sctp_association *association, struct sctp_path *path,
                       struct sctp_stream_out *stream, uint32_t bytes)
{
    struct sctp_out *out = &association->out;
    struct sctp_pending *pending = stream->head;
    bool ends = pending->cut + bytes == pending->message->length;
    if (out->next - out->cum_tsn - 1 == out->room)
        ring_grow(out);
    *sctp_out_at(out, out->next) = (struct sctp_outgoing){
        .message = pending->message,
        .path = path,
        .tsn = out->next,
        .offset = pending->cut,
        .bytes = bytes,
        .protocol = pending->protocol,
        .stream = (uint16_t)(stream - out->streams),
        .ssn = pending->unordered ? 0 : stream->ssn,
        .flags = chunk_flags(pending, ends),
        .state = SCTP_MADE,
    };
    sctp_message_ref(pending->message);
    out->next++;
    pending->cut += bytes;
    out->waiting_bytes -= bytes;
    out->locked = ends ? NULL : stream;
    if (!ends)
        return;
    stream->ssn += !pending->unordered;
    sctp_pending_free(association, stream);
    wheel_turn(out);
}

// Whether the packet, of which `made` bytes are filled, takes a chunk of `takes` bytes more. The
// BSD stack of 2007 asks only if it is full (sctp_fill_outqueue: goal_mtu).
static bool takes_chunk(const struct sctp_config *config, int64_t room, int64_t made, int64_t takes)
{
    if (config->fill == SCTP_FILL_OVERSHOOTS)
        return made < ((room - SCTP_DATA_HEADER) & ~INT64_C(3));
    return made + takes <= room;
}

int64_t sctp_stream_cut(struct sctp_association *association, struct sctp_path *path, int64_t room)
{
    struct sctp_out *out = &association->out;
    int64_t most = sctp_fragment_point(association), made = 0;
    // The stream that is locked is at the head: it keeps its turn until its message ends.
    while (out->wheel_head) {
        const struct sctp_pending *pending = out->wheel_head->head;
        uint32_t bytes = (uint32_t)MIN(pending->message->length - pending->cut, most);
        int64_t takes = sctp_padded(SCTP_DATA_HEADER + bytes);
        if (!takes_chunk(association->host->config, room, made, takes))
            break;
        chunk_make(association, path, out->wheel_head, bytes);
        made += takes;
    }
    return made;
}
