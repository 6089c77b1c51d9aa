// SPDX-License-Identifier: GPL-3.0-or-later
// Timers of a socket.
#include "models/tcp/stack.h"

struct inet_timer **tcp_timer_place(struct tcp_socket *socket, enum tcp_timer_kind kind)
{
    return kind < TCP_TIMER_TAIL ? &socket->timers[kind]
                                 : &socket->extra->timers[kind - TCP_TIMER_TAIL];
}

void tcp_timer_arm(const struct cpu_context *context, struct tcp_socket *socket,
                   enum tcp_timer_kind kind, int64_t ticks)
{
    inet_timer_arm(context, socket->host->inet, tcp_timer_place(socket, kind),
                   &socket->host->timers[kind], socket, ticks);
}

void tcp_timer_probe(const struct cpu_context *context, struct tcp_socket *socket)
{
    const struct tcp_config *config = socket->config;
    int64_t least = config->probe_least / config->inet.tick;
    int64_t most = inet_time_in_ticks(&config->inet, config->probe_most);
    tcp_timer_arm(context, socket, TCP_TIMER_PROBE,
                  CLAMP(inet_rtt_timeout(&socket->rtt), least, most));
}

// The first timeout of a connection has no slop (FreeBSD 6.2: tcp_newtcpcb).
void tcp_timer_slop(struct tcp_socket *socket)
{
    socket->rtt.slop = socket->config->rto_slop / socket->config->inet.tick;
}

void tcp_timer_cancel(struct tcp_socket *socket, enum tcp_timer_kind kind)
{
    if (kind < TCP_TIMER_TAIL || socket->extra)
        inet_timer_cancel(tcp_timer_place(socket, kind));
}

void tcp_timers_init(struct tcp_socket *socket)
{
    const struct tcp_config *config = socket->config;
    const struct inet_config *inet = &config->inet;
    inet_rtt_init(&socket->rtt, inet_time_in_ticks(inet, config->rto_initial),
                  inet_time_in_ticks(inet, config->rto_least),
                  inet_time_in_ticks(inet, config->rto_most));
    socket->rtt.least_of_sum = config->rto_bounds == TCP_RTO_BOUNDS_SUM;
}
