// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs (tests/support/random_program.h) over the VIA RPI must leave nothing in use.
//
// Thresholds, descriptors, rings and the limit of pinnable memory are random, within what such a
// program needs: there is no flow control, so area and receive descriptors are sized for all that
// one round can put there unread. After the barrier a round's messages are all read; area space
// twice a round's bytes makes the writer wrap without lapping the reader.
#include "tests/support/random_program.h"
#include "tests/support/rpi_bench.h"
#include "tests/support/suite.h"

#include <string.h>

#define ENVELOPE 36
#define PAGE 4096
#define BARRIER_TRANSFERS 2 // of two neighbouring rounds, from one rank to another

struct limits {
    int64_t tiny, short_limit;
    // What the rounds so far need at most.
    int64_t transfers, area, pinned;
};

// All classes, and often their very boundaries.
static int64_t pick_size(struct random_program *program, const void *owner)
{
    const struct limits *limits = owner;
    switch (program_pick(program, 0, 8)) {
    case 0:
        return 0;
    case 1:
        return limits->tiny;
    case 2:
        return program_pick(program, 0, (int)limits->tiny + 1);
    case 3:
        return limits->tiny + 1;
    case 4:
        return limits->short_limit;
    case 5:
        return program_pick(program, (int)limits->tiny, (int)limits->short_limit + 1);
    case 6:
        return limits->short_limit + 1;
    default:
        return program_pick(program, (int)limits->short_limit, 40000);
    }
}

// ---- What a round needs ----

// Transfers with immediate data from rank a to rank b, and bytes in b's area for a.
static void need_of_pair(struct limits *limits, const struct random_round *round, int a, int b)
{
    int64_t transfers = BARRIER_TRANSFERS, bytes = BARRIER_TRANSFERS * ENVELOPE;
    for (int i = 0; i < round->count; i++) {
        const struct random_message *message = &round->messages[i];
        if (message->from == a && message->to == b) {
            transfers += message->size > limits->tiny ? 2 : 1;
            bytes += ENVELOPE + (message->size > limits->short_limit ? 0 : message->size);
        } else if (message->from == b && message->to == a) {
            transfers++; // its ACK
            bytes += ENVELOPE;
        }
    }
    limits->transfers = MAX(limits->transfers, transfers);
    limits->area = MAX(limits->area, 2 * (bytes + limits->short_limit));
}

static int64_t pages(int64_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

// Memory that a rank may have to pin for one round at once: user buffers, and an envelope buffer
// for each request and those of the barrier.
static void need_of_rank(struct limits *limits, const struct random_round *round, int rank)
{
    int64_t bytes = 0, largest = 0, slot = ENVELOPE + limits->tiny, slots = 2 * RANDOM_MOST_RANKS;
    for (int i = 0; i < round->count; i++)
        if (round->messages[i].to == rank)
            largest = MAX(largest, round->messages[i].size);
    for (int i = 0; i < round->count; i++) {
        const struct random_message *message = &round->messages[i];
        if (message->from == rank && message->size > limits->tiny)
            bytes += pages(message->size);
        if (message->to == rank && largest > limits->short_limit)
            bytes += pages(largest);
        slots += (message->from == rank) + (message->to == rank);
    }
    int64_t of_block = pages(slot) / slot;
    limits->pinned = MAX(limits->pinned, bytes + (slots + of_block - 1) / of_block * pages(slot));
}

// ---- A program ----

static void append_sets(struct random_program *program, const struct limits *limits)
{
    static const int rings[] = {2, 3, 8, 64};
    int64_t piece = MAX(limits->short_limit, limits->tiny + ENVELOPE);
    program_set(program, "lam_via.tiny", limits->tiny, " B");
    program_set(program, "lam_via.short", limits->short_limit, " B");
    program_set(program, "lam_via.area", limits->area + program_pick(program, 0, 5000), " B");
    program_set(program, "lam_via.envelope", ENVELOPE, " B");
    program_set(program, "lam_via.sdescs", program_pick(program, 2, 12), "");
    program_set(program, "lam_via.rdescs", limits->transfers + program_pick(program, 0, 5), "");
    program_set(program, "mvia.largest_transfer", piece + program_pick(program, 0, 10000), " B");
    program_set(program, "mvia.mtu", program_pick(program, 300, 1501), " B");
    program_set(program, "eepro100.tx_ring", rings[program_pick(program, 0, G_N_ELEMENTS(rings))],
                "");
    // No frame may be lost: M-VIA does not send it again.
    program_set(program, "eepro100.rx_ring", 4096, "");
    program_set(program, "switch.queue", 0, "");
    if (program_chance(program, 0.5)) {
        int64_t of_peer = pages(limits->area + 5000) + pages(64 * (12 + limits->transfers + 5));
        program_set(program, "host.memory.pin_limit",
                    limits->pinned + (program->ranks - 1) * of_peer, " B");
    }
}

static void generate(struct random_program *program)
{
    program_ranks(program, program_pick(program, 2, RANDOM_MOST_RANKS + 1));
    struct limits limits = {.tiny = program_pick(program, 0, 3000)};
    limits.short_limit = limits.tiny + program_pick(program, 0, 9000);
    for (int rounds = program_pick(program, 1, 4); rounds > 0; rounds--) {
        struct random_round round;
        program_round(program, &round, pick_size, &limits);
        for (int a = 0; a < program->ranks; a++) {
            need_of_rank(&limits, &round, a);
            for (int b = 0; b < program->ranks; b++)
                need_of_pair(&limits, &round, a, b);
        }
    }
    append_sets(program, &limits);
}

// ---- The test ----

// Each rank's requests and pins go the same way, and nothing is left behind.
static bool repeats(const struct test_program *program, const struct program_run *run)
{
    struct rpi_bench *bench = rpi_bench_new(program);
    unsigned failures = CU_get_number_of_failures();
    rpi_bench_run(bench, 0);
    bool same = run->result->fingerprint == engine_fingerprint(bench->sim->engine) &&
                run->result->events == engine_events(bench->sim->engine) &&
                run->lines->len == bench->lines->len;
    for (int rank = 0; rank < bench->ranks; rank++) {
        char *first = program_run_text(run, rank, RPI_REQUESTS_AND_PINS);
        char *second = program_run_text(&(struct program_run){.lines = bench->lines}, rank,
                                        RPI_REQUESTS_AND_PINS);
        same &= strcmp(first, second) == 0;
        rpi_bench_expect_quiet(bench, rank);
        g_free(first);
        g_free(second);
    }
    rpi_bench_free(bench);
    return same && CU_get_number_of_failures() == failures;
}

static void test_programs(void)
{
    static const char *const wanted[] = {
        "-> envelope_sent tiny",
        "-> envelope_sent short",
        "-> syn_sent long",
        "-> wait_descriptor",
        "-> wait_turn",
        "unexpected_tiny",
        "unexpected_short",
        "unexpected_long",
        "start -> wait_body",
        "wait_ack self",
        "ack_sent target",
        "ack_sent synchronous",
        "pin evicted",
        "pin hit",
        "last piece",
        NULL,
    };
    program_test_run(&(struct random_test){
        .programs = 400, .generate = generate, .repeats = repeats, .wanted = wanted});
}

int main(void)
{
    static const struct suite_case cases[] = {{"random programs", test_programs}, {0}};
    return suite_run("rpi: random programs", cases);
}
