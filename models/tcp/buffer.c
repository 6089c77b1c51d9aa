// SPDX-License-Identifier: GPL-3.0-or-later
// The send queue: segments that are written and not yet acknowledged.
#include "models/tcp/stack.h"

#define SEND_LEAST_MSS 28 // 68 bytes of IP less its and TCP's header

// Full segments are at most half of the largest window that the peer has offered, lest a small
// window is never filled.
int64_t tcp_current_mss(const struct tcp_socket *socket)
{
    if (socket->snd.max_wnd > 0 && socket->snd.mss > socket->snd.max_wnd / 2)
        return MAX(socket->snd.max_wnd / 2, SEND_LEAST_MSS);
    return socket->snd.mss;
}

int64_t tcp_own_mss(const struct tcp_socket *socket)
{
    return socket->interface->mtu - IP_HEADER - TCP_HEADER -
           (socket->timestamps ? TCP_TIMESTAMP_OPTION : 0);
}

// Returns the bytes that one segment counts in the send buffer besides what is written into it:
// Linux allocates it for a full one, or for as many as the card cuts.
int64_t tcp_buffer_size(const struct tcp_socket *socket)
{
    if (socket->config->buffer_charge == TCP_CHARGE_DATA)
        return 0;
    int64_t mss = tcp_current_mss(socket);
    int64_t together = MAX(socket->config->send_offload / mss, 1); // in one sk_buff
    return mss + socket->config->inet.skb_overhead / together;
}

struct tcp_buffer *tcp_buffer_append(struct tcp_socket *socket)
{
    struct tcp_buffer *buffer = pool_take(&socket->host->buffers);
    *buffer = (struct tcp_buffer){
        .previous = socket->snd.last,
        .sequence = socket->snd.end,
        .truesize = tcp_buffer_size(socket),
    };
    if (socket->snd.last)
        socket->snd.last->next = buffer;
    else
        socket->snd.first = buffer;
    socket->snd.last = buffer;
    if (!socket->snd.unsent)
        socket->snd.unsent = buffer;
    socket->snd.buffer.used += buffer->truesize;
    return buffer;
}

void tcp_buffer_split(struct tcp_socket *socket, struct tcp_buffer *buffer, int64_t length)
{
    struct tcp_buffer *rest = pool_take(&socket->host->buffers);
    *rest = *buffer;
    rest->previous = buffer;
    rest->sequence = buffer->sequence + length;
    rest->length = buffer->length - length;
    buffer->length = length;
    buffer->fin = buffer->push = false;
    buffer->next = rest;
    if (rest->next)
        rest->next->previous = rest;
    else
        socket->snd.last = rest;
    if (socket->config->buffer_charge == TCP_CHARGE_DATA) {
        buffer->truesize = buffer->length;
        rest->truesize = rest->length;
    } else {
        socket->snd.buffer.used += rest->truesize;
    }
}

static void buffer_free(struct tcp_socket *socket, struct tcp_buffer *buffer)
{
    socket->snd.first = buffer->next;
    if (socket->snd.first)
        socket->snd.first->previous = NULL;
    else
        socket->snd.last = NULL;
    socket->snd.buffer.used -= buffer->truesize;
    pool_give(&socket->host->buffers, buffer);
}

int64_t tcp_clean(struct cpu_context *context, struct tcp_socket *socket, int64_t acknowledgment,
                  bool *sample, int64_t *sent_at)
{
    int64_t segments = 0;
    bool again = false;
    *sample = false;
    while (socket->snd.first != socket->snd.unsent &&
           tcp_buffer_end(socket->snd.first) <= acknowledgment) {
        struct tcp_buffer *buffer = socket->snd.first;
        if (socket->extra && buffer->sacked)
            socket->extra->rack.sacked--;
        else if (socket->extra)
            tcp_rack_delivered(context, socket, buffer);
        // Karn: no measurement from what was sent twice.
        again |= buffer->transmissions > 1;
        if (!*sample)
            *sent_at = buffer->when;
        *sample = true;
        socket->snd.outstanding--;
        segments++;
        buffer_free(socket, buffer);
    }
    *sample &= !again;
    socket->snd.una = acknowledgment;
    return segments;
}
