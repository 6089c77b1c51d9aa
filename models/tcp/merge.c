// SPDX-License-Identifier: GPL-3.0-or-later
// Receive offload (Linux: GRO): consecutive segments of a connection that one service of the card
// finds cross the stack together. The reader is woken, and the data are acknowledged, at the end of
// that service, or when no further segment may join: after PSH, a shorter one, or receive_offload.
//
// Not modelled: the limit of connections that are merged at one time (8 in each of 8 buckets), the
// budget of a poll, timestamps that differ within it.
#include "models/tcp/stack.h"
#include "sim/core/fifo.h"

bool tcp_merges(const struct tcp_socket *socket, const struct tcp_segment *segment)
{
    const struct tcp_offload *offload = &socket->extra->offload;
    return offload->merged > 0 && segment->payload > 0 && segment->sequence == socket->rcv.nxt &&
           !(segment->flags & ~(TCP_ACK | TCP_PSH)) && segment->sack_count == 0 &&
           segment->acknowledgment <= socket->snd.una &&
           segment->payload <= offload->merge_segment &&
           offload->merged + segment->payload <= socket->config->receive_offload;
}

// The segment was the next one, and waits for nothing.
static bool merge_in_order(const struct tcp_socket *socket, const struct tcp_segment *segment)
{
    return socket->machine.state == TCP_ESTABLISHED && segment->payload > 0 && !socket->rcv.gaps &&
           segment->sequence + segment->payload == socket->rcv.nxt;
}

bool tcp_merge_hold(struct tcp_socket *socket, const struct tcp_segment *segment)
{
    struct tcp_host *host = socket->host;
    int64_t most = socket->config->receive_offload;
    if (most == 0)
        return false;
    struct tcp_offload *offload = &socket->extra->offload;
    if (!merge_in_order(socket, segment)) {
        offload->merged = 0;
        return false;
    }
    if (offload->merged == 0)
        offload->merge_segment = segment->payload;
    offload->merged += segment->payload;
    if ((segment->flags & (TCP_PSH | TCP_FIN)) || segment->payload < offload->merge_segment ||
        offload->merged + offload->merge_segment > most) {
        offload->merged = 0;
        return false;
    }
    if (!offload->merging) {
        offload->merging = true;
        FIFO_APPEND(host->merging_head, host->merging_tail, socket, extra->offload.merge_next);
    }
    return true;
}

void tcp_arrival_done(struct cpu_context *context, struct tcp_socket *socket, bool at_once)
{
    inet_notify(context, &socket->inet);
    socket->host->receiver->check(context, socket, at_once);
    tcp_run_due(context, socket);
}

void tcp_merge_close(struct cpu_context *context, struct tcp_socket *socket)
{
    if (!tcp_merged(socket))
        return;
    socket->extra->offload.merged = 0;
    tcp_arrival_done(context, socket, false);
}

bool tcp_merge_end(struct cpu_context *context, struct tcp_host *host)
{
    struct tcp_socket *socket = host->merging_head;
    bool any = socket;
    host->merging_head = host->merging_tail = NULL;
    while (socket) {
        struct tcp_socket *next = socket->extra->offload.merge_next;
        socket->extra->offload.merging = false;
        socket->extra->offload.merge_next = NULL;
        tcp_merge_close(context, socket);
        socket = next;
    }
    return any;
}
