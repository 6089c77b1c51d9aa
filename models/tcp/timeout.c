// SPDX-License-Identifier: GPL-3.0-or-later
// Expiry of a socket's timers.
#include "models/tcp/stack.h"

// ---- Counters and waits ----

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

// ---- The handlers ----

static void give_up(struct cpu_context *context, struct tcp_socket *socket)
{
    struct tcp_host *host = socket->host;
    bool opening = is_opening(socket);
    int peer = network_station_host(host->cluster->network, socket->key.remote);
    char *drops =
        network_describe_drops(host->cluster->network, socket->key.local, socket->key.remote);
    json_t *detail = tcp_socket_describe(socket);
    json_object_set_new(detail, "dropped", json_string(drops ? drops : "nothing"));
    sim_fail(host->sim, SIM_FAILED, "connection_broken", detail,
             "%s gave up its TCP connection to %s in %s: a segment was sent %d times and never "
             "acknowledged (tcp.%s allows more); %s%s",
             host->host->name, host->cluster->hosts[peer]->name,
             machine_state_name(&tcp_connection_machine, &socket->machine), socket->retries + 1,
             opening ? "syn_retries" : "retries",
             drops ? "on the way between them: " : "the network between them has dropped nothing",
             drops ? drops : "");
    g_free(drops);
    tcp_connection_lost(context, socket, TCP_END_TIMED_OUT, "give up");
}

// A new segment if there is one and the receiver has room for it, else the last one again.
static struct tcp_buffer *tail_segment(const struct tcp_socket *socket)
{
    struct tcp_buffer *unsent = socket->snd.unsent;
    if (!unsent)
        return socket->snd.last;
    return tcp_in_window(socket, unsent) ? unsent : unsent->previous;
}

// Without an answer to the last probe there is no further one: the retransmission timer is next.
static void tail_timeout(struct cpu_context *context, void *owner)
{
    struct tcp_socket *socket = owner;
    if (!socket->recovery.ops->probes || socket->snd.outstanding == 0)
        return;
    if (socket->extra->rack.tail.state == TCP_TAIL_IDLE) {
        struct tcp_buffer *buffer = tail_segment(socket);
        bool again = buffer != socket->snd.unsent;
        (*socket->host->tail_probes)++;
        tcp_buffer_send(context, socket, buffer);
        tcp_tail_sent(context, socket, again);
    }
    tcp_timer_arm(context, socket, TCP_TIMER_RETRANSMIT, inet_rtt_timeout(&socket->rtt));
    tcp_values_tell(context, socket);
}

static void retransmit_timeout(struct cpu_context *context, void *owner)
{
    struct tcp_socket *socket = owner;
    const struct tcp_config *config = socket->config;
    bool opening = is_opening(socket);
    if (!opening && socket->snd.outstanding == 0)
        return;
    if (socket->retries >= (opening ? config->syn_retries : config->retries)) {
        give_up(context, socket);
        return;
    }
    // A probe that is due at the same time goes in its place.
    if (!opening && socket->extra && inet_timer_armed(*tcp_timer_place(socket, TCP_TIMER_TAIL))) {
        tcp_timer_cancel(socket, TCP_TIMER_TAIL);
        tail_timeout(context, socket);
        return;
    }
    (*socket->host->timeouts)++;
    count_again(socket, tcp_again_of(socket));
    if (opening)
        tcp_send_syn(context, socket);
    else
        tcp_recovery_timeout(context, socket);
    tcp_run_due(context, socket);
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

static void ack_timeout(struct cpu_context *context, void *owner)
{
    tcp_ack_expired(owner);
    tcp_run_due(context, owner);
}

static void reorder_timeout(struct cpu_context *context, void *owner)
{
    tcp_rack_expired(context, owner);
    tcp_run_due(context, owner);
    tcp_values_tell(context, owner);
}

static const struct stage *retransmit_waited(const void *owner)
{
    return &tcp_sent_again[tcp_again_of(owner)].wait;
}

const struct inet_timer_kind tcp_timers[TCP_TIMERS] = {
    [TCP_TIMER_RETRANSMIT] = {.wait = {"retransmission timer", STAGE_FOR_ACK},
                              .waited = retransmit_waited,
                              .stage = &tcp_stage,
                              .run = retransmit_timeout},
    [TCP_TIMER_PROBE] = {.wait = {"probe timer", STAGE_FOR_WINDOW},
                         .stage = &tcp_stage,
                         .run = probe_timeout},
    [TCP_TIMER_ACK] = {.wait = {"delayed ACK", STAGE_FOR_ACK},
                       .stage = &tcp_stage,
                       .run = ack_timeout},
    [TCP_TIMER_TAIL] = {.wait = {"tail loss probe", STAGE_FOR_ACK},
                        .stage = &tcp_stage,
                        .run = tail_timeout},
    [TCP_TIMER_REORDER] = {.wait = {"reordering timer", STAGE_FOR_ACK},
                           .stage = &tcp_stage,
                           .run = reorder_timeout},
};
