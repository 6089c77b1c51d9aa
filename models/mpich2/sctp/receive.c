// SPDX-License-Identifier: GPL-3.0-or-later
// Every read goes to the global buffer (thesis 004, 3.2.2, 3.2.6): association and stream name
// its owner, and a copy moves it to its place.
#include "models/mpich2/sctp/channel.h"

#include "sim/core/fifo.h"

#include <string.h>

bool ch3_sctp_read(struct cpu_context *context, struct ch3_sctp_process *sctp)
{
    struct sctp_received received;
    int64_t room = sctp->config->buffer - sctp->buffered;
    int64_t bytes = sctp_receive(context, sctp->socket, room, &received);
    if (bytes <= 0) {
        (*sctp->count.empty_reads)++;
        return false;
    }
    struct ch3_sctp_event *event = ch3_sctp_event_new(sctp, CH3_SCTP_READ);
    event->received = received;
    if (received.content_length > 0)
        memcpy(event->content, received.content, received.content_length);
    if (!received.notification)
        sctp->buffered += bytes;
    (*sctp->count.reads)++;
    return true;
}

// ---- Packets and their data ----

// `bytes`: of its data that have come with it.
static void packet_arrived(struct cpu_context *context, struct ch3_sctp_process *sctp,
                           struct ch3_sctp_stream *stream, const struct ch3_pkt *pkt, int64_t bytes)
{
    struct ch3_sctp_vc *vc = stream->vc;
    bool apart = sctp->config->any_tag == CH3_SCTP_CONTROL_STREAM &&
                 ch3_sctp_is_data((enum ch3_pkt_type)pkt->type);
    struct ch3_sctp_stream *of_data =
        apart ? &vc->streams[ch3_sctp_stream_of(sctp, vc->peer, pkt)] : stream;
    struct ch3_sctp_incoming *incoming = pool_take(&sctp->incoming);
    int64_t data = ch3_pkt_data(pkt);
    *incoming = (struct ch3_sctp_incoming){.pkt = *pkt, .bytes = data};
    if (data > 0)
        FIFO_APPEND(of_data->receiving, of_data->receiving_tail, incoming, next);
    ch3_sctp_offer(context, sctp, vc, incoming); // without data it may be gone now
    if (data > 0 && apart)
        ch3_sctp_early_take(context, sctp, of_data, incoming);
    else if (bytes > 0)
        ch3_sctp_data(context, sctp, of_data, bytes);
}

// ---- Events ----

static void notified(const struct ch3_sctp_process *sctp, const struct sctp_received *received)
{
    const struct ch3_sctp_vc *vc =
        g_hash_table_lookup(sctp->by_id, GUINT_TO_POINTER(received->association));
    switch (received->notification) {
    case SCTP_COMM_LOST:
    case SCTP_CANT_STR_ASSOC:
    case SCTP_SHUTDOWN_COMP:
        if (!vc || vc->machine.state != CH3_SCTP_VC_CLOSED)
            ch3_sctp_lost(sctp, vc);
        break;
    default:
        break;
    }
}

static bool is_rest(const struct ch3_sctp_process *sctp, const struct ch3_sctp_stream *stream)
{
    if (sctp->config->any_tag == CH3_SCTP_CONTROL_STREAM && stream->number != CH3_SCTP_CONTROL)
        return true;
    return stream->receiving != NULL;
}

void ch3_sctp_read_done(struct cpu_context *context, struct ch3_sctp_process *sctp,
                        const struct ch3_sctp_event *event)
{
    const struct sctp_received *received = &event->received;
    struct ch3_sctp_vc *vc =
        g_hash_table_lookup(sctp->by_id, GUINT_TO_POINTER(received->association));
    if (received->notification) {
        notified(sctp, received);
        return;
    }
    sctp->buffered -= received->bytes;
    if (!vc || vc->streams[received->stream].in.state == CH3_SCTP_UNKNOWN) {
        ch3_sctp_open_arrived(context, sctp, event);
        return;
    }
    struct ch3_sctp_stream *stream = &vc->streams[received->stream];
    if (is_rest(sctp, stream)) {
        if (stream->receiving)
            ch3_sctp_data(context, sctp, stream, received->bytes);
        else
            ch3_sctp_early_keep(context, sctp, stream, received->message, received->bytes);
        return;
    }
    struct ch3_pkt pkt;
    g_assert(received->content_length >= sizeof pkt);
    memcpy(&pkt, event->content, sizeof pkt);
    packet_arrived(context, sctp, stream, &pkt, received->bytes - received->content_length);
}
