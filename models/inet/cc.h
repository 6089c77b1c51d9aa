// SPDX-License-Identifier: GPL-3.0-or-later
// Congestion control of one path: the window, its threshold, and the algorithm that moves them as a
// table of functions with no knowledge of sockets. Windows count segments, as in Linux; times are
// ticks of the kernel's clock.
#ifndef NETSIM_MODELS_INET_CC_H
#define NETSIM_MODELS_INET_CC_H

#include <stdbool.h>
#include <stdint.h>

struct inet_cc_ops;

struct inet_cc {
    const struct inet_cc_ops *ops;
    int64_t cwnd, ssthresh;
    int64_t count;   // congestion avoidance: acknowledgments since cwnd has grown
    int64_t full_at; // ticks: when cwnd was last full, or has changed
    int64_t used;    // most of cwnd that was used since
};

struct inet_cc_ops {
    const char *name;
    // New data are acknowledged, and cwnd was full.
    void (*ack)(struct inet_cc *cc);
    // A segment of `flight` is taken for lost, or did not fit the own host's queue. cwnd is left to
    // the recovery.
    void (*loss)(struct inet_cc *cc, int64_t flight);
    // The retransmission timer has run out with `flight` segments under way; `again`: for a segment
    // for which it had run out before.
    void (*timeout)(struct inet_cc *cc, int64_t flight, bool again);
    // Nothing was sent for `idle` ticks, more than `rto`; cwnd stays at least `restart`.
    void (*idle)(struct inet_cc *cc, int64_t idle, int64_t rto, int64_t restart);
    // cwnd was not full for a time-out, and it was the program that sent less.
    void (*unused)(struct inet_cc *cc);
};

// Slow start and congestion avoidance (RFC 2581, 3.1), congestion window validation (RFC 2861).
extern const struct inet_cc_ops inet_cc_rfc2581;

// `cwnd`: the initial window, in segments.
void inet_cc_init(struct inet_cc *cc, const struct inet_cc_ops *ops, int64_t cwnd, int64_t now);

// From now on, what is used of cwnd is counted anew.
void inet_cc_changed(struct inet_cc *cc, int64_t now);

// Segments were sent, `flight` are under way. `by_program`: should cwnd not be full, it is because
// the program sent no more.
void inet_cc_sent(struct inet_cc *cc, int64_t flight, int64_t now, int64_t rto, bool by_program);

#endif
