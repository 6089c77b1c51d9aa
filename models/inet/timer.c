// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/inet/timer.h"
#include "sim/core/fifo.h"

int64_t inet_ticks(const struct inet_host *host, sim_time now)
{
    return (now + host->tick_passed) / host->config->tick;
}

// When the clock's n-th tick is.
static sim_time time_of_tick(const struct inet_host *host, int64_t n)
{
    return n * host->config->tick - host->tick_passed;
}

int64_t inet_time_in_ticks(const struct inet_config *config, sim_time time)
{
    return MAX(1, time / config->tick);
}

static void timer_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct inet_timer *timer = container_of(event, struct inet_timer, event);
    struct inet_host *host = timer->host;
    if (timer->queued)
        return;
    timer->queued = true;
    FIFO_APPEND(host->expired_head, host->expired_tail, timer, next);
    cpu_wake(&host->timer_task);
}

static void give_back(struct inet_timer *timer)
{
    *timer->place = NULL;
    pool_give(&timer->host->timers, timer);
}

void inet_timer_arm(const struct cpu_context *context, struct inet_host *host,
                    struct inet_timer **place, const struct inet_timer_kind *kind, void *owner,
                    int64_t ticks)
{
    struct inet_timer *timer = *place;
    if (!timer) {
        timer = *place = pool_take(&host->timers);
        *timer = (struct inet_timer){.host = host, .kind = kind, .owner = owner, .place = place};
        if (kind->background)
            event_init_background(&timer->event, timer_event);
        else
            event_init(&timer->event, timer_event);
    }
    timer->armed = true;
    timer->armed_at = context->now;
    timer->expires = inet_ticks(host, context->now) + MAX(1, ticks);
    engine_reschedule(host->sim->engine, &timer->event, time_of_tick(host, timer->expires));
}

void inet_timer_cancel(struct inet_timer **place)
{
    struct inet_timer *timer = *place;
    if (!timer)
        return;
    timer->armed = false;
    engine_cancel(timer->host->sim->engine, &timer->event);
    if (!timer->queued)
        give_back(timer);
}

static void inet_timed_out(const struct inet_host *host, const char *what, sim_time since,
                           sim_time when)
{
    sim_waited(host->sim, what, since, when);
    trace_mark(host->sim->trace, &(struct trace_mark){.kind = TRACE_TIMEOUT,
                                                      .what = what,
                                                      .where = host->host->name,
                                                      .since = since,
                                                      .when = when});
}

// The owner has waited for the timer since it was armed.
static void expire(struct cpu_context *context, struct inet_timer *timer)
{
    struct inet_host *host = timer->host;
    const struct inet_timer_kind *kind = timer->kind;
    void *owner = timer->owner;
    const struct stage *wait = kind->waited ? kind->waited(owner) : &kind->wait;
    trace_delay(host->sim->trace, cpu_lane(host->timer_task.cpu), wait, timer->armed_at,
                time_of_tick(host, timer->expires), MESSAGE_NONE);
    if (!kind->background)
        inet_timed_out(host, wait->name, timer->armed_at, context->now);
    give_back(timer);
    cpu_spend(context, host->config->timer, kind->stage);
    kind->run(context, owner);
}

static enum cpu_next timers_run(struct cpu_context *context, struct cpu_task *task)
{
    struct inet_host *host = container_of(task, struct inet_host, timer_task);
    struct inet_timer *timer = host->expired_head;
    if (!timer)
        return CPU_SLEEP;
    host->expired_head = timer->next;
    timer->queued = false;
    // It may have been cancelled, or armed anew, since it expired.
    if (!timer->armed)
        give_back(timer);
    else if (!event_pending(&timer->event))
        expire(context, timer);
    return host->expired_head ? CPU_AGAIN : CPU_SLEEP;
}

void inet_timers_init(struct inet_host *host)
{
    cpu_task_init(&host->timer_task, host_interrupt_core(host->host), CPU_KERNEL, timers_run);
    pool_init(&host->timers, sizeof(struct inet_timer));
    host->tick_passed = phase_passed(host->host->config.phase.tick, host->config->tick);
}

static void take_back(void *object, void *data)
{
    struct inet_timer *timer = object;
    (void)data;
    engine_cancel(timer->host->sim->engine, &timer->event);
}

// A run may end while timers are armed: the engine must not fire them any more.
void inet_timers_clear(struct inet_host *host)
{
    pool_each(&host->timers, take_back, NULL);
    pool_clear(&host->timers);
}
