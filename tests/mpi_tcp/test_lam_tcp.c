// SPDX-License-Identifier: GPL-3.0-or-later
// The TCP RPI of LAM/MPI as sequences of transitions: short, synchronous and long messages,
// unexpected ones, messages to oneself, bodies that come in parts, sockets that are full.
//
// Who comes first is arranged with pauses that are longer than any transfer here by two orders of
// magnitude, so that no sequence depends on a cost.
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

#define STACK .stack = "lam_tcp"
#define FIRST "{compute: 300 ms}, "  // lets the other ranks go first
#define SECOND "{compute: 600 ms}, " // after those with FIRST

// Envelope and body leave in one write; the receiver reads the envelope, then the body.
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
                   "recv[1] posted -> read_body\n"
                   "recv[1] read_body -> done\n");
}

// There is no body to read.
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

static void test_synchronous(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .ops = {FIRST "{ssend: {to: 1, size: 1 KiB}}", "{recv: {from: 0, size: 1 KiB}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS,
                   "send[1] start -> send_synch\n"
                   "send[1] send_synch -> wait_ack\n"
                   "send[1] wait_ack -> done\n",
                   "recv[1] start -> posted\n"
                   "recv[1] posted -> read_body\n"
                   "recv[1] read_body -> send_ack\n"
                   "recv[1] send_ack -> done\n");
}

static void test_empty_synchronous(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .ops = {FIRST "{ssend: {to: 1, size: 0 B}}", "{recv: {from: 0, size: 0 B}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS,
                   "send[1] start -> send_synch\n"
                   "send[1] send_synch -> wait_ack\n"
                   "send[1] wait_ack -> done\n",
                   "recv[1] start -> posted\n"
                   "recv[1] posted -> send_ack\n"
                   "recv[1] send_ack -> done\n");
}

#define LONG_SEND                                                                                  \
    "send[1] start -> send_long\n"                                                                 \
    "send[1] send_long -> wait_ack\n"                                                              \
    "send[1] wait_ack -> send_body\n"                                                              \
    "send[1] send_body -> done\n"

// Envelope, ACK, then a second envelope with the body. A synchronous send is no different: its ACK
// has come already.
static void test_long(void)
{
    static const char *const sends[] = {"{send: {to: 1, size: 100 KiB}}",
                                        "{ssend: {to: 1, size: 100 KiB}}"};
    for (int i = 0; i < 2; i++) {
        char *sender = g_strconcat(FIRST, sends[i], NULL);
        struct test_program program = {
            STACK,
            .ranks = 2,
            .ops = {sender, "{recv: {from: 0, size: 100 KiB}}"},
        };
        PROGRAM_EXPECT(&program, RPI_REQUESTS, LONG_SEND,
                       "recv[1] start -> posted\n"
                       "recv[1] posted -> send_ack_long\n"
                       "recv[1] send_ack_long -> wait_2nd\n"
                       "recv[1] wait_2nd -> read_body\n"
                       "recv[1] read_body -> done\n");
        g_free(sender);
    }
}

// 65,536 B are short, one more is long.
static void test_limit(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .ops = {FIRST "{send: {to: 1, size: 65536 B}}, {send: {to: 1, size: 65537 B}}",
                "{recv: {from: 0, size: 65536 B}}, {recv: {from: 0, size: 65537 B}}"},
    };
    PROGRAM_EXPECT(&program, "send",
                   "send[1] start -> send_short\n"
                   "send[1] send_short -> done\n"
                   "send[2] start -> send_long\n"
                   "send[2] send_long -> wait_ack\n"
                   "send[2] wait_ack -> send_body\n"
                   "send[2] send_body -> done\n",
                   NULL);
}

// ---- Unexpected messages ----

// A receive from another tag reads what comes before it into temporary buffers; a long message
// leaves only its envelope.
static void test_unexpected(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .ops = {"{isend: {to: 1, size: 2 KiB, tag: 1, request: a}}, "
                "{isend: {to: 1, size: 100 KiB, tag: 2, request: b}}, "
                "{isend: {to: 1, size: 0 B, tag: 3, request: c}}, {waitall: all}",
                FIRST "{recv: {from: 0, size: 0 B, tag: 3}}, {recv: {from: 0, size: 2 KiB, tag: "
                      "1}}, {recv: {from: 0, size: 100 KiB, tag: 2}}"},
    };
    PROGRAM_EXPECT(&program, "recv cbuf", "",
                   "recv[1] start -> posted\n"
                   "cbuf[0] unexpected_short\n"
                   "cbuf[1] unexpected_long\n"
                   "recv[1] posted -> done\n"
                   "recv[2] start -> done\n"
                   "recv[3] start -> send_ack_long\n"
                   "recv[3] send_ack_long -> wait_2nd\n"
                   "recv[3] wait_2nd -> read_body\n"
                   "recv[3] read_body -> done\n");
}

static void test_unexpected_synchronous(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .ops = {"{issend: {to: 1, size: 2 KiB, tag: 1, request: a}}, "
                "{isend: {to: 1, size: 0 B, tag: 3, request: c}}, {waitall: all}",
                FIRST "{recv: {from: 0, size: 0 B, tag: 3}}, "
                      "{recv: {from: 0, size: 2 KiB, tag: 1}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS,
                   "send[1] start -> send_synch\n"
                   "send[1] send_synch -> wait_ack\n"
                   "send[2] start -> send_short\n"
                   "send[2] send_short -> done\n"
                   "send[1] wait_ack -> done\n",
                   "recv[1] start -> posted\n"
                   "cbuf[0] unexpected_short\n"
                   "recv[1] posted -> done\n"
                   "recv[2] start -> send_ack\n"
                   "recv[2] send_ack -> done\n");
}

// Of a short message that nobody has asked for, a part has been read when its receive starts: that
// part is copied, the rest goes straight to the user's buffer.
static void test_claimed_half_read(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .ops = {"{compute: 2 ms}, {send: {to: 1, size: 60 KiB, tag: 1}}",
                "{compute: 6 ms}, {iprobe: {from: 0, tag: 99}}, {recv: {from: 0, size: 60 KiB, "
                "tag: 1}}"},
    };
    PROGRAM_EXPECT(&program, "recv cbuf", "",
                   "cbuf[0] unexpected_short\n"
                   "recv[2] start -> read_body\n"
                   "recv[2] read_body -> done\n");
}

// A probe learns of the message and leaves it.
static void test_probe(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .ops = {FIRST "{send: {to: 1, size: 2 KiB, tag: 5}}",
                "{probe: {from: any, tag: any}}, {recv: {from: 0, size: 2 KiB, tag: 5}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS, NULL,
                   "probe[1] start -> posted\n"
                   "probe[1] posted -> done\n"
                   "cbuf[0] unexpected_short\n"
                   "recv[2] start -> done\n");
}

// A socket that no request is interested in is not read: rank 2's message waits in the kernel, and
// is no unexpected one.
static void test_not_of_interest(void)
{
    struct test_program program = {
        STACK,
        .ranks = 3,
        .ops = {"{recv: {from: 1, size: 1 KiB}}, {recv: {from: 2, size: 1 KiB}}",
                FIRST "{send: {to: 0, size: 1 KiB}}", "{send: {to: 0, size: 1 KiB}}"},
    };
    PROGRAM_EXPECT(&program, "recv cbuf",
                   "recv[1] start -> posted\n"
                   "recv[1] posted -> read_body\n"
                   "recv[1] read_body -> done\n"
                   "recv[2] start -> posted\n"
                   "recv[2] posted -> read_body\n"
                   "recv[2] read_body -> done\n",
                   NULL, NULL);
}

// ---- Several peers, full sockets ----

// A message whose first half has come does not keep one from another rank: select goes on with
// what there is. Rank 1's body needs rank 0 to read it, as the socket's buffers hold less than it.
static void test_interleaved(void)
{
    struct test_program program = {
        STACK,
        .ranks = 3,
        .sets = {"lam_tcp.socket_buffer=4 KiB"},
        .ops = {"{irecv: {from: 1, size: 64 KiB, request: a}}, "
                "{irecv: {from: 2, size: 100 B, request: b}}, {waitall: all}",
                "{send: {to: 0, size: 64 KiB}}",
                "{compute: 3500 us}, {send: {to: 0, size: 100 B}}"},
    };
    PROGRAM_EXPECT(&program, "recv",
                   "recv[1] start -> posted\n"
                   "recv[2] start -> posted\n"
                   "recv[1] posted -> read_body\n"
                   "recv[2] posted -> read_body\n"
                   "recv[2] read_body -> done\n"
                   "recv[1] read_body -> done\n",
                   NULL, NULL);
}

// Behind a body that nobody reads, nothing of that rank gets through: a receive for what comes
// later reads the body into a temporary buffer first.
static void test_head_of_line(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .sets = {"lam_tcp.socket_buffer=4 KiB"},
        .ops = {"{isend: {to: 1, size: 64 KiB, tag: 1, request: a}}, "
                "{isend: {to: 1, size: 10 B, tag: 2, request: b}}, {waitall: all}",
                FIRST "{recv: {from: 0, size: 10 B, tag: 2}}, "
                      "{recv: {from: 0, size: 64 KiB, tag: 1}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS,
                   "send[1] start -> send_short\n"
                   "send[2] start -> send_short\n"
                   "send[1] send_short -> done\n"
                   "send[2] send_short -> done\n",
                   "recv[1] start -> posted\n"
                   "cbuf[0] unexpected_short\n"
                   "recv[1] posted -> read_body\n"
                   "recv[1] read_body -> done\n"
                   "recv[2] start -> done\n");
}

// A socket is written in the order of the requests: an ACK that an older receive owes goes before
// a younger send that has not begun.
static void test_write_order(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .ops = {"{irecv: {from: 1, size: 100 KiB, request: r}}, " SECOND
                "{isend: {to: 1, size: 10 B, request: s}}, {waitall: all}",
                FIRST "{isend: {to: 0, size: 100 KiB, request: s}}, "
                      "{irecv: {from: 0, size: 10 B, request: r}}, {waitall: all}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS,
                   "recv[1] start -> posted\n"
                   "send[2] start -> send_short\n"
                   "recv[1] posted -> send_ack_long\n"
                   "recv[1] send_ack_long -> wait_2nd\n"
                   "send[2] send_short -> done\n"
                   "recv[1] wait_2nd -> read_body\n"
                   "recv[1] read_body -> done\n",
                   NULL);
}

// ---- Failures ----

static void expect_reason(const struct program_run *run, const char *kind, const char *part)
{
    char *actual = program_reason(run, "kind"), *ranks = program_reason(run, "ranks");
    SUITE_SAME_TEXT(actual, kind);
    if (part)
        SUITE_CONTAINS(ranks, part);
    g_free(actual);
    g_free(ranks);
}

static void test_truncated(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .ops = {"{send: {to: 1, size: 2 KiB}}", "{recv: {from: 0, size: 1 KiB}}"},
    };
    struct program_run *run = program_run(&program, 1);
    expect_reason(run, "truncated", NULL);
    program_run_free(run);
}

// The report says what each request waits for, and who holds it.
static void test_deadlock(void)
{
    struct test_program program = {
        STACK,
        .ranks = 3,
        .ops = {"{recv: {from: 1, size: 1 KiB}}", "{ssend: {to: 2, size: 1 KiB}}",
                "{recv: {from: any, size: 1 KiB, tag: 7}}"},
    };
    struct program_run *run = program_run(&program, 1);
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "deadlock");
    expect_reason(run, "deadlock", "\"waits_for\":\"a matching message\",\"held_by\":\"rank 1\"");
    expect_reason(run, "deadlock", "\"waits_for\":\"the receiver's ACK\",\"held_by\":\"rank 2\"");
    expect_reason(run, "deadlock", "\"held_by\":\"any rank\"");
    program_run_free(run);
}

// Two ranks that write more to each other than buffers hold, and do not read.
static void test_deadlock_full(void)
{
    struct test_program program = {
        STACK,
        .ranks = 2,
        .sets = {"lam_tcp.socket_buffer=2 KiB"},
        .all = "{send: {to: 1 - rank, size: 64 KiB}}, {recv: {from: 1 - rank, size: 64 KiB}}",
    };
    struct program_run *run = program_run(&program, 1);
    expect_reason(run, "deadlock", "room in the socket for envelope and body");
    program_run_free(run);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"short", test_short},
        {"empty", test_empty},
        {"synchronous", test_synchronous},
        {"empty synchronous", test_empty_synchronous},
        {"long", test_long},
        {"the short limit", test_limit},
        {"unexpected", test_unexpected},
        {"unexpected synchronous", test_unexpected_synchronous},
        {"claimed half read", test_claimed_half_read},
        {"probe", test_probe},
        {"not of interest", test_not_of_interest},
        {"peers interleaved", test_interleaved},
        {"head of line", test_head_of_line},
        {"order of writing", test_write_order},
        {"truncated", test_truncated},
        {"deadlock", test_deadlock},
        {"deadlock by full sockets", test_deadlock_full},
        {0},
    };
    return suite_run("mpi_tcp: TCP RPI", cases);
}
