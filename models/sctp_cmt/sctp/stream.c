// SPDX-License-Identifier: GPL-3.0-or-later
// User messages in their streams' queues, and the chunks that are made of them. Streams that have
// data take turns, message by message; once a message is partly in chunks, its stream keeps the
// turn, so that the TSNs of its fragments follow one another (RFC 9260, 6.9).
#include "models/sctp_cmt/sctp/association.h"

#include "sim/core/fifo.h"

#define LEAST_ROOM 16 // chunks

// ---- Life ----

void sctp_out_init(struct sctp_association *association, uint32_t first_tsn, int streams)
{
    association->out = (struct sctp_out){
        .streams = g_new0(struct sctp_stream_out, MAX(1, streams)),
        .stream_count = streams,
        .cum_tsn = first_tsn - 1,
        .highest_gap = first_tsn - 1,
        .newest_acked = first_tsn - 1,
        .unsent = first_tsn,
        .next = first_tsn,
        .resend_from = first_tsn,
        .buffer.size = association->settings.send_buffer,
    };
}

static void pending_free(struct sctp_association *association, struct sctp_stream_out *stream)
{
    struct sctp_out *out = &association->out;
    struct sctp_pending *pending = stream->head;
    stream->head = pending->next;
    out->waiting--;
    out->waiting_bytes -= pending->message->length - pending->cut;
    sctp_message_free(pending->message);
    pool_give(&association->host->pending, pending);
}

void sctp_out_clear(struct sctp_association *association)
{
    struct sctp_out *out = &association->out;
    for (int i = 0; i < out->stream_count; i++)
        while (out->streams[i].head)
            pending_free(association, &out->streams[i]);
    for (uint32_t tsn = out->cum_tsn + 1; tsn != out->next; tsn++)
        sctp_message_free(sctp_out_at(out, tsn)->message);
    g_free(out->streams);
    g_free(out->ring);
    *out = (struct sctp_out){0};
}

bool sctp_out_pending(const struct sctp_association *association)
{
    return association->out.waiting > 0;
}

bool sctp_out_empty(const struct sctp_association *association)
{
    const struct sctp_out *out = &association->out;
    return out->cum_tsn + 1 == out->next && out->waiting == 0;
}

int64_t sctp_fragment_point(const struct sctp_association *association)
{
    const struct sctp_config *config = association->host->config;
    int64_t mtu = config->inet.mtu;
    for (int i = 0; i < association->path_count; i++)
        mtu = MIN(mtu, association->paths[i].mtu);
    int64_t fits = (mtu - IP_HEADER - SCTP_COMMON_HEADER - SCTP_DATA_HEADER) & ~INT64_C(3);
    return config->chunk_limit > 0 ? MIN(config->chunk_limit, fits) : fits;
}

// ---- The wheel ----

static void wheel_add(struct sctp_out *out, struct sctp_stream_out *stream)
{
    stream->on_wheel = true;
    FIFO_APPEND(out->wheel_head, out->wheel_tail, stream, next_on_wheel);
}

// The stream at the head has had its turn.
static void wheel_turn(struct sctp_out *out)
{
    struct sctp_stream_out *stream = out->wheel_head;
    out->wheel_head = stream->next_on_wheel;
    stream->on_wheel = false;
    if (stream->head)
        wheel_add(out, stream);
}

void sctp_stream_put(struct sctp_association *association, const struct sctp_send_info *info,
                     struct sctp_message *message)
{
    struct sctp_out *out = &association->out;
    struct sctp_stream_out *stream = &out->streams[info->stream];
    struct sctp_pending *pending = pool_take(&association->host->pending);
    *pending = (struct sctp_pending){
        .message = message,
        .protocol = info->protocol,
        .unordered = info->unordered,
        .immediate = info->immediate,
    };
    FIFO_APPEND(stream->head, stream->tail, pending, next);
    out->waiting++;
    out->waiting_bytes += message->length;
    out->buffer.used += message->length;
    if (!stream->on_wheel)
        wheel_add(out, stream);
}

// A stream has a turn on the wheel only while it has data.
static void wheel_leave(struct sctp_out *out, int streams)
{
    struct sctp_stream_out *stream = out->wheel_head, *next;
    out->wheel_head = NULL;
    for (; stream; stream = next) {
        next = stream->next_on_wheel;
        stream->on_wheel = false;
        if (stream - out->streams < streams)
            wheel_add(out, stream);
    }
}

void sctp_out_limit_streams(struct sctp_association *association, int streams)
{
    struct sctp_out *out = &association->out;
    if (streams >= out->stream_count)
        return;
    for (int i = streams; i < out->stream_count; i++) {
        struct sctp_stream_out *stream = &out->streams[i];
        while (stream->head) {
            const struct sctp_pending *pending = stream->head;
            int64_t left = (int64_t)pending->message->length - pending->cut;
            sctp_message_lost(association->host, pending->message, pending->cut, left,
                              "the peer takes fewer streams");
            out->buffer.used -= left;
            pending_free(association, stream);
        }
    }
    if (out->locked && out->locked - out->streams >= streams)
        out->locked = NULL;
    wheel_leave(out, streams);
    out->stream_count = streams;
}

// ---- Making chunks ----

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
    pending_free(association, stream);
    wheel_turn(out);
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
        if (made + takes > room)
            break;
        chunk_make(association, path, out->wheel_head, bytes);
        made += takes;
    }
    return made;
}
