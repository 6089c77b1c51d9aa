// SPDX-License-Identifier: GPL-3.0-or-later
// Flow control of MVICH: credits are conserved, NOOPs return them, packets without one wait, and
// no receive queue runs empty, where the VIA RPI breaks.
#include "tests/support/mvich_books.h"
#include "tests/support/suite.h"

#define FIRST "{compute: 100 ms}, "

// Runs a program to its end, checking the books every `step` ms, and returns the job for more.
static struct rpi_bench *run(const struct test_program *program, double step)
{
    struct rpi_bench *bench = rpi_bench_new(program);
    for (double until = step; until < 3000 && !rpi_bench_ended(bench, 0); until += step) {
        rpi_bench_run(bench, until);
        mvich_bench_expect_credits(bench);
    }
    rpi_bench_finish(bench);
    mvich_bench_expect_quiet(bench);
    return bench;
}

// The settings that the numbers below follow from.
#define FLOW                                                                                       \
    "mvich.prepost_depth=32", "mvich.prepost_noop_extra=13", "mvich.dynamic_credit_threshold=16",  \
        "mvich.vbuf=3840 B"

static int count(const struct rpi_bench *bench, int rank, const char *part)
{
    return program_run_count(&(struct program_run){.lines = bench->lines}, rank, part);
}

// 60 messages to a rank that computes. The contrast is via.rpi.flood_crash.
static void test_flood(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops =
            {"{loop: {count: 60, do: [{send: {to: 1, size: 4 B, tag: 1}}]}}",
             "{compute: 50 ms}, {loop: {count: 60, do: [{recv: {from: 0, size: 4 B, tag: 1}}]}}"},
    };
    struct program_run *broken = program_run(&program, 1);
    char *kind = program_reason(broken, "kind");
    SUITE_SAME_TEXT(kind, "connection_broken");
    g_free(kind);
    program_run_free(broken);
    program.stack = "mvich";
    const char *const flow[] = {FLOW};
    for (size_t i = 0; i < G_N_ELEMENTS(flow); i++)
        program.sets[i] = flow[i];
    struct rpi_bench *bench = run(&program, 1);
    // 22 of 32 credits are for data: the 23rd message asks first and, blocking, waits for the
    // receiver.
    SUITE_SAME_INTEGER(count(bench, 0, "eager_sent eager") >= 22, 1);
    SUITE_SAME_INTEGER(count(bench, 0, "send[22] start -> eager_sent"), 1);
    SUITE_SAME_INTEGER(count(bench, 0, "send[23] start -> wait_reply r3"), 1);
    rpi_bench_free(bench);
}

// One direction only: nothing carries credits back but NOOPs, one for 16 credits as long as the
// sender has more than it preserves.
static void test_noop(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .sets = {FLOW},
        .ops = {"{loop: {count: 100, do: [{compute: 1 ms}, {send: {to: 1, size: 4 B}}]}}",
                "{loop: {count: 100, do: [{recv: {from: 0, size: 4 B}}]}}"},
    };
    struct rpi_bench *bench = run(&program, 3);
    SUITE_SAME_INTEGER(count(bench, 1, "flow[0] noop"), 100 / 16);
    SUITE_SAME_INTEGER(count(bench, 0, "noop"), 0);
    SUITE_SAME_INTEGER(count(bench, 0, "eager without credits"), 0);
    rpi_bench_free(bench);
}

// A sender that is short of credits gets all that have piled up.
static void test_noop_to_a_short_peer(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .sets = {FLOW, "mvich.dynamic_credit_threshold=1000", "mvich.prepost_rendezvous_extra=0"},
        .ops = {"{loop: {count: 100, do: [{compute: 1 ms}, {send: {to: 1, size: 4 B}}]}}",
                "{loop: {count: 100, do: [{recv: {from: 0, size: 4 B}}]}}"},
    };
    struct rpi_bench *bench = run(&program, 3);
    // The 22nd packet announces that 10 credits are left, and brings 22 back. The sender reads the
    // NOOP only after it has chosen a protocol for the next message.
    SUITE_SAME_INTEGER(count(bench, 1, "flow[0] noop"), 100 / 22);
    SUITE_SAME_INTEGER(count(bench, 0, "eager without credits"), 100 / 22);
    rpi_bench_free(bench);
}

// Traffic in both directions carries the credits: no NOOP.
static void test_piggyback(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .ops = {"{loop: {count: 200, do: [{send: {to: 1, size: 4 B}}, {recv: {from: 1, size: 4 "
                "B}}]}}",
                "{loop: {count: 200, do: [{recv: {from: 0, size: 4 B}}, {send: {to: 0, size: 4 "
                "B}}]}}"},
    };
    struct rpi_bench *bench = run(&program, 1);
    SUITE_SAME_INTEGER(count(bench, 0, "flow") + count(bench, 1, "flow"), 0);
    rpi_bench_free(bench);
}

// STARTs may take the last credit; five more wait for one.
static void test_backlog(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .sets = {"mvich.prepost_depth=15", "mvich.prepost_rendezvous_extra=0"},
    };
    program.ops[0] = "{issend: {to: 1, size: 4 B, request: a}}, "
                     "{issend: {to: 1, size: 4 B, request: b}}, "
                     "{issend: {to: 1, size: 4 B, request: c}}, "
                     "{issend: {to: 1, size: 4 B, request: d}}, "
                     "{issend: {to: 1, size: 4 B, request: e}}, "
                     "{issend: {to: 1, size: 4 B, request: f}}, "
                     "{issend: {to: 1, size: 4 B, request: g}}, "
                     "{issend: {to: 1, size: 4 B, request: h}}, "
                     "{issend: {to: 1, size: 4 B, request: i}}, "
                     "{issend: {to: 1, size: 4 B, request: j}}, "
                     "{issend: {to: 1, size: 4 B, request: k}}, "
                     "{issend: {to: 1, size: 4 B, request: l}}, "
                     "{issend: {to: 1, size: 4 B, request: m}}, "
                     "{issend: {to: 1, size: 4 B, request: n}}, "
                     "{issend: {to: 1, size: 4 B, request: o}}, "
                     "{issend: {to: 1, size: 4 B, request: p}}, "
                     "{issend: {to: 1, size: 4 B, request: q}}, {waitall: all}";
    program.ops[1] = FIRST "{loop: {count: 17, do: [{recv: {from: 0, size: 4 B}}]}}";
    struct rpi_bench *bench = run(&program, 1);
    SUITE_SAME_INTEGER(count(bench, 0, "flow[1] backlogged"), 2);
    SUITE_SAME_INTEGER(count(bench, 0, "flow[1] backlog sent"), 2);
    rpi_bench_free(bench);
}

// R3 data stop at the credits that are preserved, and go on with each NOOP.
static void test_r3_waits_for_credits(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .sets = {FLOW, "mvich.prepost_depth=15", "mvich.prepost_rendezvous_extra=0",
                 "mvich.rendezvous_protocol=r3", "mvich.vbuf=1024 B"},
        .ops = {FIRST "{send: {to: 1, size: 100000 B}}", "{recv: {from: 0, size: 100000 B}}"},
    };
    struct rpi_bench *bench = run(&program, 1);
    // 1000 B of data in each of 100 vbufs; 5 leave at a time, and a NOOP answers them.
    SUITE_SAME_INTEGER(count(bench, 1, "flow[0] noop"), 20);
    SUITE_SAME_INTEGER(mvich_bench_process(bench, 1)->connections[0].preposts, 28);
    rpi_bench_free(bench);
}

// The additional receives that are posted for R3 are used up by the data.
static void test_rendezvous_extra(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .sets = {FLOW, "mvich.rendezvous_protocol=r3"},
        .ops = {FIRST "{send: {to: 1, size: 500000 B}}", "{recv: {from: 0, size: 500000 B}}"},
    };
    struct rpi_bench *bench = run(&program, 1);
    SUITE_SAME_INTEGER(mvich_bench_process(bench, 1)->connections[0].preposts, 32 + 13);
    rpi_bench_free(bench);
}

// Unexpected messages make the pool grow; it is registered like all of it.
static void test_pool_grows(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "mvich",
        .sets = {FLOW, "mvich.vbuf_pool=50", "mvich.vbuf_secondary_pool=8"},
        .ops = {"{loop: {count: 20, do: [{send: {to: 1, size: 4 B, tag: 1}}]}}, "
                "{recv: {from: 1, size: 4 B}}, {send: {to: 1, size: 4 B, tag: 2}}",
                "{compute: 50 ms}, {send: {to: 0, size: 4 B}}, {recv: {from: 0, size: 4 B, tag: "
                "2}}, {loop: {count: 20, do: [{recv: {from: 0, size: 4 B, tag: 1}}]}}"},
    };
    struct rpi_bench *bench = run(&program, 1);
    const struct mvich_process *receiver = mvich_bench_process(bench, 1);
    // 45 posted, 20 held, one in hand, and its own send.
    SUITE_SAME_INTEGER(receiver->vbufs, 50 + 3 * 8);
    SUITE_SAME_INTEGER(vip_pinned_bytes(receiver->nic), (47 + 3 * 8) * 4096);
    SUITE_SAME_INTEGER(mvich_bench_process(bench, 0)->vbufs, 50);
    rpi_bench_free(bench);
}

// ---- Waiting ----

// Each mode of waiting results in the same protocol.
static void test_ways_of_waiting(void)
{
    static const char *const ways[][3] = {
        {"mvich.completion_queue=false", "mvich.wait=poll", NULL},
        {"mvich.completion_queue=false", "mvich.spin=0", NULL},
        {"mvich.completion_queue=false", "mvich.spin=100", NULL},
        {"mvich.wait=poll", NULL},
        {"mvich.spin=100", NULL},
    };
    sim_time startup = 0; // also then it sleeps
    for (int ranks = 2; ranks <= 3; ranks++)
        for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
            struct test_program program = {
                .ranks = ranks,
                .stack = "mvich",
                .sets = {ways[i][0], ways[i][1]},
                .ops = {FIRST "{send: {to: 1, size: 1 KiB}}, {send: {to: 1, size: 100 KiB}}",
                        "{recv: {from: any, size: 1 KiB}}, {recv: {from: any, size: 100 KiB}}"},
            };
            struct rpi_bench *bench = run(&program, 7);
            SUITE_SAME_INTEGER(count(bench, 1, "recv[1] posted -> done"), 1);
            SUITE_SAME_INTEGER(count(bench, 1, "recv[2] receive_rput -> done"), 1);
            bool sleeps = i == 4 || (ranks == 2 && (i == 1 || i == 2));
            sim_time block = rpi_bench_process_time(bench, 1, "block");
            startup = i == 0 ? block : startup;
            CU_ASSERT((block > startup) == sleeps);
            rpi_bench_free(bench);
        }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"flood", test_flood},
        {"noop", test_noop},
        {"noop to a short peer", test_noop_to_a_short_peer},
        {"piggyback", test_piggyback},
        {"backlog", test_backlog},
        {"r3 waits for credits", test_r3_waits_for_credits},
        {"rendezvous extra", test_rendezvous_extra},
        {"pool grows", test_pool_grows},
        {"ways of waiting", test_ways_of_waiting},
        {0},
    };
    return suite_run("mvich: flow control", cases);
}
