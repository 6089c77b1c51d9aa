// SPDX-License-Identifier: GPL-3.0-or-later
// Congestion window update of CMT (Iyengar, Amer, Stewart 2006): a path's window grows when its own
// earliest outstanding chunk is acknowledged, though the association's cum_tsn stays.
#include "tests/sctp/sender.h"

#define CMT(cuc)                                                                                   \
    "{profile: s2007, cmt: true, no_delay: true, burst_rule: none, cmt_policy: same, "             \
    "cmt_cuc: " cuc "}"

static const char *const all[] = {CMT("off"), CMT("v1"), CMT("v2")};

// Three chunks fill each path's 4,380 B; odd ones are on path 1, which is silent.
static struct sender *flying(const char *section)
{
    struct sender *sender = sender_new(section, 2);
    sender_send(sender, 20, CHUNK);
    SENT(sender, "1[1] 2[2] 1[3] 2[4] 1[5] 2[6]");
    return sender;
}

static void test_pseudo_cum_ack(void)
{
    for (int i = 0; i < 3; i++) {
        struct sender *sender = flying(all[i]);
        int64_t step = i == SCTP_CUC_OFF ? 0 : WIRE;
        sender_sack(sender, "0 2");
        WINDOW(sender, 1, 4380 + step, SENDER_RWND);
        WINDOW(sender, 0, 4380, SENDER_RWND);
        SENT(sender, i == SCTP_CUC_OFF ? "2[7]" : "2[7] 2[8]");
        sender_sack(sender, "0 2 6"); // 4 is what path 2 waits for
        WINDOW(sender, 1, 4380 + step, SENDER_RWND);
        sender_sack(sender, "0 2 4 6");
        WINDOW(sender, 1, 4380 + 2 * step, SENDER_RWND);
        sender_free(sender);
    }
}

// Whatever the switch, cum_tsn lets the windows grow: here both paths' are used up.
static void test_cum_tsn(void)
{
    for (int i = 0; i < 3; i++) {
        struct sender *sender = flying(all[i]);
        sender_sack(sender, "2");
        WINDOW(sender, 0, 4380 + WIRE, SENDER_RWND);
        WINDOW(sender, 1, 4380 + WIRE, SENDER_RWND);
        CU_ASSERT(sender->paths[0].cmt.find_pseudo && sender->paths[0].cmt.find_rtx);
        sender_free(sender);
    }
}

// One path: 1 is lost, is sent again, and stays out. v2 tracks what was sent once apart from that;
// v1 waits for 1.
static void test_retransmission_stays_out(void)
{
    static const int64_t expected[] = {3000, 3000, 3000 + WIRE};
    for (int i = 0; i < 3; i++) {
        struct sender *sender = sender_new(all[i], 1);
        sender_send(sender, 20, CHUNK);
        sender_sack(sender, "0 2");
        sender_sack(sender, "0 2-3");
        sender_sack(sender, "0 2-4");
        SENT(sender, "1[1] 1[2] 1[3] 1[4] 1[5] 1[1] 1[6]");
        WINDOW(sender, 0, 3000, 3000);
        SUITE_SAME_INTEGER(sender->paths[0].flight, 3 * WIRE);
        sender_sack(sender, "0 2-5");
        WINDOW(sender, 0, expected[i], 3000);
        sender_free(sender);
    }
}

// A retransmission that arrives above cum_tsn: v2's second tracker, v1's only one.
static void test_retransmission_arrives(void)
{
    for (int i = 1; i < 3; i++) {
        struct sender *sender = flying(all[i]);
        sender_sack(sender, "0 4");
        sender_sack(sender, "0 4 6");
        SENT(sender, "2[7] 2[8]");
        sender_sack(sender, "0 4 6-7");
        SENT(sender, "2[2] 2[9]"); // cwnd is 3000: 8 is out, 2 and 9 leave
        WINDOW(sender, 1, 3000, 3000);
        sender_sack(sender, "0 2 4 6-7");
        WINDOW(sender, 1, 3000 + WIRE, 3000);
        sender_free(sender);
    }
}

// T3-rtx lets both trackers search for the next chunk.
static void test_t3(void)
{
    struct sender *sender = flying(CMT("v2"));
    sender_sack(sender, "0 4");
    CU_ASSERT(!sender->paths[1].cmt.find_pseudo);
    SUITE_SAME_INTEGER(sender->paths[1].cmt.pseudo_cumack, sender->first + 1);
    sender_wait(sender, 3100 * TIME_MS);
    CU_ASSERT(sender->paths[1].cmt.find_pseudo && sender->paths[1].cmt.find_rtx);
    sender_free(sender);
}

static const struct suite_case cases[] = {
    {"pseudo-cum-ack", test_pseudo_cum_ack},
    {"cum_tsn", test_cum_tsn},
    {"a retransmission stays out", test_retransmission_stays_out},
    {"a retransmission arrives", test_retransmission_arrives},
    {"T3-rtx", test_t3},
    {0},
};

int main(void)
{
    return suite_run("sctp: congestion window update", cases);
}
