// SPDX-License-Identifier: GPL-3.0-or-later
// The sender's path (thesis 004, 3.2.3, 3.2.6): at once, as far as the socket takes it, if nothing
// else waits on the stream; else after it. A stream whose element the socket has refused is in the
// global send queue, which the write logic serves.
#include "models/mpich2/sctp/channel.h"

#include "sim/core/fifo.h"

#include <string.h>

// ---- The global send queue ----

void ch3_sctp_queue_append(struct ch3_sctp_process *sctp, struct ch3_sctp_stream *stream)
{
    g_assert(!stream->queued);
    stream->queued = true;
    stream->queue_next = NULL;
    stream->queue_previous = sctp->queue_head ? sctp->queue_tail : NULL;
    if (sctp->queue_head)
        sctp->queue_tail->queue_next = stream;
    else
        sctp->queue_head = stream;
    sctp->queue_tail = stream;
    sctp->queue_length++;
    (*sctp->count.queued)++;
}

void ch3_sctp_queue_remove(struct ch3_sctp_process *sctp, struct ch3_sctp_stream *stream)
{
    g_assert(stream->queued);
    stream->queued = false;
    if (stream->queue_previous)
        stream->queue_previous->queue_next = stream->queue_next;
    else
        sctp->queue_head = stream->queue_next;
    if (stream->queue_next)
        stream->queue_next->queue_previous = stream->queue_previous;
    else
        sctp->queue_tail = stream->queue_previous;
    sctp->queue_length--;
}

// ---- Elements ----

static void append_element(struct ch3_sctp_process *sctp, struct ch3_sctp_stream *stream,
                           struct ch3_send *send, enum ch3_sctp_part part, int64_t bytes)
{
    struct ch3_sctp_element *element = pool_take(&sctp->elements);
    *element = (struct ch3_sctp_element){.send = send, .part = part, .bytes = bytes};
    FIFO_APPEND(stream->head, stream->tail, element, next);
}

// Bytes of the element's next user message.
static int64_t piece_of(const struct ch3_sctp_process *sctp, const struct ch3_sctp_element *element)
{
    int64_t left = element->bytes - element->written, most = sctp->config->message;
    if (element->part == CH3_SCTP_WHOLE && element->written == 0 && left > most)
        return sctp->ch3.config->packet; // the first element of the I/O vector
    return MIN(left, most);
}

static void fill_info(const struct ch3_sctp_process *sctp, const struct ch3_sctp_element *element,
                      uint8_t *content, struct sctp_send_info *info)
{
    const struct ch3_send *send = element->send;
    info->content = content;
    if (!send) {
        info->content_length = ch3_sctp_open_write(sctp, content);
        return;
    }
    int64_t packet = element->part == CH3_SCTP_DATA ? 0 : sctp->ch3.config->packet;
    info->message = send->pkt.message;
    info->offset = MAX(0, element->written - packet);
    info->stands_in = send->bytes == 0 && send->pkt.length == 0 && send->pkt.message.generation &&
                      ch3_sctp_is_data((enum ch3_pkt_type)send->pkt.type);
    if (packet == 0 || element->written > 0)
        return;
    info->content_length = (uint32_t)packet;
    memset(content, 0, (size_t)packet);
    memcpy(content, &send->pkt, sizeof send->pkt);
}

// ---- Writing ----

void ch3_sctp_write_done(struct cpu_context *context, struct ch3_sctp_process *sctp,
                         const struct ch3_sctp_event *event)
{
    struct ch3_sctp_stream *stream = event->stream;
    if (!stream) {
        ch3_sent(context, &sctp->ch3, event->send);
        return;
    }
    (*sctp->count.open_packets)++;
    ch3_sctp_out_enter(context, sctp, stream, CH3_SCTP_CONNECTED);
    if (stream->vc->machine.state == CH3_SCTP_VC_CONNECTING)
        ch3_sctp_vc_enter(context, sctp, stream->vc, CH3_SCTP_VC_CONNECTED);
}

// An element has been written to its end.
static void element_written(struct cpu_context *context, struct ch3_sctp_process *sctp,
                            struct ch3_sctp_stream *stream, bool at_once)
{
    struct ch3_sctp_element *element = stream->head;
    struct ch3_send *send = element->send;
    stream->head = element->next;
    pool_give(&sctp->elements, element);
    if (send && send->written < sctp->ch3.config->packet + send->bytes)
        return; // its other part is still to be written
    struct ch3_sctp_event event = {.stream = send ? NULL : stream, .send = send};
    if (at_once) {
        ch3_sctp_write_done(context, sctp, &event);
        return;
    }
    struct ch3_sctp_event *queued = ch3_sctp_event_new(sctp, CH3_SCTP_WRITTEN);
    queued->stream = event.stream;
    queued->send = event.send;
}

enum ch3_sctp_written ch3_sctp_write(struct cpu_context *context, struct ch3_sctp_process *sctp,
                                     struct ch3_sctp_stream *stream, bool at_once)
{
    struct ch3_sctp_vc *vc = stream->vc;
    struct ch3_sctp_element *element = stream->head;
    uint8_t content[SCTP_CONTENT_BYTES];
    struct sctp_send_info info = {
        .association = vc->association,
        .station = vc->association ? -1 : vc->station,
        .port = ch3_sctp_port(vc->peer),
        .stream = stream->number,
        .bytes = piece_of(sctp, element),
    };
    fill_info(sctp, element, content, &info);
    int64_t sent = sctp_send(context, sctp->socket, &info);
    if (sent == SCTP_AGAIN)
        return CH3_SCTP_FULL;
    if (sent < 0) {
        ch3_sctp_lost(sctp, vc);
        return CH3_SCTP_FAILED;
    }
    if (vc->association == 0)
        ch3_sctp_vc_associated(
            sctp, vc, sctp_association_id(sctp->socket, vc->station, ch3_sctp_port(vc->peer)));
    element->written += sent;
    if (element->send)
        element->send->written += sent;
    if (element->written < element->bytes)
        return CH3_SCTP_PART;
    element_written(context, sctp, stream, at_once);
    return CH3_SCTP_DONE;
}

// ---- The device's sends ----

// Tries at once. An element that is longer than a user message goes on with one call per slice.
static void try_at_once(struct cpu_context *context, struct ch3_sctp_process *sctp,
                        struct ch3_sctp_stream *stream)
{
    enum ch3_sctp_written written = CH3_SCTP_DONE;
    while (stream->head && written == CH3_SCTP_DONE)
        written = ch3_sctp_write(context, sctp, stream, true);
    if (written == CH3_SCTP_PART && !sctp->writing)
        sctp->writing = stream;
    else if (written == CH3_SCTP_PART || written == CH3_SCTP_FULL)
        ch3_sctp_queue_append(sctp, stream);
}

static void queue_part(struct cpu_context *context, struct ch3_sctp_process *sctp,
                       struct ch3_sctp_stream *stream, struct ch3_send *send,
                       enum ch3_sctp_part part, int64_t bytes)
{
    bool idle = !stream->head;
    if (stream->out.state == CH3_SCTP_UNCONNECTED) {
        uint8_t content[SCTP_CONTENT_BYTES];
        ch3_sctp_out_enter(context, sctp, stream, CH3_SCTP_CONNECTING);
        append_element(sctp, stream, NULL, CH3_SCTP_OPEN, ch3_sctp_open_write(sctp, content));
    }
    append_element(sctp, stream, send, part, bytes);
    if (idle)
        try_at_once(context, sctp, stream);
}

void ch3_sctp_send(struct cpu_context *context, struct ch3_process *ch3, struct ch3_send *send)
{
    struct ch3_sctp_process *sctp = ch3_sctp_of_ch3(ch3);
    struct ch3_sctp_vc *vc = ch3_sctp_vc_at(sctp, send->peer);
    int64_t packet = ch3->config->packet;
    int stream = ch3_sctp_stream_of(sctp, ch3->process->rank, &send->pkt);
    cpu_spend_for(context, sctp->config->send, &ch3_sctp_stage, send->pkt.message);
    ch3_sctp_vc_look_up(context, sctp, vc);
    if (sctp->config->any_tag != CH3_SCTP_CONTROL_STREAM ||
        !ch3_sctp_is_data((enum ch3_pkt_type)send->pkt.type)) {
        queue_part(context, sctp, &vc->streams[stream], send, CH3_SCTP_WHOLE, packet + send->bytes);
        return;
    }
    int64_t data = send->bytes; // with the last of it `send` may be gone
    queue_part(context, sctp, &vc->streams[CH3_SCTP_CONTROL], send, CH3_SCTP_ENVELOPE, packet);
    if (data > 0)
        queue_part(context, sctp, &vc->streams[stream], send, CH3_SCTP_DATA, data);
}
