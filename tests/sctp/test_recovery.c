// SPDX-License-Identifier: GPL-3.0-or-later
// Missing reports, fast retransmit and T3-rtx against sequences of SACKs worked out by hand from
// RFC 9260, 6.3.3 and 7.2.4, and from what the BSD stack of 2007 does otherwise.
#include "tests/sctp/sender.h"

#define RFC "{no_delay: true, burst_rule: none}"
#define BSD "{profile: s2007, no_delay: true, burst_rule: none}"
#define CMT "{profile: s2007, cmt: true, no_delay: true, burst_rule: none}"

// `count` chunks are in flight, and cwnd has just room for them.
static struct sender *flying(const char *section, int paths, int64_t cwnd, int count)
{
    struct sender *sender = sender_new(section, paths);
    for (int i = 0; i < paths; i++)
        sender->paths[i].cc.cwnd = cwnd;
    sender_send(sender, count, CHUNK);
    SUITE_SAME_INTEGER(sender_out(sender)->outstanding, count);
    sender_take(sender);
    return sender;
}

static void missing(struct sender *sender, uint32_t tsn, int expected)
{
    SUITE_SAME_INTEGER(sender_chunk(sender, tsn)->missing, expected);
}

// ---- Fast retransmit ----

static void test_third_report(void)
{
    struct sender *sender = flying(RFC, 1, 10 * WIRE, 10);
    sender_sack(sender, "1");
    WINDOW(sender, 0, 11 * WIRE, 4294967295);
    sender_sack(sender, "1 3");
    sender_sack(sender, "1 3-4");
    missing(sender, 2, 2);
    SENT(sender, "");
    sender_sack(sender, "1 3-5");
    SENT(sender, "1[2]");
    WINDOW(sender, 0, 8074, 8074); // 11 * 1468 / 2
    SUITE_SAME_INTEGER(*sender->stack.count.fast_retransmits, 1);
    SUITE_SAME_INTEGER(*sender->stack.count.retransmissions, 1);
    SUITE_SAME_INTEGER(sender->paths[0].flight, 6 * WIRE); // 6 to 10, and 2
    SUITE_SAME_INTEGER(sender_out(sender)->recover, sender->first + 9);
    sender_sack(sender, "1 3-6");
    missing(sender, 2, 0); // only T3-rtx sends it again
    sender_sack(sender, "10");
    CU_ASSERT(!sender_out(sender)->recovering);
    WINDOW(sender, 0, 8074, 8074); // 7340 in flight: not used up
    sender_free(sender);
}

// Highest TSN newly acknowledged: a chunk is not missing because of what arrived before it.
static void test_htna(void)
{
    struct sender *sender = flying(RFC, 1, 10 * WIRE, 10);
    sender_sack(sender, "0 2 5");
    missing(sender, 1, 1);
    missing(sender, 3, 1);
    missing(sender, 4, 1);
    sender_sack(sender, "0 2-3 5");
    missing(sender, 1, 2);
    missing(sender, 4, 1);
    sender_sack(sender, "0 2-3 5"); // nothing new
    missing(sender, 1, 2);
    sender_sack(sender, "0 2-3 5-6");
    missing(sender, 4, 2);
    SENT(sender, "1[1]");
    sender_free(sender);
}

// In fast recovery a SACK that moves cum_tsn reports all that it leaves out.
static void test_in_recovery(void)
{
    struct sender *sender = flying(RFC, 1, 10 * WIRE, 10);
    sender_sack(sender, "0 2 4");
    sender_sack(sender, "2 4"); // not in recovery
    missing(sender, 3, 1);
    sender_free(sender);
    sender = flying(RFC, 1, 10 * WIRE, 10);
    sender_sack(sender, "1 3");
    sender_sack(sender, "1 3-4");
    sender_sack(sender, "1 3-5");
    SENT(sender, "1[2]");
    sender_sack(sender, "1 3-8 10");
    missing(sender, 9, 1);
    sender_sack(sender, "8 10"); // what is newly acknowledged is 2
    missing(sender, 9, 2);
    sender_free(sender);
}

// One cut per recovery, in which no window grows.
static void test_one_cut(void)
{
    struct sender *sender = flying(RFC, 1, 20 * WIRE, 20);
    sender_sack(sender, "0 2-4");
    sender_sack(sender, "0 2-5");
    sender_sack(sender, "0 2-6");
    WINDOW(sender, 0, 10 * WIRE, 10 * WIRE);
    sender_sack(sender, "6 8");
    sender_sack(sender, "6 8-9");
    sender_sack(sender, "6 8-10");
    SUITE_SAME_INTEGER(*sender->stack.count.fast_retransmits, 2);
    WINDOW(sender, 0, 10 * WIRE, 10 * WIRE);
    sender_sack(sender, "19");
    CU_ASSERT(sender_out(sender)->recovering);
    sender_sack(sender, "20");
    CU_ASSERT(!sender_out(sender)->recovering);
    sender_free(sender);
}

// CMT in the BSD stack cuts at each SACK that marks a chunk; by path once per recovery of the path.
static void test_cut_rules(void)
{
    static const struct {
        const char *rule;
        int64_t cwnd;
    } rules[] = {{"none", 7500}, {"path", 15000}, {"association", 15000}};
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        char *section = g_strdup_printf(
            "{profile: s2007, cmt: true, no_delay: true, burst_rule: none, cmt_recovery: %s}",
            rules[i].rule);
        struct sender *sender = flying(section, 1, 30000, 20);
        sender_sack(sender, "0 2-4");
        sender_sack(sender, "0 2-5");
        sender_sack(sender, "0 2-6");
        WINDOW(sender, 0, 15000, 15000);
        sender_sack(sender, "0 2-6 8");
        sender_sack(sender, "0 2-6 8-9");
        sender_sack(sender, "0 2-6 8-10");
        SUITE_SAME_INTEGER(*sender->stack.count.fast_retransmits, 2);
        WINDOW(sender, 0, rules[i].cwnd, rules[i].cwnd);
        sender_free(sender);
        g_free(section);
    }
}

// The BSD stack without CMT: again once something newer than the retransmission has arrived.
static void test_again(void)
{
    struct sender *sender = flying(BSD, 1, 15000, 10);
    sender_sack(sender, "1 3");
    sender_sack(sender, "1 3-4");
    sender_sack(sender, "1 3-5");
    SENT(sender, "1[2]");
    WINDOW(sender, 0, 7500, 7500);
    SUITE_SAME_INTEGER(sender_chunk(sender, 2)->newer, sender->first + 10);
    sender_sack(sender, "1 3-9");
    sender_send(sender, 3, CHUNK);
    SENT(sender, "1[11] 1[12] 1[13]");
    sender_sack(sender, "1 3-10");
    missing(sender, 2, 0);
    sender_sack(sender, "1 3-11");
    sender_sack(sender, "1 3-12");
    missing(sender, 2, 2);
    sender_sack(sender, "1 3-13");
    SENT(sender, "1[2]");
    SUITE_SAME_INTEGER(sender_chunk(sender, 2)->transmissions, 3);
    WINDOW(sender, 0, 7500, 7500); // the recovery goes on
    sender_free(sender);
}

// RFC 9260: the first packet need not wait for cwnd. BSD: Max.Burst of them in each output.
static void test_without_room(void)
{
    struct sender *sender = flying(RFC, 1, 20 * WIRE, 20);
    sender_sack(sender, "1");
    sender_sack(sender, "1 6");
    sender_sack(sender, "1 6-7");
    sender_sack(sender, "1 6-8");
    WINDOW(sender, 0, 15414, 15414);
    SENT(sender, "1[2]"); // 12 chunks are in flight, 17616 B
    sender_sack(sender, "1 6-11");
    SENT(sender, "1[3]"); // 10 are
    sender_free(sender);
    sender = flying(BSD, 1, 30000, 20);
    sender_sack(sender, "1 7");
    sender_sack(sender, "1 7-8");
    sender_sack(sender, "1 7-9");
    WINDOW(sender, 0, 15000, 15000);
    SENT(sender, "1[2] 1[3] 1[4] 1[5]"); // 11 chunks are in flight
    sender_sack(sender, "1 7-9");
    SENT(sender, "1[6]");
    sender_free(sender);
}

// 7.2.4: T3-rtx starts anew if the earliest outstanding chunk of the path goes out.
static void test_timer(void)
{
    struct sender *sender = flying(RFC, 1, 20 * WIRE, 20);
    sender_wait(sender, 400 * TIME_MS);
    sender_sack(sender, "0 2 4-6");
    sender_sack(sender, "0 2 4-7");
    missing(sender, 3, 2);
    SUITE_SAME_INTEGER(sender->paths[0].t3->expires, 1000);
    sender_sack(sender, "0 2 4-8");
    SENT(sender, "1[1]"); // 3 is marked, too, but 13 chunks are in flight
    SUITE_SAME_INTEGER(sender->paths[0].t3->expires, 1400);
    sender_wait(sender, 100 * TIME_MS);
    sender_sack(sender, "0 2 4-12");
    SENT(sender, "1[3]");
    SUITE_SAME_INTEGER(sender->paths[0].t3->expires, 1400);
    sender_free(sender);
}

// The BSD stack starts it anew with each cut.
static void test_timer_s2007(void)
{
    struct sender *sender = flying(CMT, 1, 30000, 20);
    sender_sack(sender, "0 2-4");
    sender_sack(sender, "0 2-5");
    sender_wait(sender, 400 * TIME_MS);
    sender_sack(sender, "0 2-6");
    SUITE_SAME_INTEGER(sender->paths[0].t3->expires, 3400);
    sender_sack(sender, "0 2-6 8");
    sender_sack(sender, "0 2-6 8-9");
    sender_chunk(sender, 7)->missing = 2;
    sender_wait(sender, 100 * TIME_MS);
    sender->paths[0].cmt.find_pseudo = false; // no pseudo-cum-ack starts it
    sender->paths[0].cmt.pseudo_cumack = sender->first;
    sender_sack(sender, "0 2-6 8-10");
    SUITE_SAME_INTEGER(*sender->stack.count.fast_retransmits, 2);
    SUITE_SAME_INTEGER(sender->paths[0].t3->expires, 3500);
    CU_ASSERT(sender->paths[0].cmt.loss_rate > 0);
    sender_free(sender);
}

// A SACK that is due does not fit next to a full chunk.
static void test_with_sack(void)
{
    struct sender *sender = flying(RFC, 1, 10 * WIRE, 10);
    sender_sack(sender, "0 2");
    sender_sack(sender, "0 2-3");
    sender->sack_due = true;
    sender_sack(sender, "0 2-4");
    SENT(sender, "1[SACK] 1[1]");
    sender_free(sender);
}

// No new data while any wait to be sent again; small chunks share packets.
static void test_before_new_data(void)
{
    struct sender *sender = sender_new(RFC, 1);
    for (int i = 0; i < 9; i++)
        sender_send(sender, 1, 400); // 416 each
    sender_take(sender);
    sender_sack(sender, "0 5");
    sender_sack(sender, "0 5-6");
    sender_put(sender, 0, CHUNK, false);
    sender_sack(sender, "0 5-7");
    SENT(sender, "1[1 2 3] 1[4] 1[10]");
    sender_free(sender);
}

// With less than an MTU of window the BSD stack sends only the chunk after cum_tsn again.
static void test_closed_window(void)
{
    struct sender *sender = flying(BSD, 1, 30000, 10);
    for (int i = 6; i <= 8; i++) {
        char *sack = g_strdup_printf("1 6-%d", i);
        sender_sack_of(sender, sack, 0, 0);
        g_free(sack);
    }
    SENT(sender, "1[2]");
    sender_sack_of(sender, "2 6-8", 0, 0);
    SENT(sender, "1[3]");
    sender_sack_of(sender, "3 6-8", 0, 100000);
    SENT(sender, "1[4] 1[5]");
    sender_free(sender);
}

// ---- T3-rtx ----

static void test_t3(void)
{
    struct sender *sender = sender_new(RFC, 1);
    sender_send(sender, 5, CHUNK);
    SENT(sender, "1[1] 1[2] 1[3]");
    sender_wait(sender, 1100 * TIME_MS);
    SENT(sender, "1[1]"); // one packet only
    WINDOW(sender, 0, WIRE, 4 * WIRE);
    SUITE_SAME_INTEGER(sender->paths[0].errors, 1);
    SUITE_SAME_INTEGER(sender->association.errors, 1);
    SUITE_SAME_INTEGER(sender->paths[0].rto.rto, 2000);
    SUITE_SAME_INTEGER(sender->paths[0].t3->expires, 3000);
    SUITE_SAME_INTEGER(sender_out(sender)->resend, 2);
    SUITE_SAME_INTEGER(*sender->stack.count.timeouts, 1);
    CU_ASSERT(sender->paths[0].cmt.loss_rate > 0);
    SUITE_SAME_INTEGER(sender->paths[0].chunks_sent, 4);
    SUITE_SAME_INTEGER(sender->paths[0].bytes_sent, 4 * CHUNK);
    SUITE_SAME_TEXT(sctp_out_wait(&sender->association)->text, "T3 of path 1");
    sender_sack(sender, "1");
    SENT(sender, "1[2] 1[3]");
    WINDOW(sender, 0, 2 * WIRE, 4 * WIRE);
    sender_sack(sender, "3");
    SENT(sender, "1[4] 1[5]");
    sender_free(sender);
}

static void test_t3_bundles(void)
{
    struct sender *sender = sender_new(RFC, 1);
    for (int i = 0; i < 5; i++)
        sender_send(sender, 1, 400);
    sender_take(sender);
    sender_wait(sender, 1100 * TIME_MS);
    SENT(sender, "1[1 2 3]");
    sender_free(sender);
}

// The BSD stack leaves what was sent less than a measured time-out ago: here (200 + 100) / 2 ms.
static void test_t3_young(void)
{
    struct sender *sender = sender_new(BSD, 1);
    sender->paths[0].rto = (struct sctp_rto){.sa = 800, .sv = 100, .rto = 1000, .measured = true};
    sender->paths[0].cc.cwnd = 6000;
    sender_send(sender, 2, CHUNK);
    sender_wait(sender, 800 * TIME_MS);
    sender_send(sender, 1, CHUNK);
    sender_wait(sender, 100 * TIME_MS);
    sender_send(sender, 1, CHUNK);
    sender_take(sender);
    sender_wait(sender, 150 * TIME_MS);
    SENT(sender, "1[1]");
    SUITE_SAME_INTEGER(sender_out(sender)->resend, 2);
    SUITE_SAME_INTEGER(sender_chunk(sender, 3)->state, SCTP_RESEND);
    SUITE_SAME_INTEGER(sender_chunk(sender, 4)->state, SCTP_SENT);
    WINDOW(sender, 0, 1500, 3000);
    sender_free(sender);
    sender = sender_new(BSD, 1); // nothing is old enough: nothing is cut
    sender->paths[0].rto = (struct sctp_rto){.sa = 800, .sv = 100, .rto = 1000, .measured = true};
    sender_send(sender, 1, CHUNK);
    sender_chunk(sender, 1)->sent_at = 900;
    sender_take(sender);
    sender_wait(sender, 1050 * TIME_MS);
    SENT(sender, "");
    WINDOW(sender, 0, 4380, SENDER_RWND);
    SUITE_SAME_INTEGER(sender->paths[0].t3->expires, 3000);
    sender_free(sender);
}

static void test_t3_alternate(void)
{
    struct sender *sender = sender_new(RFC, 2);
    sender_send(sender, 3, CHUNK);
    sender_take(sender);
    sender_wait(sender, 1100 * TIME_MS);
    SENT(sender, "2[1]");
    CU_ASSERT(!sender_timer(sender, 0));
    CU_ASSERT(sender_timer(sender, 1));
    WINDOW(sender, 0, WIRE, 4 * WIRE);
    WINDOW(sender, 1, 3 * WIRE, 4294967295);
    sender_sack(sender, "1");
    SENT(sender, "2[2] 2[3]");
    sender_sack(sender, "3");
    sender_send(sender, 1, CHUNK);
    SENT(sender, "1[4]"); // the primary is ACTIVE still
    sender_free(sender);
    sender = flying(RFC, 2, 20 * WIRE, 0); // what waits already goes along
    sender->paths[1].cc.cwnd = 4404;
    sender_send(sender, 20, CHUNK);
    sender_sack(sender, "0 4-6");
    sender_sack(sender, "0 4-7");
    sender_sack(sender, "0 4-8");
    SUITE_SAME_INTEGER(sender_out(sender)->resend, 2);
    sender_take(sender);
    sender_wait(sender, 1100 * TIME_MS);
    SENT(sender, "2[1]");
    CU_ASSERT_PTR_EQUAL(sender_chunk(sender, 2)->path, &sender->paths[1]);
    CU_ASSERT_PTR_EQUAL(sender_chunk(sender, 20)->path, &sender->paths[1]);
    CU_ASSERT(!sender_chunk(sender, 2)->fast_retransmit);
    sender_free(sender);
    sender = sender_new("{no_delay: true, t3_to_alternate: false}", 2);
    sender_send(sender, 1, CHUNK);
    sender_wait(sender, 1100 * TIME_MS);
    SENT(sender, "1[1] 1[1]");
    sender_free(sender);
}

// The BSD stack's quirk: the policy reads the window of the failed path before it is cut.
static void test_t3_policy(void)
{
    static const struct {
        const char *before, *sent;
    } rules[] = {{"true", "1[1]"}, {"false", "2[1]"}};
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        char *section = g_strdup_printf("{profile: s2007, cmt: true, no_delay: true, burst_rule: "
                                        "none, cmt_policy_before_cut: %s}",
                                        rules[i].before);
        struct sender *sender = sender_new(section, 2);
        sender->paths[0].cc.cwnd = 60000;
        sender_send(sender, 2, CHUNK);
        SENT(sender, "1[1] 2[2]");
        sender_sack(sender, "0 2");
        sender_wait(sender, 3100 * TIME_MS);
        SENT(sender, rules[i].sent);
        CU_ASSERT(sender_chunk(sender, 1)->no_fast);
        CU_ASSERT(sender->paths[0].cmt.find_pseudo);
        sender_free(sender);
        g_free(section);
    }
}

static void test_t3_pf(void)
{
    struct sender *sender =
        sender_new("{profile: s2007, cmt: true, no_delay: true, burst_rule: none, cmt_pf: 1}", 2);
    sender->paths[0].cc.cwnd = 60000;
    sender_send(sender, 2, CHUNK);
    sender_sack(sender, "0 2");
    sender_take(sender);
    sender_wait(sender, 3100 * TIME_MS);
    SUITE_SAME_INTEGER(sender->paths[0].machine.state, SCTP_PATH_PF);
    SENT(sender, "2[1]");
    sender_send(sender, 2, CHUNK);
    SENT(sender, "2[3] 2[4]");
    sender_free(sender);
}

// An unanswered probe does not make a path PF.
static void test_probe_pf(void)
{
    struct sender *sender = sender_new("{cmt: true, cmt_pf: 1, no_delay: true}", 2);
    sender_send(sender, 1, CHUNK);
    sender_put(sender, 0, CHUNK, false);
    sender_sack_of(sender, "1", 0, 0);
    CU_ASSERT(sender_out(sender)->probing);
    sender_wait(sender, 1100 * TIME_MS);
    SUITE_SAME_INTEGER(*sender->stack.count.timeouts, 1);
    SUITE_SAME_INTEGER(sender->paths[0].machine.state, SCTP_PATH_ACTIVE);
    SUITE_SAME_INTEGER(sender->paths[1].machine.state, SCTP_PATH_ACTIVE);
    sender_free(sender);
}

// Chunks under way stay on their path, until its T3-rtx expires.
static void test_move(void)
{
    struct sender *sender = flying(RFC, 2, 20 * WIRE, 3);
    sender_put(sender, 0, 2 * CHUNK, false);
    sctp_stream_cut(&sender->association, &sender->paths[0], 2 * WIRE);
    sctp_out_move(&sender->association, &sender->paths[0], &sender->paths[1], false);
    CU_ASSERT_PTR_EQUAL(sender_chunk(sender, 4)->path, &sender->paths[0]);
    sctp_out_move(&sender->association, &sender->paths[0], &sender->paths[1], true);
    CU_ASSERT_PTR_EQUAL(sender_chunk(sender, 1)->path, &sender->paths[0]);
    CU_ASSERT_PTR_EQUAL(sender_chunk(sender, 4)->path, &sender->paths[1]);
    CU_ASSERT_PTR_EQUAL(sender_chunk(sender, 5)->path, &sender->paths[1]);
    sender_free(sender);
}

// More errors than Path.Max.Retrans: all goes elsewhere, also what was made and not sent.
static void test_path_down(void)
{
    struct sender *sender = sender_new("{no_delay: true, path_retries: 0}", 2);
    sender_send(sender, 3, CHUNK);
    sender_put(sender, 0, CHUNK, false);
    sctp_stream_cut(&sender->association, &sender->paths[0], WIRE);
    sender_take(sender);
    sender_wait(sender, 1100 * TIME_MS);
    SENT(sender, "2[1]");
    SUITE_SAME_INTEGER(sender->paths[0].machine.state, SCTP_PATH_INACTIVE);
    CU_ASSERT_PTR_EQUAL(sender_chunk(sender, 4)->path, &sender->paths[1]);
    sender_sack(sender, "1");
    SENT(sender, "2[2] 2[3] 2[4]");
    sender_free(sender);
}

// Marked chunks do not count in the peer's window until they are sent again (RFC 9260, 6.2.1 B, C).
static void test_window_of_marked(void)
{
    struct sender *sender = flying(RFC, 1, 10 * WIRE, 4);
    SUITE_SAME_INTEGER(sender_out(sender)->peer_rwnd, SENDER_RWND - 4 * CHUNK);
    sender_wait(sender, 1100 * TIME_MS);
    SUITE_SAME_INTEGER(sender_out(sender)->resend, 3);
    SUITE_SAME_INTEGER(sender_out(sender)->peer_rwnd, SENDER_RWND - CHUNK);
    sender_free(sender);
}

// ns-2 chooses a marked chunk's path when it is sent again. Until then it has its part of the
// window that a SACK offers: new data do not take it.
static void test_window_of_marked_late(void)
{
    struct sender *sender =
        flying("{profile: ns2, cmt_pf: 0, cmt_policy: same, no_delay: true}", 2, 4 * WIRE, 8);
    sender_wait(sender, 500 * TIME_MS);
    sender_sack(sender, "0 5-8");
    sender_wait(sender, 3000 * TIME_MS); // T3 of path 1
    SENT(sender, "1[1]");
    SUITE_SAME_INTEGER(sender_out(sender)->resend, 3);
    sender_put(sender, 0, CHUNK, false);
    sender_sack_of(sender, "0 5-8", 0, 4 * WIRE + 1000);
    SUITE_SAME_INTEGER(sender_out(sender)->peer_rwnd, 1000);
    SENT(sender, "");
    sender_sack_of(sender, "0 5-8", 0, 5 * WIRE);
    SENT(sender, "2[9]");
    sender_free(sender);
}

// CMT and a full receiver: the dead path holds the only chunk in flight. BSD takes it for a probe.
static void test_t3_and_closed_window(void)
{
    static const struct {
        const char *by_flight;
        int errors;
        int64_t cwnd;
    } rules[] = {{"true", 0, 15000}, {"false", 1, 1500}};
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        char *section = g_strdup_printf("{profile: s2007, cmt: true, no_delay: true, burst_rule: "
                                        "none, probe_by_flight: %s}",
                                        rules[i].by_flight);
        struct sender *sender = flying(section, 2, 15000, 4);
        sender_put(sender, 0, CHUNK, false);
        sender_sack_of(sender, "0 2-4", 0, 0);
        SENT(sender, "");
        SUITE_SAME_TEXT(sctp_out_wait(&sender->association)->text, "T3 of path 1");
        sender_wait(sender, 3100 * TIME_MS);
        SUITE_SAME_INTEGER(sender->paths[0].errors, rules[i].errors);
        SUITE_SAME_INTEGER(sender->paths[0].cc.cwnd, rules[i].cwnd);
        SUITE_SAME_INTEGER(sender->association.errors, 1);
        SUITE_SAME_INTEGER(sender_chunk(sender, 1)->transmissions, 2);
        sender_free(sender);
        g_free(section);
    }
}

static void test_too_often(void)
{
    struct sender *sender = sender_new("{no_delay: true, most_transmissions: 2}", 1);
    sender_send(sender, 1, CHUNK);
    sender_wait(sender, 1100 * TIME_MS);
    SENT(sender, "1[1] 1[1]");
    SUITE_SAME_INTEGER(sender->aborts, 0);
    sender_wait(sender, 2100 * TIME_MS);
    SENT(sender, "");
    SUITE_SAME_INTEGER(sender->aborts, 1);
    sender_free(sender);
}

// Before the association is up only T1 sends again.
static void test_t3_in_set_up(void)
{
    struct sender *sender = sender_new(RFC, 1);
    sender_send(sender, 1, CHUNK);
    sender_take(sender);
    sender->association.machine.state = SCTP_COOKIE_ECHOED;
    sender_wait(sender, 1100 * TIME_MS);
    SENT(sender, "");
    SUITE_SAME_INTEGER(sender->paths[0].errors, 0);
    SUITE_SAME_INTEGER(sender->paths[0].t3->expires, 2000);
    sender_free(sender);
}

// T3-rtx ends fast recovery.
static void test_t3_ends_recovery(void)
{
    struct sender *sender = flying(RFC, 2, 10 * WIRE, 10);
    sender_sack(sender, "0 2-4");
    sender_sack(sender, "0 2-5");
    sender_sack(sender, "0 2-6");
    CU_ASSERT(sender_out(sender)->recovering);
    sender->paths[1].recovering = true;
    sender_wait(sender, 1100 * TIME_MS);
    CU_ASSERT(!sender_out(sender)->recovering);
    CU_ASSERT(!sender->paths[0].recovering);
    CU_ASSERT(!sender->paths[1].recovering);
    WINDOW(sender, 0, WIRE, 4 * WIRE);
    sender_free(sender);
}

// A path that is not the primary and was silent for an RTO is asked at once (BSD).
static void test_silent_path(void)
{
    struct sender *sender = sender_new(BSD, 2);
    sender->association.primary = &sender->paths[1];
    sender_send(sender, 1, CHUNK);
    sender->association.primary = &sender->paths[0];
    sender_wait(sender, 3100 * TIME_MS);
    SUITE_SAME_INTEGER(sender->heartbeats, 0); // it was silent for just an RTO, now doubled
    sender_free(sender);
    sender = sender_new(BSD, 2);
    sender->association.primary = &sender->paths[1];
    sender_send(sender, 1, CHUNK);
    sender->association.primary = &sender->paths[0];
    sender->paths[1].last_sent = -10 * TIME_S;
    sender_wait(sender, 3100 * TIME_MS);
    SUITE_SAME_INTEGER(sender->heartbeats, 1);
    sender_free(sender);
    static const char *const none[] = {BSD, RFC}; // not the primary, and not in RFC 9260
    for (int i = 0; i < 2; i++) {
        sender = sender_new(none[i], 2);
        sender_send(sender, 1, CHUNK);
        sender->association.primary = &sender->paths[i];
        sender->paths[0].last_sent = -10 * TIME_S;
        sender_wait(sender, 3100 * TIME_MS);
        SUITE_SAME_INTEGER(sender->heartbeats, 0);
        sender_free(sender);
    }
}

static const struct suite_case cases[] = {
    {"the third missing report", test_third_report},
    {"highest TSN newly acknowledged", test_htna},
    {"in fast recovery", test_in_recovery},
    {"one cut per recovery", test_one_cut},
    {"when windows are cut", test_cut_rules},
    {"fast retransmit again", test_again},
    {"without room in cwnd", test_without_room},
    {"T3-rtx at a fast retransmit", test_timer},
    {"T3-rtx at a fast retransmit of BSD", test_timer_s2007},
    {"with a SACK", test_with_sack},
    {"before new data", test_before_new_data},
    {"a closed window", test_closed_window},
    {"T3-rtx", test_t3},
    {"T3-rtx bundles", test_t3_bundles},
    {"T3-rtx leaves what is young", test_t3_young},
    {"T3-rtx to the alternate", test_t3_alternate},
    {"T3-rtx and the policy", test_t3_policy},
    {"T3-rtx with PF", test_t3_pf},
    {"a probe with PF", test_probe_pf},
    {"chunks move", test_move},
    {"a path goes down", test_path_down},
    {"T3-rtx with a closed window", test_t3_and_closed_window},
    {"the window of what is marked", test_window_of_marked},
    {"the window of what is marked, with the late choice", test_window_of_marked_late},
    {"a chunk is sent too often", test_too_often},
    {"T3-rtx in set-up", test_t3_in_set_up},
    {"T3-rtx ends fast recovery", test_t3_ends_recovery},
    {"a silent path is asked", test_silent_path},
    {0},
};

int main(void)
{
    return suite_run("sctp: recovery", cases);
}
