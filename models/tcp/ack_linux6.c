// SPDX-License-Identifier: GPL-3.0-or-later
// The receiver of Linux 6: it acknowledges as 2.4 does (ack.c), but offers all that the buffer's
// share for data allows from the start, and lets a buffer that the program has not set grow with
// what is read in a round trip (dynamic right-sizing: tcp_input.c, tcp_rcv_space_adjust). The round
// trip is that of the peer's echoes of timestamps, which count ticks; without them nothing grows.
#include "models/tcp/stack.h"

#define TUNING_CUSHION 16 // segments (tcp_rcv_space_adjust)
#define FIRST_SPACE 10    // segments (tcp_init_buffer_space: TCP_INIT_CWND)

static int64_t tuning_window(const struct tcp_socket *socket)
{
    return MIN(tcp_buffer_share(socket->config, socket->rcv.buffer.size), INT64_C(65535)
                                                                              << socket->rcv.scale);
}

static void linux6_init(struct tcp_socket *socket)
{
    int64_t mss = socket->interface->mtu - IP_HEADER - TCP_HEADER;
    socket->rcv.clamp = tuning_window(socket);
    socket->rcv.limit = MIN(socket->rcv.clamp, 65535);
    if (socket->rcv.limit > mss)
        socket->rcv.limit -= socket->rcv.limit % mss;
    socket->ack.segment = 536; // until one has come (RFC 1122, 4.2.2.6)
    socket->extra->tuning.grows =
        socket->config->receive_buffer_grows && !socket->rcv.buffer.locked;
}

static void linux6_established(struct tcp_socket *socket)
{
    tcp_linux_established(socket);
    socket->extra->tuning.space = MIN(socket->rcv.limit, FIRST_SPACE * tcp_own_mss(socket));
}

static void tuning_measure(const struct cpu_context *context, struct tcp_socket *socket,
                           const struct tcp_segment *segment)
{
    struct tcp_tuning *tuning = &socket->extra->tuning;
    if (!socket->timestamps || segment->echo == 0 || segment->payload < socket->ack.segment)
        return;
    int64_t shown = (int64_t)tcp_timestamp(socket->host, context->now) - segment->echo;
    shown = MAX(shown, 1);
    tuning->round_trip += tuning->round_trip == 0 ? 8 * shown : shown - tuning->round_trip / 8;
}

static void linux6_data(struct cpu_context *context, struct tcp_socket *socket,
                        const struct tcp_segment *segment, int64_t truesize)
{
    if (socket->extra->tuning.grows)
        tuning_measure(context, socket, segment);
    tcp_linux_data(context, socket, segment, truesize);
}

// Room for what is read in a round trip, twice for the next one and losses in it, and twice that
// again by as much as the rate has risen.
static void tuning_grow(struct tcp_socket *socket, int64_t copied)
{
    const struct tcp_config *config = socket->config;
    struct tcp_tuning *tuning = &socket->extra->tuning;
    int64_t window = 2 * copied + TUNING_CUSHION * tcp_own_mss(socket);
    window += 2 * (window * (copied - tuning->space) / MAX(tuning->space, 1));
    int64_t share = tcp_buffer_share(config, 1 << 10); // of 1024 B
    int64_t size = MIN(window * (1 << 10) / share, config->receive_buffer_most);
    if (size > socket->rcv.buffer.size) {
        socket->rcv.buffer.size = size;
        socket->rcv.clamp = tuning_window(socket);
    }
    tuning->space = copied;
}

static void tuning_read(struct tcp_socket *socket)
{
    const struct tcp_config *config = socket->config;
    struct tcp_tuning *tuning = &socket->extra->tuning;
    sim_time now = sim_now(socket->host->sim);
    if (tuning->round_trip == 0 || now - tuning->since < tuning->round_trip * config->inet.tick / 8)
        return;
    int64_t copied = socket->rcv.copied - tuning->from;
    if (copied > tuning->space)
        tuning_grow(socket, copied);
    tuning->from = socket->rcv.copied;
    tuning->since = now;
}

static void linux6_read(struct tcp_socket *socket, int64_t bytes)
{
    if (socket->extra->tuning.grows)
        tuning_read(socket);
    tcp_linux_read(socket, bytes);
}

const struct tcp_receiver_ops tcp_receiver_linux6 = {
    .whole_units = true,
    .init = linux6_init,
    .established = linux6_established,
    .window = tcp_linux_window,
    .data = linux6_data,
    .check = tcp_linux_check,
    .read = linux6_read,
};
