// SPDX-License-Identifier: GPL-3.0-or-later
// Recovery from losses: Reno (RFC 2581, 3.2), NewReno (RFC 2582), selective acknowledgments
// (RFC 3517). What the window does outside of it is in cc.c.
#include "models/tcp/stack.h"

#define DUPLICATES 3

static const char *const state_names[] = {
    [TCP_OPEN] = "open",
    [TCP_DISORDER] = "disorder",
    [TCP_RECOVERY] = "recovery",
    [TCP_LOSS] = "loss",
};

const char *tcp_recovery_name(enum tcp_recovery_state state)
{
    return state_names[state];
}

static void set_state(struct cpu_context *context, struct tcp_socket *socket,
                      enum tcp_recovery_state state)
{
    if (state == socket->recovery.state)
        return;
    struct trace_transition step = {
        .where = socket->host->host->name,
        .machine = "tcp recovery",
        .subject = socket->number,
        .from = tcp_recovery_name(socket->recovery.state),
        .to = tcp_recovery_name(state),
        .detail = socket->recovery.ops->name,
    };
    trace_transition(socket->host->sim->trace, cpu_lane(context->cpu), context->now, &step);
    socket->recovery.state = state;
}

// RFC 2414, in segments, as Linux 2.4 rounds it: no more than two where the round trip is not known
// or longer than 20 ms.
static int64_t initial_window(const struct tcp_socket *socket)
{
    if (socket->config->initial_window > 0)
        return socket->config->initial_window;
    int64_t near = inet_time_in_ticks(&socket->config->inet, 20 * TIME_MS);
    if (socket->snd.mss > 1460 || socket->rtt.srtt == 0 || socket->rtt.srtt / 8 > near)
        return 2;
    return socket->snd.mss > 1095 ? 3 : 4;
}

void tcp_recovery_init(struct tcp_socket *socket, int64_t now)
{
    inet_cc_init(&socket->cc, &inet_cc_rfc2581, 1, initial_window(socket), now);
    socket->recovery.recover = 0;
}

bool tcp_recovery_room(const struct tcp_socket *socket)
{
    return socket->recovery.ops->in_flight(socket) < socket->cc.cwnd;
}

// RFC 2861: nothing was sent for a time-out.
void tcp_recovery_idle(struct tcp_socket *socket, int64_t now)
{
    int64_t idle = now - socket->snd.last_sent;
    if (socket->snd.outstanding > 0 || idle <= socket->rtt.rto)
        return;
    socket->cc.ops->idle(&socket->cc, now, idle, socket->rtt.rto, initial_window(socket));
}

// Linux takes it for congestion (tcp_enter_cwr), once for what is under way; nothing is lost. The
// next acknowledgment tries again, or, if nothing is under way, the timer of probes.
void tcp_recovery_local(struct tcp_socket *socket)
{
    (*socket->host->held)++;
    enum tcp_recovery_state state = socket->recovery.state;
    bool usual = state == TCP_OPEN || state == TCP_DISORDER;
    if (!usual || socket->snd.una < socket->recovery.local_until)
        return;
    struct inet_cc *cc = &socket->cc;
    cc->ops->loss(cc, socket->snd.outstanding);
    cc->cwnd = MIN(cc->cwnd, cc->ssthresh);
    socket->recovery.local_until = socket->snd.nxt;
}

// While the program waits for room in the buffer, it is the buffer that limits, not the program.
void tcp_recovery_sent(struct tcp_socket *socket, int64_t now)
{
    bool by_program = socket->recovery.state == TCP_OPEN && !socket->snd.wants_space;
    socket->cc.ops->sent(&socket->cc, now, socket->snd.outstanding, socket->rtt.rto, by_program);
}

// ---- What is common to all ----

static void start_recovery(struct cpu_context *context, struct tcp_socket *socket)
{
    (*socket->host->recoveries)++;
    socket->cc.ops->loss(&socket->cc, socket->snd.outstanding);
    socket->recovery.recover = socket->snd.nxt;
    socket->recovery.partial_seen = false;
    set_state(context, socket, TCP_RECOVERY);
}

static void end_recovery(struct cpu_context *context, struct tcp_socket *socket)
{
    socket->cc.cwnd = socket->recovery.ops->window_after(socket);
    socket->recovery.dupacks = 0;
    socket->cc.ops->changed(&socket->cc, inet_ticks(socket->host->inet, context->now));
    tcp_scoreboard_clear(socket);
    set_state(context, socket, TCP_OPEN);
}

static void retransmit(struct cpu_context *context, struct tcp_socket *socket,
                       struct tcp_buffer *buffer)
{
    buffer->lost = buffer->retransmitted = true;
    tcp_buffer_send(context, socket, buffer);
    tcp_timer_cancel(socket, TCP_TIMER_PROBE);
}

static void retransmit_first(struct cpu_context *context, struct tcp_socket *socket)
{
    if (socket->snd.outstanding > 0)
        retransmit(context, socket, socket->snd.first);
}

static int64_t flight_limited(const struct tcp_socket *socket, int64_t gone)
{
    if (socket->recovery.state != TCP_DISORDER || !socket->config->limited_transmit)
        return socket->snd.outstanding;
    return socket->snd.outstanding - MIN(gone, DUPLICATES - 1);
}

static int64_t window_of_ssthresh(const struct tcp_socket *socket)
{
    return socket->cc.ssthresh;
}

// ---- Reno ----

static int64_t reno_in_flight(const struct tcp_socket *socket)
{
    if (socket->recovery.state == TCP_LOSS)
        return tcp_scoreboard_pipe(socket);
    return flight_limited(socket, socket->recovery.dupacks);
}

static bool reno_is_loss(const struct tcp_socket *socket)
{
    return socket->recovery.dupacks >= DUPLICATES;
}

// RFC 2581, 3.2, steps 1-3: the window is inflated by the segments that have left the network.
static void reno_enter(struct cpu_context *context, struct tcp_socket *socket)
{
    start_recovery(context, socket);
    socket->cc.cwnd = socket->cc.ssthresh + DUPLICATES;
    retransmit_first(context, socket);
}

static void reno_duplicate(struct cpu_context *context, struct tcp_socket *socket)
{
    (void)context;
    socket->cc.cwnd++;
}

// Any new acknowledgment ends it.
static void reno_advance(struct cpu_context *context, struct tcp_socket *socket, int64_t segments)
{
    (void)segments;
    end_recovery(context, socket);
}

// ---- NewReno ----

// RFC 2582, 5: duplicates of what was sent before the last recovery or timeout do not count.
static bool newreno_is_loss(const struct tcp_socket *socket)
{
    return socket->recovery.dupacks >= DUPLICATES && socket->snd.una > socket->recovery.recover;
}

// RFC 2582, 3, step 5: a partial acknowledgment tells of the next hole.
static void newreno_advance(struct cpu_context *context, struct tcp_socket *socket,
                            int64_t segments)
{
    retransmit_first(context, socket);
    socket->cc.cwnd = MAX(socket->cc.cwnd - segments + 1, 1);
}

static int64_t newreno_window_after(const struct tcp_socket *socket)
{
    return MIN(socket->cc.ssthresh, MAX(socket->snd.outstanding, 1) + 1);
}

// ---- Selective acknowledgments ----

static int64_t sack_in_flight(const struct tcp_socket *socket)
{
    switch (socket->recovery.state) {
    case TCP_OPEN:
        return socket->snd.outstanding;
    case TCP_DISORDER:
        return flight_limited(socket, tcp_scoreboard_sacked(socket));
    case TCP_RECOVERY:
    case TCP_LOSS:
        return tcp_scoreboard_pipe(socket);
    }
    return socket->snd.outstanding;
}

// RFC 3517, 5, steps 1-4.
static void sack_enter(struct cpu_context *context, struct tcp_socket *socket)
{
    start_recovery(context, socket);
    socket->cc.cwnd = socket->cc.ssthresh;
    tcp_scoreboard_find_lost(socket);
    retransmit_first(context, socket);
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
            .window_after = window_of_ssthresh,
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
            .in_flight = sack_in_flight,
            .is_loss = reno_is_loss,
            .enter = sack_enter,
            .duplicate = sack_duplicate,
            .advance = sack_advance,
            .window_after = window_of_ssthresh,
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
        set_state(context, socket, TCP_OPEN);
        if (filled)
            socket->cc.ops->ack(&socket->cc, segments);
    }
    if (!duplicate)
        return;
    socket->recovery.dupacks++;
    set_state(context, socket, TCP_DISORDER);
    if (socket->recovery.ops->is_loss(socket))
        socket->recovery.ops->enter(context, socket);
}

static void ack_in_recovery(struct cpu_context *context, struct tcp_socket *socket,
                            int64_t segments, bool duplicate)
{
    if (segments > 0 && socket->snd.una >= socket->recovery.recover) {
        end_recovery(context, socket);
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
    set_state(context, socket, TCP_OPEN);
}

void tcp_recovery_ack(struct cpu_context *context, struct tcp_socket *socket, int64_t segments,
                      int64_t flight_before, bool duplicate)
{
    switch (socket->recovery.state) {
    case TCP_OPEN:
    case TCP_DISORDER:
        ack_without_loss(context, socket, segments, flight_before >= socket->cc.cwnd, duplicate);
        return;
    case TCP_RECOVERY:
        ack_in_recovery(context, socket, segments, duplicate);
        return;
    case TCP_LOSS:
        ack_in_loss(context, socket, segments);
        return;
    }
}

// ---- Retransmitting ----

// RFC 2581, 3.1: all that is under way is taken for lost.
void tcp_recovery_timeout(struct cpu_context *context, struct tcp_socket *socket)
{
    socket->cc.ops->timeout(&socket->cc, socket->snd.outstanding, socket->retries > 0);
    socket->recovery.dupacks = 0;
    socket->recovery.recover = socket->snd.nxt;
    for (struct tcp_buffer *at = socket->snd.first; at != socket->snd.unsent; at = at->next) {
        at->lost = !at->sacked;
        at->retransmitted = false;
    }
    set_state(context, socket, TCP_LOSS);
    retransmit_first(context, socket);
}

void tcp_recovery_retransmit(struct cpu_context *context, struct tcp_socket *socket)
{
    bool marked = socket->recovery.state == TCP_LOSS ||
                  (socket->recovery.state == TCP_RECOVERY && socket->recovery.ops->sack);
    while (marked && tcp_recovery_room(socket)) {
        struct tcp_buffer *buffer = tcp_scoreboard_next(socket, false);
        if (!buffer)
            return;
        retransmit(context, socket, buffer);
    }
}
