// SPDX-License-Identifier: GPL-3.0-or-later
// Congestion control and the retransmission time-out by themselves, against sequences worked out by
// hand from RFC 2581, 2861 and 2988.
#include "models/inet/cc.h"
#include "models/inet/rtt.h"
#include "tests/support/suite.h"

static struct inet_cc cc_with(int64_t cwnd, int64_t ssthresh)
{
    struct inet_cc cc;
    inet_cc_init(&cc, &inet_cc_rfc2581, cwnd, 100);
    if (ssthresh > 0)
        cc.ssthresh = ssthresh;
    return cc;
}

// 3.1: one segment for each acknowledgment up to ssthresh, then one for each window.
static void test_growth(void)
{
    struct inet_cc cc = cc_with(2, 5);
    static const int cwnd[] = {3, 4, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 7};
    for (size_t i = 0; i < sizeof(cwnd) / sizeof(*cwnd); i++) {
        cc.ops->ack(&cc);
        // ssthresh 5 is reached with the third; five more make 6, six more 7.
        SUITE_SAME_INTEGER(cc.cwnd, cwnd[i]);
    }
}

static void test_no_threshold_at_first(void)
{
    struct inet_cc cc = cc_with(4, 0);
    for (int i = 0; i < 1000; i++)
        cc.ops->ack(&cc);
    SUITE_SAME_INTEGER(cc.cwnd, 1004);
}

// Equation 3: half of what is under way, two at least; what limited transmit has added is not half.
static void test_loss(void)
{
    struct inet_cc cc = cc_with(10, 0);
    cc.count = 3;
    cc.ops->loss(&cc, 9);
    SUITE_SAME_INTEGER(cc.ssthresh, 4);
    SUITE_SAME_INTEGER(cc.cwnd, 10); // the recovery's business
    SUITE_SAME_INTEGER(cc.count, 0);
    cc.ops->loss(&cc, 12);
    SUITE_SAME_INTEGER(cc.ssthresh, 5);
    cc.ops->loss(&cc, 1);
    SUITE_SAME_INTEGER(cc.ssthresh, 2);
}

// 3.1: the threshold is halved for the first time-out of a segment only.
static void test_timeout(void)
{
    struct inet_cc cc = cc_with(16, 0);
    cc.count = 5;
    cc.ops->timeout(&cc, 12, false);
    SUITE_SAME_INTEGER(cc.ssthresh, 6);
    SUITE_SAME_INTEGER(cc.cwnd, 1);
    cc.count = 5;
    cc.ops->timeout(&cc, 1, true);
    SUITE_SAME_INTEGER(cc.ssthresh, 6);
    SUITE_SAME_INTEGER(cc.cwnd, 1);
    SUITE_SAME_INTEGER(cc.count, 0);
}

// RFC 2861: halved for each time-out that the pause is longer than, not below the restart window.
static void test_idle(void)
{
    static const struct {
        int64_t cwnd, idle, restart, then;
    } pauses[] = {{32, 21, 2, 8},  {32, 31, 2, 4},  {32, 30, 2, 8}, {32, 1000, 2, 2},
                  {32, 41, 4, 4},  {32, 51, 4, 4},  {3, 41, 4, 3},  {5, 21, 2, 2},
                  {32, 10, 2, 32}, {32, 11, 2, 16}, {32, 20, 2, 16}};
    for (size_t i = 0; i < sizeof(pauses) / sizeof(*pauses); i++) {
        struct inet_cc cc = cc_with(pauses[i].cwnd, 7);
        cc.count = 2;
        cc.ops->idle(&cc, pauses[i].idle, 10, pauses[i].restart);
        SUITE_SAME_INTEGER(cc.cwnd, pauses[i].then);
        SUITE_SAME_INTEGER(cc.count, 0);
        SUITE_SAME_INTEGER(cc.ssthresh, pauses[i].cwnd == 32 ? 24 : 7);
    }
}

// RFC 2861: a window that was not full for a time-out, by the program's doing.
static void test_unused(void)
{
    struct inet_cc cc = cc_with(20, 8);
    inet_cc_sent(&cc, 6, 105, 10, true); // within the time-out: noted
    SUITE_SAME_INTEGER(cc.cwnd, 20);
    inet_cc_sent(&cc, 4, 110, 10, true);
    SUITE_SAME_INTEGER(cc.cwnd, 13); // half of the way to 6
    SUITE_SAME_INTEGER(cc.ssthresh, 15);
    SUITE_SAME_INTEGER(cc.full_at, 110);
    SUITE_SAME_INTEGER(cc.used, 0);
    inet_cc_sent(&cc, 0, 120, 10, true);
    SUITE_SAME_INTEGER(cc.cwnd, 7); // half of the way to 2
    inet_cc_sent(&cc, 1, 130, 10, false);
    SUITE_SAME_INTEGER(cc.cwnd, 7); // not the program's doing
    SUITE_SAME_INTEGER(cc.full_at, 130);
    inet_cc_sent(&cc, 7, 135, 10, true); // full
    SUITE_SAME_INTEGER(cc.full_at, 135);
    inet_cc_sent(&cc, 3, 144, 10, true);
    SUITE_SAME_INTEGER(cc.cwnd, 7); // full nine ticks ago
    struct inet_cc small = cc_with(2, 8);
    inet_cc_sent(&small, 0, 110, 10, true);
    SUITE_SAME_INTEGER(small.cwnd, 2); // two are left, and the threshold as it is
    SUITE_SAME_INTEGER(small.ssthresh, 8);
}

// RFC 2988, 5.5, 5.7: the time-out doubles up to its bound; a measurement ends that.
static void test_backoff(void)
{
    struct inet_rtt rtt;
    inet_rtt_init(&rtt, 300, 20, 1000);
    static const int timeouts[] = {300, 600, 1000, 1000};
    for (int i = 0; i < 4; i++) {
        rtt.backoff = i;
        SUITE_SAME_INTEGER(inet_rtt_timeout(&rtt), timeouts[i]);
    }
    inet_rtt_sample(&rtt, 40);
    SUITE_SAME_INTEGER(rtt.srtt, 8 * 40);
    SUITE_SAME_INTEGER(rtt.rttvar, 4 * 20);
    SUITE_SAME_INTEGER(inet_rtt_timeout(&rtt), 40 + 80);
    inet_rtt_sample(&rtt, 56); // srtt 42, rttvar 0.75 * 20 + 0.25 * 16
    SUITE_SAME_INTEGER(rtt.srtt, 8 * 42);
    SUITE_SAME_INTEGER(rtt.rttvar, 4 * 19);
    SUITE_SAME_INTEGER(inet_rtt_timeout(&rtt), 42 + 76);
    for (int i = 0; i < 100; i++)
        inet_rtt_sample(&rtt, 0); // less than a tick counts as one
    SUITE_SAME_INTEGER(rtt.srtt / 8, 1);
    SUITE_SAME_INTEGER(inet_rtt_timeout(&rtt), 1 + 20);
    inet_rtt_sample(&rtt, 100000);
    SUITE_SAME_INTEGER(inet_rtt_timeout(&rtt), 1000);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"growth", test_growth},   {"no threshold at first", test_no_threshold_at_first},
        {"loss", test_loss},       {"timeout", test_timeout},
        {"idle", test_idle},       {"unused", test_unused},
        {"backoff", test_backoff}, {0}};
    return suite_run("TCP: congestion control and time-out", cases);
}
