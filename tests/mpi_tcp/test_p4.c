// SPDX-License-Identifier: GPL-3.0-or-later
// MPICH over ch_p4 as sequences of transitions: short, eager and rendezvous messages, unexpected
// ones, messages to oneself, blocking sends that read when they can't write.
//
// Who comes first is arranged with pauses that are longer than any transfer here by two orders of
// magnitude, so that no sequence depends on a cost.
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

#define STACK .stack = "mpich_p4"
#define FIRST "{compute: 300 ms}, " // lets the other ranks go first

static void test_short(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .ops = {FIRST "{send: {to: 1, size: 1 KiB}}", "{recv: {from: 0, size: 1 KiB}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS,
                   "send[1] start -> send_short\n"
                   "send[1] send_short -> done\n",
                   "recv[1] start -> posted\n"
                   "recv[1] posted -> done\n");
}

static void test_empty(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .ops = {FIRST "{send: {to: 1, size: 0 B}}", "{recv: {from: 0, size: 0 B}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS,
                   "send[1] start -> send_short\n"
                   "send[1] send_short -> done\n",
                   "recv[1] start -> posted\n"
                   "recv[1] posted -> done\n");
}

// The packet says what comes; its data are then asked for before anything else.
static void test_eager(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .ops = {FIRST "{send: {to: 1, size: 20 KiB}}", "{recv: {from: 0, size: 20 KiB}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS,
                   "send[1] start -> send_eager\n"
                   "send[1] send_eager -> done\n",
                   "recv[1] start -> posted\n"
                   "recv[1] posted -> wait_data\n"
                   "recv[1] wait_data -> done\n");
}

#define RENDEZVOUS_SEND                                                                            \
    "send[1] start -> send_request\n"                                                              \
    "send[1] send_request -> wait_ok\n"                                                            \
    "send[1] wait_ok -> send_data\n"                                                               \
    "send[1] send_data -> done\n"

// Longer messages go by rendezvous, and every synchronous one.
static void test_rendezvous(void)
{
    static const char *const sizes[] = {"send: {to: 1, size: 128001 B}",
                                        "ssend: {to: 1, size: 100 B}", "ssend: {to: 1, size: 0 B}"};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        char *sender = g_strdup_printf(FIRST "{%s}", sizes[i]);
        struct test_program program = {
            STACK,
            .ranks = 2,
            .ops = {sender, "{recv: {from: 0, size: 128001 B}}"},
        };
        PROGRAM_EXPECT(&program, RPI_REQUESTS, RENDEZVOUS_SEND,
                       "recv[1] start -> posted\n"
                       "recv[1] posted -> send_ok\n"
                       "recv[1] send_ok -> wait_data\n"
                       "recv[1] wait_data -> done\n");
        g_free(sender);
    }
}

// MPICH's limits: 16,384 B fit into a packet, 128,000 B are eager.
static void test_limits(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .ops = {FIRST "{send: {to: 1, size: 16384 B}}, {send: {to: 1, size: 16385 B}}, "
                      "{send: {to: 1, size: 128000 B}}, {send: {to: 1, size: 128001 B}}",
                "{loop: {count: 4, do: [{recv: {from: 0, size: 128001 B}}]}}"},
    };
    PROGRAM_EXPECT(&program, "send",
                   "send[1] start -> send_short\n"
                   "send[1] send_short -> done\n"
                   "send[2] start -> send_eager\n"
                   "send[2] send_eager -> done\n"
                   "send[3] start -> send_eager\n"
                   "send[3] send_eager -> done\n"
                   "send[4] start -> send_request\n"
                   "send[4] send_request -> wait_ok\n"
                   "send[4] wait_ok -> send_data\n"
                   "send[4] send_data -> done\n",
                   NULL);
}

// ---- Unexpected messages ----

static void test_unexpected(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .ops = {"{isend: {to: 1, size: 2 KiB, tag: 1, request: a}}, "
                "{isend: {to: 1, size: 20 KiB, tag: 2, request: b}}, "
                "{isend: {to: 1, size: 200 KiB, tag: 3, request: c}}, "
                "{isend: {to: 1, size: 0 B, tag: 4, request: d}}, {waitall: all}",
                FIRST "{recv: {from: 0, size: 0 B, tag: 4}}, {recv: {from: 0, size: 2 KiB, tag: "
                      "1}}, {recv: {from: 0, size: 20 KiB, tag: 2}}, "
                      "{recv: {from: 0, size: 200 KiB, tag: 3}}"},
    };
    PROGRAM_EXPECT(&program, "recv cbuf", "",
                   "recv[1] start -> posted\n"
                   "cbuf[0] unexpected_short\n"
                   "cbuf[1] unexpected_eager\n"
                   "cbuf[2] unexpected_request\n"
                   "recv[1] posted -> done\n"
                   "recv[2] start -> done\n"
                   "recv[3] start -> done\n"
                   "recv[4] start -> send_ok\n"
                   "recv[4] send_ok -> wait_data\n"
                   "recv[4] wait_data -> done\n");
}

// p4 reads whatever socket has something, also while MPICH waits for another one.
static void test_all_are_read(void)
{
    struct test_program program = {
        STACK,
        .ranks = 3,
        .ops = {"{recv: {from: 1, size: 1 KiB}}, {recv: {from: 2, size: 1 KiB}}",
                FIRST "{send: {to: 0, size: 1 KiB}}", "{send: {to: 0, size: 1 KiB}}"},
    };
    PROGRAM_EXPECT(&program, "recv cbuf",
                   "recv[1] start -> posted\n"
                   "cbuf[0] unexpected_short\n"
                   "recv[1] posted -> done\n"
                   "recv[2] start -> done\n",
                   NULL, NULL);
}

static void test_probe(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .ops = {"{send: {to: 1, size: 20 KiB, tag: 5}}",
                FIRST "{iprobe: {from: any, tag: any}}, {probe: {from: 0, tag: 5}}, "
                      "{recv: {from: 0, size: 20 KiB, tag: 5}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS, NULL,
                   "probe[1] start -> posted\n"
                   "probe[1] posted -> done\n"
                   "cbuf[0] unexpected_eager\n"
                   "probe[2] start -> done\n"
                   "recv[3] start -> done\n");
}

// ---- Blocking sends ----

// An isend of an eager message is written to its end before the call returns: here the receiver
// reads it only after 300 ms, and the second send starts after that.
static void test_isend_blocks(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .sets = {"mpich_p4.socket_buffer=2 KiB"},
        .ops = {"{isend: {to: 1, size: 60 KiB, tag: 1, request: a}}, "
                "{isend: {to: 1, size: 10 B, tag: 2, request: b}}, {waitall: all}",
                FIRST "{recv: {from: 0, size: 10 B, tag: 2}}, "
                      "{recv: {from: 0, size: 60 KiB, tag: 1}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS,
                   "send[1] start -> send_eager\n"
                   "send[1] send_eager -> done\n"
                   "send[2] start -> send_short\n"
                   "send[2] send_short -> done\n",
                   "recv[1] start -> posted\n"
                   "cbuf[0] unexpected_eager\n"
                   "recv[1] posted -> done\n"
                   "recv[2] start -> done\n");
}

// Both write more than the buffers hold. The lower rank reads and queues what comes while it can't
// write, so that the higher one gets on, and then reads: no deadlock, unlike with LAM.
static void test_both_send(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .sets = {"mpich_p4.socket_buffer=2 KiB"},
        .all = "{send: {to: 1 - rank, size: 100 KiB}}, {recv: {from: 1 - rank, size: 100 KiB}}",
    };
    PROGRAM_EXPECT(&program, "send recv cbuf",
                   "send[1] start -> send_eager\n"
                   "send[1] send_eager -> done\n"
                   "recv[2] start -> posted\n"
                   "recv[2] posted -> wait_data\n"
                   "recv[2] wait_data -> done\n",
                   "send[1] start -> send_eager\n"
                   "send[1] send_eager -> done\n"
                   "recv[2] start -> posted\n"
                   "recv[2] posted -> wait_data\n"
                   "recv[2] wait_data -> done\n");
}

// A message is read to its end before one from another rank: the small one comes while the long
// one is on the wire, and waits.
static void test_head_of_line(void)
{
    struct test_program program = {
        STACK,
        .ranks = 3,
        .ops = {"{irecv: {from: 1, size: 100 KiB, request: a}}, "
                "{irecv: {from: 2, size: 100 B, request: b}}, {waitall: all}",
                "{compute: 2 ms}, {send: {to: 0, size: 100 KiB}}",
                "{compute: 6 ms}, {send: {to: 0, size: 100 B}}"},
    };
    PROGRAM_EXPECT(&program, "recv",
                   "recv[1] start -> posted\n"
                   "recv[2] start -> posted\n"
                   "recv[1] posted -> wait_data\n"
                   "recv[1] wait_data -> done\n"
                   "recv[2] posted -> done\n",
                   NULL, NULL);
}

// Five ranks send eager messages to one at a time: while it waits for the data of one, headers and
// data of the others queue up, and what comes behind them is queued behind them.
static void test_data_out_of_a_queue(void)
{
    struct test_program program = {
        STACK,
        .ranks = 6,
        .sets = {"mpich_p4.short=1 KiB"},
        .ops = {"{loop: {count: 150, do: [{recv: {from: any, size: 20 KiB}}]}}",
                "{loop: {count: 30, do: [{send: {to: 0, size: 2 KiB}}]}}",
                "{loop: {count: 30, do: [{send: {to: 0, size: 3 KiB}}]}}",
                "{loop: {count: 30, do: [{send: {to: 0, size: 9 KiB}}]}}",
                "{loop: {count: 30, do: [{send: {to: 0, size: 12 KiB}}]}}",
                "{loop: {count: 30, do: [{send: {to: 0, size: 20 KiB}}]}}"},
    };
    struct program_run *run = program_run_good(&program);
    SUITE_SAME_INTEGER(program_run_count(run, 0, "-> done"), 150);
    program_run_free(run);
}

// Header and data in two writes (-p4sctrl writev=n) give the same protocol, at more cost.
static void test_two_writes(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .ops = {"{send: {to: 1, size: 1 KiB}}, {recv: {from: 1, size: 20 KiB}}",
                "{recv: {from: 0, size: 1 KiB}}, {send: {to: 0, size: 20 KiB}}"},
    };
    struct program_run *one = program_run(&program, 1);
    program.sets[0] = "mpich_p4.writev=false";
    struct program_run *two = program_run(&program, 1);
    for (int rank = 0; rank < 2; rank++) {
        char *a = program_run_text(one, rank, RPI_REQUESTS),
             *b = program_run_text(two, rank, RPI_REQUESTS);
        SUITE_SAME_TEXT(a, b);
        g_free(a);
        g_free(b);
    }
    CU_ASSERT(two->result->ledger_balanced);
    CU_ASSERT(two->result->fingerprint != one->result->fingerprint);
    program_run_free(one);
    program_run_free(two);
}

// ---- Failures ----

static void test_deadlock(void)
{
    struct test_program program = {
        STACK,
        .ranks = 3,
        .ops = {"{recv: {from: 1, size: 1 KiB}}", "{ssend: {to: 2, size: 1 KiB}}",
                "{recv: {from: any, size: 1 KiB, tag: 7}}"},
    };
    struct program_run *run = program_run(&program, 1);
    char *ranks = program_reason(run, "ranks");
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "deadlock");
    SUITE_CONTAINS(ranks, "\"waits_for\":\"a matching message\",\"held_by\":\"rank 1\"");
    SUITE_CONTAINS(ranks, "\"waits_for\":\"the receiver's ok to send\",\"held_by\":\"rank 2\"");
    SUITE_CONTAINS(ranks, "\"held_by\":\"any rank\"");
    g_free(ranks);
    program_run_free(run);
}

static void test_truncated(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .ops = {"{send: {to: 1, size: 2 KiB}}", "{recv: {from: 0, size: 1 KiB}}"},
    };
    struct program_run *run = program_run(&program, 1);
    char *kind = program_reason(run, "kind");
    SUITE_SAME_TEXT(kind, "truncated");
    g_free(kind);
    program_run_free(run);
}

static void test_limits_in_order(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .sets = {"mpich_p4.short=200 KiB"},
        .all = "barrier",
    };
    char *complaints = program_complaints(&program);
    SUITE_CONTAINS(complaints, "longer than the longest eager one");
    g_free(complaints);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"short", test_short},
        {"empty", test_empty},
        {"eager", test_eager},
        {"rendezvous", test_rendezvous},
        {"limits", test_limits},
        {"unexpected", test_unexpected},
        {"all sockets are read", test_all_are_read},
        {"probe", test_probe},
        {"isend blocks", test_isend_blocks},
        {"both send", test_both_send},
        {"head of line", test_head_of_line},
        {"data out of a queue", test_data_out_of_a_queue},
        {"two writes", test_two_writes},
        {"deadlock", test_deadlock},
        {"truncated", test_truncated},
        {"limits in order", test_limits_in_order},
        {0},
    };
    return suite_run("mpi_tcp: MPICH over ch_p4", cases);
}
