// SPDX-License-Identifier: GPL-3.0-or-later
// Timers of the kernel's clock: a timer of n ticks expires at the n-th tick from now. Expired
// timers run in a softirq on the interrupt processor, one timer per slice.
#ifndef NETSIM_MODELS_INET_TIMER_H
#define NETSIM_MODELS_INET_TIMER_H

#include "models/inet/inet.h"

struct inet_timer_kind {
    struct stage wait;         // the latency until it expires
    const struct stage *stage; // for the cost of its handler
    void (*run)(struct cpu_context *context, void *owner);
};

struct inet_timer {
    struct event event;
    struct inet_host *host;
    const struct inet_timer_kind *kind;
    void *owner;
    struct inet_timer *next; // in the list of expired timers that wait for the softirq
    bool armed, queued;
    int64_t expires;   // ticks
    sim_time armed_at; // for the trace
};

// Initialises the host's part; called by inet_host_new.
void inet_timers_init(struct inet_host *host);

// The timer must exist until the run has ended.
void inet_timer_init(struct inet_timer *timer, struct inet_host *host,
                     const struct inet_timer_kind *kind, void *owner);

// Arms the timer for `ticks` (at least one) from now. An armed timer is re-armed.
void inet_timer_arm(const struct cpu_context *context, struct inet_timer *timer, int64_t ticks);
void inet_timer_cancel(struct inet_timer *timer);

// Ticks of the clock so far, and the ticks of a span of time, at least one.
int64_t inet_ticks(const struct inet_host *host, sim_time now);
int64_t inet_time_in_ticks(const struct inet_config *config, sim_time time);

#endif
