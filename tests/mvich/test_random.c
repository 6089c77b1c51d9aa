// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs (tests/support/random_program.h) over MVICH must leave nothing in use, and keep
// the credits conserved. Thresholds, vbufs, credits, rings, the ways of waiting and the limits of
// the registration cache are random: as the protocol has flow control, nothing has to be sized for
// the program.
#include "tests/support/mvich_books.h"
#include "tests/support/random_program.h"
#include "tests/support/suite.h"

#define LOOKS 40 // at the books of a run

struct limits {
    int64_t threshold, vbuf;
};

// All protocols, and often their very boundaries and those of vbufs.
static int64_t pick_size(struct random_program *program, const void *owner)
{
    const struct limits *limits = owner;
    switch (program_pick(program, 0, 7)) {
    case 0:
        return 0;
    case 1:
        return limits->threshold - program_pick(program, 0, 2);
    case 2:
        return program_pick(program, 0, (int)limits->threshold);
    case 3: // what fills an EAGER_START's vbuf, about
        return limits->vbuf - 36 + program_pick(program, -1, 2);
    case 4:
        return 2048 - program_pick(program, 0, 2);
    case 5:
        return program_pick(program, 0, 200);
    default:
        return program_pick(program, (int)limits->threshold, 40000);
    }
}

static void set_credits(struct random_program *program)
{
    int64_t preserve = program_pick(program, 1, 8), notify = program_pick(program, 1, 8);
    int64_t depth = preserve + notify + program_pick(program, 0, 20);
    int64_t extra = program_pick(program, 0, 2) * program_pick(program, 0, 20);
    program_set(program, "mvich.credit_preserve", preserve, "");
    program_set(program, "mvich.credit_notify_threshold", notify, "");
    program_set(program, "mvich.dynamic_credit_threshold", notify + program_pick(program, 0, 20),
                "");
    program_set(program, "mvich.prepost_depth", depth, "");
    program_set(program, "mvich.prepost_rendezvous_extra", extra, "");
    program_set(program, "mvich.prepost_noop_extra", (depth + extra + notify - 1) / notify, "");
}

static void generate(struct random_program *program)
{
    static const int rings[] = {2, 3, 8, 64};
    program_ranks(program, program_pick(program, 1, 5));
    program->wild = 0.2;
    program->barrier = 0.3;
    program->arena = program_chance(program, 0.4);
    struct limits limits = {.threshold = program_pick(program, 1, 8000),
                            .vbuf = program_pick(program, 128, 4096)};
    for (int rounds = program_pick(program, 1, 4); rounds > 0; rounds--) {
        struct random_round round;
        program_round(program, &round, pick_size, &limits);
    }
    for (int rank = 0; rank < program->ranks; rank++)
        g_string_append(program->ops[rank], "barrier");
    set_credits(program);
    program_set(program, "mvich.rendezvous_threshold", limits.threshold, " B");
    program_set(program, "mvich.vbuf", limits.vbuf, " B");
    program_set(program, "mvich.vbuf_pool", program_pick(program, 1, 300), "");
    program_set(program, "mvich.dreg_entries", program_pick(program, 1, 6), "");
    program_set(program, "mvia.mtu", program_pick(program, 300, 1501), " B");
    program_set(program, "eepro100.tx_ring", rings[program_pick(program, 0, G_N_ELEMENTS(rings))],
                "");
    // No frame may be lost: M-VIA does not send it again.
    program_set(program, "eepro100.rx_ring", 4096, "");
    program_set(program, "switch.queue", 0, "");
    program_set_text(program, "mvich.completion_queue",
                     program_chance(program, 0.3) ? "true" : "false");
    program_set_text(program, "mvich.wait", program_chance(program, 0.3) ? "spin_wait" : "poll");
}

// The books are right on the way and at the end.
static bool repeats(const struct test_program *program, const struct program_run *run)
{
    struct rpi_bench *bench = rpi_bench_new(program);
    unsigned failures = CU_get_number_of_failures();
    for (int look = 1; look <= LOOKS; look++) {
        rpi_bench_run(bench, 1.7 * look);
        mvich_bench_expect_credits(bench);
    }
    rpi_bench_run(bench, 0);
    mvich_bench_expect_quiet(bench);
    bool same = run->result->fingerprint == engine_fingerprint(bench->sim->engine) &&
                run->result->events == engine_events(bench->sim->engine) &&
                run->lines->len == bench->lines->len;
    rpi_bench_free(bench);
    return same && CU_get_number_of_failures() == failures;
}

static void test_programs(void)
{
    static const char *const wanted[] = {
        "start -> eager_sent",
        "wait_reply rput",
        "wait_reply r3, not registered",
        "receive_r3 r3, not",
        "receive_eager eager",
        "unexpected",
        "start -> receive_r3",
        "start -> receive_rput",
        "wait_self self",
        "eager without credits",
        "backlog sent",
        "noop",
        "dreg hit",
        "pages, references 2",
        "dreg evicted",
        NULL,
    };
    program_test_run(&(struct random_test){.stack = "mvich",
                                           .programs = 400,
                                           .generate = generate,
                                           .repeats = repeats,
                                           .wanted = wanted});
}

int main(void)
{
    static const struct suite_case cases[] = {{"random programs", test_programs}, {0}};
    return suite_run("mvich: random programs", cases);
}
