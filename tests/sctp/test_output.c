// SPDX-License-Identifier: GPL-3.0-or-later
// Packets sent, and when: windows, bundling, Nagle, control chunks, bursts, probes, paths.
#include "tests/sctp/sender.h"
#include "tests/support/allocations.h"
#include "tests/support/timers.h"
#include "tests/support/transition_log.h"

#define PLAIN "{no_delay: true}"

// cwnd is asked before each packet, so that flight passes it by less than one.
static void test_cwnd(void)
{
    struct sender *sender = sender_new(PLAIN, 1);
    WINDOW(sender, 0, 3 * WIRE, 4294967295); // 4404
    sender_send(sender, 10, CHUNK);
    SENT(sender, "1[1] 1[2] 1[3]");
    SUITE_SAME_INTEGER(sender->paths[0].flight, 3 * WIRE);
    SUITE_SAME_INTEGER(sender_out(sender)->flight, 3 * WIRE);
    SUITE_SAME_INTEGER(sender_out(sender)->outstanding, 3);
    CU_ASSERT(sender_timer(sender, 0));
    sender_free(sender);
    sender = sender_new("{profile: s2007, no_delay: true}", 1);
    WINDOW(sender, 0, 4380, SENDER_RWND);
    sender_send(sender, 10, CHUNK);
    SENT(sender, "1[1] 1[2] 1[3]");
    sender_free(sender);
}

// min(4 units, max(2 units, constant)).
static void test_initial_cwnd(void)
{
    struct sender *sender = sender_new("{profile: s2007, mtu: 9000 B, no_delay: true}", 1);
    WINDOW(sender, 0, 18000, SENDER_RWND);
    sender_send(sender, 10, 8952);
    SENT(sender, "1[1] 1[2] 1[3]");
    SUITE_SAME_INTEGER(sender->paths[0].flight, 3 * 8968);
    sender_free(sender);
    sender = sender_new("{mtu: 9000 B}", 1);
    WINDOW(sender, 0, 2 * 8968, 4294967295);
    sender_free(sender);
    sender = sender_new("{mtu: 576 B}", 1);
    WINDOW(sender, 0, 4 * 544, 4294967295);
    sender_free(sender);
    sender = sender_new("{profile: ns2}", 1);
    WINDOW(sender, 0, 4380, 65536);
    sender_free(sender);
}

// A window that is set holds as it is, from one MTU on.
static void test_initial_cwnd_set(void)
{
    struct sender *sender = sender_new("{initial_cwnd: 1500 B, no_delay: true}", 1);
    WINDOW(sender, 0, 1468, 4294967295);
    sender_send(sender, 10, CHUNK);
    SENT(sender, "1[1]");
    sender_free(sender);
    sender = sender_new("{profile: s2007, initial_cwnd: 1 B, no_delay: true}", 1);
    WINDOW(sender, 0, 1500, SENDER_RWND);
    sender_free(sender);
    sender = sender_new("{initial_cwnd: 1501 B}", 1);
    WINDOW(sender, 0, 1501, 4294967295);
    sender_free(sender);
    sender = sender_new("{mtu: 9000 B, initial_cwnd: 100000 B}", 1);
    WINDOW(sender, 0, 100000, 4294967295);
    sender_free(sender);
}

static void test_bundling(void)
{
    struct sender *sender = sender_new(PLAIN, 1);
    for (int i = 0; i < 8; i++)
        sender_put(sender, i, 200, false); // 216 each: six fit into 1468
    sender_output(sender);
    SENT(sender, "1[1 2 3 4 5 6] 1[7 8]");
    sender_free(sender);
    sender = sender_new("{no_delay: true, mtu: 9000 B}", 1);
    for (int i = 0; i < 300; i++)
        sender_put(sender, 0, 1, false);
    sender_output(sender);
    SUITE_SAME_INTEGER(sender->packets, 2); // 256 chunks, and the rest
    SUITE_SAME_INTEGER(sender->largest, IP_HEADER + SCTP_COMMON_HEADER + 256 * 20);
    sender_free(sender);
}

// RFC 1122's rule: while data are in flight, less than a packet waits.
static void test_nagle(void)
{
    struct sender *sender = sender_new("{no_delay: false}", 1);
    sender_send(sender, 1, 100);
    SENT(sender, "1[1]");
    sender_send(sender, 12, 100); // 12 x 116 = 1392
    SENT(sender, "");
    sender_send(sender, 1, 100); // 1508: a packet's worth
    SENT(sender, "1[2 3 4 5 6 7 8 9 10 11 12 13]");
    sender_sack(sender, "12");
    SENT(sender, "");
    sender_sack(sender, "13");
    SENT(sender, "1[14]");
    SUITE_SAME_TEXT(sctp_out_wait(&sender->association) ? "waits" : "", "");
    sender_send(sender, 1, 100);
    SUITE_SAME_TEXT(sctp_out_wait(&sender->association)->text,
                    "a SACK, as less than a packet waits");
    sender_sack(sender, "14");
    SENT(sender, "1[15]");
    sender_send(sender, 1, CHUNK); // just a packet's worth
    SENT(sender, "1[16]");
    sender_free(sender);
}

static void test_control(void)
{
    struct sender *sender = sender_new(PLAIN, 2);
    struct sctp_pools *pools = &sender->stack.pools;
    sctp_control_queue(&sender->paths[0], sctp_chunk_new(pools, SCTP_HEARTBEAT, 0));
    sctp_control_queue(&sender->paths[0], sctp_chunk_new(pools, SCTP_ERROR, 0));
    sctp_control_queue(&sender->paths[1], sctp_chunk_new(pools, SCTP_HEARTBEAT, 0));
    sender_send(sender, 2, 100);
    SENT(sender, "1[HEARTBEAT ERROR 1 2] 2[HEARTBEAT]");
    sender->sack_due = true;
    sender_send(sender, 1, 100);
    SENT(sender, "1[SACK 3]");
    sender->sack_due = true;
    sender_send(sender, 1, CHUNK); // there is no room for both
    SENT(sender, "1[SACK] 1[4]");
    sctp_control_queue(&sender->paths[0], sctp_chunk_new(pools, SCTP_HEARTBEAT, 0));
    sctp_control_queue(&sender->paths[0], sctp_chunk_new(pools, SCTP_INIT, 0));
    sctp_control_queue(&sender->paths[0], sctp_chunk_new(pools, SCTP_ERROR, 0));
    sender_output(sender);
    SENT(sender, "1[HEARTBEAT] 1[INIT] 1[ERROR]");
    sender_free(sender);
}

// In COOKIE-ECHOED only the packet with the COOKIE-ECHO may hold DATA.
static void test_cookie(void)
{
    struct sender *sender = sender_new(PLAIN, 1);
    sender->association.machine.state = SCTP_COOKIE_ECHOED;
    sender_send(sender, 1, 100);
    SENT(sender, "");
    sender->association.echo_waits = true;
    sender->sack_due = true;
    sctp_control_queue(&sender->paths[0],
                       sctp_chunk_new(&sender->stack.pools, SCTP_COOKIE_ECHO, 0));
    sender_send(sender, 3, 1000);
    SENT(sender, "1[COOKIE-ECHO 1 2]");
    sender_output(sender);
    SENT(sender, "");
    sender->association.machine.state = SCTP_ESTABLISHED;
    sender->sack_due = false;
    sender_output(sender);
    SENT(sender, "1[3] 1[4]");
    sender_free(sender);
    sender = sender_new(PLAIN, 1);
    sender->association.machine.state = SCTP_COOKIE_ECHOED;
    sender->association.echo_waits = true;
    sctp_control_queue(&sender->paths[0],
                       sctp_chunk_new(&sender->stack.pools, SCTP_COOKIE_ECHO, 0));
    sender_send(sender, 1, CHUNK); // they do not fit into one packet
    SENT(sender, "1[COOKIE-ECHO]");
    sender->association.machine.state = SCTP_ESTABLISHED;
    sender_output(sender);
    SENT(sender, "1[1]");
    sender_free(sender);
}

static void test_peer_window(void)
{
    struct sender *sender = sender_new(PLAIN, 1);
    sender_send(sender, 10, CHUNK);
    SUITE_SAME_INTEGER(sender_out(sender)->peer_rwnd, SENDER_RWND - 3 * CHUNK);
    sender_take(sender);
    sender_sack_of(sender, "1", 0, 4000); // 4000 - 2 x 1452 = 1096: too little for the next
    SENT(sender, "");
    SUITE_SAME_INTEGER(sender_out(sender)->peer_rwnd, 1096);
    SUITE_SAME_INTEGER(*sender->stack.count.rwnd_blocked, 1);
    sender_wait(sender, 1500 * TIME_NS);
    SUITE_SAME_INTEGER(*sender->stack.count.rwnd_blocked_us, 0); // it is not over
    SUITE_SAME_TEXT(sctp_out_wait(&sender->association)->text,
                    "the window that the receiver offers (rwnd-blocked)");
    sender_sack_of(sender, "1", 0, 5808); // four chunks, two of which are out
    SENT(sender, "1[4] 1[5]");
    SUITE_SAME_INTEGER(*sender->stack.count.rwnd_blocked_us, 1);
    SUITE_SAME_INTEGER(sender_out(sender)->peer_rwnd, 0);
    sender_sack_of(sender, "1", 0, 100000);
    SENT(sender, ""); // cwnd is full
    SUITE_SAME_TEXT(sctp_out_wait(&sender->association)->text, "a SACK, as cwnd is full");
    sender_free(sender);
}

// The BSD stack charges header and 256 B per chunk, and takes less than 1,420 B for nothing.
static void test_peer_window_s2007(void)
{
    struct sender *sender = sender_new("{profile: s2007, no_delay: true}", 1);
    sender_send(sender, 10, CHUNK);
    SUITE_SAME_INTEGER(sender_out(sender)->peer_rwnd, SENDER_RWND - 3 * (WIRE + 256));
    sender_take(sender);
    sender_sack_of(sender, "1", 0, 2 * (WIRE + 256) + 1419);
    SUITE_SAME_INTEGER(sender_out(sender)->peer_rwnd, 0);
    SENT(sender, "");
    sender_sack_of(sender, "1", 0, 2 * (WIRE + 256) + 1420);
    SUITE_SAME_INTEGER(sender_out(sender)->peer_rwnd, 1420); // too little for the next
    SENT(sender, "");
    sender_sack_of(sender, "1", 0, 2 * (WIRE + 256) + WIRE);
    SUITE_SAME_INTEGER(sender_out(sender)->peer_rwnd, 0); // 1468 - 1724
    SENT(sender, "1[4]");
    sender_free(sender);
}

// At 233,016 B the window holds 135 chunks of 1,452 B, or 25 of 8,952 B, and what is left is
// closed.
static void test_blocking_size(void)
{
    struct sender *sender = sender_new("{profile: s2007, no_delay: true, burst_rule: none}", 1);
    sctp_out_open(&sender->association, 233016);
    sender->paths[0].cc.cwnd = 10000000;
    sender_send(sender, 200, CHUNK);
    SUITE_SAME_INTEGER(sender_out(sender)->outstanding, 135);
    sender_free(sender);
    sender = sender_new("{profile: s2007, no_delay: true, burst_rule: none, mtu: 9000 B}", 1);
    sctp_out_open(&sender->association, 233016);
    sender->paths[0].cc.cwnd = 10000000;
    sender_send(sender, 200, 8952);
    SUITE_SAME_INTEGER(sender_out(sender)->outstanding, 25);
    sender_free(sender);
}

#define STEP(from, to) "node0 sctp rwnd[1] " from " -> " to "\n"

// In the state log.
static void test_blocked(void)
{
    struct transition_log *log = transition_log_new("sctp rwnd", false);
    struct sender *sender = sender_traced(PLAIN, 1, 1000, &log->sink.trace);
    sender_send(sender, 10, CHUNK);
    sender_sack_of(sender, "1", 0, 3000);
    sender_sack_of(sender, "1", 0, 4000);
    sender_sack_of(sender, "1", 0, 100000);
    sender_sack_of(sender, "3", 0, 0);
    sender_sack_of(sender, "5", 0, 0); // nothing in flight: a probe goes
    sender_free(sender);
    sender = sender_new(PLAIN, 1); // nothing waits: nothing is blocked
    sender_send(sender, 2, CHUNK);
    sender_sack_of(sender, "1", 0, 0);
    SUITE_SAME_INTEGER(*sender->stack.count.rwnd_blocked, 0);
    CU_ASSERT_PTR_NULL(sctp_out_wait(&sender->association));
    sender_free(sender);
    SUITE_SAME_TEXT(log->text->str, STEP("open", "rwnd_blocked") STEP("rwnd_blocked", "open")
                                        STEP("open", "rwnd_blocked"));
    transition_log_free(log);
}

// RFC 9260, 6.1 A: one chunk may always be in flight.
static void test_probe(void)
{
    struct sender *sender = sender_new(PLAIN, 1);
    sender_send(sender, 6, CHUNK);
    sender_take(sender);
    sender_sack_of(sender, "3", 0, 0);
    SENT(sender, "1[4]");
    CU_ASSERT(sender_out(sender)->probing);
    SUITE_SAME_INTEGER(*sender->stack.count.window_probes, 1);
    // Without an answer the association counts an error, the path does not, and cwnd stays.
    int64_t cwnd = sender->paths[0].cc.cwnd;
    sender_wait(sender, 1100 * TIME_MS);
    SENT(sender, "1[4]");
    SUITE_SAME_INTEGER(sender->paths[0].cc.cwnd, cwnd);
    SUITE_SAME_INTEGER(sender->paths[0].errors, 0);
    SUITE_SAME_INTEGER(sender->association.errors, 1);
    expect_timer(sender->sim, "sctp time-outs: window probe", 1, "T3-rtx (window probe)");
    sender_sack_of(sender, "4", 0, 0);
    SENT(sender, "1[5]");
    sender_sack_of(sender, "5", 0, 1000000);
    SENT(sender, "1[6]");
    CU_ASSERT(!sender_out(sender)->probing);
    sender_free(sender);
}

// The BSD stack sends the probe again once the window opens.
static void test_probe_again(void)
{
    struct sender *sender = sender_new("{profile: s2007, no_delay: true}", 1);
    sender_send(sender, 6, CHUNK);
    sender_take(sender);
    sender_sack_of(sender, "3", 0, 0);
    SENT(sender, "1[4]");
    sender_sack_of(sender, "3", 0, 100000);
    SENT(sender, "1[4] 1[5] 1[6]");
    sender_free(sender);
    sender = sender_new(PLAIN, 1);
    sender_send(sender, 6, CHUNK);
    sender_take(sender);
    sender_sack_of(sender, "3", 0, 0);
    sender_sack_of(sender, "3", 0, 100000);
    SENT(sender, "1[4] 1[5] 1[6]");
    sender_free(sender);
}

static void test_one_path_without_cmt(void)
{
    struct sender *sender = sender_new(PLAIN, 2);
    sender_send(sender, 5, CHUNK);
    SENT(sender, "1[1] 1[2] 1[3]");
    CU_ASSERT(!sender_timer(sender, 1));
    sender_free(sender);
}

// The BSD stack begins each round at the head of the list; ns-2 fills one window after the other.
static void test_schedulers(void)
{
    struct sender *sender = sender_new("{profile: s2007, cmt: true, no_delay: true}", 2);
    sender_send(sender, 10, CHUNK);
    SENT(sender, "1[1] 2[2] 1[3] 2[4] 1[5] 2[6]");
    sender_free(sender);
    sender = sender_new("{profile: s2007, cmt: true, no_delay: true}", 2);
    for (int i = 0; i < 6; i++)
        sender_send(sender, 1, 1000);
    SENT(sender, "1[1] 1[2] 1[3] 1[4] 1[5] 2[6]"); // 1016 each: the fifth fills 4380
    sender_free(sender);
    sender = sender_new("{profile: ns2}", 2);
    sender_send(sender, 10, CHUNK);
    SENT(sender, "1[1] 1[2] 1[3] 2[4] 2[5] 2[6]");
    sender_free(sender);
}

// A path whose card has no room is passed over, unless nothing is in flight at all.
static void test_full_card(void)
{
    struct sender *sender = sender_new("{profile: s2007, cmt: true, no_delay: true}", 2);
    sender->full[0] = true;
    sender_send(sender, 10, CHUNK);
    SENT(sender, "1[1] 2[2] 2[3] 2[4]");
    sender->full[0] = false;
    sender_output(sender);
    SENT(sender, "1[5] 1[6]");
    sender_free(sender);
}

// A path that is not ACTIVE gets nothing new, and what was made for it goes elsewhere.
static void test_redirect(void)
{
    struct sender *sender = sender_new("{profile: s2007, cmt: true, no_delay: true}", 2);
    sender_put(sender, 0, CHUNK, false);
    sctp_stream_cut(&sender->association, &sender->paths[1], WIRE);
    sender->paths[1].machine.state = SCTP_PATH_PF;
    sender_send(sender, 5, CHUNK);
    SENT(sender, "1[1] 1[2] 1[3]");
    sender_free(sender);
}

static void test_bursts(void)
{
    struct sender *sender = sender_new(PLAIN, 1);
    sender->paths[0].cc.cwnd = 20 * WIRE;
    sender_send(sender, 10, CHUNK);
    SENT(sender, "1[1] 1[2] 1[3] 1[4]"); // RFC 9260: of this output only
    WINDOW(sender, 0, 20 * WIRE, 4294967295);
    sender_output(sender);
    SENT(sender, "1[5] 1[6] 1[7] 1[8]");
    sender_free(sender);

    sender = sender_new("{profile: s2007, no_delay: true}", 1);
    sender->paths[0].cc.cwnd = 30000;
    sender->paths[0].cc.ssthresh = 10000;
    sender_send(sender, 10, CHUNK);
    SENT(sender, "1[1] 1[2] 1[3] 1[4] 1[5]"); // flight was 5872 < 6000
    WINDOW(sender, 0, 6000, 30000);
    sender_free(sender);

    sender = sender_new("{profile: ns2}", 1);
    sender->paths[0].cc.cwnd = 20 * WIRE;
    sender_send(sender, 6, CHUNK);
    SENT(sender, "1[1] 1[2] 1[3] 1[4] 1[5] 1[6]");
    sender->association.out.fast_acked = true;
    sender_send(sender, 6, CHUNK);
    SENT(sender, "1[7] 1[8] 1[9] 1[10]");
    sender_output(sender);
    SENT(sender, "1[11] 1[12]");
    sender_free(sender);
}

static void test_timer_starts(void)
{
    struct sender *sender = sender_new(PLAIN, 1);
    CU_ASSERT(!sender_timer(sender, 0));
    sender_send(sender, 1, 100);
    SUITE_SAME_INTEGER(sender->paths[0].t3->expires, 1000);
    sender_wait(sender, 300 * TIME_MS);
    sender_send(sender, 1, 100); // it runs already
    SUITE_SAME_INTEGER(sender->paths[0].t3->expires, 1000);
    sender_free(sender);
}

// Ten chunks leave, the second is lost, and is sent again by fast retransmit.
static void lossy_round(struct sender *sender, uint32_t done)
{
    char text[64];
    sender_send(sender, 8, CHUNK);
    for (uint32_t last = 4; last <= 6; last++) {
        snprintf(text, sizeof(text), "%u %u-%u", done + 1, done + 3, done + last);
        sender_sack(sender, text);
    }
    snprintf(text, sizeof(text), "%u", done + 8);
    sender_sack(sender, text);
    sender_take(sender);
}

static void test_memory(void)
{
    struct sender *sender = sender_new("{no_delay: true, burst_rule: none}", 1);
    sender->paths[0].cc.cwnd = 20 * WIRE;
    sender->paths[0].cc.ssthresh = 20 * WIRE;
    sender->quiet = true;
    uint32_t done = 0;
    for (; done < 80; done += 8)
        lossy_round(sender, done);
    uint64_t before = allocations.count;
    for (; done < 800; done += 8)
        lossy_round(sender, done);
    SUITE_SAME_INTEGER(allocations.count - before, 0);
    SUITE_SAME_INTEGER(*sender->stack.count.fast_retransmits, 100);
    SUITE_SAME_INTEGER(sender_out(sender)->room, 8);
    CU_ASSERT(sctp_out_empty(&sender->association));
    sender_free(sender);
}

static const struct suite_case cases[] = {
    {"cwnd is asked before each packet", test_cwnd},
    {"the first window", test_initial_cwnd},
    {"a first window that is set", test_initial_cwnd_set},
    {"bundling", test_bundling},
    {"Nagle's algorithm", test_nagle},
    {"control chunks and SACKs ride in front", test_control},
    {"DATA with COOKIE-ECHO", test_cookie},
    {"the peer's window", test_peer_window},
    {"the peer's window as BSD counts it", test_peer_window_s2007},
    {"what a buffer of 233,016 B holds", test_blocking_size},
    {"blocking in the state log", test_blocked},
    {"window probe", test_probe},
    {"a probe again", test_probe_again},
    {"without CMT one path", test_one_path_without_cmt},
    {"schedulers", test_schedulers},
    {"a full card", test_full_card},
    {"a path that failed meanwhile", test_redirect},
    {"bursts", test_bursts},
    {"T3-rtx starts with the first packet", test_timer_starts},
    {"nothing is allocated once it is warm", test_memory},
    {0},
};

int main(void)
{
    return suite_run("sctp: output", cases);
}
