// SPDX-License-Identifier: GPL-3.0-or-later
// The protocols of MVICH as sequences of transitions: EAGER, R3, RPUT, their fallbacks, messages
// that come unexpected, synchronous sends, self.
//
// Who comes first is arranged with pauses that are longer than any transfer here by two orders of
// magnitude, so that no sequence depends on a cost.
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

#include <string.h>

#define FIRST "{compute: 100 ms}, " // lets the other ranks go first
#define REQUESTS "send recv probe unexpected"
#define REQUESTS_AND_DREG "send recv probe unexpected dreg"

// ---- EAGER ----

static void test_eager(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .ops = {FIRST "{send: {to: 1, size: 1 KiB}}", "{recv: {from: 0, size: 1 KiB}}"},
    };
    PROGRAM_EXPECT(&program, REQUESTS_AND_DREG,
                   "send[1] start -> eager_sent eager\n"
                   "send[1] eager_sent -> done\n",
                   "recv[1] start -> posted\n"
                   "recv[1] posted -> done\n");
}

static void test_eager_empty(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .ops = {FIRST "{send: {to: 1, size: 0 B}}", "{recv: {from: 0, size: 0 B}}"},
    };
    PROGRAM_EXPECT(&program, REQUESTS_AND_DREG,
                   "send[1] start -> eager_sent eager\n"
                   "send[1] eager_sent -> done\n",
                   "recv[1] start -> posted\n"
                   "recv[1] posted -> done\n");
}

// A vbuf of 128 B holds 92 B behind an EAGER_START's header of 36 B, 108 B behind the 20 B of an
// EAGER_NEXT: 300 B take three.
static void test_eager_in_pieces(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .sets = {"mvich.vbuf=128 B"},
        .ops = {FIRST "{send: {to: 1, size: 300 B}}", "{recv: {from: 0, size: 300 B}}"},
    };
    PROGRAM_EXPECT(&program, REQUESTS,
                   "send[1] start -> eager_sent eager\n"
                   "send[1] eager_sent -> done\n",
                   "recv[1] start -> posted\n"
                   "recv[1] posted -> receive_eager eager\n"
                   "recv[1] receive_eager -> done\n");
}

// The vbufs of a message that comes too early are held, and copied out by its receive.
static void test_eager_unexpected(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .sets = {"mvich.vbuf=128 B"},
        .ops = {"{send: {to: 1, size: 300 B, tag: 1}}, {send: {to: 1, size: 4 B, tag: 2}}", FIRST
                "{recv: {from: 0, size: 4 B, tag: 2}}, {recv: {from: 0, size: 300 B, tag: 1}}"},
    };
    PROGRAM_EXPECT(&program, REQUESTS,
                   "send[1] start -> eager_sent eager\n"
                   "send[1] eager_sent -> done\n"
                   "send[2] start -> eager_sent eager\n"
                   "send[2] eager_sent -> done\n",
                   "recv[1] start -> posted\n"
                   "unexpected[0] eager\n"
                   "recv[1] posted -> done\n"
                   "recv[2] start -> done\n");
}

// ---- Rendezvous ----

static void test_rput(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .ops = {FIRST "{send: {to: 1, size: 100 KiB}}", "{recv: {from: 0, size: 100 KiB}}"},
    };
    PROGRAM_EXPECT(&program, REQUESTS_AND_DREG,
                   "dreg registered 25 pages, references 1\n"
                   "send[1] start -> wait_reply rput\n"
                   "send[1] wait_reply -> push rput\n"
                   "send[1] push -> data_sent rput\n"
                   "dreg released 25 pages, references 0\n"
                   "send[1] data_sent -> done\n",
                   "recv[1] start -> posted\n"
                   "dreg registered 25 pages, references 1\n"
                   "recv[1] posted -> receive_rput rput\n"
                   "dreg released 25 pages, references 0\n"
                   "recv[1] receive_rput -> done\n");
}

static void test_rput_unexpected(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .ops = {"{send: {to: 1, size: 5000 B}}",
                FIRST "{probe: {from: 0}}, {recv: {from: 0, size: 8 KiB}}"},
    };
    PROGRAM_EXPECT(&program, REQUESTS,
                   "send[1] start -> wait_reply rput\n"
                   "send[1] wait_reply -> push rput\n"
                   "send[1] push -> data_sent rput\n"
                   "send[1] data_sent -> done\n",
                   "probe[1] start -> posted\n"
                   "probe[1] posted -> done\n"
                   "unexpected[0] rput\n"
                   "recv[2] start -> receive_rput rput\n"
                   "recv[2] receive_rput -> done\n");
}

// The threshold is the first length that goes by rendezvous.
static void test_threshold(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .ops = {FIRST "{send: {to: 1, size: 4999 B}}, {send: {to: 1, size: 5000 B}}",
                "{recv: {from: 0, size: 4999 B}}, {recv: {from: 0, size: 5000 B}}"},
    };
    PROGRAM_EXPECT(&program, "send",
                   "send[1] start -> eager_sent eager\n"
                   "send[1] eager_sent -> done\n"
                   "send[2] start -> wait_reply rput\n"
                   "send[2] wait_reply -> push rput\n"
                   "send[2] push -> data_sent rput\n"
                   "send[2] data_sent -> done\n");
}

static void test_r3(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .sets = {"mvich.rendezvous_protocol=r3"},
        .ops = {FIRST "{send: {to: 1, size: 1 MiB}}", "{recv: {from: 0, size: 1 MiB}}"},
    };
    PROGRAM_EXPECT(&program, REQUESTS_AND_DREG,
                   "send[1] start -> wait_reply r3\n"
                   "send[1] wait_reply -> push r3\n"
                   "send[1] push -> data_sent r3\n"
                   "send[1] data_sent -> done\n",
                   "recv[1] start -> posted\n"
                   "recv[1] posted -> receive_r3 r3\n"
                   "recv[1] receive_r3 -> done\n");
}

// A synchronous send asks first, whatever its length; short ones go by R3, also without data.
static void test_synchronous(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .ops = {FIRST "{ssend: {to: 1, size: 0 B}}, {ssend: {to: 1, size: 2048 B}}",
                "{recv: {from: 0, size: 0 B}}, {recv: {from: 0, size: 2048 B}}"},
    };
    PROGRAM_EXPECT(&program, REQUESTS,
                   "send[1] start -> wait_reply r3\n"
                   "send[1] wait_reply -> push r3\n"
                   "send[1] push -> data_sent r3\n"
                   "send[1] data_sent -> done\n"
                   "send[2] start -> wait_reply rput\n"
                   "send[2] wait_reply -> push rput\n"
                   "send[2] push -> data_sent rput\n"
                   "send[2] data_sent -> done\n",
                   "recv[1] start -> posted\n"
                   "recv[1] posted -> receive_r3 r3\n"
                   "recv[1] receive_r3 -> done\n"
                   "recv[2] start -> posted\n"
                   "recv[2] posted -> receive_rput rput\n"
                   "recv[2] receive_rput -> done\n");
}

// ---- Fallbacks ----

// 15 credits, of which 10 are preserved: after five eager messages without an answer the sixth asks
// first.
static void test_low_credits(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .sets = {"mvich.prepost_depth=15", "mvich.credit_preserve=10",
                 "mvich.credit_notify_threshold=5", "mvich.prepost_rendezvous_extra=0"},
        .ops = {"{loop: {count: 6, do: [{isend: {to: 1, size: 4 B, request: a}}, {wait: a}]}}",
                FIRST "{loop: {count: 6, do: [{recv: {from: 0, size: 4 B}}]}}"},
    };
    PROGRAM_EXPECT(&program, "send flow",
                   "send[1] start -> eager_sent eager\n"
                   "send[1] eager_sent -> done\n"
                   "send[2] start -> eager_sent eager\n"
                   "send[2] eager_sent -> done\n"
                   "send[3] start -> eager_sent eager\n"
                   "send[3] eager_sent -> done\n"
                   "send[4] start -> eager_sent eager\n"
                   "send[4] eager_sent -> done\n"
                   "send[5] start -> eager_sent eager\n"
                   "send[5] eager_sent -> done\n"
                   "flow[1] eager without credits\n"
                   "send[6] start -> wait_reply r3\n"
                   "send[6] wait_reply -> push r3\n"
                   "send[6] push -> data_sent r3\n"
                   "send[6] data_sent -> done\n");
}

// A buffer that can't be registered goes by R3.
static void test_sender_can_not_register(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .sets = {"mvich.vbuf_pool=100", "mvich.dreg_limit=64 KiB"},
        .ops = {FIRST "{send: {to: 1, size: 48 KiB}}, {send: {to: 1, size: 80 KiB}}",
                "{irecv: {from: 0, size: 48 KiB, request: a}}, {recv: {from: 0, size: 80 KiB}}, "
                "{wait: a}"},
    };
    PROGRAM_EXPECT(&program, REQUESTS_AND_DREG,
                   "dreg registered 12 pages, references 1\n"
                   "send[1] start -> wait_reply rput\n"
                   "send[1] wait_reply -> push rput\n"
                   "send[1] push -> data_sent rput\n"
                   "dreg released 12 pages, references 0\n"
                   "send[1] data_sent -> done\n"
                   "dreg evicted 12 pages, references 0\n"
                   "dreg refused 20 pages, references 0\n"
                   "send[2] start -> wait_reply r3, not registered\n"
                   "send[2] wait_reply -> push r3\n"
                   "send[2] push -> data_sent r3\n"
                   "send[2] data_sent -> done\n",
                   "recv[1] start -> posted\n"
                   "recv[2] start -> posted\n"
                   "dreg registered 12 pages, references 1\n"
                   "recv[1] posted -> receive_rput rput\n"
                   "dreg released 12 pages, references 0\n"
                   "recv[1] receive_rput -> done\n"
                   "recv[2] posted -> receive_r3 r3\n"
                   "recv[2] receive_r3 -> done\n");
}

// Two receives at once: the second finds all that may be registered in use. Its REPLY asks for R3,
// and the sender lets its buffer go.
static void test_reply_asks_for_r3(void)
{
    struct test_program program = {
        .ranks = 3,
        .stack = "mvich",
        .sets = {"mvich.dreg_limit=64 KiB"},
        .ops = {"{irecv: {from: 1, size: 40 KiB, request: a}}, "
                "{irecv: {from: 2, size: 40 KiB, request: b}}, {waitall: all}",
                FIRST "{send: {to: 0, size: 40 KiB}}", FIRST "{send: {to: 0, size: 40 KiB}}"},
    };
    struct program_run *run = program_run(&program, 1);
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "completed");
    CU_ASSERT(run->result->ledger_balanced);
    SUITE_SAME_INTEGER(program_run_count(run, 0, "posted -> receive_rput rput"), 1);
    SUITE_SAME_INTEGER(program_run_count(run, 0, "posted -> receive_r3 r3, not registered"), 1);
    SUITE_SAME_INTEGER(program_run_count(run, 0, "dreg refused 10 pages"), 1);
    int rput = program_run_count(run, 1, "wait_reply -> push rput");
    int r3 = program_run_count(run, 1, "dreg released 10 pages, references 0");
    SUITE_SAME_INTEGER(rput + program_run_count(run, 2, "wait_reply -> push rput"), 1);
    SUITE_SAME_INTEGER(program_run_count(run, 1, "wait_reply -> push r3") +
                           program_run_count(run, 2, "wait_reply -> push r3"),
                       1);
    SUITE_SAME_INTEGER(r3, 1); // whoever it was, each has let its buffer go once
    SUITE_SAME_INTEGER(program_run_count(run, 2, "dreg released 10 pages, references 0"), 1);
    program_run_free(run);
}

// ---- Registration cache ----

// A buffer that is used again is still registered; two that do not both fit push each other out.
static void test_dreg_hits_and_evictions(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .sets = {"mvich.dreg_limit=64 KiB"},
        .ops = {FIRST
                "{loop: {count: 2, do: [{send: {to: 1, size: 40 KiB, buffer: 1073741824}}]}}, "
                "{send: {to: 1, size: 40 KiB, buffer: 1174405120}}, "
                "{send: {to: 1, size: 40 KiB, buffer: 1073741824}}, "
                "{send: {to: 1, size: 8 KiB, buffer: 1073741824}}",
                "{loop: {count: 4, do: [{recv: {from: 0, size: 40 KiB}}]}}, "
                "{recv: {from: 0, size: 8 KiB}}"},
    };
    PROGRAM_EXPECT(&program, "dreg",
                   "dreg registered 10 pages, references 1\n"
                   "dreg released 10 pages, references 0\n"
                   "dreg hit 10 pages, references 1\n"
                   "dreg released 10 pages, references 0\n"
                   "dreg evicted 10 pages, references 0\n"
                   "dreg registered 10 pages, references 1\n"
                   "dreg released 10 pages, references 0\n"
                   "dreg evicted 10 pages, references 0\n"
                   "dreg registered 10 pages, references 1\n"
                   "dreg released 10 pages, references 0\n"
                   "dreg hit 10 pages, references 1\n" // a part that begins on the same page
                   "dreg released 10 pages, references 0\n");
}

// What begins on another page is not found, though its pages are registered.
static void test_dreg_finds_by_first_page(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .ops = {FIRST "{send: {to: 1, size: 40 KiB, buffer: 1073741824}}, "
                      "{send: {to: 1, size: 8 KiB, buffer: 1073745920}}",
                "{recv: {from: 0, size: 40 KiB}}, {recv: {from: 0, size: 8 KiB}}"},
    };
    PROGRAM_EXPECT(&program, "dreg",
                   "dreg registered 10 pages, references 1\n"
                   "dreg released 10 pages, references 0\n"
                   "dreg registered 2 pages, references 1\n"
                   "dreg released 2 pages, references 0\n");
}

static void test_dreg_entries(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .sets = {"mvich.dreg_entries=2"},
        .ops = {FIRST "{send: {to: 1, size: 8 KiB, buffer: 1073741824}}, "
                      "{send: {to: 1, size: 8 KiB, buffer: 1074790400}}, "
                      "{send: {to: 1, size: 12 KiB, buffer: 1075838976}}, "
                      "{send: {to: 1, size: 8 KiB, buffer: 1074790400}}",
                "{loop: {count: 4, do: [{recv: {from: 0, size: 12 KiB}}]}}"},
    };
    PROGRAM_EXPECT(&program, "dreg",
                   "dreg registered 2 pages, references 1\n"
                   "dreg released 2 pages, references 0\n"
                   "dreg registered 2 pages, references 1\n"
                   "dreg released 2 pages, references 0\n"
                   "dreg evicted 2 pages, references 0\n" // the oldest
                   "dreg registered 3 pages, references 1\n"
                   "dreg released 3 pages, references 0\n"
                   "dreg hit 2 pages, references 1\n"
                   "dreg released 2 pages, references 0\n");
}

// ---- Self ----

static void test_self(void)
{
    struct test_program program = {
        .ranks = 1,
        .stack = "mvich",
        .ops = {"{send: {to: 0, size: 1 KiB}}, {recv: {from: 0, size: 1 KiB}}, "
                "{irecv: {from: 0, size: 1 KiB, request: a}}, {send: {to: 0, size: 1 KiB}}, "
                "{wait: a}, {isend: {to: 0, size: 100 KiB, request: b}}, "
                "{recv: {from: 0, size: 100 KiB}}, {wait: b}"},
    };
    PROGRAM_EXPECT(&program, REQUESTS_AND_DREG,
                   "unexpected[0] self\n"
                   "send[1] start -> done\n"
                   "recv[2] start -> done\n"
                   "recv[3] start -> posted\n"
                   "recv[3] posted -> done\n"
                   "send[4] start -> done\n"
                   "unexpected[2] self\n"
                   "send[5] start -> wait_self self\n"
                   "recv[6] start -> done\n"
                   "send[5] wait_self -> done\n");
}

static void test_self_synchronous_deadlock(void)
{
    struct test_program program = {
        .ranks = 1,
        .stack = "mvich",
        .ops = {"{ssend: {to: 0, size: 4 B}}"},
    };
    struct program_run *run = program_run(&program, 1);
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "deadlock");
    program_run_free(run);
}

// ---- Failures ----

// `what`: of the reason's text.
static void expect_failure(const struct test_program *program, const char *kind, const char *what)
{
    struct program_run *run = program_run(program, 1);
    char *reason = program_reason(run, "kind"), *text = program_reason(run, "text");
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "failed");
    SUITE_SAME_TEXT(reason, kind);
    SUITE_CONTAINS(text, what);
    g_free(text);
    g_free(reason);
    program_run_free(run);
}

static void test_truncation(void)
{
    struct test_program late = {
        .ranks = 2,
        .stack = "mvich",
        .ops = {"{send: {to: 1, size: 8 B}}", FIRST "{recv: {from: 0, size: 4 B}}"},
    };
    struct test_program early = {
        .ranks = 2,
        .stack = "mvich",
        .ops = {FIRST "{send: {to: 1, size: 100 KiB}}", "{recv: {from: 0, size: 4 B}}"},
    };
    struct test_program self = {
        .ranks = 1,
        .stack = "mvich",
        .ops = {"{send: {to: 0, size: 8 B}}, {recv: {from: 0, size: 4 B}}"},
    };
    expect_failure(&late, "truncated", "rank 1 receives 8 B from rank 0 into a buffer of 4 B");
    expect_failure(&early, "truncated", "rank 1 receives 102400 B from rank 0");
    expect_failure(&self, "truncated", "rank 0 receives 8 B from rank 0");
}

// Unexpected messages hold vbufs: with a limit on those, or on what can be pinned, that ends.
static void test_out_of_vbufs(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .sets = {"mvich.vbuf_pool=46", "mvich.vbuf_most=46"},
        .ops = {"{loop: {count: 20, do: [{send: {to: 1, size: 4 B, tag: 1}}]}}",
                FIRST "{recv: {from: 0, size: 4 B, tag: 2}}"},
    };
    expect_failure(&program, "out_of_vbufs",
                   "rank 0 has all of its 46 vbufs in use and may not have more (mvich.vbuf_most); "
                   "a higher limit");
    program.sets[0] = "mvich.vbuf_secondary_pool=1";
    program.sets[1] = "mvich.vbuf_pool=46";
    program.sets[2] = "host.memory.pin_limit=180 KiB";
    expect_failure(&program, "out_of_pinned_memory",
                   "and can't pin more; smaller ones (mvich.vbuf) or fewer");
    program.sets[2] = "host.memory.pin_limit=64 KiB";
    expect_failure(&program, "out_of_pinned_memory",
                   "rank 0 can't pin 46 vbufs of 1920 B within 65536 B; a smaller mvich.vbuf_pool");
}

static void test_bad_settings(void)
{
    static const struct {
        const char *set, *complaint;
    } cases[] = {
        {"mvich.prepost_depth=14", "would never get one back"},
        {"mvich.prepost_noop_extra=12", "don't hold all NOOPs"},
        {"mvich.vbuf=40 KiB", "longer than what one descriptor transfers"},
        {"mvich.header=100 B", "no room behind the header"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct test_program program = {
            .ranks = 2,
            .stack = "mvich",
            .sets = {cases[i].set, i == 3 ? "mvich.vbuf=128 B" : NULL},
            .all = "barrier",
        };
        char *complaints = program_complaints(&program);
        if (!strstr(complaints, cases[i].complaint))
            SUITE_SAME_TEXT(complaints, cases[i].complaint);
        g_free(complaints);
    }
}

// A lost frame is never sent again: the packets' numbers show it.
static void test_lost_packet(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .sets = {"link.drop_nth=[4]"},
        .ops = {FIRST "{loop: {count: 4, do: [{send: {to: 1, size: 4 B}}]}}",
                "{loop: {count: 4, do: [{recv: {from: 0, size: 4 B}}]}}"},
    };
    expect_failure(&program, "out_of_step", "rank 1 gets packet 3 from rank 0 instead of packet 1");
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"eager", test_eager},
        {"eager without data", test_eager_empty},
        {"eager in pieces", test_eager_in_pieces},
        {"eager, unexpected", test_eager_unexpected},
        {"rput", test_rput},
        {"rput, unexpected and probed", test_rput_unexpected},
        {"threshold", test_threshold},
        {"r3", test_r3},
        {"synchronous", test_synchronous},
        {"low credits", test_low_credits},
        {"sender can't register", test_sender_can_not_register},
        {"reply asks for r3", test_reply_asks_for_r3},
        {"dreg: hits and evictions", test_dreg_hits_and_evictions},
        {"dreg: by first page", test_dreg_finds_by_first_page},
        {"dreg: entries", test_dreg_entries},
        {"self", test_self},
        {"self, synchronous", test_self_synchronous_deadlock},
        {"truncation", test_truncation},
        {"out of vbufs", test_out_of_vbufs},
        {"bad settings", test_bad_settings},
        {"lost packet", test_lost_packet},
        {0},
    };
    return suite_run("mvich: protocols", cases);
}
