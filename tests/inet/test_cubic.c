// SPDX-License-Identifier: GPL-3.0-or-later
// CUBIC by itself: RFC 9438's formulas as closed forms, and sequences worked out by hand.
#include "models/inet/cc.h"
#include "sim/core/time.h"
#include "tests/support/suite.h"

#include <math.h>

#define RTT (20 * TIME_MS)

struct sender {
    struct inet_cc cc;
    struct inet_cc_cubic cubic;
    int64_t now, una;
};

static void begin(struct sender *sender, const struct inet_cc_ops *ops, int64_t cwnd)
{
    *sender = (struct sender){0};
    inet_cc_init_with(&sender->cc, ops, 1, cwnd, 0, &sender->cubic);
}

// One acknowledgment of `acked` segments, with a round trip of `rtt`; -1: not measured.
static void acknowledge(struct sender *sender, int64_t acked, int64_t rtt)
{
    sender->una += acked;
    sender->cc.ops->measured(&sender->cc, &(struct inet_cc_sample){
                                              .now = sender->now,
                                              .round_trip = rtt,
                                              .smoothed = RTT,
                                              .segment = 1448,
                                              .una = sender->una,
                                              .nxt = sender->una + sender->cc.cwnd,
                                          });
    sender->cc.ops->ack(&sender->cc, acked);
}

// Round trips of `rtt`, in each of which a window is acknowledged two segments at a time, until
// `end`.
static void run_until(struct sender *sender, int64_t end, int64_t rtt)
{
    while (sender->now < end) {
        int64_t window = sender->cc.cwnd;
        for (int64_t i = 0; i < window; i += 2) {
            sender->now += rtt * 2 / window;
            acknowledge(sender, 2, rtt);
        }
    }
}

static void lose(struct sender *sender)
{
    sender->cc.ops->loss(&sender->cc, sender->cc.cwnd);
    sender->cc.cwnd = sender->cc.ssthresh;
}

// RFC 9438, 4.10: slow start opens by what is acknowledged, not beyond ssthresh.
static void test_slow_start(void)
{
    struct sender sender;
    begin(&sender, &inet_cc_cubic, 10);
    acknowledge(&sender, 10, RTT);
    SUITE_SAME_INTEGER(sender.cc.cwnd, 20);
    sender.cc.ssthresh = 25;
    acknowledge(&sender, 20, RTT); // five open it to ssthresh, the rest counts in the cubic
    SUITE_SAME_INTEGER(sender.cc.cwnd, 25);
}

// 4.6: beta is 0.7; two segments at least. 4.7: fast convergence.
static void test_loss(void)
{
    static const struct {
        int64_t cwnd, w_max, ssthresh, then;
    } losses[] = {
        {1000, 0, 700, 1000},    {1000, 1000, 700, 1000}, {900, 1000, 630, 765},
        {1100, 1000, 770, 1100}, {10, 0, 7, 10},          {2, 0, 2, 2},
    };
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        struct sender sender;
        begin(&sender, &inet_cc_cubic, losses[i].cwnd);
        sender.cubic.w_max = (int32_t)losses[i].w_max;
        sender.cc.ops->loss(&sender.cc, 1);
        SUITE_SAME_INTEGER(sender.cc.ssthresh, losses[i].ssthresh);
        SUITE_SAME_INTEGER(sender.cubic.w_max, losses[i].then);
        SUITE_SAME_INTEGER(sender.cc.cwnd, losses[i].cwnd); // the recovery's business
    }
}

// Figure 2, K = cbrt((W_max - cwnd) / C), to the 1/1024 s.
static void test_plateau(void)
{
    static const int64_t windows[] = {10, 100, 1000, 10000, 100000};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        struct sender sender;
        begin(&sender, &inet_cc_cubic, windows[i]);
        lose(&sender);
        sender.now = TIME_S;
        acknowledge(&sender, 1, -1);
        double k = cbrt((double)(windows[i] - sender.cc.ssthresh) / (410.0 / 1024.0));
        CU_ASSERT(fabs(sender.cubic.k / 1024.0 - k) < 1.5 / 1024.0);
        SUITE_SAME_INTEGER(sender.cubic.origin, windows[i]);
    }
}

// Figure 1: on a long path the window is that of W(t + RTT), within a segment or a hundredth.
static void test_curve(void)
{
    struct sender sender;
    const int64_t rtt = 100 * TIME_MS;
    begin(&sender, &inet_cc_cubic, 4000);
    lose(&sender);
    double start = (double)sender.cc.cwnd, k = cbrt((4000.0 - start) / 0.4);
    for (int second = 1; second <= 20; second++) {
        run_until(&sender, second * TIME_S, rtt);
        double t = (double)(sender.now - sender.cubic.epoch) / (double)TIME_S;
        double w = 4000.0 + 0.4 * pow(t - k, 3);
        CU_ASSERT(fabs((double)sender.cc.cwnd - w) < 0.02 * w);
    }
}

// 4.3: on a short path W_est leads, by 3 (1 - beta) / (1 + beta) segments per window: Linux has
// 8/15.
static void test_friendly(void)
{
    struct sender sender;
    const int64_t rtt = TIME_MS;
    begin(&sender, &inet_cc_cubic, 100);
    lose(&sender);
    int64_t start = sender.cc.cwnd;
    run_until(&sender, 1000 * rtt, rtt);
    double expected = (double)start + 1000.0 * 8.0 / 15.0;
    CU_ASSERT(fabs((double)sender.cc.cwnd - expected) < 0.05 * expected);
}

// At most a segment for each two acknowledged.
static void test_fastest(void)
{
    struct sender sender;
    begin(&sender, &inet_cc_cubic, 1000);
    lose(&sender);
    acknowledge(&sender, 2, -1);
    sender.now = 60 * TIME_S;
    for (int i = 0; i < 50; i++)
        acknowledge(&sender, 2, -1);
    CU_ASSERT(sender.cc.cwnd <= 700 + 51);
    CU_ASSERT(sender.cc.cwnd >= 700 + 48);
}

// 4.8: all is forgotten; the threshold is that of a loss, for the first timeout of a segment only.
static void test_timeout(void)
{
    struct sender sender;
    begin(&sender, &inet_cc_cubic, 100);
    sender.cc.ops->timeout(&sender.cc, 50, false);
    SUITE_SAME_INTEGER(sender.cc.cwnd, 1);
    SUITE_SAME_INTEGER(sender.cc.ssthresh, 70);
    SUITE_SAME_INTEGER(sender.cubic.w_max, 0);
    sender.cc.ops->timeout(&sender.cc, 1, true);
    SUITE_SAME_INTEGER(sender.cc.ssthresh, 70);
}

// A pause without data in flight does not move the window along the cubic.
static void test_pause(void)
{
    struct sender sender;
    begin(&sender, &inet_cc_cubic, 1000);
    lose(&sender);
    run_until(&sender, TIME_S, 100 * TIME_MS);
    int64_t epoch = sender.cubic.epoch;
    sender.cc.ops->resumed(&sender.cc, 5 * TIME_S);
    SUITE_SAME_INTEGER(sender.cubic.epoch, epoch + 5 * TIME_S);
}

// A program that sends less keeps its first window.
static void test_unused(void)
{
    struct sender sender;
    begin(&sender, &inet_cc_cubic, 10);
    sender.cc.cwnd = 100;
    sender.cc.ops->changed(&sender.cc, 0);
    sender.cc.ops->sent(&sender.cc, 1000, 3, 200, true);
    SUITE_SAME_INTEGER(sender.cc.cwnd, 55);
    for (int i = 0; i < 20; i++)
        sender.cc.ops->sent(&sender.cc, 2000 + 1000 * i, 3, 200, true);
    SUITE_SAME_INTEGER(sender.cc.cwnd, 10);
}

// HyStart: a train of acknowledgments that lasts longer than half the shortest round trip ends slow
// start; so does a round trip that is longer by 4 ms; neither with less than 16 segments.
static void test_hystart(void)
{
    struct sender sender;
    begin(&sender, &inet_cc_cubic_hystart, 32);
    acknowledge(&sender, 6, RTT);
    for (int i = 0; i < 30 && !sender.cubic.found; i++) {
        sender.now += TIME_MS;
        acknowledge(&sender, 1, RTT);
    }
    CU_ASSERT(sender.cubic.found);
    CU_ASSERT(sender.now > RTT / 2 && sender.now <= RTT / 2 + 2 * TIME_MS);
    SUITE_SAME_INTEGER(sender.cc.ssthresh, sender.cc.cwnd);
    begin(&sender, &inet_cc_cubic_hystart, 10);
    for (int i = 0; i < 5; i++) { // too small a window
        sender.now += 2 * RTT;
        acknowledge(&sender, 1, RTT + 5 * TIME_MS * (i > 0));
    }
    CU_ASSERT(!sender.cubic.found);
    sender.cc.cwnd = 16;
    sender.now += RTT;
    for (int i = 0; i < 30; i++) // a new round begins with the seventh
        acknowledge(&sender, 1, RTT + 5 * TIME_MS);
    CU_ASSERT(sender.cubic.found);
}

int main(void)
{
    static const struct suite_case cases[] = {{"slow start", test_slow_start},
                                              {"loss", test_loss},
                                              {"plateau", test_plateau},
                                              {"curve", test_curve},
                                              {"friendly", test_friendly},
                                              {"fastest", test_fastest},
                                              {"timeout", test_timeout},
                                              {"pause", test_pause},
                                              {"unused", test_unused},
                                              {"hystart", test_hystart},
                                              {0}};
    return suite_run("inet: CUBIC", cases);
}
