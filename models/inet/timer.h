// SPDX-License-Identifier: GPL-3.0-or-later
// Timers of the kernel's clock, of which host.phase.tick of a tick has passed when the run begins:
// a timer of n ticks expires at the n-th tick from now. Expired timers run in a softirq on the
// interrupt processor, one timer per slice.
//
// A timer takes memory only while it is armed: most sockets of a large job have none.
#ifndef NETSIM_MODELS_INET_TIMER_H
#define NETSIM_MODELS_INET_TIMER_H

#include "models/inet/inet.h"

struct inet_timer_kind {
    struct stage wait; // the latency until it expires
    // NULL: `wait`; else what has been waited for, by the owner's state when it expires.
    const struct stage *(*waited)(const void *owner);
    const struct stage *stage; // for the cost of its handler
    void (*run)(struct cpu_context *context, void *owner);
    // While it is armed it does not keep a run alive: a heartbeat's, which would be armed again for
    // ever. Its handler runs as that of any other timer.
    bool background;
};

struct inet_timer {
    struct event event;
    struct inet_host *host;
    const struct inet_timer_kind *kind;
    void *owner;
    struct inet_timer **place; // where the owner keeps it
    struct inet_timer *next;   // in the list of expired timers that wait for the softirq
    bool armed, queued;
    int64_t expires;   // ticks
    sim_time armed_at; // for the trace
};

// Initialises and frees the host's part; called by inet_host_new and inet_host_free.
void inet_timers_init(struct inet_host *host);
void inet_timers_clear(struct inet_host *host);

// Arms the timer at `place` for `ticks` (at least one) from now: a new one of `kind` if *place is
// NULL. An armed timer is re-armed. *place becomes NULL again once the timer has expired or is
// cancelled. The place and the owner must exist until the run has ended.
void inet_timer_arm(const struct cpu_context *context, struct inet_host *host,
                    struct inet_timer **place, const struct inet_timer_kind *kind, void *owner,
                    int64_t ticks);
void inet_timer_cancel(struct inet_timer **place);

// A cancelled timer may still wait for the softirq, which then does nothing.
static inline bool inet_timer_armed(const struct inet_timer *timer)
{
    return timer && timer->armed;
}

// Ticks of the clock so far, and the ticks of a span of time, at least one.
int64_t inet_ticks(const struct inet_host *host, sim_time now);
int64_t inet_time_in_ticks(const struct inet_config *config, sim_time time);

#endif
