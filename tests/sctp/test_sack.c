// SPDX-License-Identifier: GPL-3.0-or-later
// Effects of a SACK: flight, buffer, round trips, errors, T3-rtx, reneging (RFC 9260, 6.2.1, 6.3).
#include "tests/sctp/sender.h"

#define PLAIN "{no_delay: true}"
#define BSD "{profile: s2007, no_delay: true}"

static void flight(struct sender *sender, int chunks)
{
    SUITE_SAME_INTEGER(sender->paths[0].flight, chunks * WIRE);
    SUITE_SAME_INTEGER(sender_out(sender)->flight, chunks * WIRE);
    SUITE_SAME_INTEGER(sender_out(sender)->outstanding, chunks);
}

static void test_accounting(void)
{
    struct sender *sender = sender_new(PLAIN, 1);
    sender_send(sender, 3, CHUNK);
    SUITE_SAME_INTEGER(sender_out(sender)->buffer.used, 3 * CHUNK);
    sender_sack(sender, "1");
    flight(sender, 2);
    SUITE_SAME_INTEGER(sender_out(sender)->buffer.used, 2 * CHUNK);
    SUITE_SAME_INTEGER(sender->woken, 1);
    sender_sack(sender, "1 3");
    flight(sender, 1);
    SUITE_SAME_INTEGER(sender_out(sender)->buffer.used, 2 * CHUNK); // the peer may drop it again
    SUITE_SAME_INTEGER(sender->woken, 1);
    SUITE_SAME_INTEGER(sender_chunk(sender, 3)->state, SCTP_ACKED);
    sender_sack(sender, "3");
    flight(sender, 0);
    SUITE_SAME_INTEGER(sender_out(sender)->buffer.used, 0);
    CU_ASSERT(sctp_out_empty(&sender->association));
    sender_free(sender);
}

static void test_old_and_wrong(void)
{
    struct sender *sender = sender_new(PLAIN, 1);
    sender_send(sender, 3, CHUNK);
    sender_sack(sender, "2");
    sender_sack_of(sender, "1", 0, 5); // it is late: its window does not count
    SUITE_SAME_INTEGER(sender_out(sender)->peer_rwnd, SENDER_RWND - CHUNK);
    sender_sack(sender, "2 9-8"); // a block that ends before it begins is ignored
    flight(sender, 1);
    SUITE_SAME_INTEGER(sender->aborts, 0);
    sender_sack(sender, "4"); // never sent
    SUITE_SAME_INTEGER(sender->aborts, 1);
    sender_free(sender);
    sender = sender_new(PLAIN, 1);
    sender_send(sender, 3, CHUNK);
    sender_sack(sender, "0 2-4");
    SUITE_SAME_INTEGER(sender->aborts, 1);
    sender_free(sender);
}

// A marked chunk belongs to no path's flight. If a gap block names it, the first transmission has
// arrived, whichever path it is marked for: that path does not gain by it.
static void test_marked(void)
{
    struct sender *sender = sender_new(PLAIN, 2);
    sender_send(sender, 4, CHUNK);
    sender_wait(sender, 1100 * TIME_MS);
    SENT(sender, "1[1] 1[2] 1[3] 2[1]");
    sender->paths[1].cc.cwnd = WIRE; // 2 has to wait
    sender_sack(sender, "0 3");
    SUITE_SAME_INTEGER(sender->paths[1].sack.net_ack, 0);
    SUITE_SAME_INTEGER(sender_out(sender)->resend, 1);
    SUITE_SAME_INTEGER(sender_chunk(sender, 3)->state, SCTP_ACKED);
    sender_sack(sender, "2 3");
    SUITE_SAME_INTEGER(sender->paths[1].sack.net_ack, 2 * WIRE);
    SUITE_SAME_INTEGER(sender_out(sender)->resend, 0);
    sender_free(sender);
}

// 6.2.1 D iv.
static void test_renege(void)
{
    struct sender *sender = sender_new(PLAIN, 1);
    sender_send(sender, 3, CHUNK);
    sender_sack(sender, "1 3");
    flight(sender, 1);
    sender_sack(sender, "1");
    flight(sender, 2);
    SUITE_SAME_INTEGER(sender_out(sender)->peer_rwnd, SENDER_RWND - 2 * CHUNK);
    sender_sack(sender, "1 3");
    flight(sender, 1);
    sender_sack(sender, "2");
    flight(sender, 1);
    CU_ASSERT(sender_timer(sender, 0));
    sender_sack(sender, "3");
    flight(sender, 0);
    sender_free(sender);
}

// One chunk per round trip is timed, and none that was sent twice.
static void test_round_trips(void)
{
    struct sender *sender = sender_new(PLAIN, 1);
    struct sctp_rto *rto = &sender->paths[0].rto;
    sender_send(sender, 6, CHUNK);
    SUITE_SAME_INTEGER(rto->timed, sender->first);
    sender_wait(sender, 100 * TIME_MS);
    sender_sack(sender, "0 2"); // it is not the one that is timed
    CU_ASSERT(!rto->measured);
    sender_sack(sender, "1 3");
    SUITE_SAME_INTEGER(rto->sa, 800);
    CU_ASSERT(rto->timing);
    SUITE_SAME_INTEGER(rto->timed, sender->first + 4); // 4 left while 1 was timed
    sender_wait(sender, 40 * TIME_MS);
    sender_sack(sender, "4");
    SUITE_SAME_INTEGER(rto->sa, 800);
    sender_sack(sender, "5");
    SUITE_SAME_INTEGER(rto->sa, 740); // 7/8 of 100 and 1/8 of 40
    sender_free(sender);
    sender = sender_new("{no_delay: true, burst_rule: none}", 1); // what is lost is timed no more
    sender_send(sender, 3, CHUNK);
    sender_sack(sender, "0 2");
    sender_sack(sender, "0 2-3");
    sender_send(sender, 3, CHUNK);
    SUITE_SAME_INTEGER(sender->paths[0].rto.timed, sender->first);
    sender_sack(sender, "0 2-4");
    CU_ASSERT(sender->paths[0].rto.timing);
    SUITE_SAME_INTEGER(sender->paths[0].rto.timed, sender->first + 5); // the next new one
    sender_free(sender);
    sender = sender_new(PLAIN, 1);
    sender_send(sender, 1, CHUNK);
    sender_wait(sender, 1100 * TIME_MS);
    SENT(sender, "1[1] 1[1]");
    sender_sack(sender, "1");
    CU_ASSERT(!sender->paths[0].rto.measured);
    sender_free(sender);
}

// Errors end with DATA that were sent once; the association's with any.
static void test_errors(void)
{
    struct sender *sender = sender_new(PLAIN, 1);
    sender_send(sender, 2, CHUNK);
    sender->paths[0].errors = 2;
    sender->association.errors = 3;
    sender_chunk(sender, 1)->transmissions = 2;
    sender_sack(sender, "0");
    SUITE_SAME_INTEGER(sender->association.errors, 3);
    sender_sack(sender, "1");
    SUITE_SAME_INTEGER(sender->association.errors, 0);
    SUITE_SAME_INTEGER(sender->paths[0].errors, 2);
    sender_sack(sender, "2");
    SUITE_SAME_INTEGER(sender->paths[0].errors, 0);
    sender_free(sender);
    sender = sender_new(PLAIN, 1); // marked, and the first transmission arrives
    sender_send(sender, 2, CHUNK);
    sender_wait(sender, 1100 * TIME_MS);
    SUITE_SAME_INTEGER(sender_chunk(sender, 2)->state, SCTP_RESEND);
    sender_sack(sender, "1");
    sender->association.errors = 3;
    sender_chunk(sender, 2)->state = SCTP_SENT; // it left with the SACK
    sender_sack(sender, "2");
    SUITE_SAME_INTEGER(sender->association.errors, 0);
    sender_free(sender);
}

#define EXPIRES(sender, path, expected)                                                            \
    SUITE_SAME_INTEGER((sender)->paths[path].t3->expires, expected)

// 6.3.2, R2 and R3: the earliest outstanding chunk of the path decides.
static void test_timer_rfc(void)
{
    struct sender *sender = sender_new(PLAIN, 1);
    sender_send(sender, 3, CHUNK);
    EXPIRES(sender, 0, 1000);
    sender_wait(sender, 400 * TIME_MS);
    sender_sack(sender, "0 2");
    EXPIRES(sender, 0, 1000);
    sender_wait(sender, 100 * TIME_MS);
    sender_sack(sender, "2"); // a round trip of 500 ms: RTO 500 + 4 * 250
    EXPIRES(sender, 0, 2000);
    sender_wait(sender, 100 * TIME_MS);
    sender_sack(sender, "2");
    EXPIRES(sender, 0, 2000);
    sender_sack(sender, "3");
    CU_ASSERT(!sender_timer(sender, 0));
    sender_free(sender);
}

// The BSD stack: with gap blocks if cum_tsn moves, without them always.
static void test_timer_s2007(void)
{
    struct sender *sender = sender_new(BSD, 1);
    sender_send(sender, 3, CHUNK);
    EXPIRES(sender, 0, 3000);
    sender_wait(sender, 100 * TIME_MS);
    sender_sack(sender, "0");
    EXPIRES(sender, 0, 3100);
    sender_wait(sender, 300 * TIME_MS);
    sender_sack(sender, "0 2");
    EXPIRES(sender, 0, 3100);
    sender_wait(sender, 600 * TIME_MS);
    sender_sack(sender, "1 3"); // RTO = 2 * 1000
    EXPIRES(sender, 0, 1000 + 2000);
    sender_sack(sender, "3");
    CU_ASSERT(!sender_timer(sender, 0));
    sender_free(sender);
}

// With CMT and gap blocks it is the path's pseudo-cum-ack that must move.
static void test_timer_cmt(void)
{
    struct sender *sender = sender_new("{profile: s2007, cmt: true, no_delay: true}", 2);
    sender_send(sender, 4, CHUNK);
    SENT(sender, "1[1] 2[2] 1[3] 2[4]");
    sender_wait(sender, 200 * TIME_MS);
    sender_sack(sender, "0 2"); // RTO of path 2: 400 ms, at least 1 s
    EXPIRES(sender, 0, 3000);
    EXPIRES(sender, 1, 1200);
    sender_wait(sender, 200 * TIME_MS);
    sender_sack(sender, "0 2-3"); // 1 is path 1's earliest
    EXPIRES(sender, 0, 3000);
    EXPIRES(sender, 1, 1200);
    sender_sack(sender, "0 2-4");
    CU_ASSERT(!sender_timer(sender, 1));
    sender_sack(sender, "1 3-4"); // path 1's, by cum_tsn, though there are gap blocks
    sender_free(sender);
    sender = sender_new("{profile: s2007, cmt: true, no_delay: true}", 2);
    sender_send(sender, 5, CHUNK);
    sender_wait(sender, 200 * TIME_MS);
    sender_sack(sender, "1 4"); // 3 is out: RTO of path 1 is 400 ms, at least 1 s
    EXPIRES(sender, 0, 1200);
    sender_free(sender);
}

// Without gap blocks no chunk beyond cum_tsn is read.
static void test_cost(void)
{
    struct sender *sender = sender_new("{no_delay: true, burst_rule: none}", 1);
    sender->paths[0].cc.cwnd = 100 * WIRE;
    sender_send(sender, 50, CHUNK);
    struct sctp_path *path = sender_chunk(sender, 30)->path;
    for (uint32_t tsn = 11; tsn <= 50; tsn++)
        sender_chunk(sender, tsn)->path = NULL; // reading it would crash
    sender_sack(sender, "5");
    sender_sack(sender, "10");
    for (uint32_t tsn = 11; tsn <= 50; tsn++)
        sender_chunk(sender, tsn)->path = path;
    flight(sender, 40);
    sender_free(sender);
}

static void test_wrap(void)
{
    struct sender *sender = sender_traced(PLAIN, 1, UINT32_MAX - 1, NULL);
    sender_send(sender, 3, CHUNK);
    sender_sack(sender, "0 2-3");
    flight(sender, 1);
    sender_sack(sender, "3");
    sender_send(sender, 3, CHUNK);
    sender_sack(sender, "3 5");
    SUITE_SAME_INTEGER(sender_chunk(sender, 4)->missing, 1);
    sender_sack(sender, "5");
    SUITE_SAME_INTEGER(sender_out(sender)->cum_tsn, 2);
    sender_sack(sender, "2"); // old
    SUITE_SAME_INTEGER(sender_out(sender)->cum_tsn, 2);
    flight(sender, 1);
    sender_free(sender);
}

// A SHUTDOWN acknowledges, but does not change gaps and window.
static void test_shutdown(void)
{
    struct sender *sender = sender_new(PLAIN, 1);
    sender_send(sender, 3, CHUNK);
    sender_sack_of(sender, "0 3", 0, 50000);
    int64_t window = sender_out(sender)->peer_rwnd;
    struct cpu_context context = sender_context(sender);
    sctp_cum_tsn_arrived(&context, &sender->association, sender->first);
    sctp_output(&context, &sender->association);
    flight(sender, 1);
    SUITE_SAME_INTEGER(sender_out(sender)->peer_rwnd, window);
    SUITE_SAME_INTEGER(sender_chunk(sender, 3)->state, SCTP_ACKED);
    sctp_cum_tsn_arrived(&context, &sender->association, sender->first + 2);
    sctp_output(&context, &sender->association);
    CU_ASSERT(sctp_out_empty(&sender->association));
    CU_ASSERT(!sender_out(sender)->had_gaps);
    sender_free(sender);
}

static const struct suite_case cases[] = {
    {"flight and buffer", test_accounting},
    {"old and wrong SACKs", test_old_and_wrong},
    {"what is marked is acknowledged", test_marked},
    {"reneging", test_renege},
    {"round trips", test_round_trips},
    {"errors", test_errors},
    {"T3-rtx as RFC 9260 has it", test_timer_rfc},
    {"T3-rtx as BSD has it", test_timer_s2007},
    {"T3-rtx with CMT", test_timer_cmt},
    {"a SACK without gap blocks is cheap", test_cost},
    {"TSNs wrap", test_wrap},
    {"SHUTDOWN acknowledges", test_shutdown},
    {0},
};

int main(void)
{
    return suite_run("sctp: SACKs", cases);
}
