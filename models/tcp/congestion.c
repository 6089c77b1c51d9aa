// SPDX-License-Identifier: GPL-3.0-or-later
// Congestion control (RFC 2581) and recovery from losses: Reno (RFC 2581, 3.2), NewReno (RFC 2582),
// selective acknowledgments (RFC 3517). The congestion window counts segments, as in Linux.
#include "models/tcp/stack.h"

#define DUPLICATES 3
#define THRESHOLD_INFINITE (INT64_C(1) << 30)
#define LEAST_WINDOW 2 // segments, that RFC 2861 leaves (Linux 2.4: tcp_cwnd_application_limited)

static const char *const congestion_names[] = {
    [TCP_OPEN] = "open",
    [TCP_DISORDER] = "disorder",
    [TCP_RECOVERY] = "recovery",
    [TCP_LOSS] = "loss",
};

const char *tcp_congestion_name(enum tcp_congestion congestion)
{
    return congestion_names[congestion];
}

static void set_congestion(struct cpu_context *context, struct tcp_socket *socket,
                           enum tcp_congestion congestion)
{
    if (congestion == socket->congestion)
        return;
    struct trace_transition step = {
        .where = socket->host->host->name,
        .machine = "tcp recovery",
        .subject = socket->number,
        .from = tcp_congestion_name(socket->congestion),
        .to = tcp_congestion_name(congestion),
        .detail = socket->recovery->name,
    };
    trace_transition(socket->host->sim->trace, cpu_lane(context->cpu), context->now, &step);
    socket->congestion = congestion;
}

// RFC 2414, in segments, as Linux 2.4 rounds it: no more than two where the round trip is not known
// or longer than 20 ms.
static int64_t initial_window(const struct tcp_socket *socket)
{
    if (socket->config->initial_window > 0)
        return socket->config->initial_window;
    int64_t near = tcp_time_in_ticks(socket->config, 20 * TIME_MS);
    if (socket->mss > 1460 || socket->smoothed == 0 || socket->smoothed / 8 > near)
        return 2;
    return socket->mss > 1095 ? 3 : 4;
}

void tcp_congestion_init(struct tcp_socket *socket)
{
    socket->congestion_window = initial_window(socket);
    socket->threshold = THRESHOLD_INFINITE;
    socket->recover = 0;
}

bool tcp_congestion_room(const struct tcp_socket *socket)
{
    return socket->recovery->in_flight(socket) < socket->congestion_window;
}

// RFC 2581, 3.1. Slow start opens by a segment for each acknowledgment.
static void grow(struct tcp_socket *socket)
{
    if (socket->congestion_window < socket->threshold) {
        socket->congestion_window++;
    } else if (++socket->window_count >= socket->congestion_window) {
        socket->congestion_window++;
        socket->window_count = 0;
    }
}

// RFC 2581, equation 3. Segments beyond the window are those of limited transmit, which do not
// count (RFC 3042, 2).
static int64_t half_flight(const struct tcp_socket *socket)
{
    return MAX(MIN(socket->outstanding, socket->congestion_window) / 2, 2);
}

static void changed(struct tcp_socket *socket, int64_t now)
{
    socket->full_at = now;
    socket->used = 0;
}

// RFC 2861, the threshold that remembers the window.
static int64_t threshold_kept(const struct tcp_socket *socket)
{
    return MAX(socket->threshold, socket->congestion_window * 3 / 4);
}

// RFC 2861: after a pause of a timeout the window is halved once for each further one.
void tcp_congestion_idle(struct tcp_socket *socket, int64_t now)
{
    int64_t idle = now - socket->last_sent;
    if (socket->outstanding > 0 || idle <= socket->timeout)
        return;
    int64_t window = socket->congestion_window, least = MIN(initial_window(socket), window);
    socket->threshold = threshold_kept(socket);
    for (idle -= socket->timeout; idle > 0 && window > least; idle -= socket->timeout)
        window /= 2;
    socket->congestion_window = MAX(window, least);
    socket->window_count = 0;
    changed(socket, now);
}

// Linux takes it for congestion (tcp_enter_cwr), once for what is under way; nothing is lost. The
// next acknowledgment tries again, or, if nothing is under way, the timer of probes.
void tcp_congestion_local(struct tcp_socket *socket)
{
    (*socket->host->held)++;
    bool usual = socket->congestion == TCP_OPEN || socket->congestion == TCP_DISORDER;
    if (!usual || socket->unacknowledged < socket->local_until)
        return;
    socket->threshold = half_flight(socket);
    socket->congestion_window = MIN(socket->congestion_window, socket->threshold);
    socket->window_count = 0;
    socket->local_until = socket->next_sequence;
}

// RFC 2861: a window that was not full for a timeout shrinks half of the way to what was used. Not
// while the program waits for room in the buffer: then the buffer, not the program, is the limit.
void tcp_congestion_validate(struct tcp_socket *socket, int64_t now)
{
    if (socket->outstanding >= socket->congestion_window) {
        changed(socket, now);
        return;
    }
    socket->used = MAX(socket->used, socket->outstanding);
    if (now - socket->full_at < socket->timeout)
        return;
    int64_t used = MAX(socket->used, LEAST_WINDOW);
    if (socket->congestion == TCP_OPEN && !socket->wants_space &&
        used < socket->congestion_window) {
        socket->threshold = threshold_kept(socket);
        socket->congestion_window = (socket->congestion_window + used) / 2;
    }
    changed(socket, now);
}

// ---- What is common to all ----

static void start_recovery(struct cpu_context *context, struct tcp_socket *socket)
{
    (*socket->host->recoveries)++;
    socket->threshold = half_flight(socket);
    socket->recover = socket->next_sequence;
    socket->partial_seen = false;
    socket->window_count = 0;
    set_congestion(context, socket, TCP_RECOVERY);
}

static void end_recovery(struct cpu_context *context, struct tcp_socket *socket)
{
    socket->congestion_window = socket->recovery->window_after(socket);
    socket->duplicates = 0;
    changed(socket, tcp_ticks(socket->host, context->now));
    tcp_scoreboard_clear(socket);
    set_congestion(context, socket, TCP_OPEN);
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
    if (socket->outstanding > 0)
        retransmit(context, socket, socket->first);
}

static int64_t flight_limited(const struct tcp_socket *socket, int64_t gone)
{
    if (socket->congestion != TCP_DISORDER || !socket->config->limited_transmit)
        return socket->outstanding;
    return socket->outstanding - MIN(gone, DUPLICATES - 1);
}

static int64_t window_of_threshold(const struct tcp_socket *socket)
{
    return socket->threshold;
}

// ---- Reno ----

static int64_t reno_in_flight(const struct tcp_socket *socket)
{
    if (socket->congestion == TCP_LOSS)
        return tcp_scoreboard_pipe(socket);
    return flight_limited(socket, socket->duplicates);
}

static bool reno_is_loss(const struct tcp_socket *socket)
{
    return socket->duplicates >= DUPLICATES;
}

// RFC 2581, 3.2, steps 1-3: the window is inflated by the segments that have left the network.
static void reno_enter(struct cpu_context *context, struct tcp_socket *socket)
{
    start_recovery(context, socket);
    socket->congestion_window = socket->threshold + DUPLICATES;
    retransmit_first(context, socket);
}

static void reno_duplicate(struct cpu_context *context, struct tcp_socket *socket)
{
    (void)context;
    socket->congestion_window++;
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
    return socket->duplicates >= DUPLICATES && socket->unacknowledged > socket->recover;
}

// RFC 2582, 3, step 5: a partial acknowledgment tells of the next hole.
static void newreno_advance(struct cpu_context *context, struct tcp_socket *socket,
                            int64_t segments)
{
    retransmit_first(context, socket);
    socket->congestion_window = MAX(socket->congestion_window - segments + 1, 1);
}

static int64_t newreno_window_after(const struct tcp_socket *socket)
{
    return MIN(socket->threshold, MAX(socket->outstanding, 1) + 1);
}

// ---- Selective acknowledgments ----

static int64_t sack_in_flight(const struct tcp_socket *socket)
{
    switch (socket->congestion) {
    case TCP_OPEN:
        return socket->outstanding;
    case TCP_DISORDER:
        return flight_limited(socket, tcp_scoreboard_sacked(socket));
    case TCP_RECOVERY:
    case TCP_LOSS:
        return tcp_scoreboard_pipe(socket);
    }
    return socket->outstanding;
}

// RFC 3517, 5, steps 1-4.
static void sack_enter(struct cpu_context *context, struct tcp_socket *socket)
{
    start_recovery(context, socket);
    socket->congestion_window = socket->threshold;
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

static const struct tcp_recovery recoveries[] = {
    [TCP_RENO] =
        {
            .name = "reno",
            .in_flight = reno_in_flight,
            .is_loss = reno_is_loss,
            .enter = reno_enter,
            .duplicate = reno_duplicate,
            .advance = reno_advance,
            .window_after = window_of_threshold,
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
            .window_after = window_of_threshold,
        },
};

const struct tcp_recovery *tcp_recovery_find(int choice)
{
    return &recoveries[choice];
}

// ---- Acknowledgments ----

static void ack_without_loss(struct cpu_context *context, struct tcp_socket *socket, bool advanced,
                             bool filled, bool duplicate)
{
    if (advanced) {
        socket->duplicates = 0;
        set_congestion(context, socket, TCP_OPEN);
        if (filled)
            grow(socket);
    }
    if (!duplicate)
        return;
    socket->duplicates++;
    set_congestion(context, socket, TCP_DISORDER);
    if (socket->recovery->is_loss(socket))
        socket->recovery->enter(context, socket);
}

static void ack_in_recovery(struct cpu_context *context, struct tcp_socket *socket,
                            int64_t segments, bool duplicate)
{
    if (segments > 0 && socket->unacknowledged >= socket->recover) {
        end_recovery(context, socket);
    } else if (segments > 0) {
        socket->recovery->advance(context, socket, segments);
        socket->partial_seen = true;
    } else if (duplicate) {
        socket->recovery->duplicate(context, socket);
    }
}

static void ack_in_loss(struct cpu_context *context, struct tcp_socket *socket, int64_t segments)
{
    if (segments == 0)
        return;
    grow(socket);
    if (socket->unacknowledged < socket->recover)
        return;
    socket->duplicates = 0;
    tcp_scoreboard_clear(socket);
    set_congestion(context, socket, TCP_OPEN);
}

void tcp_congestion_ack(struct cpu_context *context, struct tcp_socket *socket, int64_t segments,
                        int64_t flight_before, bool duplicate)
{
    switch (socket->congestion) {
    case TCP_OPEN:
    case TCP_DISORDER:
        ack_without_loss(context, socket, segments > 0, flight_before >= socket->congestion_window,
                         duplicate);
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

// RFC 2581, 3.1: all that is under way is taken for lost, and slow start begins with one segment.
void tcp_congestion_timeout(struct cpu_context *context, struct tcp_socket *socket)
{
    if (socket->retries == 0)
        socket->threshold = half_flight(socket);
    socket->congestion_window = 1;
    socket->window_count = 0;
    socket->duplicates = 0;
    socket->recover = socket->next_sequence;
    for (struct tcp_buffer *at = socket->first; at != socket->unsent; at = at->next) {
        at->lost = !at->sacked;
        at->retransmitted = false;
    }
    set_congestion(context, socket, TCP_LOSS);
    retransmit_first(context, socket);
}

void tcp_congestion_retransmit(struct cpu_context *context, struct tcp_socket *socket)
{
    bool marked = socket->congestion == TCP_LOSS ||
                  (socket->congestion == TCP_RECOVERY && socket->recovery->sack);
    while (marked && tcp_congestion_room(socket)) {
        struct tcp_buffer *buffer = tcp_scoreboard_next(socket, false);
        if (!buffer)
            return;
        retransmit(context, socket, buffer);
    }
}
