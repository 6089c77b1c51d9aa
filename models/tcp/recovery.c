// SPDX-License-Identifier: GPL-3.0-or-later
// Recovery from losses: Reno (RFC 2581, 3.2), NewReno (RFC 2582), selective acknowledgments
// (RFC 3517); RACK is in rack.c. The window outside of it is in cc.c.
#include "models/tcp/stack.h"

#define RECOVERY_DUPLICATES 3

static const struct machine_state recovery_states[] = {
    [TCP_OPEN] = {"open", .next = MACHINE_TO(TCP_DISORDER, TCP_LOSS)},
    [TCP_DISORDER] = {"disorder", .next = MACHINE_TO(TCP_OPEN, TCP_RECOVERY, TCP_LOSS)},
    [TCP_RECOVERY] = {"recovery", .next = MACHINE_TO(TCP_OPEN, TCP_LOSS)},
    [TCP_LOSS] = {"loss", .next = MACHINE_TO(TCP_OPEN)},
};

const struct machine_kind tcp_recovery_machine = {
    .name = "tcp recovery",
    .title = "TCP's loss recovery",
    .source = "RFC 2582; RFC 3517; RFC 8985; Linux 2.4, tcp_input.c: tcp_fastretrans_alert",
    .states = recovery_states,
    .count = G_N_ELEMENTS(recovery_states),
};

void tcp_recovery_enter(struct cpu_context *context, struct tcp_socket *socket,
                        enum tcp_recovery_state state)
{
    struct tcp_recovery *recovery = &socket->recovery;
    if (state != recovery->machine.state)
        cpu_machine_enter(context, &tcp_recovery_machine, &recovery->machine, state,
                          tcp_machine_owner(socket), recovery->ops->name);
}

// RFC 2414, in segments, as Linux 2.4 rounds it: no more than two where the round trip is not known
// or longer than 20 ms.
static int64_t linux_initial_window(const struct tcp_socket *socket)
{
    int64_t near = inet_time_in_ticks(&socket->config->inet, 20 * TIME_MS);
    if (socket->snd.mss > 1460 || socket->rtt.srtt == 0 || socket->rtt.srtt / 8 > near)
        return 2;
    return socket->snd.mss > 1095 ? 3 : 4;
}

// In the unit of cwnd.
static int64_t initial_window(const struct tcp_socket *socket)
{
    const struct tcp_config *config = socket->config;
    int64_t mss = socket->snd.mss, segments = config->initial_window;
    if (segments == 0 && config->initial_window_rule == TCP_INITIAL_RFC3390) {
        int64_t bytes = MIN(4 * mss, MAX(2 * mss, 4380)); // RFC 3390, 1
        return tcp_amount(socket, bytes / mss, bytes);
    }
    if (segments == 0)
        segments = linux_initial_window(socket);
    return tcp_amount(socket, segments, segments * mss);
}

static const struct inet_cc_ops *congestion_of(const struct tcp_config *config)
{
    if (config->congestion == TCP_CONGESTION_CUBIC)
        return config->hystart ? &inet_cc_cubic_hystart : &inet_cc_cubic;
    return config->idle_rule == TCP_IDLE_RESTART ? &inet_cc_restart : &inet_cc_rfc2581;
}

int64_t tcp_congestion_state(const struct tcp_config *config)
{
    return congestion_of(config)->more;
}

void tcp_recovery_init(struct tcp_socket *socket, int64_t now)
{
    inet_cc_init_with(&socket->cc, congestion_of(socket->config),
                      tcp_amount(socket, 1, socket->snd.mss), initial_window(socket), now,
                      socket->cc.more);
    socket->recovery.recover = 0;
}

bool tcp_recovery_room(const struct tcp_socket *socket, int64_t length)
{
    int64_t flight = socket->recovery.ops->in_flight(socket);
    return flight + tcp_amount(socket, 1, MAX(length, 1)) <= socket->cc.cwnd;
}

int64_t tcp_flight(const struct tcp_socket *socket)
{
    return tcp_amount(socket, socket->snd.outstanding, socket->snd.nxt - socket->snd.una);
}

// RFC 2861: nothing was sent for a time-out. RFC 2581, 4.1 as BSD has it: nothing has arrived.
void tcp_recovery_idle(struct tcp_socket *socket, int64_t now)
{
    const struct tcp_config *config = socket->config;
    if (socket->snd.outstanding > 0)
        return;
    if (socket->cc.ops->resumed)
        socket->cc.ops->resumed(&socket->cc, (now - socket->snd.last_sent) * config->inet.tick);
    if (config->idle_rule == TCP_IDLE_RESTART) {
        int64_t window = config->restart_window, silent = now - socket->rcv.when;
        int64_t rto = socket->rtt.rto + socket->rtt.slop;
        if (silent >= rto)
            socket->cc.ops->idle(&socket->cc, now, silent, rto,
                                 tcp_amount(socket, window, window * socket->snd.mss));
        return;
    }
    int64_t idle = now - socket->snd.last_sent;
    if (idle <= socket->rtt.rto)
        return;
    socket->cc.ops->idle(&socket->cc, now, idle, socket->rtt.rto, initial_window(socket));
}

// Linux takes it for congestion (tcp_enter_cwr), once for what is under way; nothing is lost. The
// next acknowledgment tries again, or, if nothing is under way, the timer of probes.
void tcp_recovery_local(struct tcp_socket *socket)
{
    (*socket->host->held)++;
    enum tcp_recovery_state state = socket->recovery.machine.state;
    bool usual = state == TCP_OPEN || state == TCP_DISORDER;
    if (!usual || socket->snd.una < socket->recovery.local_until)
        return;
    struct inet_cc *cc = &socket->cc;
    cc->ops->loss(cc, tcp_flight(socket));
    cc->cwnd = MIN(cc->cwnd, cc->ssthresh);
    socket->recovery.local_until = socket->snd.nxt;
}

// While the program waits for room in the buffer, it is the buffer that limits, not the program.
void tcp_recovery_sent(struct tcp_socket *socket, int64_t now)
{
    bool by_program = socket->recovery.machine.state == TCP_OPEN && !socket->snd.wants_space;
    socket->cc.ops->sent(&socket->cc, now, tcp_flight(socket), socket->rtt.rto, by_program);
}

// ---- What is common to all ----

void tcp_recovery_start(struct cpu_context *context, struct tcp_socket *socket)
{
    (*socket->host->recoveries)++;
    socket->cc.ops->loss(&socket->cc, tcp_flight(socket));
    socket->recovery.recover = socket->snd.nxt;
    socket->recovery.partial_seen = false;
    tcp_recovery_enter(context, socket, TCP_RECOVERY);
}

void tcp_recovery_end(struct cpu_context *context, struct tcp_socket *socket)
{
    socket->cc.cwnd = socket->recovery.ops->window_after(socket);
    socket->recovery.dupacks = 0;
    socket->cc.ops->changed(&socket->cc, inet_ticks(socket->host->inet, context->now));
    tcp_scoreboard_clear(socket);
    tcp_recovery_enter(context, socket, TCP_OPEN);
}

// `gone`: in the unit of cwnd.
static int64_t flight_limited(const struct tcp_socket *socket, int64_t gone)
{
    if (socket->recovery.machine.state != TCP_DISORDER || !socket->config->limited_transmit)
        return tcp_flight(socket);
    return tcp_flight(socket) - MIN(gone, (RECOVERY_DUPLICATES - 1) * socket->cc.mss);
}

int64_t tcp_recovery_threshold(const struct tcp_socket *socket)
{
    return socket->cc.ssthresh;
}

// ---- Reno ----

static int64_t reno_in_flight(const struct tcp_socket *socket)
{
    if (socket->recovery.machine.state == TCP_LOSS)
        return tcp_scoreboard_pipe(socket);
    return flight_limited(socket, socket->recovery.dupacks * socket->cc.mss);
}

static bool reno_is_loss(const struct tcp_socket *socket)
{
    return socket->recovery.dupacks >= RECOVERY_DUPLICATES;
}

// RFC 2581, 3.2, steps 1-3: the window is inflated by the segments that have left the network.
static void reno_enter(struct cpu_context *context, struct tcp_socket *socket)
{
    tcp_recovery_start(context, socket);
    socket->cc.cwnd = socket->cc.ssthresh + RECOVERY_DUPLICATES * socket->cc.mss;
    socket->due |= TCP_DUE_RETRANSMISSION;
}

static void reno_duplicate(struct cpu_context *context, struct tcp_socket *socket)
{
    (void)context;
    socket->cc.cwnd += socket->cc.mss;
}

// Any new acknowledgment ends it.
static void reno_advance(struct cpu_context *context, struct tcp_socket *socket, int64_t segments)
{
    (void)segments;
    tcp_recovery_end(context, socket);
}

// ---- NewReno ----

// RFC 2582, 5: duplicates of what was sent before the last recovery or timeout do not count.
static bool newreno_is_loss(const struct tcp_socket *socket)
{
    return socket->recovery.dupacks >= RECOVERY_DUPLICATES &&
           socket->snd.una > socket->recovery.recover;
}

// RFC 2582, 3, step 5: a partial acknowledgment shows the next hole.
static void newreno_advance(struct cpu_context *context, struct tcp_socket *socket,
                            int64_t segments)
{
    (void)context;
    socket->due |= TCP_DUE_RETRANSMISSION;
    socket->cc.cwnd = MAX(socket->cc.cwnd - (segments - 1) * socket->cc.mss, socket->cc.mss);
}

static int64_t newreno_window_after(const struct tcp_socket *socket)
{
    int64_t mss = socket->cc.mss;
    return MIN(socket->cc.ssthresh, MAX(tcp_flight(socket), mss) + mss);
}

// ---- Selective acknowledgments ----

static int64_t sack_in_flight(const struct tcp_socket *socket)
{
    switch ((enum tcp_recovery_state)socket->recovery.machine.state) {
    case TCP_OPEN:
        return tcp_flight(socket);
    case TCP_DISORDER:
        return flight_limited(socket, tcp_scoreboard_sacked(socket));
    case TCP_RECOVERY:
    case TCP_LOSS:
        return tcp_scoreboard_pipe(socket);
    }
    return tcp_flight(socket);
}

// RFC 3517, 5, steps 1-4.
static void sack_enter(struct cpu_context *context, struct tcp_socket *socket)
{
    tcp_recovery_start(context, socket);
    socket->cc.cwnd = socket->cc.ssthresh;
    tcp_scoreboard_find_lost(socket);
    socket->due |= TCP_DUE_RETRANSMISSION;
}

static void sack_duplicate(struct cpu_context *context, struct tcp_socket *socket)
{
    (void)context;
    tcp_scoreboard_find_lost(socket);
}

static void sack_advance(struct cpu_context *context, struct tcp_socket *socket, int64_t segments)
{
    (void)context;
    (void)segments;
    tcp_scoreboard_find_lost(socket);
}

static const struct tcp_recovery_ops recoveries[] = {
    [TCP_RENO] =
        {
            .name = "reno",
            .in_flight = reno_in_flight,
            .is_loss = reno_is_loss,
            .enter = reno_enter,
            .duplicate = reno_duplicate,
            .advance = reno_advance,
            .window_after = tcp_recovery_threshold,
        },
    [TCP_NEWRENO] =
        {
            .name = "newreno",
            .impatient = true,
            .in_flight = reno_in_flight,
            .is_loss = newreno_is_loss,
            .enter = reno_enter,
            .duplicate = reno_duplicate,
            .advance = newreno_advance,
            .window_after = newreno_window_after,
        },
    [TCP_SACK] =
        {
            .name = "sack",
            .sack = true,
            .last_resort = true,
            .in_flight = sack_in_flight,
            .is_loss = reno_is_loss,
            .enter = sack_enter,
            .duplicate = sack_duplicate,
            .advance = sack_advance,
            .window_after = tcp_recovery_threshold,
        },
};

const struct tcp_recovery_ops *tcp_recovery_find(int choice)
{
    return &recoveries[choice];
}

// ---- Acknowledgments ----

static void ack_without_loss(struct cpu_context *context, struct tcp_socket *socket,
                             int64_t segments, bool filled, bool duplicate)
{
    if (segments > 0) {
        socket->recovery.dupacks = 0;
        tcp_recovery_enter(context, socket, TCP_OPEN);
        if (filled)
            socket->cc.ops->ack(&socket->cc, segments);
    }
    if (!duplicate)
        return;
    socket->recovery.dupacks++;
    tcp_recovery_enter(context, socket, TCP_DISORDER);
    if (socket->recovery.ops->is_loss(socket))
        socket->recovery.ops->enter(context, socket);
}

static void ack_in_recovery(struct cpu_context *context, struct tcp_socket *socket,
                            int64_t segments, bool duplicate)
{
    if (segments > 0 && socket->snd.una >= socket->recovery.recover) {
        tcp_recovery_end(context, socket);
    } else if (segments > 0) {
        socket->recovery.ops->advance(context, socket, segments);
        socket->recovery.partial_seen = true;
    } else if (duplicate) {
        socket->recovery.ops->duplicate(context, socket);
    }
}

static void ack_in_loss(struct cpu_context *context, struct tcp_socket *socket, int64_t segments)
{
    if (segments == 0)
        return;
    socket->cc.ops->ack(&socket->cc, segments);
    if (socket->snd.una < socket->recovery.recover)
        return;
    socket->recovery.dupacks = 0;
    tcp_scoreboard_clear(socket);
    tcp_recovery_enter(context, socket, TCP_OPEN);
}

// Linux lets cwnd grow only if it was full, BSD up to the largest window that can be offered.
bool tcp_recovery_may_grow(const struct tcp_socket *socket, int64_t flight_before)
{
    if (socket->config->cwnd_unit == TCP_UNIT_BYTES)
        return socket->cc.cwnd < INT64_C(65535) << socket->snd.scale;
    if (socket->config->congestion == TCP_CONGESTION_CUBIC && socket->cc.cwnd < socket->cc.ssthresh)
        return 2 * flight_before > socket->cc.cwnd; // Linux 6: tcp_is_cwnd_limited
    return flight_before >= socket->cc.cwnd;
}

void tcp_recovery_ack(struct cpu_context *context, struct tcp_socket *socket,
                      const struct tcp_ack_news *news)
{
    if (socket->recovery.ops->acked) {
        socket->recovery.ops->acked(context, socket, news);
        return;
    }
    switch ((enum tcp_recovery_state)socket->recovery.machine.state) {
    case TCP_OPEN:
    case TCP_DISORDER:
        ack_without_loss(context, socket, news->segments,
                         tcp_recovery_may_grow(socket, news->flight_before), news->duplicate);
        return;
    case TCP_RECOVERY:
        ack_in_recovery(context, socket, news->segments, news->duplicate);
        return;
    case TCP_LOSS:
        ack_in_loss(context, socket, news->segments);
        return;
    }
}

// ---- Retransmitting ----

static void mark_all_lost(struct tcp_socket *socket)
{
    for (struct tcp_buffer *at = socket->snd.first; at != socket->snd.unsent; at = at->next) {
        at->lost = !at->sacked;
        at->retransmitted = false;
    }
}

// RFC 2581, 3.1: all that is under way is taken for lost.
void tcp_recovery_timeout(struct cpu_context *context, struct tcp_socket *socket)
{
    socket->cc.ops->timeout(&socket->cc, tcp_flight(socket), socket->retries > 0);
    socket->recovery.dupacks = 0;
    socket->recovery.recover = socket->snd.nxt;
    if (socket->recovery.ops->timed_out)
        socket->recovery.ops->timed_out(context, socket);
    else
        mark_all_lost(socket);
    tcp_recovery_enter(context, socket, TCP_LOSS);
    socket->due |= TCP_DUE_RETRANSMISSION;
}
