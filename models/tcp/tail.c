// SPDX-License-Identifier: GPL-3.0-or-later
// Tail loss probes (RFC 8985, 7; Linux 6: tcp_output.c, tcp_schedule_loss_probe and
// tcp_send_loss_probe; tcp_input.c, tcp_process_tlp_ack): when nothing is acknowledged for two
// round trips, one more segment asks the receiver for its blocks. There is one probe at a time; the
// retransmission timer begins anew with it.
#include "models/tcp/stack.h"

#define TAIL_MARGIN (2 * TIME_MS) // tcp.h: TCP_TIMEOUT_MIN_US

static const struct machine_state tail_states[] = {
    [TCP_TAIL_IDLE] = {"no probe", .next = MACHINE_TO(TCP_TAIL_PROBING)},
    [TCP_TAIL_PROBING] = {"probe out", .next = MACHINE_TO(TCP_TAIL_IDLE)},
};

const struct machine_kind tcp_tail_machine = {
    .name = "tcp tail probe",
    .title = "TCP's tail loss probe",
    .source = "RFC 8985, 7",
    .states = tail_states,
    .count = G_N_ELEMENTS(tail_states),
};

static void tail_enter(struct cpu_context *context, struct tcp_socket *socket,
                       enum tcp_tail_state state, const char *event)
{
    if (socket->extra->rack.tail.state != (int)state)
        cpu_machine_enter(context, &tcp_tail_machine, &socket->extra->rack.tail, state,
                          tcp_machine_owner(socket), event);
}

// RFC 8985, 7.2. A single segment's acknowledgment may be delayed.
static sim_time probe_timeout_of(const struct tcp_socket *socket)
{
    const struct tcp_config *config = socket->config;
    sim_time smoothed = socket->extra->rack.smoothed;
    if (smoothed == 0)
        return config->rto_initial;
    return 2 * smoothed + (socket->snd.outstanding == 1 ? config->rto_least : TAIL_MARGIN);
}

void tcp_tail_schedule(struct cpu_context *context, struct tcp_socket *socket)
{
    const struct tcp_config *config = socket->config;
    if (!config->tail_loss_probe)
        return;
    if (socket->snd.outstanding == 0 || socket->recovery.machine.state != TCP_OPEN) {
        tcp_timer_cancel(socket, TCP_TIMER_TAIL);
        return;
    }
    int64_t ticks = (probe_timeout_of(socket) + config->inet.tick - 1) / config->inet.tick;
    const struct inet_timer *retransmit = socket->timers[TCP_TIMER_RETRANSMIT];
    if (inet_timer_armed(retransmit)) {
        int64_t rest = retransmit->expires - inet_ticks(socket->host->inet, context->now);
        ticks = MIN(ticks, MAX(rest, 1));
    }
    tcp_timer_arm(context, socket, TCP_TIMER_TAIL, ticks);
}

void tcp_tail_sent(struct cpu_context *context, struct tcp_socket *socket, bool again)
{
    struct tcp_rack *rack = &socket->extra->rack;
    rack->tail_again = again;
    rack->tail_end = socket->snd.nxt;
    tail_enter(context, socket, TCP_TAIL_PROBING, "two round trips without an ACK");
}

// RFC 8985, 7.4.2: a retransmission that was needed counts as a loss, which it has repaired; one
// that was not is answered by a second acknowledgment of the same.
void tcp_tail_acked(struct cpu_context *context, struct tcp_socket *socket,
                    const struct tcp_ack_news *news)
{
    struct tcp_rack *rack = &socket->extra->rack;
    if (rack->tail.state == TCP_TAIL_IDLE || socket->snd.una < rack->tail_end)
        return;
    if (!rack->tail_again || news->repeated) {
        tail_enter(context, socket, TCP_TAIL_IDLE, "acknowledged");
    } else if (socket->snd.una > rack->tail_end) {
        socket->cc.ops->loss(&socket->cc, tcp_flight(socket));
        socket->cc.cwnd = MIN(socket->cc.cwnd, socket->cc.ssthresh);
        tail_enter(context, socket, TCP_TAIL_IDLE, "has repaired a loss");
    }
}

void tcp_tail_forget(struct cpu_context *context, struct tcp_socket *socket)
{
    tcp_timer_cancel(socket, TCP_TIMER_TAIL);
    tail_enter(context, socket, TCP_TAIL_IDLE, "recovery");
}
