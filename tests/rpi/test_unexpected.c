// SPDX-License-Identifier: GPL-3.0-or-later
// Messages that come before their receive, probes and wildcards (thesis 000, 4.7.4 and 4.7.5).
//
// Progress is made in MPI calls only, so a message is unexpected if its envelope is handled in a
// call that asks for another one. Pauses are longer than transfers by far; where a receive has to
// start between envelope and body, the body is 192 KiB long (15 ms on the wire) and the receive
// comes 5 ms after its envelope.
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

#define FIRST "{compute: 100 ms}, "           // lets the other ranks go first
#define LOOK "{iprobe: {from: 0, tag: 99}}, " // handles what has come, and finds nothing

// Short messages that are long enough to do something while they are on the wire.
#define LARGE_SHORTS "lam_via.short=256 KiB", "lam_via.area=1 MiB", "mvia.largest_transfer=256 KiB"

// via.rpi.unexpected_tiny, via.rpi.start_matches_unexpected: buffered whole, and the receive ends
// in its start.
static void test_tiny(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {"{send: {to: 1, size: 1 KiB}}", FIRST LOOK "{recv: {from: 0, size: 1 KiB}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS_AND_PINS, NULL,
                   "probe[1] start -> posted\n"
                   "cbuf[0] unexpected_tiny\n"
                   "recv[2] start -> done\n");
}

// via.rpi.ssend_ack: a synchronous one is acknowledged when its receive has started, not when it
// came.
static void test_tiny_synchronous(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {"{ssend: {to: 1, size: 1 KiB}}", FIRST LOOK FIRST "{recv: {from: 0, size: 1 KiB}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS_AND_PINS,
                   "send[1] start -> envelope_sent tiny\n"
                   "send[1] envelope_sent -> wait_ack synchronous\n"
                   "send[1] wait_ack -> done\n",
                   "probe[1] start -> posted\n"
                   "cbuf[0] unexpected_tiny\n"
                   "recv[2] start -> ack_sent synchronous\n"
                   "recv[2] ack_sent -> done\n");
}

// via.rpi.unexpected_short, via.rpi.unexpected_short_complete: both parts are buffered before the
// receive starts.
static void test_short(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {"{send: {to: 1, size: 24 KiB}}", FIRST LOOK "{recv: {from: 0, size: 24 KiB}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS_AND_PINS, NULL,
                   "probe[1] start -> posted\n"
                   "cbuf[0] unexpected_short\n"
                   "recv[2] start -> done\n");
}

static void test_short_synchronous(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {"{ssend: {to: 1, size: 24 KiB}}", FIRST LOOK "{recv: {from: 0, size: 24 KiB}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS, NULL,
                   "probe[1] start -> posted\n"
                   "cbuf[0] unexpected_short\n"
                   "recv[2] start -> ack_sent synchronous\n"
                   "recv[2] ack_sent -> done\n");
}

// via.rpi.unexpected_short_claimed: the envelope came unexpected, the body finds its receive.
static void test_short_claimed(void)
{
    struct test_program program = {
        .ranks = 2,
        .sets = {LARGE_SHORTS},
        .ops = {FIRST "{send: {to: 1, size: 192 KiB}}",
                "{compute: 105 ms}, " LOOK "{recv: {from: 0, size: 192 KiB}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS_AND_PINS,
                   "pin registered 196608 B, references 1\n"
                   "send[1] start -> envelope_sent short\n"
                   "send[1] envelope_sent -> body_sent\n"
                   "pin released 196608 B, references 0\n"
                   "send[1] body_sent -> done\n",
                   "probe[1] start -> posted\n"
                   "cbuf[0] unexpected_short\n"
                   "recv[2] start -> wait_body short\n"
                   "recv[2] wait_body -> done\n");
}

// The same for a synchronous one: it is acknowledged after its body.
static void test_short_claimed_synchronous(void)
{
    struct test_program program = {
        .ranks = 2,
        .sets = {LARGE_SHORTS},
        .ops = {FIRST "{ssend: {to: 1, size: 192 KiB}}",
                "{compute: 105 ms}, " LOOK "{recv: {from: any, tag: any, size: 192 KiB}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS, NULL,
                   "probe[1] start -> posted\n"
                   "cbuf[0] unexpected_short\n"
                   "recv[2] start -> wait_body short\n"
                   "recv[2] wait_body -> ack_sent synchronous\n"
                   "recv[2] ack_sent -> done\n");
}

// A body on the wire whose envelope is unexpected goes to the temporary buffer, although another
// receive waits.
static void test_short_body_with_other_receive(void)
{
    struct test_program program = {
        .ranks = 2,
        .sets = {LARGE_SHORTS},
        .ops = {FIRST "{send: {to: 1, size: 192 KiB, tag: 1}}, {send: {to: 1, size: 8 B, tag: 2}}",
                "{compute: 105 ms}, {recv: {from: 0, size: 8 B, tag: 2}}, {recv: {from: 0, size: "
                "192 KiB, tag: 1}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS, NULL,
                   "recv[1] start -> posted\n"
                   "cbuf[0] unexpected_short\n"
                   "recv[1] posted -> done\n"
                   "recv[2] start -> done\n");
}

// via.rpi.unexpected_long, via.rpi.long_never_unexpected_body: only the SYN is kept; pin, ACK and
// body come with the receive.
static void test_long(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {"{send: {to: 1, size: 100 KiB}}",
                FIRST LOOK FIRST "{recv: {from: 0, size: 100 KiB}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS_AND_PINS,
                   "pin registered 102400 B, references 1\n"
                   "send[1] start -> syn_sent long\n"
                   "send[1] syn_sent -> wait_ack\n"
                   "send[1] wait_ack -> body_sent first piece\n"
                   "send[1] body_sent -> body_sent last piece\n"
                   "pin released 102400 B, references 0\n"
                   "send[1] body_sent -> done\n",
                   "probe[1] start -> posted\n"
                   "cbuf[0] unexpected_long\n"
                   "pin registered 102400 B, references 1\n"
                   "recv[2] start -> ack_sent target\n"
                   "recv[2] ack_sent -> wait_body long\n"
                   "pin released 102400 B, references 0\n"
                   "recv[2] wait_body -> done\n");
}

// Messages are matched in the order in which they were sent, also out of the buffer.
static void test_order_in_buffer(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops =
            {"{loop: {count: 5, as: i, do: [{send: {to: 1, size: \"100 B * (i + 1)\", tag: 7}}]}}",
             FIRST LOOK "{loop: {count: 5, as: i, do: [{recv: {from: any, tag: any, size: \"100 "
                        "B * (i + 1)\"}}]}}"},
    };
    // A receive would be too small for any message but its own.
    struct program_run *run = program_run(&program, 1);
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "completed");
    CU_ASSERT(run->result->ledger_balanced);
    SUITE_SAME_INTEGER(program_run_count(run, 1, "unexpected_tiny"), 5);
    program_run_free(run);
}

// via.rpi.probe: a probe is told and the message stays, whether it was there before or comes later.
static void test_probe(void)
{
    struct test_program before = {
        .ranks = 2,
        .ops = {"{send: {to: 1, size: 1 KiB, tag: 3}}",
                FIRST "{probe: {from: any, tag: any}}, {probe: {from: 0, tag: 3}}, {recv: {from: "
                      "0, tag: 3, size: 1 KiB}}"},
    };
    PROGRAM_EXPECT(&before, RPI_REQUESTS, NULL,
                   "probe[1] start -> posted\n"
                   "probe[1] posted -> done\n"
                   "cbuf[0] unexpected_tiny\n"
                   "probe[2] start -> done\n"
                   "recv[3] start -> done\n");
    struct test_program later = {
        .ranks = 2,
        .ops = {FIRST "{send: {to: 1, size: 100 KiB, tag: 3}}",
                "{probe: {from: 0}}, {recv: {from: 0, tag: 3, size: 100 KiB}}"},
    };
    PROGRAM_EXPECT(&later, RPI_REQUESTS, NULL,
                   "probe[1] start -> posted\n"
                   "probe[1] posted -> done\n"
                   "cbuf[0] unexpected_long\n"
                   "recv[2] start -> ack_sent target\n"
                   "recv[2] ack_sent -> wait_body long\n"
                   "recv[2] wait_body -> done\n");
}

// A probe that was posted before a receive does not take the message away from it.
static void test_probe_before_receive(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops =
            {FIRST "{send: {to: 1, size: 1 KiB, tag: 3}}, {send: {to: 1, size: 1 KiB, tag: 4}}",
             "{irecv: {from: 0, tag: 4, size: 1 KiB, request: b}}, {irecv: {from: 0, tag: 3, size: "
             "1 KiB, request: a}}, {probe: {from: 0, tag: 4}}, {waitall: all}"},
    };
    // The receive of tag 4 was first: the probe for it can only end if another message comes.
    struct program_run *run = program_run(&program, 1);
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "deadlock");
    CU_ASSERT(run->result->ledger_balanced);
    program_run_free(run);
}

static void test_iprobe(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {"{send: {to: 1, size: 1 KiB, tag: 3}}",
                "{iprobe: {from: 0, tag: 3}}, " FIRST LOOK
                "{iprobe: {from: 0, tag: 3}}, {recv: {from: 0, tag: 3, size: 1 KiB}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS, NULL,
                   "probe[1] start -> posted\n"
                   "probe[2] start -> posted\n"
                   "cbuf[0] unexpected_tiny\n"
                   "probe[3] start -> done\n"
                   "recv[4] start -> done\n");
}

// A receive of any source and tag takes the first that comes, one of a source only that source's.
static void test_wildcards(void)
{
    struct test_program program = {
        .ranks = 3,
        .ops = {"{recv: {from: any, tag: any, size: 64 KiB}}, {recv: {from: any, tag: 7, size: 1 "
                "KiB}}, "
                "{recv: {from: 1, tag: any, size: 1 KiB}}",
                FIRST FIRST
                "{send: {to: 0, size: 8 B, tag: 5}}, {send: {to: 0, size: 8 B, tag: 7}}",
                FIRST "{send: {to: 0, size: 64 KiB, tag: 6}}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS,
                   "recv[1] start -> posted\n"
                   "recv[1] posted -> ack_sent target\n"
                   "recv[1] ack_sent -> wait_body long\n"
                   "recv[1] wait_body -> done\n"
                   "recv[2] start -> posted\n"
                   "cbuf[0] unexpected_tiny\n"
                   "recv[2] posted -> done\n"
                   "recv[3] start -> done\n");
}

static void expect_truncated(const struct test_program *program, const char *states)
{
    struct program_run *run = program_run(program, 1);
    char *kind = program_reason(run, "kind");
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "failed");
    SUITE_SAME_TEXT(kind, "truncated");
    if (states) {
        char *text = program_run_text(run, 0, RPI_REQUESTS);
        SUITE_SAME_TEXT(text, states);
        g_free(text);
    }
    g_free(kind);
    program_run_free(run);
}

// A message that is longer than the buffer of its receive is an error of the program; one to
// oneself is not delivered then.
static void test_truncated(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {FIRST "{send: {to: 1, size: 100 B}}", "{recv: {from: 0, size: 99 B}}"},
    };
    struct test_program self = {
        .ranks = 1,
        .ops = {"{irecv: {from: 0, size: 99 B, request: r}}, {send: {to: 0, size: 100 B}}"},
    };
    expect_truncated(&program, NULL);
    expect_truncated(&self, "recv[1] start -> posted\n");
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"tiny", test_tiny},
        {"tiny, synchronous", test_tiny_synchronous},
        {"short, whole", test_short},
        {"short, whole, synchronous", test_short_synchronous},
        {"short, claimed between envelope and body", test_short_claimed},
        {"short, claimed, synchronous", test_short_claimed_synchronous},
        {"short body while another receive waits", test_short_body_with_other_receive},
        {"long", test_long},
        {"order in the buffer", test_order_in_buffer},
        {"probe", test_probe},
        {"probe behind a receive", test_probe_before_receive},
        {"iprobe", test_iprobe},
        {"wildcards", test_wildcards},
        {"truncated", test_truncated},
        {0},
    };
    return suite_run("rpi: unexpected messages", cases);
}
