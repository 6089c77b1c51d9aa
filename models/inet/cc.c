// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/inet/cc.h"

#include <glib.h>

#define SSTHRESH_INFINITE (INT64_C(1) << 30)
#define LEAST_WINDOW 2 // segments, that RFC 2861 leaves (Linux 2.4: tcp_cwnd_application_limited)

void inet_cc_init(struct inet_cc *cc, const struct inet_cc_ops *ops, int64_t cwnd, int64_t now)
{
    *cc = (struct inet_cc){.ops = ops, .cwnd = cwnd, .ssthresh = SSTHRESH_INFINITE, .full_at = now};
}

void inet_cc_changed(struct inet_cc *cc, int64_t now)
{
    cc->full_at = now;
    cc->used = 0;
}

void inet_cc_sent(struct inet_cc *cc, int64_t flight, int64_t now, int64_t rto, bool by_program)
{
    if (flight >= cc->cwnd) {
        inet_cc_changed(cc, now);
        return;
    }
    cc->used = MAX(cc->used, flight);
    if (now - cc->full_at < rto)
        return;
    if (by_program)
        cc->ops->unused(cc);
    inet_cc_changed(cc, now);
}

// ---- RFC 2581 ----

// 3.1: slow start opens by a segment for each acknowledgment.
static void rfc2581_ack(struct inet_cc *cc)
{
    if (cc->cwnd < cc->ssthresh) {
        cc->cwnd++;
    } else if (++cc->count >= cc->cwnd) {
        cc->cwnd++;
        cc->count = 0;
    }
}

// Equation 3. Segments beyond the window are those of limited transmit, which do not count
// (RFC 3042, 2).
static void rfc2581_loss(struct inet_cc *cc, int64_t flight)
{
    cc->ssthresh = MAX(MIN(flight, cc->cwnd) / 2, 2);
    cc->count = 0;
}

// 3.1: slow start begins with one segment.
static void rfc2581_timeout(struct inet_cc *cc, int64_t flight, bool again)
{
    if (!again)
        rfc2581_loss(cc, flight);
    cc->cwnd = 1;
    cc->count = 0;
}

// ---- RFC 2861 ----

// The threshold remembers the window.
static int64_t ssthresh_kept(const struct inet_cc *cc)
{
    return MAX(cc->ssthresh, cc->cwnd * 3 / 4);
}

// The window is halved for each time-out that a pause is longer than (Linux: tcp_cwnd_restart).
static void rfc2861_idle(struct inet_cc *cc, int64_t idle, int64_t rto, int64_t restart)
{
    int64_t window = cc->cwnd, least = MIN(restart, window);
    cc->ssthresh = ssthresh_kept(cc);
    for (idle -= rto; idle > 0 && window > least; idle -= rto)
        window /= 2;
    cc->cwnd = MAX(window, least);
    cc->count = 0;
}

// The window shrinks half of the way to what was used.
static void rfc2861_unused(struct inet_cc *cc)
{
    int64_t used = MAX(cc->used, LEAST_WINDOW);
    if (used >= cc->cwnd)
        return;
    cc->ssthresh = ssthresh_kept(cc);
    cc->cwnd = (cc->cwnd + used) / 2;
}

const struct inet_cc_ops inet_cc_rfc2581 = {
    .name = "rfc2581",
    .ack = rfc2581_ack,
    .loss = rfc2581_loss,
    .timeout = rfc2581_timeout,
    .idle = rfc2861_idle,
    .unused = rfc2861_unused,
};
