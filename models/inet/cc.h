// SPDX-License-Identifier: GPL-3.0-or-later
// Congestion control of one path: the window, its threshold, and the algorithm that moves them as a
// table of functions with no knowledge of sockets or transports. TCP has one for a connection; a
// transport of several paths has one for each of them.
//
// Windows, and what is acknowledged or under way, count in one unit that the transport chooses:
// segments (as Linux's TCP counts) or bytes. Times are ticks of the kernel's clock.
#ifndef NETSIM_MODELS_INET_CC_H
#define NETSIM_MODELS_INET_CC_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#define INET_CC_OWN 64 // bytes of an algorithm's own state

struct inet_cc_ops;

struct inet_cc {
    const struct inet_cc_ops *ops;
    int64_t cwnd, ssthresh;
    int64_t mss; // what a full segment counts in them: 1, or its bytes
    // The algorithm's own state (inet_cc_own), which nobody else touches.
    alignas(8) unsigned char own[INET_CC_OWN];
};

// The own state as the algorithm's struct. The macro checks that it fits.
#define inet_cc_own(cc, type)                                                                      \
    ((type *)(void *)((cc)->own + 0 * sizeof(char[sizeof(type) <= INET_CC_OWN ? 1 : -1])))

struct inet_cc_ops {
    const char *name;
    // Begins; cwnd, mss and an infinite ssthresh are set, the own state is 0.
    void (*init)(struct inet_cc *cc, int64_t now);
    // One acknowledgment tells that `acked` have arrived, while cwnd was full.
    void (*ack)(struct inet_cc *cc, int64_t acked);
    // A segment of `flight` is taken for lost, or did not fit the own host's queue. cwnd is left to
    // the recovery.
    void (*loss)(struct inet_cc *cc, int64_t flight);
    // The retransmission timer has run out with `flight` under way; `again`: for a segment for
    // which it had run out before.
    void (*timeout)(struct inet_cc *cc, int64_t flight, bool again);
    // Nothing was sent for `idle` ticks, more than `rto`; cwnd stays at least `restart`.
    void (*idle)(struct inet_cc *cc, int64_t now, int64_t idle, int64_t rto, int64_t restart);
    // Data were sent, `flight` are under way. `by_program`: should cwnd not be full, it is because
    // the program sent no more.
    void (*sent)(struct inet_cc *cc, int64_t now, int64_t flight, int64_t rto, bool by_program);
    // The recovery has set cwnd.
    void (*changed)(struct inet_cc *cc, int64_t now);
    // The program was kept from sending more (by its buffer): that cwnd is not full says nothing.
    void (*limited)(struct inet_cc *cc, int64_t now);
};

// Slow start and congestion avoidance (RFC 2581, 3.1), congestion window validation (RFC 2861).
extern const struct inet_cc_ops inet_cc_rfc2581;

// Its own state.
struct inet_cc_rfc2581 {
    int64_t count;   // congestion avoidance: one mss for each acknowledgment since cwnd has grown
    int64_t full_at; // ticks: when cwnd was last full, or has changed
    int64_t used;    // most of cwnd that was used since
};

// `cwnd`: the initial window.
void inet_cc_init(struct inet_cc *cc, const struct inet_cc_ops *ops, int64_t mss, int64_t cwnd,
                  int64_t now);

#endif
