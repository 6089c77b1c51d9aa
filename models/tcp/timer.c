// SPDX-License-Identifier: GPL-3.0-or-later
// Timers of a socket.
#include "models/tcp/stack.h"

// ---- What is sent again ----

static const struct {
    struct stage wait;
    const char *counter;
} tcp_sent_again[TCP_SENT_AGAIN] = {
    [TCP_AGAIN_SYN] = {{"retransmission timer (SYN)", STAGE_FOR_ACK}, "tcp" SIM_TIMEOUTS "SYN"},
    [TCP_AGAIN_DATA] = {{"retransmission timer (data)", STAGE_FOR_ACK}, "tcp" SIM_TIMEOUTS "data"},
    [TCP_AGAIN_FIN] = {{"retransmission timer (FIN)", STAGE_FOR_ACK}, "tcp" SIM_TIMEOUTS "FIN"},
    [TCP_AGAIN_PROBE] = {{"probe timer", STAGE_FOR_WINDOW}, "tcp" SIM_TIMEOUTS "window probe"},
};

static bool is_opening(const struct tcp_socket *socket)
{
    return socket->machine.state == TCP_SYN_SENT || socket->machine.state == TCP_SYN_RECEIVED;
}

// By the retransmission timer.
static enum tcp_again tcp_again_of(const struct tcp_socket *socket)
{
    const struct tcp_buffer *first = socket->snd.first;
    if (is_opening(socket))
        return TCP_AGAIN_SYN;
    return first && first->fin && first->length == 0 ? TCP_AGAIN_FIN : TCP_AGAIN_DATA;
}

static void count_again(const struct tcp_socket *socket, enum tcp_again again)
{
    struct tcp_host *host = socket->host;
    sim_count_loss(host->sim, &host->again[again], tcp_sent_again[again].counter, LOSS_TIMEOUT);
}

// ---- What happens when one expires ----

static void retransmit_timeout(struct cpu_context *context, void *owner)
{
    struct tcp_socket *socket = owner;
    const struct tcp_config *config = socket->config;
    bool opening = is_opening(socket);
    if (!opening && socket->snd.outstanding == 0)
        return;
    if (socket->retries >= (opening ? config->syn_retries : config->retries)) {
        tcp_give_up(context, socket);
        return;
    }
    (*socket->host->timeouts)++;
    count_again(socket, tcp_again_of(socket));
    if (opening)
        tcp_send_syn(context, socket);
    else
        tcp_recovery_timeout(context, socket);
    tcp_values_tell(context, socket);
    socket->retries++;
    if (!opening || socket->retries > config->syn_constant)
        socket->rtt.backoff++;
    tcp_timer_slop(socket);
    tcp_timer_arm(context, socket, TCP_TIMER_RETRANSMIT, inet_rtt_timeout(&socket->rtt));
}

// RFC 1122, 4.2.2.17.
static void probe_timeout(struct cpu_context *context, void *owner)
{
    struct tcp_socket *socket = owner;
    if (socket->snd.outstanding > 0 || !socket->snd.unsent ||
        socket->probes >= socket->config->probes)
        return;
    socket->probes++;
    count_again(socket, TCP_AGAIN_PROBE);
    socket->rtt.backoff++;
    tcp_send_probe(context, socket);
    if (!inet_timer_armed(socket->timers[TCP_TIMER_RETRANSMIT]))
        tcp_timer_probe(context, socket);
}

static const struct stage *retransmit_waited(const void *owner)
{
    return &tcp_sent_again[tcp_again_of(owner)].wait;
}

static const struct inet_timer_kind timer_kinds[TCP_TIMERS] = {
    [TCP_TIMER_RETRANSMIT] = {.wait = {"retransmission timer", STAGE_FOR_ACK},
                              .waited = retransmit_waited,
                              .stage = &tcp_stage,
                              .run = retransmit_timeout},
    [TCP_TIMER_PROBE] = {.wait = {"probe timer", STAGE_FOR_WINDOW},
                         .stage = &tcp_stage,
                         .run = probe_timeout},
    [TCP_TIMER_ACK] = {.wait = {"delayed ACK", STAGE_FOR_ACK},
                       .stage = &tcp_stage,
                       .run = tcp_ack_timeout},
};

void tcp_timer_arm(const struct cpu_context *context, struct tcp_socket *socket,
                   enum tcp_timer_kind kind, int64_t ticks)
{
    inet_timer_arm(context, socket->host->inet, &socket->timers[kind], &timer_kinds[kind], socket,
                   ticks);
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
    inet_timer_cancel(&socket->timers[kind]);
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
