// SPDX-License-Identifier: GPL-3.0-or-later
// User messages in their streams' queues. Streams that have data take turns, message by message.
#include "models/sctp_cmt/sctp/association.h"

// ---- Create and free ----

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

void sctp_out_clear(struct sctp_association *association)
{
    struct sctp_out *out = &association->out;
    for (int i = 0; i < out->stream_count; i++)
        while (out->streams[i].head)
            sctp_pending_free(association, &out->streams[i]);
    for (uint32_t tsn = out->cum_tsn + 1; tsn != out->next; tsn++)
        sctp_message_free(sctp_out_at(out, tsn)->message);
    g_free(out->streams);
    g_free(out->ring);
    *out = (struct sctp_out){0};
}

// ---- The wheel ----

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
        sctp_wheel_add(out, stream);
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
            sctp_wheel_add(out, stream);
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
            sctp_pending_free(association, stream);
        }
    }
    if (out->locked && out->locked - out->streams >= streams)
        out->locked = NULL;
    wheel_leave(out, streams);
    out->stream_count = streams;
}
