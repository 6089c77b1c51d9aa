// SPDX-License-Identifier: GPL-3.0-or-later
// DDP over SCTP (thesis 004, 3.3.1 to 3.3.3): a segment is a message, so that no length, marker or
// checksum of MPA's is needed. There is no session control and no number of a segment before its
// header, as RFC 5043 has them since.
#include "models/iwarp/internal.h"
#include "models/sctp_cmt/sctp/socket.h"

#include <string.h>

static void *sctp_llp_connect(struct cpu_context *context, const struct iwarp_address *address,
                              struct cpu_task *task)
{
    struct sctp_socket *socket = sctp_socket_new(context, address->sctp, SCTP_ONE_TO_ONE, task);
    sctp_socket_settings(socket)->no_delay = true;
    int result =
        sctp_connect(context, socket, address->stations, address->count, address->port, NULL);
    if (result == SCTP_IN_PROGRESS || result == 0)
        return socket;
    sctp_close(context, socket);
    return NULL;
}

static void *sctp_llp_accept(struct cpu_context *context, const struct iwarp_listener *listener,
                             struct cpu_task *task)
{
    if (!inet_wait(context, sctp_socket_inet(listener->sctp), INET_READABLE))
        return NULL;
    return sctp_accept(context, listener->sctp, task);
}

static bool sctp_llp_failed(void *socket)
{
    return sctp_socket_error(socket) != 0;
}

static struct inet_socket *sctp_llp_inet(void *socket)
{
    return sctp_socket_inet(socket);
}

static bool sctp_llp_established(const void *socket)
{
    return sctp_established(socket);
}

static int sctp_llp_streams(void *socket)
{
    struct sctp_status status;
    return sctp_status(socket, 0, &status) ? MAX(1, status.streams_out) : 1;
}

static enum iwarp_result sctp_llp_send(struct cpu_context *context, struct iwarp_qp *qp,
                                       const struct iwarp_segment *segment)
{
    struct sctp_send_info info = {
        .station = -1,
        .stream = segment->stream,
        .bytes = segment->head_bytes + segment->bytes,
        .message = segment->message,
        .offset = segment->offset,
        .stands_in = segment->stands_in,
        .content = segment->head,
        .content_length = (uint32_t)segment->head_bytes,
    };
    int64_t sent = sctp_send(context, qp->socket, &info);
    if (sent > 0)
        return IWARP_OK;
    return sent == SCTP_AGAIN ? IWARP_AGAIN : IWARP_GONE;
}

static void append(struct iwarp_part *part, const struct sctp_received *received, int64_t bytes)
{
    int room = IWARP_MOST_HEADER - part->head_bytes;
    int content = MIN(room, (int)received->content_length);
    if (content > 0)
        memcpy(part->head + part->head_bytes, received->content, (size_t)content);
    part->head_bytes += content;
    part->bytes = bytes - content;
    part->message = received->message;
    part->offset = received->offset;
    part->stands_in = received->stands_in;
    part->end = received->end;
}

static enum iwarp_result receive(struct cpu_context *context, struct iwarp_qp *qp, int64_t room,
                                 struct iwarp_part *part, bool *orderly)
{
    struct sctp_received received;
    int64_t bytes = sctp_receive(context, qp->socket, room, &received);
    if (bytes == SCTP_AGAIN || (bytes > 0 && received.notification != SCTP_NOTHING))
        return IWARP_AGAIN;
    *orderly = bytes == 0;
    if (bytes <= 0)
        return IWARP_GONE;
    append(part, &received, bytes);
    return IWARP_OK;
}

static enum iwarp_result first_over_sctp(struct cpu_context *context, struct iwarp_qp *qp,
                                         struct iwarp_part *part, bool *orderly)
{
    return receive(context, qp, IWARP_FIRST_BYTES, part, orderly);
}

static enum iwarp_result rest_over_sctp(struct cpu_context *context, struct iwarp_qp *qp,
                                        struct iwarp_part *part)
{
    bool orderly;
    return receive(context, qp, qp->transport->most, part, &orderly);
}

static void sctp_llp_shutdown(struct cpu_context *context, void *socket)
{
    sctp_shutdown(context, socket, 0);
}

static void sctp_llp_close(struct cpu_context *context, void *socket)
{
    sctp_close(context, socket);
}

static json_t *sctp_llp_describe(const void *socket)
{
    return sctp_socket_describe(socket);
}

const struct iwarp_transport iwarp_over_sctp = {
    .name = "SCTP",
    .most = 128 * 1024, // more than any segment
    .connect = sctp_llp_connect,
    .accept = sctp_llp_accept,
    .failed = sctp_llp_failed,
    .inet = sctp_llp_inet,
    .established = sctp_llp_established,
    .streams = sctp_llp_streams,
    .send = sctp_llp_send,
    .first = first_over_sctp,
    .rest = rest_over_sctp,
    .shutdown = sctp_llp_shutdown,
    .close = sctp_llp_close,
    .describe = sctp_llp_describe,
};
