// SPDX-License-Identifier: GPL-3.0-or-later
// The three protocol classes and messages to self, as sequences of transitions (thesis 000, 4.4
// and 4.5).
//
// Who comes first is arranged with pauses that are longer than any transfer here by two orders of
// magnitude, so that no sequence depends on a cost.
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

#define FIRST "{compute: 100 ms}, " // lets the other ranks go first

// via.rpi.tiny_protocol: one transfer, after which the sender is done.
static void test_tiny(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {FIRST "{send: {to: 1, size: 1 KiB}}", "{recv: {from: 0, size: 1 KiB}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS_AND_PINS,
                   "send[1] start -> envelope_sent tiny\n"
                   "send[1] envelope_sent -> done\n",
                   "recv[1] start -> posted\n"
                   "recv[1] posted -> done\n");
}

// via.rpi.ssend_ack, via.rpi.ack_is_envelope: the receiver answers once the data are there.
static void test_tiny_synchronous(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {FIRST "{ssend: {to: 1, size: 1 KiB}}", "{recv: {from: 0, size: 1 KiB}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS_AND_PINS,
                   "send[1] start -> envelope_sent tiny\n"
                   "send[1] envelope_sent -> wait_ack synchronous\n"
                   "send[1] wait_ack -> done\n",
                   "recv[1] start -> posted\n"
                   "recv[1] posted -> ack_sent synchronous\n"
                   "recv[1] ack_sent -> done\n");
}

// A message without data is a tiny one.
static void test_empty(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {FIRST "{send: {to: 1, size: 0 B}}", "{recv: {from: 0, size: 0 B}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS_AND_PINS,
                   "send[1] start -> envelope_sent tiny\n"
                   "send[1] envelope_sent -> done\n",
                   "recv[1] start -> posted\n"
                   "recv[1] posted -> done\n");
}

// via.rpi.short_protocol, via.rpi.short_two_messages: envelope, then at once the body out of the
// pinned buffer of the user. The receiver pins nothing.
static void test_short(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {FIRST "{send: {to: 1, size: 24 KiB}}", "{recv: {from: 0, size: 24 KiB}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS_AND_PINS,
                   "pin registered 24576 B, references 1\n"
                   "send[1] start -> envelope_sent short\n"
                   "send[1] envelope_sent -> body_sent\n"
                   "pin released 24576 B, references 0\n"
                   "send[1] body_sent -> done\n",
                   "recv[1] start -> posted\n"
                   "recv[1] posted -> wait_body short\n"
                   "recv[1] wait_body -> done\n");
}

// via.rpi.ssend_ack: of a short message, the ACK follows the body.
static void test_short_synchronous(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {FIRST "{ssend: {to: 1, size: 24 KiB}}", "{recv: {from: 0, size: 24 KiB}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS,
                   "send[1] start -> envelope_sent short\n"
                   "send[1] envelope_sent -> body_sent\n"
                   "send[1] body_sent -> wait_ack synchronous\n"
                   "send[1] wait_ack -> done\n",
                   "recv[1] start -> posted\n"
                   "recv[1] posted -> wait_body short\n"
                   "recv[1] wait_body -> ack_sent synchronous\n"
                   "recv[1] ack_sent -> done\n");
}

// The SYN, the ACK with the target, and the body in pieces of 32 KiB.
#define LONG_SENDER                                                                                \
    "pin registered 102400 B, references 1\n"                                                      \
    "send[1] start -> syn_sent long\n"                                                             \
    "send[1] syn_sent -> wait_ack\n"                                                               \
    "send[1] wait_ack -> body_sent first piece\n"                                                  \
    "send[1] body_sent -> body_sent last piece\n"                                                  \
    "pin released 102400 B, references 0\n"                                                        \
    "send[1] body_sent -> done\n"

// The receive pins its buffer when it is posted, and gives it back only when the body is there.
#define LONG_RECEIVER                                                                              \
    "pin registered 102400 B, references 1\n"                                                      \
    "recv[1] start -> posted\n"                                                                    \
    "recv[1] posted -> ack_sent target\n"                                                          \
    "recv[1] ack_sent -> wait_body long\n"                                                         \
    "pin released 102400 B, references 0\n"                                                        \
    "recv[1] wait_body -> done\n"

// via.rpi.long_protocol, via.rpi.long_pin_both.
static void test_long(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {FIRST "{send: {to: 1, size: 100 KiB}}", "{recv: {from: 0, size: 100 KiB}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS_AND_PINS, LONG_SENDER, LONG_RECEIVER);
}

// A synchronous long message needs no more than any long one: its ACK has come before the body.
static void test_long_synchronous(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {FIRST "{ssend: {to: 1, size: 100 KiB}}", "{recv: {from: 0, size: 100 KiB}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS_AND_PINS, LONG_SENDER, LONG_RECEIVER);
}

// via.rpi.class_selection_at_start: the class depends on the size alone; tiny and short are the
// longest of their class.
static void test_boundaries(void)
{
    static const struct {
        const char *size, *start;
    } sends[] = {
        {"1000 B", "start -> envelope_sent tiny"},
        {"1001 B", "start -> envelope_sent short"},
        {"3000 B", "start -> envelope_sent short"},
        {"3001 B", "start -> syn_sent long"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(sends); i++) {
        char *send = g_strdup_printf("{send: {to: 1, size: %s}}", sends[i].size);
        struct test_program program = {
            .ranks = 2,
            .sets = {"lam_via.tiny=1000 B", "lam_via.short=3000 B"},
            .ops = {send, "{recv: {from: 0, size: 4 KiB}}"},
        };
        struct program_run *run = program_run(&program, 1);
        SUITE_SAME_INTEGER(program_run_count(run, 0, sends[i].start), 1);
        SUITE_SAME_INTEGER(program_run_count(run, 0, "pin registered"), i > 0);
        CU_ASSERT(run->result->ledger_balanced);
        program_run_free(run);
        g_free(send);
    }
}

// A receive that may get a long message pins early, also if a tiny one comes in the end.
static void test_large_receive_of_tiny(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {FIRST "{send: {to: 1, size: 10 B}}", "{recv: {from: 0, size: 100 KiB}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS_AND_PINS, NULL,
                   "pin registered 102400 B, references 1\n"
                   "recv[1] start -> posted\n"
                   "pin released 102400 B, references 0\n"
                   "recv[1] posted -> done\n");
}

// via.rpi.self_send: whoever starts first waits for the other; then both are done at once, and
// nothing is sent.
static void test_self(void)
{
    struct test_program send_first = {
        .ranks = 2,
        .ops = {"{isend: {to: 0, size: 100 KiB, request: s}}, {recv: {from: 0, size: 100 KiB}}, "
                "{wait: s}"},
    };
    PROGRAM_EXPECT(&send_first, RPI_REQUESTS_AND_PINS,
                   "cbuf[0] unexpected_self\n"
                   "send[1] start -> wait_ack self\n"
                   "recv[2] start -> done\n"
                   "send[1] wait_ack -> done\n",
                   "");
    struct test_program receive_first = {
        .ranks = 2,
        .ops = {"{irecv: {from: any, tag: any, size: 1 KiB, request: r}}, {ssend: {to: 0, size: 1 "
                "KiB, tag: 5}}, {wait: r}"},
    };
    PROGRAM_EXPECT(&receive_first, RPI_REQUESTS_AND_PINS,
                   "recv[1] start -> posted\n"
                   "recv[1] posted -> done\n"
                   "send[2] start -> done\n",
                   "");
}

// A blocking send to self that nobody receives can't end.
static void test_self_alone(void)
{
    struct test_program program = {.ranks = 2, .ops = {"{send: {to: 0, size: 1 B}}"}};
    struct program_run *run = program_run(&program, 1);
    char *ranks = program_reason(run, "ranks");
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "deadlock");
    SUITE_CONTAINS(ranks, "\"kind\":\"send\"");
    SUITE_CONTAINS(ranks, "\"protocol\":\"self\"");
    g_free(ranks);
    program_run_free(run);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"tiny", test_tiny},
        {"tiny, synchronous", test_tiny_synchronous},
        {"empty message", test_empty},
        {"short", test_short},
        {"short, synchronous", test_short_synchronous},
        {"long", test_long},
        {"long, synchronous", test_long_synchronous},
        {"boundaries of the classes", test_boundaries},
        {"large receive of a tiny message", test_large_receive_of_tiny},
        {"message to self", test_self},
        {"message to self that nobody receives", test_self_alone},
        {0},
    };
    return suite_run("rpi: classes", cases);
}
