// SPDX-License-Identifier: GPL-3.0-or-later
// When a receiver acknowledges, and which window it offers: RFC 1122, 4.2.3.2-4.2.3.3 as Linux 2.4
// does it. At the start, and after gaps, it acknowledges every segment (quick); where data flow in
// both directions (ping-pong), it waits for data to carry the acknowledgment; otherwise it
// acknowledges when more than one full segment has come, when the reader has emptied the queue of
// pushed data, or after a delay that follows the rate of arrival.
#include "models/tcp/stack.h"

#define ACK_LEAST_MSS 88        // what a peer's segments are taken for at least
#define LEAST_GROWING_BYTES 128 // shorter segments do not open the window

static int64_t least_delay(const struct tcp_socket *socket)
{
    return inet_time_in_ticks(&socket->config->inet, socket->config->delayed_ack_least);
}

// ---- The window ----

// The part of a buffer that is for data.
int64_t tcp_buffer_share(const struct tcp_config *config, int64_t bytes)
{
    if (bytes <= 0)
        return 0;
    return config->adv_win_scale ? bytes - (bytes >> config->adv_win_scale) : bytes;
}

// Returns the part of the last offered window that is still open, bytes.
int64_t tcp_receive_window(const struct tcp_socket *socket)
{
    return MAX(0, socket->rcv.wup + socket->rcv.wnd - socket->rcv.nxt);
}

// The window that could be offered now: no sliver of one (RFC 1122, 4.2.3.3).
int64_t tcp_linux_window(struct tcp_socket *socket)
{
    const struct tcp_config *config = socket->config;
    int64_t space = tcp_buffer_share(config, socket->rcv.buffer.size - socket->rcv.buffer.used);
    int64_t whole = MIN(socket->rcv.clamp, tcp_buffer_share(config, socket->rcv.buffer.size));
    int64_t mss = MAX(MIN(socket->ack.segment, whole), 1);
    if (space < whole / 2) {
        socket->ack.quick = 0;
        if (space < mss)
            return 0;
    }
    space = MIN(space, socket->rcv.limit);
    // A multiple of the segment, and no change for less than one.
    if (socket->rcv.wnd <= space - mss || socket->rcv.wnd > space)
        return space / mss * mss;
    return socket->rcv.wnd;
}

// The window field of a segment that is sent now; an offer is never taken back.
uint16_t tcp_window_offer(struct tcp_socket *socket)
{
    int64_t window = MAX(socket->host->receiver->window(socket), tcp_receive_window(socket));
    int64_t unit = (int64_t)1 << socket->rcv.scale;
    window = MIN(window, 65535 * unit);
    if (socket->host->receiver->whole_units)
        window = (window + unit - 1) / unit * unit;
    socket->rcv.wnd = window;
    socket->rcv.wup = socket->rcv.nxt;
    return (uint16_t)(socket->rcv.wnd >> socket->rcv.scale);
}

// Slow start of the window that is offered: it opens as data come that fill their buffers well.
static void window_grow(struct tcp_socket *socket, int64_t length, int64_t truesize)
{
    const struct tcp_config *config = socket->config;
    int64_t space = tcp_buffer_share(config, socket->rcv.buffer.size - socket->rcv.buffer.used);
    if (length < LEAST_GROWING_BYTES || socket->rcv.limit >= socket->rcv.clamp ||
        socket->rcv.limit >= space)
        return;
    int64_t step = 0, size = tcp_buffer_share(config, truesize);
    if (size <= length) {
        step = 2 * tcp_own_mss(socket);
    } else {
        int64_t window = tcp_buffer_share(config, socket->rcv.buffer.size) / 2;
        for (size /= 2; step == 0 && socket->rcv.limit <= window && window > 0; window /= 2) {
            if (size <= length)
                step = 2 * socket->ack.segment;
            size /= 2;
        }
    }
    if (step == 0)
        return;
    socket->rcv.limit = MIN(socket->rcv.limit + step, socket->rcv.clamp);
    socket->ack.quick |= 1; // the sender shall know at once
}

// ---- Quick acknowledgments ----

void tcp_ack_quickly(struct tcp_socket *socket)
{
    socket->ack.now = true;
    int64_t half = socket->rcv.wnd / (2 * MAX(socket->ack.segment, 1));
    int64_t quick = MIN(half ? half : 2, socket->config->quick_acks);
    socket->ack.quick = MAX(socket->ack.quick, (int)quick);
    socket->ack.pingpong = false;
    socket->ack.interval = least_delay(socket);
}

static bool is_quick(const struct tcp_socket *socket)
{
    return socket->ack.quick > 0 && !socket->ack.pingpong;
}

// ---- Data have come ----

// How large the peer's full segments are.
static void measure_segment(struct tcp_socket *socket, const struct tcp_segment *segment)
{
    int64_t length = segment->payload, last = socket->ack.last_segment;
    bool remnant = segment->flags & (TCP_FIN | TCP_PSH);
    socket->ack.last_segment = 0;
    if (length >= socket->ack.segment) {
        socket->ack.segment = length;
        return;
    }
    if (length >= TCP_FIRST_MSS || (length >= ACK_LEAST_MSS && !remnant)) {
        socket->ack.last_segment = length;
        if (length == last) {
            socket->ack.segment = length;
            return;
        }
    }
    socket->ack.pushed = true;
}

// A segment with data was taken.
static void ack_data(struct cpu_context *context, struct tcp_socket *socket,
                     const struct tcp_segment *segment)
{
    int64_t now = inet_ticks(socket->host->inet, context->now);
    int64_t gap = now - socket->ack.last_received, least = least_delay(socket);
    socket->ack.scheduled = true;
    measure_segment(socket, segment);
    if (socket->ack.interval == 0) { // the first
        bool pingpong = socket->ack.pingpong;
        tcp_ack_quickly(socket);
        socket->ack.pingpong = pingpong;
    } else if (gap <= least / 2) {
        socket->ack.interval = socket->ack.interval / 2 + least / 2;
    } else if (gap < socket->ack.interval) {
        socket->ack.interval = MIN(socket->ack.interval / 2 + gap, socket->rtt.rto);
    } else if (gap > socket->rtt.rto) {
        // The sender has been idle, and starts again with a small congestion window.
        bool pingpong = socket->ack.pingpong;
        int64_t interval = socket->ack.interval;
        tcp_ack_quickly(socket);
        socket->ack.pingpong = pingpong;
        socket->ack.interval = interval;
    }
    socket->ack.last_received = now;
}

void tcp_linux_data(struct cpu_context *context, struct tcp_socket *socket,
                    const struct tcp_segment *segment, int64_t truesize)
{
    ack_data(context, socket, segment);
    window_grow(socket, segment->payload, truesize);
}

// ---- Now or later ----

// A segment with an acknowledgment has been sent.
void tcp_ack_sent(struct tcp_socket *socket)
{
    if (socket->ack.quick > 0 && --socket->ack.quick == 0)
        socket->ack.interval = least_delay(socket);
    socket->ack.scheduled = socket->ack.pushed = socket->ack.now = false;
    tcp_timer_cancel(socket, TCP_TIMER_ACK);
}

// Data are sent soon after data have come: they flow in both directions.
void tcp_ack_data_sent(struct tcp_socket *socket, int64_t now)
{
    if (socket->ack.interval > 0 && now - socket->ack.last_received < socket->ack.interval)
        socket->ack.pingpong = true;
}

static void ack_delayed(struct cpu_context *context, struct tcp_socket *socket)
{
    const struct tcp_config *config = socket->config;
    int64_t least = least_delay(socket), delay = socket->ack.interval;
    int64_t now = inet_ticks(socket->host->inet, context->now);
    const struct inet_timer *timer = socket->timers[TCP_TIMER_ACK];
    if (delay > least) {
        int64_t most = inet_time_in_ticks(&config->inet, 500 * TIME_MS); // RFC 1122, 4.2.3.2
        if (socket->ack.pingpong || socket->ack.pushed)
            most = inet_time_in_ticks(&config->inet, config->delayed_ack_most);
        if (socket->rtt.srtt)
            most = MIN(most, MAX(socket->rtt.srtt / 8, least));
        delay = MIN(delay, most);
    }
    delay = MAX(delay, 1);
    if (inet_timer_armed(timer)) {
        if (timer->expires <= now + delay / 4) {
            socket->due |= TCP_DUE_ACK;
            return;
        }
        if (timer->expires <= now + delay)
            return;
    }
    (*socket->host->acks_delayed)++;
    tcp_timer_arm(context, socket, TCP_TIMER_ACK, delay);
}

void tcp_linux_check(struct cpu_context *context, struct tcp_socket *socket, bool at_once)
{
    if (!socket->ack.scheduled)
        return;
    bool two = socket->rcv.nxt - socket->rcv.wup > socket->ack.segment &&
               tcp_linux_window(socket) >= socket->rcv.wnd;
    if (two || at_once || is_quick(socket))
        socket->due |= TCP_DUE_ACK;
    else
        ack_delayed(context, socket);
}

void tcp_ack_expired(struct tcp_socket *socket)
{
    if (!socket->ack.scheduled)
        return;
    if (!socket->ack.pingpong) {
        socket->ack.interval = MIN(2 * socket->ack.interval, socket->rtt.rto);
    } else {
        socket->ack.pingpong = false;
        socket->ack.interval = least_delay(socket);
    }
    socket->due |= TCP_DUE_ACK;
}

void tcp_linux_read(struct tcp_socket *socket, int64_t bytes)
{
    bool now = false;
    if (socket->ack.scheduled) {
        bool two = socket->rcv.nxt - socket->rcv.wup > socket->ack.segment;
        bool emptied =
            bytes > 0 && socket->ack.pushed && !socket->ack.pingpong && !socket->rcv.ready_head;
        now = two || emptied;
    }
    if (!now && bytes > 0 && !socket->rcv.fin_received) {
        int64_t open = tcp_receive_window(socket);
        if (2 * open <= socket->rcv.clamp) {
            int64_t window = tcp_linux_window(socket);
            now = window > 0 && window >= 2 * open;
        }
    }
    if (now)
        socket->due |= TCP_DUE_ACK;
}

// ---- The window at the start ----

static void linux_receiver_init(struct tcp_socket *socket)
{
    int64_t mss = socket->interface->mtu - IP_HEADER - TCP_HEADER;
    int64_t segments = mss > 3 * 1460 ? 2 : mss > 1460 ? 3 : 4;
    socket->rcv.clamp = MIN(tcp_buffer_share(socket->config, socket->rcv.buffer.size),
                            INT64_C(65535) << socket->rcv.scale);
    socket->rcv.limit = MIN(socket->rcv.clamp, segments * mss);
    socket->ack.segment = TCP_FIRST_MSS;
}

// Linux (tcp_init_buffer_space) keeps the room of one segment of a buffer back from the offer.
void tcp_linux_established(struct tcp_socket *socket)
{
    int64_t mss = tcp_own_mss(socket);
    int64_t whole = tcp_buffer_share(socket->config, socket->rcv.buffer.size);
    if (socket->rcv.clamp > 2 * mss && socket->rcv.clamp + mss > whole)
        socket->rcv.clamp = MAX(2 * mss, whole - mss);
    socket->rcv.limit = MIN(socket->rcv.limit, socket->rcv.clamp);
}

const struct tcp_receiver_ops tcp_receiver_linux = {
    .whole_units = true,
    .init = linux_receiver_init,
    .established = tcp_linux_established,
    .window = tcp_linux_window,
    .data = tcp_linux_data,
    .check = tcp_linux_check,
    .read = tcp_linux_read,
};
