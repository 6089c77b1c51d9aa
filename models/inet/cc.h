// SPDX-License-Identifier: GPL-3.0-or-later
// Congestion control of one path: the window, its threshold, and the algorithm as a table of
// functions that knows neither sockets nor transports. TCP has one per connection; a multi-path
// transport has one per path.
//
// Windows and amounts acknowledged or in flight have one unit, which the transport chooses:
// segments (as in Linux's TCP) or bytes. Times are ticks of the kernel's clock.
#ifndef NETSIM_MODELS_INET_CC_H
#define NETSIM_MODELS_INET_CC_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#define INET_CC_INFINITE (INT64_C(1) << 30) // ssthresh before the first loss
#define INET_CC_OWN 24                      // bytes of an algorithm's own state

struct inet_cc_ops;

struct inet_cc {
    const struct inet_cc_ops *ops;
    int64_t cwnd, ssthresh;
    int64_t mss; // a full segment in that unit: 1, or its bytes
    // The algorithm's private state (inet_cc_own).
    alignas(8) unsigned char own[INET_CC_OWN];
};

// The private state as the algorithm's struct. The macro checks that it fits.
#define inet_cc_own(cc, type)                                                                      \
    ((type *)(void *)((cc)->own + 0 * sizeof(char[sizeof(type) <= INET_CC_OWN ? 1 : -1])))

struct inet_cc_ops {
    const char *name;
    // Initialises the private state, which is 0. cwnd, mss and an infinite ssthresh are set
    // already.
    void (*init)(struct inet_cc *cc, int64_t now);
    // One acknowledgment reports `acked` as arrived; cwnd was full.
    void (*ack)(struct inet_cc *cc, int64_t acked);
    // A segment of `flight` is presumed lost, or did not fit into the host's own queue. The
    // recovery sets cwnd.
    void (*loss)(struct inet_cc *cc, int64_t flight);
    // The retransmission timer has expired with `flight` outstanding; `again`: not for the first
    // time for this segment.
    void (*timeout)(struct inet_cc *cc, int64_t flight, bool again);
    // Nothing was sent for `idle` ticks, more than `rto`. cwnd must stay at least `restart`.
    void (*idle)(struct inet_cc *cc, int64_t now, int64_t idle, int64_t rto, int64_t restart);
    // Data were sent; `flight` is outstanding. `by_program`: if cwnd is not full, the reason is
    // that the program sent no more.
    void (*sent)(struct inet_cc *cc, int64_t now, int64_t flight, int64_t rto, bool by_program);
    // The recovery has set cwnd.
    void (*changed)(struct inet_cc *cc, int64_t now);
    // The send buffer kept the program from sending more: an unfilled cwnd is then no sign of
    // idleness.
    void (*limited)(struct inet_cc *cc, int64_t now);
};

// Slow start and congestion avoidance (RFC 2581, 3.1), congestion window validation (RFC 2861).
extern const struct inet_cc_ops inet_cc_rfc2581;

// Like inet_cc_rfc2581, but a pause ends the window: it begins again with the restart window, and
// does not shrink while the program sends less (4.4BSD; RFC 2581, 4.1).
extern const struct inet_cc_ops inet_cc_restart;

// Its private state.
struct inet_cc_rfc2581 {
    int64_t count;   // congestion avoidance: one mss per acknowledgment since cwnd last grew
    int64_t full_at; // ticks: when cwnd was last full or changed
    int64_t used;    // largest part of cwnd used since then
};

// `cwnd`: the initial window.
void inet_cc_init(struct inet_cc *cc, const struct inet_cc_ops *ops, int64_t mss, int64_t cwnd,
                  int64_t now);

#endif
