// SPDX-License-Identifier: GPL-3.0-or-later
// Timers of the kernel's clock: a timer of n ticks expires at the n-th tick from now. What has
// expired runs in a softirq on the processor of interrupts, one timer a slice.
#ifndef NETSIM_MODELS_INET_TIMER_H
#define NETSIM_MODELS_INET_TIMER_H

#include "models/inet/inet.h"

struct inet_timer_kind {
    struct stage wait;         // the latency until it expires
    const struct stage *stage; // of what its handler costs
    void (*run)(struct cpu_context *context, void *owner);
};

struct inet_timer {
    struct event event;
    struct inet_host *host;
    const struct inet_timer_kind *kind;
    void *owner;
    struct inet_timer *next; // among those that have expired and wait for the softirq
    bool armed, queued;
    int64_t expires;   // ticks
    sim_time armed_at; // for the trace
};

// The host's part of it; inet_host_new calls this.
void inet_timers_init(struct inet_host *host);

// The timer must be there until the run has ended.
void inet_timer_init(struct inet_timer *timer, struct inet_host *host,
                     const struct inet_timer_kind *kind, void *owner);

// `ticks` from now, at least one. A timer that is armed is armed anew.
void inet_timer_arm(const struct cpu_context *context, struct inet_timer *timer, int64_t ticks);
void inet_timer_cancel(struct inet_timer *timer);

// Ticks that the clock has made, and those of a span of time: at least one.
int64_t inet_ticks(const struct inet_host *host, sim_time now);
int64_t inet_time_in_ticks(const struct inet_config *config, sim_time time);

#endif
