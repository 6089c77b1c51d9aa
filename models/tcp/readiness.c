// SPDX-License-Identifier: GPL-3.0-or-later
// Readiness of a socket.
#include "models/tcp/stack.h"

bool tcp_established(const struct tcp_socket *socket)
{
    switch ((enum tcp_state)socket->machine.state) {
    case TCP_ESTABLISHED:
    case TCP_CLOSE_WAIT:
        return true;
    case TCP_CLOSED:
    case TCP_SYN_SENT:
    case TCP_SYN_RECEIVED:
    case TCP_FIN_WAIT_1:
    case TCP_FIN_WAIT_2:
    case TCP_CLOSING:
    case TCP_LAST_ACK:
    case TCP_TIME_WAIT:
        return false;
    }
    return false;
}

int64_t tcp_readable(const struct tcp_socket *socket)
{
    return socket->rcv.nxt - socket->rcv.fin_received - socket->rcv.copied;
}

int tcp_ready(const struct tcp_socket *socket)
{
    int ready = 0;
    if (tcp_readable(socket) > 0 || socket->rcv.fin_received || socket->gone)
        ready |= INET_READABLE;
    // Linux wakes writers when a third of the buffer is free.
    int64_t used = socket->snd.buffer.used, free = socket->snd.buffer.size - used;
    int64_t low_water = MIN(socket->config->send_low_water, socket->snd.buffer.size);
    bool space = free >= (low_water ? low_water : used / 2);
    if (socket->gone || (tcp_established(socket) && space))
        ready |= INET_WRITABLE;
    return ready;
}

bool tcp_above_low_water(const struct tcp_socket *socket, int64_t bytes)
{
    int64_t low_water = MIN(socket->config->send_low_water, socket->snd.buffer.size);
    return low_water == 0 ||
           socket->snd.buffer.size - socket->snd.buffer.used >= MIN(low_water, bytes);
}

static const struct tcp_socket *socket_of(const struct inet_socket *inet)
{
    return container_of(inet, const struct tcp_socket, inet);
}

static int socket_ready(const struct inet_socket *inet)
{
    return tcp_ready(socket_of(inet));
}

// A blocked writer goes on as soon as one segment fits.
static bool socket_goes_on(const struct inet_socket *inet, enum inet_readiness readiness)
{
    const struct tcp_socket *socket = socket_of(inet);
    if (readiness == INET_WRITABLE && tcp_established(socket))
        return socket->snd.buffer.used < socket->snd.buffer.size &&
               tcp_above_low_water(socket, INT64_MAX);
    return tcp_ready(socket) & (int)readiness;
}

static void socket_awaited(struct inet_socket *inet, int readiness)
{
    if (readiness & INET_WRITABLE)
        container_of(inet, struct tcp_socket, inet)->snd.wants_space = true;
}

const struct inet_socket_ops tcp_socket_ops = {
    .stage = &tcp_stage,
    .reads = INET_READ,
    .writes = INET_WRITE,
    .ready = socket_ready,
    .goes_on = socket_goes_on,
    .awaited = socket_awaited,
};
