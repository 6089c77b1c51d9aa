// SPDX-License-Identifier: GPL-3.0-or-later
// When a receiver acknowledges, and which window it offers, as 4.4BSD has it and FreeBSD 6.2:
// every second segment at once, whatever their sizes, and a single one after a delay that does not
// change. The offer is all the room in the buffer; a reader that makes room for two segments more
// than was offered, or for half the buffer, triggers an update.
#include "models/tcp/stack.h"

static void bsd_receiver_init(struct tcp_socket *socket)
{
    socket->rcv.clamp = MIN(socket->rcv.buffer.size, INT64_C(65535) << socket->rcv.scale);
    socket->rcv.limit = socket->rcv.clamp; // a SYN offers all
}

static void is_established(struct tcp_socket *socket)
{
    socket->rcv.limit = socket->rcv.clamp;
}

static int64_t room(const struct tcp_socket *socket)
{
    int64_t space = MAX(0, socket->rcv.buffer.size - socket->rcv.buffer.used);
    return MIN(space, INT64_C(65535) << socket->rcv.scale);
}

// FreeBSD 6.2, tcp_output: no sliver of a window (RFC 1122, 4.2.3.3).
static int64_t window(struct tcp_socket *socket)
{
    int64_t space = room(socket);
    return space < socket->rcv.buffer.size / 4 && space < socket->snd.mss ? 0 : space;
}

static void bsd_data_taken(struct cpu_context *context, struct tcp_socket *socket,
                           const struct tcp_segment *segment, int64_t truesize)
{
    (void)context;
    (void)segment;
    (void)truesize;
    socket->ack.scheduled = true;
}

// FreeBSD 6.2, tcp_input: DELAY_ACK. The timer runs: this is the second segment. After a closed
// window was offered, no acknowledgment waits.
static void bsd_ack_check(struct cpu_context *context, struct tcp_socket *socket, bool at_once)
{
    if (!socket->ack.scheduled)
        return;
    if (at_once || socket->ack.now || socket->rcv.wnd == 0 ||
        inet_timer_armed(socket->timers[TCP_TIMER_ACK])) {
        socket->due |= TCP_DUE_ACK;
        return;
    }
    const struct tcp_config *config = socket->config;
    (*socket->host->acks_delayed)++;
    tcp_timer_arm(context, socket, TCP_TIMER_ACK,
                  inet_time_in_ticks(&config->inet, config->delayed_ack_most));
}

// FreeBSD 6.2, tcp_output after tcp_usr_rcvd.
static void bsd_ack_read(struct tcp_socket *socket, int64_t bytes)
{
    if (bytes == 0 || socket->rcv.fin_received)
        return;
    int64_t wider = room(socket) - tcp_receive_window(socket);
    if (wider > 0 && (wider >= 2 * socket->snd.mss || 2 * wider >= socket->rcv.buffer.size))
        socket->due |= TCP_DUE_ACK;
}

const struct tcp_receiver_ops tcp_receiver_bsd = {
    .init = bsd_receiver_init,
    .established = is_established,
    .window = window,
    .data = bsd_data_taken,
    .check = bsd_ack_check,
    .read = bsd_ack_read,
};
