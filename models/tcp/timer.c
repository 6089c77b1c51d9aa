// SPDX-License-Identifier: GPL-3.0-or-later
// Timers of a socket and the measuring of round trips, in ticks of the kernel's clock: a timer of n
// ticks expires at the n-th tick from now. Expired timers run in a softirq.
#include "models/tcp/stack.h"

int64_t tcp_ticks(const struct tcp_host *host, sim_time now)
{
    return now / host->config->tick;
}

// RFC 1323: the kernel's clock. It never shows 0, which in an echo says that there is none.
uint32_t tcp_timestamp(const struct tcp_host *host, sim_time now)
{
    return (uint32_t)tcp_ticks(host, now) + 1;
}

int64_t tcp_time_in_ticks(const struct tcp_config *config, sim_time time)
{
    return MAX(1, time / config->tick);
}

// ---- Timers ----

static void timer_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct tcp_timer *timer = container_of(event, struct tcp_timer, event);
    struct tcp_host *host = timer->socket->host;
    if (timer->queued)
        return;
    timer->queued = true;
    timer->next = NULL;
    if (host->expired_head)
        host->expired_tail->next = timer;
    else
        host->expired_head = timer;
    host->expired_tail = timer;
    cpu_wake(&host->timer_task);
}

void tcp_timers_init(struct tcp_socket *socket)
{
    for (int kind = 0; kind < TCP_TIMERS; kind++) {
        struct tcp_timer *timer = &socket->timers[kind];
        timer->socket = socket;
        timer->kind = (enum tcp_timer_kind)kind;
        event_init(&timer->event, timer_event);
    }
    const struct tcp_config *config = socket->config;
    tcp_rtt_init(&socket->rtt, tcp_time_in_ticks(config, config->rto_initial),
                 tcp_time_in_ticks(config, config->rto_least),
                 tcp_time_in_ticks(config, config->rto_most));
}

void tcp_timer_arm(struct cpu_context *context, struct tcp_socket *socket, enum tcp_timer_kind kind,
                   int64_t ticks)
{
    struct tcp_timer *timer = &socket->timers[kind];
    timer->armed = true;
    timer->armed_at = context->now;
    timer->expires = tcp_ticks(socket->host, context->now) + MAX(1, ticks);
    engine_reschedule(socket->host->sim->engine, &timer->event,
                      timer->expires * socket->config->tick);
}

void tcp_timer_cancel(struct tcp_socket *socket, enum tcp_timer_kind kind)
{
    struct tcp_timer *timer = &socket->timers[kind];
    timer->armed = false;
    engine_cancel(socket->host->sim->engine, &timer->event);
}

bool tcp_timer_armed(const struct tcp_socket *socket, enum tcp_timer_kind kind)
{
    return socket->timers[kind].armed;
}

// ---- What happens when one expires ----

static void retransmit_timeout(struct cpu_context *context, struct tcp_socket *socket)
{
    const struct tcp_config *config = socket->config;
    bool opening = socket->state == TCP_SYN_SENT || socket->state == TCP_SYN_RECEIVED;
    if (!opening && socket->snd.outstanding == 0)
        return;
    if (socket->retries >= (opening ? config->syn_retries : config->retries)) {
        tcp_give_up(context, socket);
        return;
    }
    (*socket->host->timeouts)++;
    if (opening)
        tcp_send_syn(context, socket);
    else
        tcp_recovery_timeout(context, socket);
    socket->retries++;
    socket->rtt.backoff++;
    tcp_timer_arm(context, socket, TCP_TIMER_RETRANSMIT, tcp_rtt_timeout(&socket->rtt));
}

// RFC 1122, 4.2.2.17.
static void probe_timeout(struct cpu_context *context, struct tcp_socket *socket)
{
    if (socket->snd.outstanding > 0 || !socket->snd.unsent ||
        socket->probes >= socket->config->probes)
        return;
    socket->probes++;
    socket->rtt.backoff++;
    tcp_send_probe(context, socket);
    if (!tcp_timer_armed(socket, TCP_TIMER_RETRANSMIT))
        tcp_timer_arm(context, socket, TCP_TIMER_PROBE, tcp_rtt_timeout(&socket->rtt));
}

// What waited for the timer waited since it was armed.
static void timer_trace(const struct tcp_timer *timer)
{
    static const char *const names[TCP_TIMERS] = {
        [TCP_TIMER_RETRANSMIT] = "retransmission timer",
        [TCP_TIMER_PROBE] = "probe timer",
        [TCP_TIMER_ACK] = "delayed ACK",
    };
    const struct tcp_host *host = timer->socket->host;
    trace_delay(host->sim->trace, cpu_lane(host->timer_task.cpu), names[timer->kind],
                timer->armed_at, timer->expires * timer->socket->config->tick, MESSAGE_NONE);
}

static void timer_run(struct cpu_context *context, struct tcp_timer *timer)
{
    switch (timer->kind) {
    case TCP_TIMER_RETRANSMIT:
        retransmit_timeout(context, timer->socket);
        return;
    case TCP_TIMER_PROBE:
        probe_timeout(context, timer->socket);
        return;
    case TCP_TIMER_ACK:
        tcp_ack_timeout(context, timer->socket);
        return;
    }
}

enum cpu_next tcp_timers_run(struct cpu_context *context, struct cpu_task *task)
{
    struct tcp_host *host = container_of(task, struct tcp_host, timer_task);
    struct tcp_timer *timer = host->expired_head;
    if (!timer)
        return CPU_SLEEP;
    host->expired_head = timer->next;
    timer->queued = false;
    // It may have been cancelled, or armed anew, since it expired.
    if (timer->armed && !event_pending(&timer->event)) {
        timer->armed = false;
        timer_trace(timer);
        tcp_charge(context, host->config->timer, "TCP", MESSAGE_NONE);
        timer_run(context, timer);
    }
    return host->expired_head ? CPU_AGAIN : CPU_SLEEP;
}
