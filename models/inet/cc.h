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

// Measurements of an acknowledgment of new data, for algorithms that measure. Times are ps,
// whatever the kernel's clock.
struct inet_cc_sample {
    int64_t now;
    int64_t round_trip; // of the segment that arrived last; -1: not measured (Karn)
    int64_t smoothed;   // round trip; 0: none yet
    int64_t segment;    // bytes of a full one
    int64_t una, nxt;   // the transport's SND.UNA and SND.NXT
};

struct inet_cc {
    const struct inet_cc_ops *ops;
    int64_t cwnd, ssthresh;
    int64_t mss; // a full segment in that unit: 1, or its bytes
    void *more;  // the transport's memory for algorithms with a larger state (inet_cc_ops.more)
    // The algorithm's private state (inet_cc_own).
    alignas(8) unsigned char own[INET_CC_OWN];
};

// The private state as the algorithm's struct. The macro checks that it fits.
#define inet_cc_own(cc, type)                                                                      \
    ((type *)(void *)((cc)->own + 0 * sizeof(char[sizeof(type) <= INET_CC_OWN ? 1 : -1])))

struct inet_cc_ops {
    const char *name;
    int64_t more; // bytes of state besides the private one
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
    // An acknowledgment has brought a measurement; called before `ack`. NULL: not needed.
    void (*measured)(struct inet_cc *cc, const struct inet_cc_sample *sample);
    // Data are sent after `silence` ps in which nothing was in flight. NULL: not needed.
    void (*resumed)(struct inet_cc *cc, int64_t silence);
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

// ---- CUBIC (cc_cubic.c) ----

// RFC 9438 as Linux 6 has it, in segments: `mss` must be 1. Both keep congestion window validation,
// which leaves the initial window.
extern const struct inet_cc_ops inet_cc_cubic;
extern const struct inet_cc_ops inet_cc_cubic_hystart; // with HyStart in slow start

// Its further state. Times t of the cubic are 1/1024 s, others ps.
struct inet_cc_cubic {
    int64_t now;              // of the last measurement
    int64_t epoch;            // when this congestion avoidance began
    int64_t stamp;            // 1/1024 s: of the last evaluation of the cubic
    int64_t shortest;         // round trip; 0: not measured
    int64_t round_end;        // HyStart: the round ends when this is acknowledged
    int64_t round_start;      // HyStart
    int64_t train;            // HyStart: last acknowledgment of the train
    int64_t round_shortest;   // HyStart: round trip in this round
    int32_t w_max, origin, k; // segments, segments, 1/1024 s
    int32_t w_est;            // segments of Reno (RFC 9438, 4.3)
    int32_t acked;            // segments acknowledged, not yet in w_est
    int32_t evaluated;        // cwnd at the last evaluation
    int32_t per_segment;      // segments acknowledged for each by which cwnd grows
    int32_t initial;          // window
    int16_t samples;          // HyStart
    bool in_epoch, found;     // found: HyStart has ended slow start
};

// ---- Congestion window validation (RFC 2861), for other algorithms ----

// The private state begins with struct inet_cc_rfc2581. `least`: the window that is left, in the
// unit of cwnd.
void inet_cc_validation_sent(struct inet_cc *cc, int64_t now, int64_t flight, int64_t rto,
                             bool by_program, int64_t least);
void inet_cc_validation_idle(struct inet_cc *cc, int64_t now, int64_t idle, int64_t rto,
                             int64_t restart);
void inet_cc_validation_changed(struct inet_cc *cc, int64_t now);
void inet_cc_validation_limited(struct inet_cc *cc, int64_t now);

// `cwnd`: the initial window.
void inet_cc_init(struct inet_cc *cc, const struct inet_cc_ops *ops, int64_t mss, int64_t cwnd,
                  int64_t now);

// Like inet_cc_init, with ops->more bytes of memory, which the caller owns.
void inet_cc_init_with(struct inet_cc *cc, const struct inet_cc_ops *ops, int64_t mss, int64_t cwnd,
                       int64_t now, void *more);

#endif
