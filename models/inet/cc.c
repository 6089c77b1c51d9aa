// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/inet/cc.h"

#include <glib.h>
#include <string.h>

#define LEAST_SSTHRESH 2 // segments (RFC 2581, equation 3)
#define LEAST_WINDOW 2   // segments, that RFC 2861 leaves (Linux 2.4: tcp_cwnd_application_limited)

void inet_cc_init_with(struct inet_cc *cc, const struct inet_cc_ops *ops, int64_t mss, int64_t cwnd,
                       int64_t now, void *more)
{
    *cc = (struct inet_cc){
        .ops = ops, .cwnd = cwnd, .ssthresh = INET_CC_INFINITE, .mss = mss, .more = more};
    if (more)
        memset(more, 0, (size_t)ops->more);
    ops->init(cc, now);
}

void inet_cc_init(struct inet_cc *cc, const struct inet_cc_ops *ops, int64_t mss, int64_t cwnd,
                  int64_t now)
{
    g_assert(ops->more == 0);
    inet_cc_init_with(cc, ops, mss, cwnd, now, NULL);
}

// ---- RFC 2581 ----

static struct inet_cc_rfc2581 *own(struct inet_cc *cc)
{
    return inet_cc_own(cc, struct inet_cc_rfc2581);
}

// 3.1: slow start opens by a segment for each acknowledgment, congestion avoidance by one for each
// window of them.
static void rfc2581_ack(struct inet_cc *cc, int64_t acked)
{
    (void)acked; // the RFC counts acknowledgments, not what they acknowledge
    if (cc->cwnd < cc->ssthresh) {
        cc->cwnd += cc->mss;
        return;
    }
    own(cc)->count += cc->mss;
    if (own(cc)->count < cc->cwnd)
        return;
    cc->cwnd += cc->mss;
    own(cc)->count = 0;
}

// Equation 3. Segments beyond the window are those of limited transmit, which do not count
// (RFC 3042, 2).
static void rfc2581_loss(struct inet_cc *cc, int64_t flight)
{
    cc->ssthresh = MAX(MIN(flight, cc->cwnd) / 2, LEAST_SSTHRESH * cc->mss);
    own(cc)->count = 0;
}

// 3.1: slow start begins with one segment.
static void rfc2581_timeout(struct inet_cc *cc, int64_t flight, bool again)
{
    if (!again)
        rfc2581_loss(cc, flight);
    cc->cwnd = cc->mss;
    own(cc)->count = 0;
}

// ---- RFC 2861 ----

// From now on, what is used of cwnd is counted anew.
void inet_cc_validation_changed(struct inet_cc *cc, int64_t now)
{
    own(cc)->full_at = now;
    own(cc)->used = 0;
}

void inet_cc_validation_limited(struct inet_cc *cc, int64_t now)
{
    own(cc)->full_at = now;
}

// The threshold remembers the window.
static int64_t ssthresh_kept(const struct inet_cc *cc)
{
    return MAX(cc->ssthresh, cc->cwnd * 3 / 4);
}

// The window is halved for each time-out that a pause is longer than (Linux: tcp_cwnd_restart).
void inet_cc_validation_idle(struct inet_cc *cc, int64_t now, int64_t idle, int64_t rto,
                             int64_t restart)
{
    int64_t window = cc->cwnd, least = MIN(restart, window);
    cc->ssthresh = ssthresh_kept(cc);
    for (idle -= rto; idle > 0 && window > least; idle -= rto)
        window /= 2;
    cc->cwnd = MAX(window, least);
    own(cc)->count = 0;
    inet_cc_validation_changed(cc, now);
}

// The window shrinks by half of its unused part.
static void shrink(struct inet_cc *cc, int64_t least)
{
    int64_t used = MAX(own(cc)->used, least);
    if (used >= cc->cwnd)
        return;
    cc->ssthresh = ssthresh_kept(cc);
    cc->cwnd = (cc->cwnd + used) / 2;
}

// A window that was not full for a time-out, and it was the program that sent less, shrinks.
void inet_cc_validation_sent(struct inet_cc *cc, int64_t now, int64_t flight, int64_t rto,
                             bool by_program, int64_t least)
{
    if (flight < cc->cwnd) {
        own(cc)->used = MAX(own(cc)->used, flight);
        if (now - own(cc)->full_at < rto)
            return;
        if (by_program)
            shrink(cc, least);
    }
    inet_cc_validation_changed(cc, now);
}

static void rfc2861_sent(struct inet_cc *cc, int64_t now, int64_t flight, int64_t rto,
                         bool by_program)
{
    inet_cc_validation_sent(cc, now, flight, rto, by_program, LEAST_WINDOW * cc->mss);
}

// ---- RFC 2581, 4.1 ----

static void restart_idle(struct inet_cc *cc, int64_t now, int64_t idle, int64_t rto,
                         int64_t restart)
{
    (void)now;
    (void)idle;
    (void)rto;
    cc->cwnd = restart;
}

static void restart_sent(struct inet_cc *cc, int64_t now, int64_t flight, int64_t rto,
                         bool by_program)
{
    (void)cc;
    (void)now;
    (void)flight;
    (void)rto;
    (void)by_program;
}

const struct inet_cc_ops inet_cc_restart = {
    .name = "restart",
    .init = inet_cc_validation_changed,
    .ack = rfc2581_ack,
    .loss = rfc2581_loss,
    .timeout = rfc2581_timeout,
    .idle = restart_idle,
    .sent = restart_sent,
    .changed = inet_cc_validation_changed,
    .limited = inet_cc_validation_limited,
};

const struct inet_cc_ops inet_cc_rfc2581 = {
    .name = "rfc2581",
    .init = inet_cc_validation_changed,
    .ack = rfc2581_ack,
    .loss = rfc2581_loss,
    .timeout = rfc2581_timeout,
    .idle = inet_cc_validation_idle,
    .sent = rfc2861_sent,
    .changed = inet_cc_validation_changed,
    .limited = inet_cc_validation_limited,
};
