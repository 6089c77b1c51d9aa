// SPDX-License-Identifier: GPL-3.0-or-later
// CUBIC (RFC 9438) with the constants and roundings of Linux 6 (net/ipv4/tcp_cubic.c): C is
// 410/1024, beta 717/1024, the cubic's time counts 1/1024 s, and W_est grows by a segment for each
// 15/8 windows. HyStart (Ha and Rhee, Taming the elephants, 2008) ends slow start.
//
// Not modelled: undoing a reduction that was needless; RFC 9438's larger step of W_est above the
// window before the loss, which Linux does not have.
#include "models/inet/cc.h"

#include <glib.h>

#define CUBIC_UNIT INT64_C(976562500) // ps: 1/1024 s
#define CUBIC_C 410                   // 0.4 in 1/1024 (RFC 9438, 5)
#define CUBIC_BETA 717                // 0.7 in 1/1024 (RFC 9438, 4.6)
#define CUBIC_ONE 1024                // of C and beta
#define CUBIC_LEAST 2                 // segments: ssthresh
#define CUBIC_LONGEST (1 << 17) // 1/1024 s: longer spans count as this, lest the cube overflows
#define CUBIC_FIRST_STEP 20     // before the first loss: a segment per this many, or faster
#define CUBIC_STEP 2            // never faster than a segment for two (tcp_cubic.c)
#define CUBIC_PAUSE INT64_C(31250000000)     // ps, 1/32 s: the same window is not evaluated sooner
#define CUBIC_SETTLED INT64_C(1000000000000) // ps, 1 s: no round trips right after a recovery

#define HYSTART_LEAST_WINDOW 16                  // segments (tcp_cubic.c: hystart_low_window)
#define HYSTART_GAP INT64_C(2000000000)          // ps: longest gap of a train
#define HYSTART_SAMPLES 8                        // (tcp_cubic.c: HYSTART_MIN_SAMPLES)
#define HYSTART_LEAST_RISE INT64_C(4000000000)   // ps
#define HYSTART_MOST_RISE INT64_C(16000000000)   // ps
#define HYSTART_CUSHION (4 * 65536)              // bytes: acknowledgments that offloads delay
#define HYSTART_MOST_CUSHION INT64_C(1000000000) // ps

static struct inet_cc_cubic *cubic_own(const struct inet_cc *cc)
{
    return cc->more;
}

// Segments acknowledged since cwnd last grew.
static int64_t *cubic_count(struct inet_cc *cc)
{
    return &inet_cc_own(cc, struct inet_cc_rfc2581)->count;
}

static void cubic_init(struct inet_cc *cc, int64_t now)
{
    g_assert(cc->mss == 1);
    cubic_own(cc)->initial = (int32_t)cc->cwnd;
    inet_cc_validation_changed(cc, now);
}

// Forgets everything but the initial window (tcp_cubic.c: bictcp_reset).
static void cubic_reset(struct inet_cc *cc)
{
    struct inet_cc_cubic *own = cubic_own(cc);
    *own = (struct inet_cc_cubic){
        .now = own->now,
        .initial = own->initial,
    };
}

// ---- The cubic (RFC 9438, 4.2) ----

// The largest integer whose cube is at most `cube`.
static int64_t cube_root(uint64_t cube)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 20; bit > 0; bit >>= 1)
        if ((root | bit) * (root | bit) * (root | bit) <= cube)
            root |= bit;
    return (int64_t)root;
}

// Figure 2: K = cbrt((W_max - cwnd) / C). Without a larger W_max the plateau is the window itself.
static void cubic_begin_epoch(struct inet_cc *cc)
{
    struct inet_cc_cubic *own = cubic_own(cc);
    int64_t below = own->w_max - cc->cwnd;
    own->in_epoch = true;
    own->epoch = own->now;
    own->w_est = (int32_t)cc->cwnd;
    own->k = 0;
    own->origin = (int32_t)cc->cwnd;
    if (below <= 0)
        return;
    own->k = (int32_t)cube_root(((uint64_t)below << 40) / CUBIC_C);
    own->origin = own->w_max;
}

// Figure 1: W(t) = C (t - K)^3 + W_max, in segments, one round trip ahead.
static int64_t cubic_target(const struct inet_cc_cubic *own)
{
    int64_t t = (own->now - own->epoch + own->shortest) / CUBIC_UNIT;
    int64_t away = MIN(ABS(t - own->k), CUBIC_LONGEST);
    int64_t change = (CUBIC_C * away * away * away) >> 40;
    return t < own->k ? own->origin - change : own->origin + change;
}

static int64_t cubic_step(const struct inet_cc *cc, const struct inet_cc_cubic *own)
{
    int64_t target = cubic_target(own);
    int64_t per = target > cc->cwnd ? cc->cwnd / (target - cc->cwnd) : 100 * cc->cwnd;
    return own->w_max == 0 ? MIN(per, CUBIC_FIRST_STEP) : per;
}

// 4.3: where Reno's window would be larger, cwnd goes there within a window.
static int64_t cubic_friendly_step(const struct inet_cc *cc, struct inet_cc_cubic *own, int64_t per)
{
    int64_t window = cc->cwnd * 15 / 8;
    while (own->acked > window) {
        own->acked -= (int32_t)window;
        own->w_est++;
    }
    return own->w_est > cc->cwnd ? MIN(per, cc->cwnd / (own->w_est - cc->cwnd)) : per;
}

static void cubic_evaluate(struct inet_cc *cc, int64_t acked)
{
    struct inet_cc_cubic *own = cubic_own(cc);
    int64_t stamp = own->now / CUBIC_UNIT, per = own->per_segment;
    own->acked += (int32_t)acked;
    if (own->in_epoch && own->evaluated == cc->cwnd &&
        stamp - own->stamp <= CUBIC_PAUSE / CUBIC_UNIT)
        return;
    if (!own->in_epoch) {
        cubic_begin_epoch(cc);
        own->acked = (int32_t)acked;
        own->stamp = -1;
    }
    if (stamp != own->stamp) {
        own->stamp = stamp;
        own->evaluated = (int32_t)cc->cwnd;
        per = cubic_step(cc, own);
    }
    own->per_segment = (int32_t)MAX(cubic_friendly_step(cc, own, per), CUBIC_STEP);
}

// Slow start counts what was acknowledged (4.10); the rest of it counts in congestion avoidance.
static void cubic_ack(struct inet_cc *cc, int64_t acked)
{
    struct inet_cc_cubic *own = cubic_own(cc);
    if (cc->cwnd < cc->ssthresh) {
        int64_t grown = MIN(acked, cc->ssthresh - cc->cwnd);
        cc->cwnd += grown;
        acked -= grown;
        if (acked == 0)
            return;
    }
    cubic_evaluate(cc, acked);
    int64_t per = own->per_segment;
    int64_t *count = cubic_count(cc);
    if (*count >= per) { // collected at a slower step
        *count = 0;
        cc->cwnd++;
    }
    *count += acked;
    cc->cwnd += *count / per;
    *count %= per;
}

// ---- Losses ----

// 4.6, 4.7: W_max, less if the last one was not reached again, and beta.
static void cubic_loss(struct inet_cc *cc, int64_t flight)
{
    struct inet_cc_cubic *own = cubic_own(cc);
    (void)flight; // Linux takes the window, not the flight
    own->in_epoch = false;
    own->w_max =
        (int32_t)(cc->cwnd < own->w_max ? cc->cwnd * (CUBIC_ONE + CUBIC_BETA) / (2 * CUBIC_ONE)
                                        : cc->cwnd);
    cc->ssthresh = MAX(cc->cwnd * CUBIC_BETA / CUBIC_ONE, CUBIC_LEAST);
    *cubic_count(cc) = 0;
}

// 4.8.
static void cubic_timeout(struct inet_cc *cc, int64_t flight, bool again)
{
    if (!again)
        cubic_loss(cc, flight);
    cubic_reset(cc);
    cc->cwnd = 1;
}

// ---- Pauses ----

static void cubic_sent(struct inet_cc *cc, int64_t now, int64_t flight, int64_t rto,
                       bool by_program)
{
    inet_cc_validation_sent(cc, now, flight, rto, by_program, cubic_own(cc)->initial);
}

// 4.2: a time without data in flight does not count in t.
static void cubic_resumed(struct inet_cc *cc, int64_t silence)
{
    struct inet_cc_cubic *own = cubic_own(cc);
    if (own->in_epoch)
        own->epoch += silence;
}

// ---- Measurements ----

static bool cubic_measure(struct inet_cc *cc, const struct inet_cc_sample *sample)
{
    struct inet_cc_cubic *own = cubic_own(cc);
    own->now = sample->now;
    if (sample->round_trip < 0 || (own->in_epoch && own->now - own->epoch < CUBIC_SETTLED))
        return false;
    if (own->shortest == 0 || sample->round_trip < own->shortest)
        own->shortest = MAX(sample->round_trip, 1);
    return true;
}

static void cubic_measured(struct inet_cc *cc, const struct inet_cc_sample *sample)
{
    cubic_measure(cc, sample);
}

// Half of a round trip's acknowledgments in one train fill the path. Offloads hold acknowledgments
// back by the time of some long segments at the present rate, twice a window per round trip.
static bool hystart_train(const struct inet_cc *cc, struct inet_cc_cubic *own,
                          const struct inet_cc_sample *sample)
{
    int64_t rate = 2 * cc->cwnd * sample->segment; // bytes per smoothed round trip
    if (own->now - own->train > HYSTART_GAP)
        return false;
    own->train = own->now;
    int64_t cushion = MIN(sample->smoothed * HYSTART_CUSHION / MAX(rate, 1), HYSTART_MOST_CUSHION);
    return own->now - own->round_start > (own->shortest + cushion) / 2;
}

static bool hystart_rise(struct inet_cc_cubic *own, int64_t round_trip)
{
    own->round_shortest = MIN(own->round_shortest, round_trip);
    if (own->samples < HYSTART_SAMPLES) {
        own->samples++;
        return false;
    }
    return own->round_shortest >
           own->shortest + CLAMP(own->shortest / 8, HYSTART_LEAST_RISE, HYSTART_MOST_RISE);
}

static void hystart_measured(struct inet_cc *cc, const struct inet_cc_sample *sample)
{
    struct inet_cc_cubic *own = cubic_own(cc);
    if (!cubic_measure(cc, sample) || own->found || cc->cwnd >= cc->ssthresh)
        return;
    if (sample->una > own->round_end) {
        own->round_start = own->train = own->now;
        own->round_end = sample->nxt;
        own->round_shortest = INT64_MAX;
        own->samples = 0;
    }
    if (cc->cwnd < HYSTART_LEAST_WINDOW)
        return;
    bool train = hystart_train(cc, own, sample);
    own->found = hystart_rise(own, sample->round_trip) || train;
    if (own->found)
        cc->ssthresh = cc->cwnd;
}

// The two differ in `measured` alone.
#define CUBIC_OPS(measured_)                                                                       \
    {                                                                                              \
        .name = "cubic", .more = sizeof(struct inet_cc_cubic), .init = cubic_init,                 \
        .ack = cubic_ack, .loss = cubic_loss, .timeout = cubic_timeout,                            \
        .idle = inet_cc_validation_idle, .sent = cubic_sent,                                       \
        .changed = inet_cc_validation_changed, .limited = inet_cc_validation_limited,              \
        .measured = (measured_), .resumed = cubic_resumed,                                         \
    }

const struct inet_cc_ops inet_cc_cubic = CUBIC_OPS(cubic_measured);
const struct inet_cc_ops inet_cc_cubic_hystart = CUBIC_OPS(hystart_measured);
