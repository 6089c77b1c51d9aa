// SPDX-License-Identifier: GPL-3.0-or-later
// Congestion control of a path against sequences worked out by hand (RFC 9260, 7.2), per profile.
#include "tests/sctp/sender.h"
#include "tests/support/transition_log.h"

// A SACK has acknowledged `acked` bytes; `flight` are left.
static void acked(struct sender *sender, int64_t bytes, int64_t flight, bool moved, bool allowed)
{
    struct sctp_path *path = &sender->paths[0];
    path->sack.net_ack = bytes;
    path->flight = flight;
    sctp_cc_acked(path, moved, allowed);
    path->flight = 0;
}

static void window(struct sender *sender, int64_t cwnd, int64_t ssthresh)
{
    sender->paths[0].cc.cwnd = cwnd;
    sender->paths[0].cc.ssthresh = ssthresh;
}

#define PARTIAL(sender, expected) SUITE_SAME_INTEGER(sctp_cc_partial(&(sender)->paths[0]), expected)

// 7.2.1: by what was acknowledged, at most a unit, and only while cwnd is used up.
static void slow_start(const char *section, int64_t unit)
{
    struct sender *sender = sender_new(section, 1);
    window(sender, 3 * unit, 6 * unit);
    acked(sender, 100, 3 * unit - 100, true, true);
    WINDOW(sender, 0, 3 * unit + 100, 6 * unit);
    acked(sender, 2 * unit, unit + 100, true, true);
    WINDOW(sender, 0, 4 * unit + 100, 6 * unit);
    acked(sender, 2 * unit, unit, true, true); // a unit and 100 B less than cwnd
    WINDOW(sender, 0, 4 * unit + 100, 6 * unit);
    acked(sender, 2 * unit, 4 * unit, false, true); // cum_tsn stays
    WINDOW(sender, 0, 4 * unit + 100, 6 * unit);
    acked(sender, 2 * unit, 4 * unit, true, false); // fast recovery
    WINDOW(sender, 0, 4 * unit + 100, 6 * unit);
    acked(sender, 0, 9 * unit, true, true);
    WINDOW(sender, 0, 4 * unit + 100, 6 * unit);
    PARTIAL(sender, 0);
    sender_free(sender);
}

static void test_slow_start(void)
{
    slow_start("{}", WIRE);
    slow_start("{profile: s2007}", 1500);
    slow_start("{profile: ns2}", WIRE);
}

// At ssthresh it is slow start still; beyond it a unit for each window that is acknowledged.
static void test_avoidance(void)
{
    struct sender *sender = sender_new("{profile: s2007}", 1);
    window(sender, 6000, 6000);
    acked(sender, 1468, 6000, true, true);
    WINDOW(sender, 0, 7468, 6000);
    acked(sender, 2936, 6000, true, true);
    PARTIAL(sender, 2936);
    acked(sender, 2936, 6000, true, true);
    PARTIAL(sender, 5872);
    WINDOW(sender, 0, 7468, 6000);
    acked(sender, 2936, 6000, true, true); // 8808 - 7468
    PARTIAL(sender, 1340);
    WINDOW(sender, 0, 8968, 6000);
    sctp_cc_all_acked(&sender->paths[0]);
    PARTIAL(sender, 0);
    sender_free(sender);
}

// While cwnd is not used up: the BSD stack counts nothing; RFC 9260 counts up to cwnd, and counts
// what gap blocks acknowledge.
static void test_unused(void)
{
    struct sender *sender = sender_new("{profile: s2007}", 1);
    window(sender, 9000, 6000);
    acked(sender, 3000, 6000, true, true);
    PARTIAL(sender, 3000);
    acked(sender, 3000, 5999, true, true);
    PARTIAL(sender, 3000);
    acked(sender, 3000, 6000, false, true);
    PARTIAL(sender, 3000);
    sender_free(sender);
    sender = sender_new("{}", 1);
    window(sender, 9000, 6000);
    acked(sender, 3000, 6000, false, true);
    PARTIAL(sender, 3000);
    acked(sender, 5000, 3999, true, true);
    PARTIAL(sender, 8000);
    acked(sender, 5000, 3999, true, true);
    PARTIAL(sender, 9000);
    WINDOW(sender, 0, 9000, 6000);
    acked(sender, 100, 8900, true, true); // 9100 - 9000
    PARTIAL(sender, 100);
    WINDOW(sender, 0, 9000 + WIRE, 6000);
    sender_free(sender);
}

// 7.2.3: half of cwnd, but at least 4 units (RFC 9260, ns-2), or 2 (BSD, ns-2 with CMT).
static void cuts(const char *section, int64_t unit, int64_t floor)
{
    struct sender *sender = sender_new(section, 1);
    window(sender, 20 * unit, 1000000);
    sctp_cc_lost(&sender->paths[0]);
    WINDOW(sender, 0, 10 * unit, 10 * unit);
    window(sender, 3 * unit, 1000000);
    sctp_cc_lost(&sender->paths[0]);
    WINDOW(sender, 0, floor * unit, floor * unit);
    window(sender, 20 * unit, unit);
    acked(sender, 5 * unit, 20 * unit, true, true);
    PARTIAL(sender, 5 * unit);
    sctp_cc_timeout(&sender->paths[0]);
    WINDOW(sender, 0, unit, 10 * unit);
    PARTIAL(sender, 0);
    sctp_cc_timeout(&sender->paths[0]);
    WINDOW(sender, 0, unit, floor * unit);
    sender_free(sender);
}

static void test_cuts(void)
{
    cuts("{}", WIRE, 4);
    cuts("{profile: s2007}", 1500, 2);
    cuts("{profile: s2007, cmt: true}", 1500, 2);
    cuts("{profile: ns2, cmt: false, cmt_pf: 0, cmt_dac: false, pba_by_chunk: false}", WIRE, 4);
    cuts("{profile: ns2, pba_by_chunk: false}", WIRE, 2);
}

static void idle(struct sender *sender, int64_t ticks)
{
    struct sctp_path *path = &sender->paths[0];
    path->rto.rto = 1000;
    sctp_cc_idle(path, path->data_sent + ticks);
}

// 7.2.1: halved per RTO down to 4 units; ssthresh remembers the window. It never grows by that.
static void test_idle(void)
{
    struct sender *sender = sender_new("{}", 1);
    window(sender, 20 * WIRE, 1000000);
    idle(sender, 999);
    WINDOW(sender, 0, 20 * WIRE, 1000000);
    idle(sender, 1000);
    WINDOW(sender, 0, 10 * WIRE, 20 * WIRE);
    idle(sender, 2500); // 5, then 4 at least
    WINDOW(sender, 0, 4 * WIRE, 10 * WIRE);
    idle(sender, 9000);
    WINDOW(sender, 0, 4 * WIRE, 10 * WIRE);
    window(sender, WIRE, 10 * WIRE);
    idle(sender, 9000);
    WINDOW(sender, 0, WIRE, 10 * WIRE);
    window(sender, 20 * WIRE, 1000000);
    sender->paths[0].flight = 1;
    idle(sender, 9000);
    WINDOW(sender, 0, 20 * WIRE, 1000000);
    sender->paths[0].flight = 0;
    sender_free(sender);
    sender = sender_new("{profile: s2007}", 1);
    window(sender, 30000, 1000000);
    idle(sender, 9000);
    WINDOW(sender, 0, 30000, 1000000);
    sender_free(sender);
}

// The first threshold of BSD is the peer's first window, also on paths that are confirmed later.
static void test_first_threshold(void)
{
    struct sender *sender = sender_new("{profile: s2007}", 2);
    sctp_out_open(&sender->association, 70000);
    WINDOW(sender, 1, 4380, 70000);
    sctp_cc_init(&sender->paths[1], 0);
    WINDOW(sender, 1, 4380, 70000);
    sender_free(sender);
    sender = sender_new("{profile: s2007, initial_ssthresh: 30000 B}", 1);
    WINDOW(sender, 0, 4380, 30000);
    sender_free(sender);
}

#define STEP(from, to) "node0 sctp congestion[1] " from " -> " to " (path 1)\n"

// The phases in the state log.
static void test_phases(void)
{
    struct transition_log *log = transition_log_new("sctp congestion", true);
    struct sender *sender = sender_traced("{no_delay: true}", 1, 7, &log->sink.trace);
    sender_send(sender, 12, CHUNK);
    sender_wait(sender, 1100 * TIME_MS); // T3: ssthresh 5872, cwnd 1468
    sender_sack(sender, "1");            // 2936
    sender_sack(sender, "3");            // 4404, three in flight
    sender_sack(sender, "6");            // 5872
    sender_sack(sender, "9");            // 7340
    sender_free(sender);
    SUITE_SAME_TEXT(log->text->str, STEP("slow_start", "t3") STEP("t3", "slow_start")
                                        STEP("slow_start", "avoidance"));
    g_string_truncate(log->text, 0);
    sender = sender_traced("{no_delay: true}", 1, 7, &log->sink.trace);
    sender->paths[0].cc.ssthresh = 4404;
    sender_send(sender, 14, CHUNK);
    sender_sack(sender, "2"); // 5872: avoidance
    sender_sack(sender, "2 4");
    sender_sack(sender, "2 4-5");
    sender_sack(sender, "2 4-6"); // 5872: 3 goes again, and 9
    sender_sack(sender, "9");     // 7340
    sender_free(sender);
    SUITE_SAME_TEXT(log->text->str, STEP("slow_start", "avoidance") STEP("avoidance", "recovery")
                                        STEP("recovery", "avoidance"));
    transition_log_free(log);
}

static const struct suite_case cases[] = {
    {"slow start", test_slow_start},
    {"congestion avoidance", test_avoidance},
    {"a window that is not used up", test_unused},
    {"cuts", test_cuts},
    {"idle paths", test_idle},
    {"the first threshold", test_first_threshold},
    {"phases in the state log", test_phases},
    {0},
};

int main(void)
{
    return suite_run("sctp: congestion control of a path", cases);
}
