// SPDX-License-Identifier: GPL-3.0-or-later
// Losses by the time of sending (RACK: RFC 8985, 6), proportional rate reduction (RFC 9937), as
// Linux 6 has both (tcp_recovery.c; tcp_input.c: tcp_cwnd_reduction). Probes are in tail.c.
//
// Not modelled: D-SACK, with which the reordering window would grow, undoing, F-RTO.
#include "models/tcp/stack.h"

#define RACK_DUPLICATES 3               // RFC 8985, 6.2, step 4: DupThresh
#define RACK_TIMER_MARGIN (2 * TIME_MS) // tcp.h: TCP_TIMEOUT_MIN_US

// ---- Losses ----

// RFC 8985, 6.2, step 4.
static sim_time reordering_window(const struct tcp_socket *socket)
{
    const struct tcp_rack *rack = &socket->extra->rack;
    bool in_recovery = socket->recovery.machine.state == TCP_RECOVERY ||
                       socket->recovery.machine.state == TCP_LOSS;
    if (!rack->reordered && (in_recovery || rack->sacked >= RACK_DUPLICATES))
        return 0;
    return MIN(rack->shortest / 4, rack->smoothed);
}

static bool sent_before(const struct tcp_rack *rack, const struct tcp_buffer *buffer)
{
    return buffer->sent < rack->sent ||
           (buffer->sent == rack->sent && tcp_buffer_end(buffer) < rack->end);
}

// Step 5: marks what was sent a round trip and the reordering window ago, before something that has
// arrived. Returns how many segments are newly lost. *wait: until the last of the others would be.
static int64_t detect_losses(const struct cpu_context *context, struct tcp_socket *socket,
                             sim_time *wait)
{
    struct tcp_rack *rack = &socket->extra->rack;
    sim_time allowed = rack->round_trip + reordering_window(socket);
    int64_t found = 0;
    *wait = 0;
    rack->advanced = false;
    for (struct tcp_buffer *at = socket->snd.first; at != socket->snd.unsent; at = at->next) {
        if (at->sacked || (at->lost && !at->retransmitted))
            continue;
        if (!sent_before(rack, at)) {
            if (at->transmissions == 1)
                break; // and so were all that follow
            continue;
        }
        sim_time rest = allowed - (context->now - at->sent);
        if (rest > 0) {
            *wait = MAX(*wait, rest);
            continue;
        }
        at->lost = true;
        at->retransmitted = false;
        found++;
    }
    return found;
}

static int64_t rack_ticks(const struct tcp_socket *socket, sim_time time)
{
    sim_time tick = socket->config->inet.tick;
    return (time + tick - 1) / tick;
}

static int64_t look_for_losses(struct cpu_context *context, struct tcp_socket *socket)
{
    sim_time wait;
    if (!socket->extra->rack.advanced)
        return 0;
    int64_t found = detect_losses(context, socket, &wait);
    if (wait > 0)
        tcp_timer_arm(context, socket, TCP_TIMER_REORDER,
                      rack_ticks(socket, wait + RACK_TIMER_MARGIN));
    else
        tcp_timer_cancel(socket, TCP_TIMER_REORDER);
    return found;
}

// ---- Proportional rate reduction (RFC 9937, 6.2) ----

static void reduction_begin(struct tcp_socket *socket)
{
    struct tcp_rack *rack = &socket->extra->rack;
    rack->prior_window = MAX(socket->cc.cwnd, 1);
    rack->reduced_delivered = rack->reduced_sent = 0;
}

// safe: the acknowledgment frees data and shows no further loss.
static void reduction_step(struct tcp_socket *socket, int64_t delivered, bool safe)
{
    struct tcp_rack *rack = &socket->extra->rack;
    struct inet_cc *cc = &socket->cc;
    int64_t pipe = tcp_scoreboard_pipe(socket), may_send;
    if (delivered <= 0)
        return;
    rack->reduced_delivered += delivered;
    if (pipe > cc->ssthresh) {
        int64_t shared = cc->ssthresh * rack->reduced_delivered + rack->prior_window - 1;
        may_send = shared / rack->prior_window - rack->reduced_sent;
    } else {
        may_send = MAX(rack->reduced_delivered - rack->reduced_sent, delivered) + safe;
        may_send = MIN(may_send, cc->ssthresh - pipe);
    }
    cc->cwnd = pipe + MAX(may_send, rack->reduced_sent > 0 ? 0 : 1);
}

// ---- States ----

static void rack_enter(struct cpu_context *context, struct tcp_socket *socket)
{
    tcp_tail_forget(context, socket);
    reduction_begin(socket);
    if (socket->recovery.machine.state == TCP_OPEN)
        tcp_recovery_enter(context, socket, TCP_DISORDER);
    tcp_recovery_start(context, socket);
}

static int64_t rack_in_flight(const struct tcp_socket *socket)
{
    return socket->recovery.machine.state == TCP_OPEN ? socket->snd.outstanding
                                                      : tcp_scoreboard_pipe(socket);
}

// Outside of recovery: the first loss begins one.
static void acked_usual(struct cpu_context *context, struct tcp_socket *socket, int64_t found)
{
    if (found > 0)
        rack_enter(context, socket);
    else
        tcp_recovery_enter(context, socket,
                           socket->extra->rack.sacked > 0 ? TCP_DISORDER : TCP_OPEN);
}

static void rack_acked(struct cpu_context *context, struct tcp_socket *socket,
                       const struct tcp_ack_news *news)
{
    struct tcp_rack *rack = &socket->extra->rack;
    const struct machine *machine = &socket->recovery.machine;
    int64_t delivered = rack->delivered;
    rack->delivered = 0;
    tcp_tail_acked(context, socket, news);
    if (news->segments > 0 && socket->snd.una >= socket->recovery.recover) {
        if (machine->state == TCP_RECOVERY)
            tcp_recovery_end(context, socket);
        else if (machine->state == TCP_LOSS) {
            tcp_scoreboard_clear(socket);
            tcp_recovery_enter(context, socket, TCP_OPEN);
        }
    }
    int64_t found = look_for_losses(context, socket);
    if (machine->state == TCP_OPEN || machine->state == TCP_DISORDER)
        acked_usual(context, socket, found);
    if (machine->state == TCP_RECOVERY)
        reduction_step(socket, delivered, news->segments > 0 && found == 0);
    else if (delivered > 0 && news->segments > 0 &&
             tcp_recovery_may_grow(socket, news->flight_before))
        socket->cc.ops->ack(&socket->cc, delivered);
    if (machine->state == TCP_RECOVERY || machine->state == TCP_LOSS)
        socket->due |= TCP_DUE_MARKED;
    if (news->segments > 0)
        tcp_tail_schedule(context, socket);
}

void tcp_rack_expired(struct cpu_context *context, struct tcp_socket *socket)
{
    sim_time wait;
    if (socket->recovery.ops != &tcp_recovery_rack || socket->snd.outstanding == 0 ||
        detect_losses(context, socket, &wait) == 0)
        return;
    (*socket->host->reordering_timeouts)++;
    if (socket->recovery.machine.state == TCP_OPEN ||
        socket->recovery.machine.state == TCP_DISORDER) {
        rack_enter(context, socket);
        reduction_step(socket, 1, false);
    }
    socket->due |= TCP_DUE_MARKED;
}

// RFC 8985, 6.3: the first segment, and what was sent a round trip ago; the rest is still out.
static void rack_timed_out(struct cpu_context *context, struct tcp_socket *socket)
{
    struct tcp_rack *rack = &socket->extra->rack;
    tcp_tail_forget(context, socket);
    tcp_timer_cancel(socket, TCP_TIMER_REORDER);
    for (struct tcp_buffer *at = socket->snd.first; at != socket->snd.unsent; at = at->next) {
        bool recent = context->now - at->sent < rack->round_trip;
        if (at->sacked || (recent && at != socket->snd.first))
            continue;
        at->lost = true;
        at->retransmitted = false;
    }
    socket->cc.cwnd = tcp_scoreboard_pipe(socket) + 1;
}

// An acknowledgment is processed by .acked, in place of the steps that the other kinds have.
const struct tcp_recovery_ops tcp_recovery_rack = {
    .name = "rack",
    .sack = true,
    .probes = true,
    .in_flight = rack_in_flight,
    .window_after = tcp_recovery_threshold,
    .acked = rack_acked,
    .timed_out = rack_timed_out,
};
