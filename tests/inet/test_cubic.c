// SPDX-License-Identifier: GPL-3.0-or-later
// CUBIC by itself: RFC 9438's formulas as closed forms, and sequences worked out by hand.
#include "models/inet/cc.h"
#include "sim/core/time.h"
#include "tests/support/suite.h"

#include <math.h>

#define RTT (20 * TIME_MS)

struct flow {
    struct inet_cc cc;
    struct inet_cc_cubic cubic;
    int64_t now, una;
};

static void begin(struct flow *flow, const struct inet_cc_ops *ops, int64_t cwnd)
{
    *flow = (struct flow){0};
    inet_cc_init_with(&flow->cc, ops, 1, cwnd, 0, &flow->cubic);
}

// One acknowledgment of `acked` segments, with a round trip of `rtt`; -1: not measured.
static void acknowledge(struct flow *flow, int64_t acked, int64_t rtt)
{
    flow->una += acked;
    flow->cc.ops->measured(&flow->cc, &(struct inet_cc_sample){
                                          .now = flow->now,
                                          .round_trip = rtt,
                                          .smoothed = RTT,
                                          .segment = 1448,
                                          .una = flow->una,
                                          .nxt = flow->una + flow->cc.cwnd,
                                      });
    flow->cc.ops->ack(&flow->cc, acked);
}

// Round trips of `rtt`, in each of which a window is acknowledged two segments at a time, until
// `end`.
static void run_until(struct flow *flow, int64_t end, int64_t rtt)
{
    while (flow->now < end) {
        int64_t window = flow->cc.cwnd;
        for (int64_t i = 0; i < window; i += 2) {
            flow->now += rtt * 2 / window;
            acknowledge(flow, 2, rtt);
        }
    }
}

static void lose(struct flow *flow)
{
    flow->cc.ops->loss(&flow->cc, flow->cc.cwnd);
    flow->cc.cwnd = flow->cc.ssthresh;
}

// RFC 9438, 4.10: slow start opens by what is acknowledged, not beyond ssthresh.
static void test_slow_start(void)
{
    struct flow flow;
    begin(&flow, &inet_cc_cubic, 10);
    acknowledge(&flow, 10, RTT);
    SUITE_SAME_INTEGER(flow.cc.cwnd, 20);
    flow.cc.ssthresh = 25;
    acknowledge(&flow, 20, RTT); // five open it to ssthresh, the rest counts in the cubic
    SUITE_SAME_INTEGER(flow.cc.cwnd, 25);
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
        struct flow flow;
        begin(&flow, &inet_cc_cubic, losses[i].cwnd);
        flow.cubic.w_max = (int32_t)losses[i].w_max;
        flow.cc.ops->loss(&flow.cc, 1);
        SUITE_SAME_INTEGER(flow.cc.ssthresh, losses[i].ssthresh);
        SUITE_SAME_INTEGER(flow.cubic.w_max, losses[i].then);
        SUITE_SAME_INTEGER(flow.cc.cwnd, losses[i].cwnd); // the recovery's business
    }
}

// Figure 2, K = cbrt((W_max - cwnd) / C), to the 1/1024 s.
static void test_plateau(void)
{
    static const int64_t windows[] = {10, 100, 1000, 10000, 100000};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        struct flow flow;
        begin(&flow, &inet_cc_cubic, windows[i]);
        lose(&flow);
        flow.now = TIME_S;
        acknowledge(&flow, 1, -1);
        double k = cbrt((double)(windows[i] - flow.cc.ssthresh) / (410.0 / 1024.0));
        CU_ASSERT(fabs(flow.cubic.k / 1024.0 - k) < 1.5 / 1024.0);
        SUITE_SAME_INTEGER(flow.cubic.origin, windows[i]);
    }
}

// Figure 1: on a long path the window is that of W(t + RTT), within a segment or a hundredth.
static void test_curve(void)
{
    struct flow flow;
    const int64_t rtt = 100 * TIME_MS;
    begin(&flow, &inet_cc_cubic, 4000);
    lose(&flow);
    double start = (double)flow.cc.cwnd, k = cbrt((4000.0 - start) / 0.4);
    for (int second = 1; second <= 20; second++) {
        run_until(&flow, second * TIME_S, rtt);
        double t = (double)(flow.now - flow.cubic.epoch) / (double)TIME_S;
        double w = 4000.0 + 0.4 * pow(t - k, 3);
        CU_ASSERT(fabs((double)flow.cc.cwnd - w) < 0.02 * w);
    }
}

// 4.3: on a short path W_est leads, by 3 (1 - beta) / (1 + beta) segments per window: Linux has
// 8/15.
static void test_friendly(void)
{
    struct flow flow;
    const int64_t rtt = TIME_MS;
    begin(&flow, &inet_cc_cubic, 100);
    lose(&flow);
    int64_t start = flow.cc.cwnd;
    run_until(&flow, 1000 * rtt, rtt);
    double expected = (double)start + 1000.0 * 8.0 / 15.0;
    CU_ASSERT(fabs((double)flow.cc.cwnd - expected) < 0.05 * expected);
}

// At most a segment for each two acknowledged.
static void test_fastest(void)
{
    struct flow flow;
    begin(&flow, &inet_cc_cubic, 1000);
    lose(&flow);
    acknowledge(&flow, 2, -1);
    flow.now = 60 * TIME_S;
    for (int i = 0; i < 50; i++)
        acknowledge(&flow, 2, -1);
    CU_ASSERT(flow.cc.cwnd <= 700 + 51);
    CU_ASSERT(flow.cc.cwnd >= 700 + 48);
}

// 4.8: all is forgotten; the threshold is that of a loss, for the first timeout of a segment only.
static void test_timeout(void)
{
    struct flow flow;
    begin(&flow, &inet_cc_cubic, 100);
    flow.cc.ops->timeout(&flow.cc, 50, false);
    SUITE_SAME_INTEGER(flow.cc.cwnd, 1);
    SUITE_SAME_INTEGER(flow.cc.ssthresh, 70);
    SUITE_SAME_INTEGER(flow.cubic.w_max, 0);
    flow.cc.ops->timeout(&flow.cc, 1, true);
    SUITE_SAME_INTEGER(flow.cc.ssthresh, 70);
}

// A pause without data in flight does not move the window along the cubic.
static void test_pause(void)
{
    struct flow flow;
    begin(&flow, &inet_cc_cubic, 1000);
    lose(&flow);
    run_until(&flow, TIME_S, 100 * TIME_MS);
    int64_t epoch = flow.cubic.epoch;
    flow.cc.ops->resumed(&flow.cc, 5 * TIME_S);
    SUITE_SAME_INTEGER(flow.cubic.epoch, epoch + 5 * TIME_S);
}

// A program that sends less keeps its first window.
static void test_unused(void)
{
    struct flow flow;
    begin(&flow, &inet_cc_cubic, 10);
    flow.cc.cwnd = 100;
    flow.cc.ops->changed(&flow.cc, 0);
    flow.cc.ops->sent(&flow.cc, 1000, 3, 200, true);
    SUITE_SAME_INTEGER(flow.cc.cwnd, 55);
    for (int i = 0; i < 20; i++)
        flow.cc.ops->sent(&flow.cc, 2000 + 1000 * i, 3, 200, true);
    SUITE_SAME_INTEGER(flow.cc.cwnd, 10);
}

// HyStart: a train of acknowledgments that lasts longer than half the shortest round trip ends slow
// start; so does a round trip that is longer by 4 ms; neither with less than 16 segments.
static void test_hystart(void)
{
    struct flow flow;
    begin(&flow, &inet_cc_cubic_hystart, 32);
    acknowledge(&flow, 6, RTT);
    for (int i = 0; i < 30 && !flow.cubic.found; i++) {
        flow.now += TIME_MS;
        acknowledge(&flow, 1, RTT);
    }
    CU_ASSERT(flow.cubic.found);
    CU_ASSERT(flow.now > RTT / 2 && flow.now <= RTT / 2 + 2 * TIME_MS);
    SUITE_SAME_INTEGER(flow.cc.ssthresh, flow.cc.cwnd);
    begin(&flow, &inet_cc_cubic_hystart, 10);
    for (int i = 0; i < 5; i++) { // too small a window
        flow.now += 2 * RTT;
        acknowledge(&flow, 1, RTT + 5 * TIME_MS * (i > 0));
    }
    CU_ASSERT(!flow.cubic.found);
    flow.cc.cwnd = 16;
    flow.now += RTT;
    for (int i = 0; i < 30; i++) // a new round begins with the seventh
        acknowledge(&flow, 1, RTT + 5 * TIME_MS);
    CU_ASSERT(flow.cubic.found);
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
