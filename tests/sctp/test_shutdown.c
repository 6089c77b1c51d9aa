// SPDX-License-Identifier: GPL-3.0-or-later
// The end of an association with a scripted peer: every row of RFC 9260, 9.1 and 9.2.
#include "tests/support/sctp_peer.h"
#include "tests/support/suite.h"
#include "tests/support/timers.h"

#include <string.h>

#define STEP(from, to, event) "node0 sctp[1] " from " -> " to " (" event ")\n"
#define TO_PENDING STEP("ESTABLISHED", "SHUTDOWN-PENDING", "shutdown")
#define TO_SENT STEP("SHUTDOWN-PENDING", "SHUTDOWN-SENT", "all data acknowledged")
#define TO_RECEIVED STEP("ESTABLISHED", "SHUTDOWN-RECEIVED", "receive SHUTDOWN")
#define TO_ACK_SENT STEP("SHUTDOWN-RECEIVED", "SHUTDOWN-ACK-SENT", "all data acknowledged")

static const struct sctp_association *association_of(const struct sctp_peer *peer)
{
    return sctp_node_association(peer->world, 0);
}

// Node 0's association; what it sends and its steps until `until` are checked.
static struct sctp_peer *begin(const char *const *sets)
{
    struct sctp_peer *peer = sctp_peer_new(1, sets);
    sctp_peer_associate(peer);
    return peer;
}

static bool happens(const char *file, int line, struct sctp_peer *peer, sim_time until,
                    const char *packets, const char *steps)
{
    bool same = suite_same_text(file, line, sctp_peer_run(peer, until), packets);
    return suite_same_text(file, line, sctp_peer_steps(peer), steps) && same;
}

#define HAPPENS(peer, until, packets, steps)                                                       \
    happens(__FILE__, __LINE__, peer, until, packets, steps)

static void expect_ended(struct sctp_peer *peer, enum sctp_notification notification)
{
    const struct sctp_association *association = association_of(peer);
    CU_ASSERT(association->ended && !association->out.ring && !association->in.map);
    CU_ASSERT(!inet_timer_armed(association->t1) && !inet_timer_armed(association->t2));
    CU_ASSERT(!inet_timer_armed(association->t5));
    SUITE_SAME_INTEGER(g_hash_table_size(association->host->by_peer), 0);
    SUITE_SAME_INTEGER(sctp_peer_notified(peer), (int)notification);
    SUITE_SAME_INTEGER(sctp_peer_notified(peer), -1);
}

// ---- This end begins ----

static void test_begin(void)
{
    struct sctp_peer *peer = begin(NULL);
    sctp_peer_call(peer, 12 * TIME_MS, sctp_peer_shutdown, NULL);
    HAPPENS(peer, 15 * TIME_MS, "SHUTDOWN(-1)\n", TO_PENDING TO_SENT);
    CU_ASSERT(inet_timer_armed(association_of(peer)->t2));
    CU_ASSERT(inet_timer_armed(association_of(peer)->t5));
    sctp_peer_at(peer, 16 * TIME_MS, "SHUTDOWN-ACK");
    HAPPENS(peer, 20 * TIME_MS, "SHUTDOWN-COMPLETE\n",
            STEP("SHUTDOWN-SENT", "CLOSED", "receive SHUTDOWN-ACK"));
    expect_ended(peer, SCTP_SHUTDOWN_COMP);
    sctp_peer_free(peer);
}

static void test_pending(void)
{
    struct sctp_peer *peer = begin(NULL);
    sctp_peer_at(peer, 11 * TIME_MS, "DATA tsn=0");
    sctp_peer_call(peer, 12 * TIME_MS, sctp_peer_send, GSIZE_TO_POINTER(100));
    sctp_peer_call(peer, 13 * TIME_MS, sctp_peer_shutdown, NULL);
    HAPPENS(peer, 15 * TIME_MS, "SACK(0) DATA(0)\n", TO_PENDING);
    sctp_peer_at(peer, 16 * TIME_MS, "DATA tsn=1 ssn=1"); // still taken
    HAPPENS(peer, 300 * TIME_MS, "SACK(1)\n", "");
    sctp_peer_at(peer, 301 * TIME_MS, "SACK cum=0");
    HAPPENS(peer, 310 * TIME_MS, "SHUTDOWN(1)\n", TO_SENT);
    sctp_peer_free(peer);
}

// DATA in SHUTDOWN-SENT are answered with SHUTDOWN, and with a SACK besides if something is
// missing.
static void test_data_in_sent(void)
{
    struct sctp_peer *peer = begin(NULL);
    sctp_peer_call(peer, 12 * TIME_MS, sctp_peer_shutdown, NULL);
    HAPPENS(peer, 15 * TIME_MS, "SHUTDOWN(-1)\n", TO_PENDING TO_SENT);
    sctp_peer_at(peer, 16 * TIME_MS, "DATA tsn=0");
    HAPPENS(peer, 20 * TIME_MS, "SHUTDOWN(0)\n", "");
    sctp_peer_at(peer, 21 * TIME_MS, "DATA tsn=2 ssn=2");
    HAPPENS(peer, 25 * TIME_MS, "SHUTDOWN(0) SACK(0)\n", "");
    sctp_peer_at(peer, 26 * TIME_MS, "DATA tsn=1 ssn=1");
    SUITE_CONTAINS(sctp_peer_run(peer, 30 * TIME_MS), "SHUTDOWN(2)");
    for (int i = 0; i < 3; i++)
        SUITE_SAME_INTEGER(sctp_peer_notified(peer), SCTP_NOTHING);
    sctp_peer_free(peer);
}

static void test_both_at_once(void)
{
    struct sctp_peer *peer = begin(NULL);
    sctp_peer_call(peer, 12 * TIME_MS, sctp_peer_shutdown, NULL);
    sctp_peer_at(peer, 15 * TIME_MS, "SHUTDOWN");
    HAPPENS(peer, 20 * TIME_MS, "SHUTDOWN(-1)\nSHUTDOWN-ACK\n",
            TO_PENDING TO_SENT STEP("SHUTDOWN-SENT", "SHUTDOWN-ACK-SENT", "receive SHUTDOWN"));
    sctp_peer_at(peer, 21 * TIME_MS, "SHUTDOWN-ACK");
    HAPPENS(peer, 25 * TIME_MS, "SHUTDOWN-COMPLETE\n",
            STEP("SHUTDOWN-ACK-SENT", "CLOSED", "receive SHUTDOWN-ACK"));
    expect_ended(peer, SCTP_SHUTDOWN_COMP);
    sctp_peer_free(peer);
}

// ---- The peer begins ----

static void test_asked(void)
{
    struct sctp_peer *peer = begin(NULL);
    sctp_peer_at(peer, 12 * TIME_MS, "SHUTDOWN");
    HAPPENS(peer, 15 * TIME_MS, "SHUTDOWN-ACK\n", TO_RECEIVED TO_ACK_SENT);
    SUITE_SAME_INTEGER(sctp_peer_notified(peer), SCTP_SHUTDOWN_EVENT);
    sctp_peer_at(peer, 17 * TIME_MS, "SHUTDOWN"); // SHUTDOWN-ACK was lost
    HAPPENS(peer, 20 * TIME_MS, "SHUTDOWN-ACK\n", "");
    sctp_peer_at(peer, 21 * TIME_MS, "SHUTDOWN-COMPLETE");
    HAPPENS(peer, 25 * TIME_MS, "",
            STEP("SHUTDOWN-ACK-SENT", "CLOSED", "receive SHUTDOWN-COMPLETE"));
    expect_ended(peer, SCTP_SHUTDOWN_COMP);
    sctp_peer_free(peer);
}

static void send_refused(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    const struct sctp_association *association = argument;
    struct sctp_send_info info = {.association = association->id, .station = -1, .bytes = 100};
    SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), SCTP_GONE);
}

// Data under way are acknowledged first; SHUTDOWN acknowledges, too.
static void test_asked_with_data(void)
{
    struct sctp_peer *peer = begin(NULL);
    sctp_peer_call(peer, 11 * TIME_MS, sctp_peer_send, GSIZE_TO_POINTER(100));
    sctp_peer_call(peer, 11 * TIME_MS, sctp_peer_send, GSIZE_TO_POINTER(100));
    sctp_peer_at(peer, 13 * TIME_MS, "SHUTDOWN cum=0");
    HAPPENS(peer, 15 * TIME_MS, "DATA(0)\nDATA(1)\n", TO_RECEIVED);
    SUITE_SAME_INTEGER(association_of(peer)->out.cum_tsn - peer->own_tsn, 0);
    sctp_peer_call(peer, 16 * TIME_MS, send_refused, sctp_node_association(peer->world, 0));
    sctp_peer_at(peer, 17 * TIME_MS, "SHUTDOWN cum=1");
    HAPPENS(peer, 20 * TIME_MS, "SHUTDOWN-ACK\n", TO_ACK_SENT);
    sctp_peer_at(peer, 21 * TIME_MS, "SHUTDOWN-COMPLETE flags=1 vtag=peer");
    HAPPENS(peer, 25 * TIME_MS, "",
            STEP("SHUTDOWN-ACK-SENT", "CLOSED", "receive SHUTDOWN-COMPLETE"));
    sctp_peer_free(peer);
}

static void test_asked_while_pending(void)
{
    struct sctp_peer *peer = begin(NULL);
    sctp_peer_call(peer, 11 * TIME_MS, sctp_peer_send, GSIZE_TO_POINTER(100));
    sctp_peer_call(peer, 12 * TIME_MS, sctp_peer_shutdown, NULL);
    sctp_peer_at(peer, 14 * TIME_MS, "SHUTDOWN");
    HAPPENS(peer, 16 * TIME_MS, "DATA(0)\n",
            TO_PENDING STEP("SHUTDOWN-PENDING", "SHUTDOWN-RECEIVED", "receive SHUTDOWN"));
    sctp_peer_at(peer, 17 * TIME_MS, "SACK cum=0");
    HAPPENS(peer, 20 * TIME_MS, "SHUTDOWN-ACK\n", TO_ACK_SENT);
    sctp_peer_free(peer);
}

// ---- No answer ----

static void test_t2(void)
{
    static const int seconds[] = {0, 1, 3, 7};
    static const char *const sets[] = {"sctp.association_retries=3", "sctp.path_retries=3",
                                       "sctp.rto_least=1 s", NULL};
    struct sctp_peer *peer = begin(sets);
    sctp_peer_call(peer, 12 * TIME_MS, sctp_peer_shutdown, NULL);
    HAPPENS(peer, 60 * TIME_S, "SHUTDOWN(-1)\nSHUTDOWN(-1)\nSHUTDOWN(-1)\nSHUTDOWN(-1)\nABORT\n",
            TO_PENDING TO_SENT STEP("SHUTDOWN-SENT", "CLOSED", "send ABORT"));
    for (guint i = 0; i < G_N_ELEMENTS(seconds); i++) {
        sim_time due = seconds[i] * TIME_S + 12 * TIME_MS;
        sim_time came = g_array_index(peer->times, sim_time, i);
        CU_ASSERT(came >= due && came < due + 5 * TIME_MS);
    }
    SUITE_SAME_INTEGER(sctp_peer_notified(peer), SCTP_ADDR_UNREACHABLE);
    expect_ended(peer, SCTP_COMM_LOST);
    expect_timer(peer->world->sim, "sctp time-outs: T2-shutdown", 4, "T2-shutdown (SHUTDOWN)");
    sctp_peer_free(peer);
}

static void test_t2_of_the_ack(void)
{
    static const char *const sets[] = {"sctp.association_retries=1", "sctp.path_retries=1", NULL};
    struct sctp_peer *peer = begin(sets);
    sctp_peer_at(peer, 12 * TIME_MS, "SHUTDOWN");
    HAPPENS(peer, 60 * TIME_S, "SHUTDOWN-ACK\nSHUTDOWN-ACK\nABORT\n",
            TO_RECEIVED TO_ACK_SENT STEP("SHUTDOWN-ACK-SENT", "CLOSED", "send ABORT"));
    sctp_peer_free(peer);
}

// A peer that goes on sending keeps T2 from expiring, but not T5.
static void test_t5(void)
{
    static const char *const sets[] = {"sctp.shutdown_guard=1500 ms", NULL};
    struct sctp_peer *peer = begin(sets);
    sctp_peer_call(peer, 12 * TIME_MS, sctp_peer_shutdown, NULL);
    for (int i = 0; i < 5; i++)
        sctp_peer_at(peer, (500 + 500 * i) * TIME_MS, "DATA tsn=0");
    sctp_peer_run(peer, 1400 * TIME_MS);
    SUITE_SAME_INTEGER(association_of(peer)->machine.state, SCTP_SHUTDOWN_SENT);
    SUITE_CONTAINS(sctp_peer_run(peer, 1600 * TIME_MS), "ABORT\n");
    SUITE_SAME_TEXT(sctp_peer_steps(peer), STEP("SHUTDOWN-SENT", "CLOSED", "send ABORT"));
    sctp_peer_free(peer);
}

// ---- Not gracefully ----

static void test_abort(void)
{
    struct sctp_peer *peer = begin(NULL);
    sctp_peer_at(peer, 11 * TIME_MS, "DATA tsn=1 ssn=1"); // incomplete: it waits for its turn
    sctp_peer_call(peer, 12 * TIME_MS, sctp_peer_send, GSIZE_TO_POINTER(5000));
    sctp_peer_run(peer, 15 * TIME_MS);
    sctp_peer_call(peer, 16 * TIME_MS, sctp_peer_abort, NULL);
    HAPPENS(peer, 20 * TIME_MS, "ABORT(12)\n", STEP("ESTABLISHED", "CLOSED", "send ABORT"));
    SUITE_SAME_INTEGER(sctp_peer_notified(peer), SCTP_SEND_FAILED);
    expect_ended(peer, SCTP_COMM_LOST);
    struct ledger_totals totals = ledger_totals(peer->world->sim->ledger);
    SUITE_SAME_INTEGER((long long)totals.lost, 1);
    SUITE_SAME_INTEGER((long long)totals.open, 0);
    sctp_peer_free(peer);
}

static void test_aborted(void)
{
    struct sctp_peer *peer = begin(NULL);
    sctp_peer_call(peer, 12 * TIME_MS, sctp_peer_send, GSIZE_TO_POINTER(5000));
    sctp_peer_at(peer, 15 * TIME_MS, "ABORT cause=12");
    sctp_peer_run(peer, 20 * TIME_MS);
    SUITE_SAME_INTEGER(sctp_peer_notified(peer), SCTP_SEND_FAILED);
    expect_ended(peer, SCTP_COMM_LOST);
    char *line = world_ledger_line(peer->world);
    SUITE_CONTAINS(line, "lost: SCTP association aborted");
    g_free(line);
    SUITE_SAME_INTEGER(sctp_socket_error(sctp_node(peer->world, 0)->socket), SCTP_RESET);
    sctp_peer_free(peer);
}

// Shutdown during set-up: nothing to send: at once; else after it.
static void test_during_setup(void)
{
    struct sctp_peer *peer = sctp_peer_new(1, NULL);
    sctp_peer_call(peer, 1 * TIME_MS, sctp_peer_connect, NULL);
    sctp_peer_run(peer, 3 * TIME_MS);
    sctp_peer_call(peer, 4 * TIME_MS, sctp_peer_shutdown, NULL);
    HAPPENS(peer, 10 * TIME_S, "", STEP("COOKIE-WAIT", "CLOSED", "shutdown"));
    sctp_peer_free(peer);
    peer = sctp_peer_new(1, NULL);
    sctp_peer_call(peer, 1 * TIME_MS, sctp_peer_connect, NULL);
    sctp_peer_call(peer, 2 * TIME_MS, sctp_peer_send, GSIZE_TO_POINTER(100));
    sctp_peer_call(peer, 3 * TIME_MS, sctp_peer_shutdown, NULL);
    sctp_peer_at(peer, 5 * TIME_MS, "INIT-ACK");
    sctp_peer_run(peer, 10 * TIME_MS);
    sctp_peer_at(peer, 11 * TIME_MS, "COOKIE-ACK; SACK cum=0");
    HAPPENS(peer, 20 * TIME_MS, "SHUTDOWN(-1)\n",
            STEP("COOKIE-ECHOED", "ESTABLISHED", "receive COOKIE-ACK") TO_PENDING TO_SENT);
    sctp_peer_free(peer);
}

static const struct suite_case cases[] = {
    {"shutdown, SHUTDOWN-ACK", test_begin},
    {"SHUTDOWN-PENDING until all data are acknowledged", test_pending},
    {"DATA in SHUTDOWN-SENT", test_data_in_sent},
    {"both shut down at once", test_both_at_once},
    {"SHUTDOWN from the peer", test_asked},
    {"SHUTDOWN from the peer with data under way", test_asked_with_data},
    {"SHUTDOWN from the peer in SHUTDOWN-PENDING", test_asked_while_pending},
    {"T2-shutdown", test_t2},
    {"T2-shutdown of SHUTDOWN-ACK", test_t2_of_the_ack},
    {"T5-shutdown-guard", test_t5},
    {"abort", test_abort},
    {"ABORT from the peer", test_aborted},
    {"shutdown during set-up", test_during_setup},
    {0},
};

int main(void)
{
    return suite_run("sctp: shutdown", cases);
}
