// SPDX-License-Identifier: GPL-3.0-or-later
// The processing of a segment by a socket: whether it is acceptable, its acknowledgment, its data
// (RFC 793, 3.9).
#include "models/tcp/stack.h"

// ---- Acknowledgment ----

static bool update_window(struct tcp_socket *socket, const struct tcp_segment *segment)
{
    int64_t window = (int64_t)segment->window << socket->snd.scale;
    bool newer = segment->acknowledgment > socket->snd.una || segment->sequence > socket->snd.wl1 ||
                 (segment->sequence == socket->snd.wl1 && window > socket->snd.wnd);
    if (!newer)
        return false;
    bool changed = window != socket->snd.wnd;
    socket->snd.wl1 = segment->sequence;
    socket->snd.wnd = window;
    socket->snd.max_wnd = MAX(socket->snd.max_wnd, window);
    return changed;
}

static void measure(struct cpu_context *context, struct tcp_socket *socket,
                    const struct tcp_segment *segment, bool sample, int64_t sent_at)
{
    int64_t now = inet_ticks(socket->host->inet, context->now);
    if (socket->timestamps && segment->echo)
        inet_rtt_sample(&socket->rtt, tcp_timestamp(socket->host, context->now) - segment->echo);
    else if (sample)
        inet_rtt_sample(&socket->rtt, now - sent_at);
}

static void advance(struct cpu_context *context, struct tcp_socket *socket,
                    const struct tcp_segment *segment, int64_t *segments)
{
    bool sample;
    int64_t sent_at;
    *segments = tcp_clean(context, socket, segment->acknowledgment, &sample, &sent_at);
    measure(context, socket, segment, sample, sent_at);
    socket->retries = socket->probes = 0;
    bool patient = socket->recovery.machine.state == TCP_RECOVERY &&
                   socket->recovery.ops->impatient && socket->recovery.partial_seen &&
                   socket->snd.una < socket->recovery.recover;
    if (socket->snd.outstanding == 0)
        tcp_timer_cancel(socket, TCP_TIMER_RETRANSMIT);
    else if (!patient)
        tcp_timer_arm(context, socket, TCP_TIMER_RETRANSMIT, inet_rtt_timeout(&socket->rtt));
}

// The window has opened so far that the next segment fits: no probes any more.
static void probe_answered(struct tcp_socket *socket)
{
    const struct tcp_buffer *next = socket->snd.unsent;
    if (!inet_timer_armed(socket->timers[TCP_TIMER_PROBE]) || !next)
        return;
    if (next->sequence + next->length > socket->snd.una + socket->snd.wnd)
        return;
    socket->rtt.backoff = 0;
    socket->probes = 0;
    tcp_timer_cancel(socket, TCP_TIMER_PROBE);
}

// Linux lets the buffer of a sender that waits for room grow to two congestion windows.
static void more_space(struct tcp_socket *socket, int64_t now)
{
    const struct tcp_config *config = socket->config;
    if (!socket->snd.wants_space)
        return;
    if (!socket->snd.buffer.locked && config->send_buffer_grows &&
        tcp_flight(socket) < socket->cc.cwnd) {
        int64_t segments = MAX(socket->cc.cwnd / socket->cc.mss, MAX(config->initial_window, 4));
        int64_t wanted = 2 * segments * (socket->snd.mss + config->inet.skb_overhead);
        if (wanted > socket->snd.buffer.size)
            socket->snd.buffer.size =
                MAX(socket->snd.buffer.size, MIN(wanted, config->send_buffer_most));
        socket->cc.ops->limited(&socket->cc, now);
    }
    if (tcp_ready(socket) & INET_WRITABLE)
        socket->snd.wants_space = false;
}

static void acknowledge(struct cpu_context *context, struct tcp_socket *socket,
                        const struct packet *packet, const struct tcp_segment *segment)
{
    bool empty = segment->payload == 0 && !(segment->flags & TCP_FIN);
    bool new_data = segment->acknowledgment > socket->snd.una;
    struct tcp_ack_news news = {.flight_before = socket->recovery.ops->in_flight(socket)};
    if (segment->acknowledgment > socket->snd.nxt || segment->acknowledgment < socket->snd.una)
        return;
    if ((new_data || empty) && !tcp_merged(socket))
        cpu_spend_for(context, socket->config->receive_ack, &tcp_stage, packet->message);
    bool window = update_window(socket, segment);
    bool marked = tcp_scoreboard_mark(context, socket, segment);
    news.repeated = !new_data && empty && !window && !marked;
    news.duplicate =
        !new_data && socket->snd.outstanding > 0 && (socket->sack ? marked : empty && !window);
    if (new_data)
        advance(context, socket, segment, &news.segments);
    if (socket->extra)
        tcp_rack_measure(context, socket);
    tcp_recovery_ack(context, socket, &news);
    tcp_run_due(context, socket); // before the segment's data, whose costs would delay it
    probe_answered(socket);
    if (new_data && socket->snd.fin_queued && socket->snd.una == socket->snd.end)
        tcp_fin_acknowledged(context, socket);
    if (new_data)
        more_space(socket, inet_ticks(socket->host->inet, context->now));
}

// ---- A segment ----

static bool acceptable(const struct tcp_socket *socket, const struct tcp_segment *segment)
{
    int64_t end = segment->sequence + segment->payload + !!(segment->flags & TCP_FIN);
    return end >= socket->rcv.wup &&
           segment->sequence <= socket->rcv.nxt + tcp_receive_window(socket);
}

static void note_timestamp(struct tcp_socket *socket, const struct tcp_segment *segment)
{
    // RFC 1323, 3.4: that of the segment which the last acknowledgment waited for.
    if ((segment->options & TCP_OPTION_TIMESTAMP) && segment->sequence <= socket->rcv.wup)
        socket->rcv.ts_recent = segment->timestamp;
}

// New data. A retransmission of what was read before the close is not: its
// acknowledgment was lost, and a reset would break a connection that ends in good order.
static bool brings_data(const struct tcp_socket *socket, const struct tcp_segment *segment)
{
    return segment->payload > 0 && segment->sequence + segment->payload > socket->rcv.nxt;
}

static void take_data(struct cpu_context *context, struct tcp_socket *socket,
                      const struct packet *packet, const struct tcp_segment *segment, bool *at_once)
{
    bool gap = socket->rcv.gaps;
    tcp_reassemble(context, socket, packet, segment);
    *at_once = gap || socket->rcv.gaps;
}

void tcp_arrive(struct cpu_context *context, struct tcp_socket *socket, const struct packet *packet,
                const struct tcp_segment *segment)
{
    bool at_once = false;
    socket->rcv.when = inet_ticks(socket->host->inet, context->now);
    bool opening =
        socket->machine.state == TCP_SYN_SENT || socket->machine.state == TCP_SYN_RECEIVED;
    if (opening && !tcp_handshake(context, socket, packet))
        return;
    if (!acceptable(socket, segment)) {
        if (segment->flags & TCP_RST)
            return;
        tcp_ack_quickly(socket);
        tcp_ack_send(context, socket);
        return;
    }
    if (segment->flags & TCP_RST) {
        tcp_reset_arrived(context, socket);
        return;
    }
    if (segment->flags & TCP_SYN) {
        if (segment->sequence >= socket->rcv.nxt) // RFC 793, 3.9, fourth check
            tcp_refuse_segment(context, socket, packet, TCP_END_RESET);
        else // again: the acknowledgment of the handshake was lost
            tcp_ack_send(context, socket);
        return;
    }
    note_timestamp(socket, segment);
    acknowledge(context, socket, packet, segment);
    if (socket->machine.state == TCP_CLOSED)
        return;
    if (socket->closed_by_user && brings_data(socket, segment)) {  // without a reader
        tcp_refuse_segment(context, socket, packet, TCP_END_NONE); // RFC 1122, 4.2.2.13
        return;
    }
    if (segment->payload > 0 || (segment->flags & TCP_FIN))
        take_data(context, socket, packet, segment, &at_once);
    bool held = tcp_merge_hold(socket, segment);
    if (!held && (segment->payload > 0 || (segment->flags & TCP_FIN)))
        inet_notify(context, &socket->inet);
    tcp_push(context, socket);
    tcp_values_tell(context, socket);
    if (!held)
        tcp_arrival_done(context, socket, at_once);
    else
        tcp_run_due(context, socket);
}
