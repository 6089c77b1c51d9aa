// SPDX-License-Identifier: GPL-3.0-or-later
// Errors of short messages, and the state that they leave. Nothing is ever repeated and no timer
// runs out: a request without an answer waits for ever, and reports name the answer.
#include "tests/p3/world_p3.h"
#include "tests/support/suite.h"

// The made-up card and library stand in for the real ones in these tests only.
#include "tests/p3/world_p3.c" // NOLINT(bugprone-suspicious-include)

static int twice_rts(struct p3_world *world, const struct intercept_sm *sm)
{
    (void)world;
    return p3_packet_of(sm)->kind == P3_RTS && p3_packet_of(sm)->number > 0 ? 2 : 1;
}

// icpt.short.low_msgnum_error: an RTS that arrives again, or with a number that is past, is an
// error; nothing answers it.
static void test_low_number(void)
{
    struct p3_world_options options = p3_world_defaults();
    options.copies = twice_rts;
    struct p3_world *world = p3_world_new(&options);
    for (int i = 0; i < 3; i++)
        p3_world_put(world, 0, 1, 29);
    p3_world_run(world);
    p3_world_expect_over(world);
    SUITE_SAME_INTEGER(p3_world_counter(world, "RMPP: RTS with a low number"), 2);
    SUITE_SAME_INTEGER(p3_world_packets(world, 1, P3_MSGEND, -1), 3);
    struct intercept_sm sm = p3_world_packet(0, 1, P3_RTS, 1);
    p3_packet(&sm)->portals.to.pid = 5;
    p3_world_inject(world, &sm, 0);
    p3_world_run(world);
    SUITE_SAME_INTEGER(p3_world_counter(world, "RMPP: RTS with a low number"), 3);
    p3_world_free(world);
}

static int no_rts_1(struct p3_world *world, const struct intercept_sm *sm)
{
    (void)world;
    return p3_packet_of(sm)->kind != P3_RTS || p3_packet_of(sm)->number != 1;
}

// icpt.short.no_reliability_layer: a packet that a dead plane drops is never sent again. Later
// messages wait in the reorder queue, and the report names the missing one.
static void test_lost_number(void)
{
    struct p3_world_options options = p3_world_defaults();
    options.copies = no_rts_1;
    struct p3_world *world = p3_world_new(&options);
    for (int i = 0; i < 3; i++)
        p3_world_put(world, 0, 1, 1000 - 450 * i);
    p3_world_run(world);
    p3_world_expect_waits(world, 0, "CTS for message 1 from node1; MSGEND of message 2 from node1");
    p3_world_expect_waits(world, 1, "message 1 before 2 (reorder queue: 1) from node0");
    CU_ASSERT_FALSE(ledger_balanced(p3_world_sim(world)->ledger));
    p3_world_free(world);
}

static int no_data(struct p3_world *world, const struct intercept_sm *sm)
{
    (void)world;
    return p3_packet_of(sm)->kind != P3_DATA && p3_packet_of(sm)->kind != P3_NEXT_CTS;
}

static void test_waits(void)
{
    struct p3_world_options options = p3_world_defaults();
    options.copies = no_data;
    struct p3_world *world = p3_world_new(&options);
    p3_world_put(world, 0, 1, 2000);
    p3_world_put(world, 0, 1, 9000);
    p3_world_run(world);
    p3_world_expect_waits(world, 0,
                          "MSGEND of message 0 from node1; NEXT_CTS for message 1 from node1");
    p3_world_expect_waits(world, 1,
                          "data of message 0 from node0 (548 of 2000 B are there); data of message "
                          "1 from node0 (900 of 9000 B are there)");
    p3_world_free(world);
}

// An RTS to a process that does not exist is dropped; its sender waits for ever, and so do the
// messages after the boot message.
static void test_unknown_pid(void)
{
    struct p3_world_options options = p3_world_defaults();
    struct p3_world *world = p3_world_new(&options);
    p3_world_put_nobody(world, 0, 1, 29);
    p3_world_put(world, 0, 1, 29);
    p3_world_run(world);
    SUITE_SAME_INTEGER(p3_world_counter(world, "RMPP: messages to an unknown pid"), 1);
    p3_world_expect_waits(
        world, 0,
        "MSGEND of message 0 from node1; the boot message to be confirmed by node1 "
        "(messages postponed: 1)");
    p3_world_free(world);
}

// icpt.short.unexpected_data_error, and answers without a request.
static void test_unexpected(void)
{
    struct p3_world_options options = p3_world_defaults();
    struct p3_world *world = p3_world_new(&options);
    static const enum p3_kind kinds[] = {P3_DATA,     P3_STOP_DATA, P3_LAST_DATA, P3_CTS,
                                         P3_NEXT_CTS, P3_MSGEND,    P3_MSGERROR,  P3_KINDS};
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        struct intercept_sm sm = p3_world_packet(1, 0, kinds[i], 9);
        p3_world_inject(world, &sm, 0);
    }
    p3_world_run(world);
    SUITE_SAME_INTEGER(p3_world_counter(world, "RMPP: unexpected data"), 3);
    SUITE_SAME_INTEGER(p3_world_counter(world, "RMPP: unexpected answers"), 4);
    SUITE_SAME_INTEGER(p3_world_counter(world, "RMPP: unknown packets"), 1);
    SUITE_SAME_INTEGER(p3_world_sim(world)->status, SIM_COMPLETED);
    p3_world_free(world);
}

// icpt.short.copy_failure: one MSGEND and the end; the sender takes the message for delivered.
static void test_copy_failure(void)
{
    struct p3_world_options options = p3_world_defaults();
    struct p3_world *world = p3_world_new(&options);
    p3_world_process(world, 1)->copy_failures = 1;
    p3_world_put(world, 0, 1, 2000);
    p3_world_run(world);
    SUITE_SAME_INTEGER(p3_world_counter(world, "RMPP: copies that failed"), 1);
    SUITE_SAME_INTEGER(p3_world_packets(world, 1, P3_MSGEND, -1), 1);
    SUITE_SAME_INTEGER(p3_world_packets(world, 1, P3_CTS, -1), 0);
    SUITE_SAME_INTEGER(p3_world_told(world, 0)->sent_status, PORTALS_OK);
    SUITE_SAME_INTEGER(p3_world_told(world, 0)->status, PORTALS_FAILED);
    SUITE_SAME_INTEGER(ledger_totals(p3_world_sim(world)->ledger).lost, 1);
    p3_world_free(world);
}

// A send for which the kernel has no memory fails at once and takes no number (thesis 002, 5.3.2,
// send_short_msg): nothing waits for it.
static void test_no_memory(void)
{
    struct p3_world_options options = p3_world_defaults();
    struct p3_world *world = p3_world_new(&options);
    p3_world_put(world, 0, 1, 29);
    p3_world_run(world);
    p3_world_process(world, 0)->memory_failures = 1;
    p3_world_put(world, 0, 1, 29);
    p3_world_put(world, 0, 1, 29);
    p3_world_run(world);
    SUITE_SAME_INTEGER(p3_world_told(world, 1)->sent, 0);
    SUITE_SAME_INTEGER(p3_world_told(world, 1)->started, 0);
    SUITE_SAME_INTEGER(p3_world_told(world, 2)->ended, 1);
    p3_world_expect_lines(world, "short send[1]",
                          "rank 0 short send[1] NEW -> FAILED\n"
                          "rank 0 short send[1] NEW -> RTS_SENT\n"
                          "rank 0 short send[1] RTS_SENT -> DONE\n");
    p3_world_expect_waits(world, 0, "");
    p3_world_free(world);
}

// icpt.driver.iov_limit: the NAL sends from one piece of memory or none (thesis 002, 5.3.2,
// inal_send).
static void test_pieces(void)
{
    struct p3_world_options options = p3_world_defaults();
    struct p3_world *world = p3_world_new(&options);
    struct portals_transfer transfer = {
        .header = {.kind = PORTALS_PUT, .to = {1, 5}, .length = 58},
        .length = 58,
        .segments = 2,
    };
    enum portals_status status =
        p3_nal.send(NULL, p3_world_process(world, 0)->ni, &transfer); // returns before it acts
    SUITE_SAME_INTEGER(status, PORTALS_INV_MD);
    SUITE_SAME_INTEGER(p3_world_counter(world, "RMPP: RTS"), 0);
    p3_world_free(world);
}

static int no_cts(struct p3_world *world, const struct intercept_sm *sm)
{
    (void)world;
    return p3_packet_of(sm)->kind != P3_CTS;
}

// icpt.short.msgerror: the message fails at its sender.
static void test_msgerror(void)
{
    struct p3_world_options options = p3_world_defaults();
    options.copies = no_cts;
    struct p3_world *world = p3_world_new(&options);
    p3_world_put(world, 0, 1, 2000);
    p3_world_run(world);
    p3_world_expect_waits(world, 0, "CTS for message 0 from node1");
    struct intercept_sm sm = p3_world_packet(1, 0, P3_MSGERROR, 0);
    p3_world_inject(world, &sm, 0);
    p3_world_run(world);
    SUITE_SAME_INTEGER(p3_world_told(world, 0)->sent, 1);
    SUITE_SAME_INTEGER(p3_world_told(world, 0)->sent_status, PORTALS_FAILED);
    p3_world_expect_lines(world, "short send",
                          "rank 0 short send[0] NEW -> RTS_SENT\n"
                          "rank 0 short send[0] RTS_SENT -> FAILED\n");
    p3_world_free(world);
}

static int no_next_cts(struct p3_world *world, const struct intercept_sm *sm)
{
    (void)world;
    return p3_packet_of(sm)->kind != P3_NEXT_CTS;
}

static int no_msgend(struct p3_world *world, const struct intercept_sm *sm)
{
    (void)world;
    return p3_packet_of(sm)->kind != P3_MSGEND;
}

#define SHORT_SEND(from, to) "rank 0 short send[0] " from " -> " to "\n"
#define GRANTED SHORT_SEND("NEW", "RTS_SENT") SHORT_SEND("RTS_SENT", "SENDING")

// A receiver may end a message in any state that follows the RTS. `at`: when the end arrives, while
// the one packet that TX-CBs hold takes 100 ms.
static const struct end_case {
    int (*copies)(struct p3_world *world, const struct intercept_sm *sm);
    enum p3_kind end;
    sim_time at; // 0: when nothing moves any more
    const char *lines;
} end_cases[] = {
    {NULL, P3_MSGEND, 250 * TIME_MS, GRANTED SHORT_SEND("SENDING", "DONE")},
    {NULL, P3_MSGERROR, 250 * TIME_MS, GRANTED SHORT_SEND("SENDING", "FAILED")},
    {no_next_cts, P3_MSGEND, 0,
     GRANTED SHORT_SEND("SENDING", "WAIT_CTS") SHORT_SEND("WAIT_CTS", "DONE")},
    {no_next_cts, P3_MSGERROR, 0,
     GRANTED SHORT_SEND("SENDING", "WAIT_CTS") SHORT_SEND("WAIT_CTS", "FAILED")},
    {no_msgend, P3_MSGERROR, 0,
     GRANTED SHORT_SEND("SENDING", "WAIT_END") SHORT_SEND("WAIT_END", "FAILED")},
};

static void test_ends(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(end_cases); i++) {
        const struct end_case *end_case = &end_cases[i];
        struct p3_world_options options = p3_world_defaults();
        options.copies = end_case->copies;
        if (end_case->at) {
            options.latency = 100 * TIME_MS;
            options.room = 1;
        }
        struct p3_world *world = p3_world_new(&options);
        struct intercept_sm end = p3_world_packet(1, 0, end_case->end, 0);
        p3_world_put(world, 0, 1, end_case->copies == no_msgend ? 700 : 20000);
        if (end_case->at)
            p3_world_inject(world, &end, end_case->at);
        p3_world_run(world);
        if (!end_case->at)
            p3_world_inject(world, &end, 0);
        p3_world_run(world);
        p3_world_expect_lines(world, "short send[0]", end_case->lines);
        p3_world_free(world);
    }
}

// icpt.short.bootmsg: a sender that starts again begins with a boot message, which resets the
// receiver's counter.
static void test_sender_restarts(void)
{
    struct p3_world_options options = p3_world_defaults();
    struct p3_world *world = p3_world_new(&options);
    for (int life = 0; life < 2; life++) {
        for (int i = 0; i < 3; i++)
            p3_world_put(world, 0, 1, 700);
        p3_world_run(world);
        SUITE_SAME_INTEGER((long long)p3_peer(p3_world_process(world, 1), 0)->last_number, 2);
        *p3_peer(p3_world_process(world, 0), 1) = (struct p3_peer){0};
    }
    p3_world_expect_over(world);
    p3_world_free(world);
}

// A receiver that starts again expects the number 1, and the sender does not learn it: its messages
// are kept for their turn for ever.
static void test_receiver_restarts(void)
{
    struct p3_world_options options = p3_world_defaults();
    struct p3_world *world = p3_world_new(&options);
    for (int i = 0; i < 3; i++)
        p3_world_put(world, 0, 1, 29);
    p3_world_run(world);
    *p3_peer(p3_world_process(world, 1), 0) = (struct p3_peer){0};
    p3_world_put(world, 0, 1, 29);
    p3_world_run(world);
    p3_world_expect_waits(world, 0, "MSGEND of message 3 from node1");
    p3_world_expect_waits(world, 1, "message 1 before 3 (reorder queue: 1) from node0");
    p3_world_free(world);
}

static const struct suite_case cases[] = {
    {"numbers that are past", test_low_number},
    {"a number that never comes", test_lost_number},
    {"waits", test_waits},
    {"unknown pid", test_unknown_pid},
    {"unexpected packets", test_unexpected},
    {"a copy that fails", test_copy_failure},
    {"no memory", test_no_memory},
    {"two pieces of memory", test_pieces},
    {"MSGERROR", test_msgerror},
    {"ends in each state", test_ends},
    {"a sender that starts again", test_sender_restarts},
    {"a receiver that starts again", test_receiver_restarts},
    {0},
};

int main(void)
{
    return suite_run("p3: errors", cases);
}
