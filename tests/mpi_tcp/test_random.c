// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs (tests/support/random_program.h) over LAM's TCP RPI and over ch_p4, whatever the
// network loses. Thresholds, socket buffers and loss are random. ch_p4 writes each message to its
// end before it goes on, with buffers that hold less: that this ends is a property of who reads
// while it can't write (the lower rank of a pair).
#include "tests/support/random_program.h"
#include "tests/support/suite.h"

struct limits {
    int64_t short_limit, eager;
};

// All classes, and often their very boundaries.
static int64_t pick_size(struct random_program *program, const void *owner)
{
    const struct limits *limits = owner;
    switch (program_pick(program, 0, 8)) {
    case 0:
        return 0;
    case 1:
        return limits->short_limit;
    case 2:
        return limits->short_limit + 1;
    case 3:
        return limits->eager;
    case 4:
        return limits->eager + 1;
    case 5:
        return program_pick(program, 0, 100);
    case 6:
        return program_pick(program, 0, (int)limits->short_limit + 1);
    default:
        return program_pick(program, (int)limits->short_limit, 40000);
    }
}

static struct limits generate(struct random_program *program)
{
    program_ranks(program, program_pick(program, 2, RANDOM_MOST_RANKS + 1));
    program->most_messages = 16;
    struct limits limits = {.short_limit = program_pick(program, 0, 9000)};
    limits.eager = limits.short_limit + program_pick(program, 0, 9000);
    for (int rounds = program_pick(program, 1, 4); rounds > 0; rounds--) {
        struct random_round round;
        program_round(program, &round, pick_size, &limits);
    }
    program_set(program, "tcp.mtu", program_pick(program, 400, 1501), " B");
    if (program_chance(program, 0.4)) {
        char *loss = g_strdup_printf("%.3f", g_rand_double_range(program->random, 0, 0.02));
        program_set_text(program, "link.drop_probability", loss);
        g_free(loss);
    }
    return limits;
}

static int64_t pick_buffer(struct random_program *program)
{
    static const int buffers[] = {2048, 3000, 8192, 65536};
    return buffers[program_pick(program, 0, G_N_ELEMENTS(buffers))];
}

static const char *pick_truth(struct random_program *program)
{
    return program_chance(program, 0.5) ? "true" : "false";
}

static void generate_lam(struct random_program *program)
{
    struct limits limits = generate(program);
    program_set(program, "lam_tcp.short", limits.short_limit, " B");
    program_set(program, "lam_tcp.socket_buffer", pick_buffer(program), " B");
    program_set_text(program, "lam_tcp.fast_calls", pick_truth(program));
}

static void generate_p4(struct random_program *program)
{
    struct limits limits = generate(program);
    program_set(program, "mpich_p4.short", limits.short_limit, " B");
    program_set(program, "mpich_p4.eager", limits.eager, " B");
    program_set(program, "mpich_p4.socket_buffer", pick_buffer(program), " B");
    program_set_text(program, "mpich_p4.writev", pick_truth(program));
}

static void test_lam(void)
{
    static const char *const wanted[] = {
        "send_short -> done",     "send_synch -> wait_ack", "wait_ack -> send_body",
        "wait_2nd -> read_body",  "read_body -> send_ack",  "unexpected_short",
        "unexpected_long",        "unexpected_self",        "start -> read_body",
        "start -> send_ack_long", "start -> wait_self",     NULL,
    };
    program_test_run(&(struct random_test){.stack = "lam_tcp",
                                           .programs = 200,
                                           .generate = generate_lam,
                                           .repeats = program_repeats,
                                           .wanted = wanted});
}

static void test_p4(void)
{
    static const char *const wanted[] = {
        "send_short -> done",
        "send_eager -> done",
        "wait_ok -> send_data",
        "posted -> wait_data",
        "posted -> send_ok",
        "unexpected_short",
        "unexpected_eager",
        "unexpected_request",
        "start -> send_ok",
        "start -> wait_self",
        NULL,
    };
    program_test_run(&(struct random_test){.stack = "mpich_p4",
                                           .programs = 200,
                                           .generate = generate_p4,
                                           .repeats = program_repeats,
                                           .wanted = wanted});
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"LAM over TCP", test_lam}, {"MPICH over ch_p4", test_p4}, {0}};
    return suite_run("mpi_tcp: random programs", cases);
}
