// SPDX-License-Identifier: GPL-3.0-or-later
// DDP over TCP with the sizes of MPA (thesis 004, 2.3 and 3.3.2; RFC 5044, 4): a segment is an FPDU
// of 2 bytes of length, the segment, padding to 4 bytes and a CRC32c of 4, with a marker of 4 bytes
// at each 512th byte of the stream. The markers of an FPDU are counted where they lie in the
// stream, but travel at its end, so that a message's bytes stay together.
//
// Not modelled: the start-up frames, which the thesis's stack has disabled.
#include "models/iwarp/internal.h"
#include "models/tcp/socket.h"

#include <string.h>

#define MPA_LENGTH 2
#define MPA_CRC 4
#define MPA_ALIGNMENT 4
#define MARKER 4
#define MARKER_SPACING 512
#define FIRST (MPA_LENGTH + IWARP_FIRST_BYTES)
#define PIECES 8

static const struct stage crc_stage = {"MPA CRC", STAGE_LIBRARY};

// Bytes of MPA's after a segment of `segment` bytes whose FPDU begins at `position` of the stream.
static int64_t trailer_of(int64_t position, int64_t segment)
{
    int64_t body = MPA_LENGTH + segment;
    int64_t padded = (body + MPA_ALIGNMENT - 1) / MPA_ALIGNMENT * MPA_ALIGNMENT + MPA_CRC;
    int64_t until = (MARKER_SPACING - position % MARKER_SPACING) % MARKER_SPACING;
    int64_t markers = padded > until ? 1 + (padded - until - 1) / (MARKER_SPACING - MARKER) : 0;
    return padded - body + markers * MARKER;
}

static void charge_crc(struct cpu_context *context, const struct iwarp_qp *qp, int64_t bytes,
                       struct message_ref message)
{
    cpu_spend_message(context, cpu_cost_of_bytes(context->cpu, qp->rnic->config->crc, bytes),
                      &crc_stage, message);
}

// ---- Connections ----

static void *tcp_llp_connect(struct cpu_context *context, const struct iwarp_address *address,
                             struct cpu_task *task)
{
    const struct tcp_options options = {.no_delay = true};
    return tcp_connect(context, address->tcp, address->stations[0], address->port, &options, task);
}

static void *tcp_llp_accept(struct cpu_context *context, const struct iwarp_listener *listener,
                            struct cpu_task *task)
{
    (void)task;
    return tcp_accept(context, listener->tcp);
}

static bool tcp_llp_failed(void *socket)
{
    return tcp_socket_take_end(socket) != TCP_END_NONE;
}

static struct inet_socket *tcp_llp_inet(void *socket)
{
    return tcp_socket_inet(socket);
}

static bool tcp_llp_established(const void *socket)
{
    return tcp_established(socket);
}

static int tcp_llp_streams(void *socket)
{
    (void)socket;
    return 1;
}

// ---- Sending ----

// The FPDU as runs; returns its bytes.
static int64_t runs_of(const struct iwarp_qp *qp, const struct iwarp_segment *segment,
                       unsigned char head[FIRST], struct tcp_run runs[4], int *count)
{
    int64_t bytes = segment->head_bytes + segment->bytes;
    int64_t trailer = trailer_of(qp->link.sent, bytes);
    int rest = segment->head_bytes - IWARP_FIRST_BYTES;
    head[0] = (unsigned char)(bytes >> 8);
    head[1] = (unsigned char)bytes;
    memcpy(head + MPA_LENGTH, segment->head, IWARP_FIRST_BYTES);
    runs[0] = (struct tcp_run){.length = FIRST, .content = head, .content_length = FIRST};
    if (segment->bytes == 0) { // the headers represent the message
        runs[0].message = segment->message;
        runs[0].offset = segment->offset;
        runs[0].stands_in = true;
    }
    *count = 1;
    if (rest > 0)
        runs[(*count)++] = (struct tcp_run){.length = rest,
                                            .content = segment->head + IWARP_FIRST_BYTES,
                                            .content_length = (uint32_t)rest};
    if (segment->bytes > 0)
        runs[(*count)++] = (struct tcp_run){
            .length = segment->bytes, .message = segment->message, .offset = segment->offset};
    runs[(*count)++] = (struct tcp_run){.length = trailer};
    return MPA_LENGTH + bytes + trailer;
}

static enum iwarp_result tcp_llp_send(struct cpu_context *context, struct iwarp_qp *qp,
                                      const struct iwarp_segment *segment)
{
    struct iwarp_link *link = &qp->link;
    struct tcp_run runs[4];
    unsigned char head[FIRST];
    int count;
    int64_t total = runs_of(qp, segment, head, runs, &count);
    if (link->written == 0) {
        // The process writes a read request, and may not poll again for long: all of it or nothing.
        if (segment->bytes == 0 && tcp_writable(qp->socket, total) < total)
            return tcp_established(qp->socket) ? IWARP_AGAIN : IWARP_GONE;
        charge_crc(context, qp, segment->head_bytes + segment->bytes, segment->message);
    }
    count = tcp_runs_advance(runs, count, link->written);
    int64_t written = tcp_write(context, qp->socket, INET_WRITEV, runs, count);
    if (written < 0)
        return IWARP_GONE;
    link->written += written;
    if (link->written < total)
        return IWARP_AGAIN;
    link->written = 0;
    link->sent += total;
    return IWARP_OK;
}

// ---- Receiving ----

// Reads up to `bytes` bytes. IWARP_GONE: none will come.
static enum iwarp_result read_pieces(struct cpu_context *context, struct iwarp_qp *qp,
                                     int64_t bytes, struct tcp_piece pieces[PIECES], int *count)
{
    int64_t got = tcp_read(context, qp->socket, INET_READ, bytes, pieces, PIECES, count);
    if (got > 0)
        return IWARP_OK;
    return got == 0 ? IWARP_AGAIN : IWARP_GONE;
}

static enum iwarp_result first_over_tcp(struct cpu_context *context, struct iwarp_qp *qp,
                                        struct iwarp_part *part, bool *orderly)
{
    struct iwarp_link *link = &qp->link;
    struct tcp_piece pieces[PIECES];
    int count;
    enum iwarp_result result = read_pieces(context, qp, FIRST - link->first, pieces, &count);
    if (result == IWARP_GONE)
        *orderly = link->first == 0 && tcp_socket_take_end(qp->socket) == TCP_END_NONE;
    if (result != IWARP_OK)
        return result;
    for (int i = 0; i < count; i++) {
        const struct tcp_piece *piece = &pieces[i];
        link->first += (int)piece->length;
        if (!piece->content)
            continue;
        const unsigned char *head = piece->content;
        int64_t segment = (int64_t)head[0] << 8 | head[1];
        memcpy(part->head, head + MPA_LENGTH, IWARP_FIRST_BYTES);
        part->head_bytes = IWARP_FIRST_BYTES;
        part->message = piece->message;
        part->offset = piece->offset;
        part->stands_in = piece->message.generation != 0;
        link->trailer = trailer_of(link->received, segment);
        link->left = MPA_LENGTH + segment + link->trailer - FIRST;
        link->received += MPA_LENGTH + segment + link->trailer;
    }
    tcp_read_done(qp->socket);
    if (link->first < FIRST)
        return IWARP_AGAIN;
    link->first = 0;
    link->head_done = part->head[0] & 0x80; // a tagged segment has no more of it
    return IWARP_OK;
}

// Takes the part of a piece that belongs to the segment.
static void take_piece(struct iwarp_link *link, struct iwarp_part *part,
                       const struct tcp_piece *piece)
{
    int64_t data = MIN(piece->length, MAX(0, link->left - link->trailer));
    link->left -= piece->length;
    if (link->head_done) {
        if (data > 0 && part->bytes == 0) {
            part->message = piece->message;
            part->offset = piece->offset;
        }
        part->bytes += data;
        return;
    }
    if (!piece->ends_run)
        return;
    link->head_done = true;
    if (piece->content_length > 0)
        memcpy(part->head + part->head_bytes, piece->content, piece->content_length);
    part->head_bytes += (int)piece->content_length;
}

static enum iwarp_result rest_over_tcp(struct cpu_context *context, struct iwarp_qp *qp,
                                       struct iwarp_part *part)
{
    struct iwarp_link *link = &qp->link;
    struct tcp_piece pieces[PIECES];
    int count;
    enum iwarp_result result = read_pieces(context, qp, link->left, pieces, &count);
    if (result != IWARP_OK)
        return result;
    part->bytes = 0;
    for (int i = 0; i < count; i++)
        take_piece(link, part, &pieces[i]);
    tcp_read_done(qp->socket);
    part->end = link->left == 0;
    if (!link->head_done)
        return IWARP_AGAIN;
    charge_crc(context, qp, part->bytes, part->message);
    return IWARP_OK;
}

static void tcp_llp_shutdown(struct cpu_context *context, void *socket)
{
    tcp_shutdown(context, socket);
}

static void tcp_llp_close(struct cpu_context *context, void *socket)
{
    tcp_close(context, socket);
}

static json_t *tcp_llp_describe(const void *socket)
{
    return tcp_socket_describe(socket);
}

const struct iwarp_transport iwarp_over_tcp = {
    .name = "TCP",
    .most = UINT16_MAX, // MPA's length has 16 bits
    .connect = tcp_llp_connect,
    .accept = tcp_llp_accept,
    .failed = tcp_llp_failed,
    .inet = tcp_llp_inet,
    .established = tcp_llp_established,
    .streams = tcp_llp_streams,
    .send = tcp_llp_send,
    .first = first_over_tcp,
    .rest = rest_over_tcp,
    .shutdown = tcp_llp_shutdown,
    .close = tcp_llp_close,
    .describe = tcp_llp_describe,
};
