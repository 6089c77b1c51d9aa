// SPDX-License-Identifier: GPL-3.0-or-later
// Congestion control and the retransmission time-out by themselves, against sequences worked out by
// hand from RFC 2581, 2861 and 2988.
#include "models/inet/cc.h"
#include "models/inet/rtt.h"
#include "tests/support/suite.h"

static struct inet_cc_rfc2581 *own(struct inet_cc *cc)
{
    return inet_cc_own(cc, struct inet_cc_rfc2581);
}

static struct inet_cc cc_with(int64_t cwnd, int64_t ssthresh)
{
    struct inet_cc cc;
    inet_cc_init(&cc, &inet_cc_rfc2581, 1, cwnd, 100);
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
        cc.ops->ack(&cc, 1);
        // ssthresh 5 is reached with the third; five more make 6, six more 7.
        SUITE_SAME_INTEGER(cc.cwnd, cwnd[i]);
    }
}

static void test_no_threshold_at_first(void)
{
    struct inet_cc cc = cc_with(4, 0);
    for (int i = 0; i < 1000; i++)
        cc.ops->ack(&cc, 1);
    SUITE_SAME_INTEGER(cc.cwnd, 1004);
}

// Equation 3: half of the data in flight, two at least; segments added by limited transmit do not
// count.
static void test_loss(void)
{
    struct inet_cc cc = cc_with(10, 0);
    own(&cc)->count = 3;
    cc.ops->loss(&cc, 9);
    SUITE_SAME_INTEGER(cc.ssthresh, 4);
    SUITE_SAME_INTEGER(cc.cwnd, 10); // the recovery's business
    SUITE_SAME_INTEGER(own(&cc)->count, 0);
    cc.ops->loss(&cc, 12);
    SUITE_SAME_INTEGER(cc.ssthresh, 5);
    cc.ops->loss(&cc, 1);
    SUITE_SAME_INTEGER(cc.ssthresh, 2);
}

// 3.1: the threshold is halved for the first time-out of a segment only.
static void test_timeout(void)
{
    struct inet_cc cc = cc_with(16, 0);
    own(&cc)->count = 5;
    cc.ops->timeout(&cc, 12, false);
    SUITE_SAME_INTEGER(cc.ssthresh, 6);
    SUITE_SAME_INTEGER(cc.cwnd, 1);
    own(&cc)->count = 5;
    cc.ops->timeout(&cc, 1, true);
    SUITE_SAME_INTEGER(cc.ssthresh, 6);
    SUITE_SAME_INTEGER(cc.cwnd, 1);
    SUITE_SAME_INTEGER(own(&cc)->count, 0);
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
        own(&cc)->count = 2;
        cc.ops->idle(&cc, 140, pauses[i].idle, 10, pauses[i].restart);
        SUITE_SAME_INTEGER(cc.cwnd, pauses[i].then);
        SUITE_SAME_INTEGER(own(&cc)->count, 0);
        SUITE_SAME_INTEGER(cc.ssthresh, pauses[i].cwnd == 32 ? 24 : 7);
        SUITE_SAME_INTEGER(own(&cc)->full_at, 140);
    }
}

// RFC 2861: a window that was not full for a time-out, by the program's doing.
static void test_unused(void)
{
    struct inet_cc cc = cc_with(20, 8);
    cc.ops->sent(&cc, 105, 6, 10, true); // within the time-out: noted
    SUITE_SAME_INTEGER(cc.cwnd, 20);
    cc.ops->sent(&cc, 110, 4, 10, true);
    SUITE_SAME_INTEGER(cc.cwnd, 13); // halfway to 6
    SUITE_SAME_INTEGER(cc.ssthresh, 15);
    SUITE_SAME_INTEGER(own(&cc)->full_at, 110);
    SUITE_SAME_INTEGER(own(&cc)->used, 0);
    cc.ops->sent(&cc, 120, 0, 10, true);
    SUITE_SAME_INTEGER(cc.cwnd, 7); // halfway to 2
    cc.ops->sent(&cc, 130, 1, 10, false);
    SUITE_SAME_INTEGER(cc.cwnd, 7); // not the program's doing
    SUITE_SAME_INTEGER(own(&cc)->full_at, 130);
    cc.ops->sent(&cc, 135, 7, 10, true); // full
    SUITE_SAME_INTEGER(own(&cc)->full_at, 135);
    cc.ops->sent(&cc, 144, 3, 10, true);
    SUITE_SAME_INTEGER(cc.cwnd, 7); // full nine ticks ago
    struct inet_cc small = cc_with(2, 8);
    small.ops->sent(&small, 110, 0, 10, true);
    SUITE_SAME_INTEGER(small.cwnd, 2); // two are left, and the threshold as it is
    SUITE_SAME_INTEGER(small.ssthresh, 8);
}

// Data that the program does not send for lack of room count as sent for a time-out.
static void test_limited(void)
{
    struct inet_cc cc = cc_with(20, 8);
    cc.ops->sent(&cc, 105, 6, 10, true);
    cc.ops->limited(&cc, 108);
    cc.ops->sent(&cc, 117, 4, 10, true);
    SUITE_SAME_INTEGER(cc.cwnd, 20);
    cc.ops->sent(&cc, 118, 4, 10, true);
    SUITE_SAME_INTEGER(cc.cwnd, 13); // 6 were used, also before
    cc.ops->changed(&cc, 119);
    cc.ops->sent(&cc, 129, 4, 10, true);
    SUITE_SAME_INTEGER(cc.cwnd, 8); // used anew: 4
}

// The same algorithm with windows in bytes: every number is that of segments times their size.
static void test_bytes(void)
{
    enum { MSS = 1448 };
    struct inet_cc cc = cc_with(2, 5), bytes;
    inet_cc_init(&bytes, &inet_cc_rfc2581, MSS, 2 * MSS, 100);
    bytes.ssthresh = 5 * MSS;
    for (int i = 0; i < 40; i++) {
        cc.ops->ack(&cc, 1);
        bytes.ops->ack(&bytes, MSS);
        SUITE_SAME_INTEGER(bytes.cwnd, cc.cwnd * MSS);
    }
    cc.ops->loss(&cc, 6);
    bytes.ops->loss(&bytes, 6 * MSS);
    SUITE_SAME_INTEGER(bytes.ssthresh, cc.ssthresh * MSS);
    cc.ops->sent(&cc, 300, 0, 10, true);
    bytes.ops->sent(&bytes, 300, 0, 10, true);
    SUITE_SAME_INTEGER(cc.cwnd, 6);
    SUITE_SAME_INTEGER(bytes.cwnd, cc.cwnd * MSS);
    cc.ops->timeout(&cc, 1, false);
    bytes.ops->timeout(&bytes, MSS, false);
    SUITE_SAME_INTEGER(bytes.cwnd, MSS);
    SUITE_SAME_INTEGER(bytes.ssthresh, 2 * MSS);
    SUITE_SAME_INTEGER(bytes.ssthresh, cc.ssthresh * MSS);
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

// BSD: the lower bound is that of the sum, and the slop, added after the backoff, does not double.
static void test_slop(void)
{
    struct inet_rtt rtt;
    inet_rtt_init(&rtt, 3000, 30, 64000);
    SUITE_SAME_INTEGER(inet_rtt_timeout(&rtt), 3000);
    rtt.least_of_sum = true;
    rtt.slop = 200;
    inet_rtt_sample(&rtt, 1);
    static const int timeouts[] = {230, 260, 320, 440};
    for (int i = 0; i < 4; i++) {
        rtt.backoff = i;
        SUITE_SAME_INTEGER(inet_rtt_timeout(&rtt), timeouts[i]);
    }
    rtt.backoff = 30;
    SUITE_SAME_INTEGER(inet_rtt_timeout(&rtt), 64000);
    inet_rtt_init(&rtt, 3000, 30, 64000);
    rtt.least_of_sum = true;
    rtt.slop = 200;
    inet_rtt_sample(&rtt, 40);
    SUITE_SAME_INTEGER(inet_rtt_timeout(&rtt), 40 + 80 + 200);
}

// A pause sets the window, and the threshold stays; a program that sends less changes nothing.
static void test_restart(void)
{
    struct inet_cc cc;
    inet_cc_init(&cc, &inet_cc_restart, 1000, 4000, 0);
    for (int i = 0; i < 8; i++)
        cc.ops->ack(&cc, 1000);
    SUITE_SAME_INTEGER(cc.cwnd, 12000);
    cc.ops->sent(&cc, 1000, 0, 10, true);
    SUITE_SAME_INTEGER(cc.cwnd, 12000);
    cc.ops->idle(&cc, 2000, 11, 10, 4000);
    SUITE_SAME_INTEGER(cc.cwnd, 4000);
    SUITE_SAME_INTEGER(cc.ssthresh, INET_CC_INFINITE);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"growth", test_growth},   {"no threshold at first", test_no_threshold_at_first},
        {"loss", test_loss},       {"timeout", test_timeout},
        {"idle", test_idle},       {"unused", test_unused},
        {"limited", test_limited}, {"in bytes", test_bytes},
        {"backoff", test_backoff}, {"slop", test_slop},
        {"restart", test_restart}, {0}};
    return suite_run("inet: congestion control and time-out", cases);
}
