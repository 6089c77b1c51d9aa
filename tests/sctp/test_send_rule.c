// SPDX-License-Identifier: GPL-3.0-or-later
// Waits of a user's send: the send rule of the BSD stack of 2007, and Nagle's algorithm by either
// rule; and what a path is filled with at once.
#include "tests/sctp/sender.h"

// Without the burst rule, which cuts windows to what is in flight and 4 MTUs.
#define CMT_2007 "{profile: s2007, cmt: true, no_delay: true, burst_rule: none}"
#define NAGLE_2007 "{profile: s2007, no_delay: false}"

// Calls of the user: each queues a message and runs what that makes due.
static void user_sends(struct sender *sender, int count, int64_t bytes)
{
    struct cpu_context context = sender_context(sender);
    for (int i = 0; i < count; i++) {
        sender_put(sender, 0, bytes, false);
        sctp_due(&sender->association, SCTP_DUE_SEND);
        sctp_run_due(&context, &sender->association);
    }
}

static struct sender *wide_sender(const char *text, int paths)
{
    struct sender *sender = sender_new(text, paths);
    for (int i = 0; i < paths; i++)
        sender->paths[i].cc.cwnd = 30000;
    return sender;
}

static void expect_queued(const struct sender *sender, int64_t for_burst, int64_t for_cwnd)
{
    SUITE_SAME_INTEGER(*sender->stack.count.queued_for_burst, for_burst);
    SUITE_SAME_INTEGER(*sender->stack.count.queued_for_cwnd, for_cwnd);
}

// ---- The send rule ----

// 4 MTUs are 6,000 B, of which four chunks take 5,872. Sends feed the first path, SACKs both.
static void test_burst(void)
{
    struct sender *sender = wide_sender(CMT_2007, 2);
    user_sends(sender, 5, CHUNK);
    SENT(sender, "1[1] 1[2] 1[3] 1[4] 1[5]");
    expect_queued(sender, 0, 0);
    user_sends(sender, 4, CHUNK);
    SENT(sender, "");
    expect_queued(sender, 4, 0);
    SUITE_SAME_TEXT(sctp_out_wait(&sender->association)->text,
                    "a SACK, as much is in flight on the primary path (send rule)");
    sender_sack(sender, "1");
    SENT(sender, "1[6] 2[7] 1[8] 2[9]");
    expect_queued(sender, 4, 0);
    sender_free(sender);
}

// The bytes in flight must be above the limit, not at it.
static void test_burst_at_limit(void)
{
    struct sender *sender = wide_sender(CMT_2007, 2);
    user_sends(sender, 5, 1184); // 5 x 1200 = 6000
    SENT(sender, "1[1] 1[2] 1[3] 1[4] 1[5]");
    user_sends(sender, 1, 1184);
    SENT(sender, "1[6]");
    user_sends(sender, 1, 1184);
    SENT(sender, "");
    expect_queued(sender, 1, 0);
    sender_free(sender);
    sender =
        sender_new("{profile: s2007, cmt: true, no_delay: true, burst: 2, burst_rule: none}", 2);
    sender->paths[0].cc.cwnd = 30000;
    user_sends(sender, 4, CHUNK);
    SENT(sender, "1[1] 1[2] 1[3]"); // 2936, then 4404 of 3000
    expect_queued(sender, 1, 0);
    sender_free(sender);
}

// By the window of the primary path, though the other path's has room: with CMT, too.
static void test_cwnd(void)
{
    struct sender *sender = sender_new(CMT_2007, 2);
    WINDOW(sender, 0, 4380, SENDER_RWND);
    user_sends(sender, 3, CHUNK);
    SENT(sender, "1[1] 1[2] 1[3]"); // 4404
    user_sends(sender, 2, CHUNK);
    SENT(sender, "");
    expect_queued(sender, 0, 2);
    sender_sack(sender, "1");
    SENT(sender, "1[4] 2[5]");
    sender_free(sender);
    sender = sender_new(CMT_2007, 2);
    sender->paths[0].cc.cwnd = 3 * WIRE; // in flight is as much as cwnd, no more
    user_sends(sender, 4, CHUNK);
    SENT(sender, "1[1] 1[2] 1[3] 2[4]");
    expect_queued(sender, 0, 0);
    sender_free(sender);
}

// Only what is in flight on the primary path counts.
static void test_other_path(void)
{
    struct sender *sender = wide_sender(CMT_2007, 2);
    sender->paths[0].machine.state = SCTP_PATH_PF;
    user_sends(sender, 8, CHUNK);
    SENT(sender, "2[1] 2[2] 2[3] 2[4] 2[5] 2[6] 2[7] 2[8]");
    expect_queued(sender, 0, 0);
    sender_free(sender);
}

static void test_without_cmt(void)
{
    struct sender *sender = wide_sender("{profile: s2007, no_delay: true, burst_rule: none}", 2);
    user_sends(sender, 7, CHUNK);
    SENT(sender, "1[1] 1[2] 1[3] 1[4] 1[5]");
    expect_queued(sender, 2, 0);
    sender_sack(sender, "1");
    SENT(sender, "1[6] 1[7]");
    sender_free(sender);
    sender = sender_new("{profile: s2007, no_delay: true}", 2);
    user_sends(sender, 4, CHUNK);
    SENT(sender, "1[1] 1[2] 1[3]");
    expect_queued(sender, 0, 1);
    sender_free(sender);
}

static void test_always(void)
{
    struct sender *sender = wide_sender(
        "{profile: s2007, cmt: true, no_delay: true, burst_rule: none, send_rule: always}", 2);
    user_sends(sender, 8, CHUNK);
    SENT(sender, "1[1] 1[2] 1[3] 1[4] 1[5] 1[6] 1[7] 1[8]");
    expect_queued(sender, 0, 0);
    sender_free(sender);
    sender = wide_sender("{no_delay: true}", 1);
    user_sends(sender, 8, CHUNK);
    SENT(sender, "1[1] 1[2] 1[3] 1[4] 1[5] 1[6] 1[7] 1[8]");
    sender_free(sender);
}

// Control chunks need not wait for the data.
static void test_control(void)
{
    struct sender *sender = wide_sender(CMT_2007, 2);
    user_sends(sender, 5, CHUNK);
    sender_take(sender);
    sctp_control_queue(&sender->paths[1], sctp_chunk_new(&sender->stack.pools, SCTP_HEARTBEAT, 0));
    user_sends(sender, 1, CHUNK);
    SENT(sender, "2[HEARTBEAT]");
    sender_free(sender);
}

// A send into a closed window calls output only as a probe; else it is queued for neither reason.
static void test_closed_window(void)
{
    struct sender *sender = sender_new(CMT_2007, 1);
    user_sends(sender, 2, CHUNK);
    sender_sack_of(sender, "1", 0, 0);
    sender_take(sender);
    user_sends(sender, 1, CHUNK);
    SENT(sender, "");
    expect_queued(sender, 0, 0);
    sender_sack_of(sender, "2", 0, 0);
    SENT(sender, "1[3]"); // nothing in flight
    sender_sack_of(sender, "3", 0, 0);
    user_sends(sender, 1, CHUNK);
    SENT(sender, "1[4]");
    sender_free(sender);
}

// ---- Nagle's algorithm ----

// Less than 1,500 - 52 B is held at a send, but not at a SACK.
static void test_nagle_s2007(void)
{
    struct sender *sender = wide_sender(NAGLE_2007, 1);
    user_sends(sender, 1, 100);
    SENT(sender, "1[1]");
    user_sends(sender, 1, 1447);
    SENT(sender, "");
    user_sends(sender, 1, 1);
    SENT(sender, "1[2]"); // of 1448; then 1 is left
    user_sends(sender, 1, 100);
    SENT(sender, "");
    SUITE_SAME_TEXT(sctp_out_wait(&sender->association)->text,
                    "a SACK, as less than a packet waits");
    sender_sack(sender, "1"); // two are in flight
    SENT(sender, "1[3 4]");
    expect_queued(sender, 0, 0);
    sender_free(sender);
}

// Messages that wait have no header, and chunks that are made have two.
static void test_nagle_headers(void)
{
    struct sender *sender = wide_sender(NAGLE_2007, 1);
    user_sends(sender, 15, 100); // 14 wait: 1400
    SENT(sender, "1[1]");
    user_sends(sender, 1, 47);
    SENT(sender, "");
    user_sends(sender, 1, 1); // 1448
    SENT(sender, "1[2 3 4 5 6 7 8 9 10 11 12 13]");
    sender_free(sender);
    sender = wide_sender(NAGLE_2007, 1);
    user_sends(sender, 1, 100);
    sender_put(sender, 0, 1416, false);
    CU_ASSERT(sctp_nagle_holds(&sender->association));
    sctp_stream_cut(&sender->association, &sender->paths[0], WIRE);
    CU_ASSERT(!sctp_nagle_holds(&sender->association)); // 1416 + 32
    sender_free(sender);
    sender = wide_sender("{no_delay: false}", 1);
    user_sends(sender, 1, 100);
    sender_put(sender, 0, CHUNK - 1, false);
    CU_ASSERT(sctp_nagle_holds(&sender->association));
    sctp_stream_cut(&sender->association, &sender->paths[0], WIRE);
    CU_ASSERT(!sctp_nagle_holds(&sender->association)); // with padding
    sender_free(sender);
}

// At 9,000 B a write of the fragmentation point is never held; of two of 8 KiB one is.
static void test_nagle_jumbo(void)
{
    struct sender *sender = wide_sender("{profile: s2007, mtu: 9000 B}", 1);
    user_sends(sender, 2, 8952);
    SENT(sender, "1[1] 1[2]");
    user_sends(sender, 1, 8192);
    SENT(sender, "");
    user_sends(sender, 1, 8192);
    SENT(sender, "1[3]"); // both are made, and 8192 + 32 are left
    sender_sack(sender, "1");
    SENT(sender, "1[4]");
    sender_free(sender);
}

// RFC 9260: all output waits, whatever calls it.
static void test_nagle_rfc(void)
{
    struct sender *sender = wide_sender("{no_delay: false}", 1);
    user_sends(sender, 2, CHUNK);
    SENT(sender, "1[1] 1[2]");
    user_sends(sender, 1, 100);
    sender_sack(sender, "1");
    SENT(sender, "");
    sender_sack(sender, "2");
    SENT(sender, "1[3]");
    sender_free(sender);
}

// ---- Filling ----

static void expect_fill(const char *fill, int64_t bytes, const char *sent)
{
    char *text = g_strdup_printf("{profile: s2007, cmt: true, no_delay: true, fill: %s}", fill);
    struct sender *sender = wide_sender(text, 2);
    sender_send(sender, 6, bytes);
    SENT(sender, sent);
    sender_free(sender);
    g_free(text);
}

// The packet takes chunks until it is full; the last goes into a packet of its own.
static void test_fill(void)
{
    expect_fill("fits", 1000, "1[1] 2[2] 1[3] 2[4] 1[5] 2[6]");
    expect_fill("overshoots", 1000, "1[1] 1[2] 2[3] 2[4] 1[5] 1[6]");
    expect_fill("fits", 700, "1[1 2] 2[3 4] 1[5 6]");
    expect_fill("overshoots", 700, "1[1 2] 1[3] 2[4 5] 2[6]");
    expect_fill("overshoots", CHUNK, "1[1] 2[2] 1[3] 2[4] 1[5] 2[6]"); // full with one
    expect_fill("overshoots", 1436, "1[1] 2[2] 1[3] 2[4] 1[5] 2[6]");  // 1452 are full
    expect_fill("overshoots", 1432, "1[1] 1[2] 2[3] 2[4] 1[5] 1[6]");
}

static const struct suite_case cases[] = {
    {"a burst is in flight", test_burst},
    {"just a burst is", test_burst_at_limit},
    {"cwnd is full", test_cwnd},
    {"the flight of other paths", test_other_path},
    {"without CMT", test_without_cmt},
    {"sends that always call output", test_always},
    {"control chunks", test_control},
    {"a closed window", test_closed_window},
    {"Nagle's algorithm as BSD has it", test_nagle_s2007},
    {"headers that it counts", test_nagle_headers},
    {"writes at 9,000 B", test_nagle_jumbo},
    {"Nagle's algorithm of the RFC", test_nagle_rfc},
    {"what a path is filled with", test_fill},
    {0},
};

int main(void)
{
    return suite_run("sctp: sends", cases);
}
