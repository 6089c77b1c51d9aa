// SPDX-License-Identifier: GPL-3.0-or-later
// Random transfers between two to four cards, many at once and in all directions, with random
// settings: each ends, every byte comes once, and there are as many slices as the handler's rules
// give.
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

#include "models/intercept/vdma/handler_align.h"

#define PROGRAMS 120
#define MOST_OPS 8
#define PAGE 4096

#define MACHINE                                                                                    \
    "nic: intercept\n"                                                                             \
    "links: [{from: node, to: switch}]\n"                                                          \
    "switch: {discipline: cut_through, latency: 300 ns, slack: 4 KiB}\n"                           \
    "link: {rate: 2 Gb/s, propagation: 325 ns, preamble: 0 B, gap: 0 B, least_frame: 0 B}\n"       \
    "host: {processor: {cores: 2, clock: 1 GHz}}\n"

static int pick(GRand *random, int from, int below)
{
    return g_rand_int_range(random, from, below);
}

// Slices of a transfer from address to address; both lie `offset` into a page.
static int slices_of(int64_t local, int64_t remote, int64_t bytes, bool splits)
{
    struct vdma_split split = {.middle = bytes};
    int slices = 0;
    if (splits)
        split = vdma_split(local, bytes);
    for (int64_t at = 0; at < split.middle; slices++)
        at += vdma_slice_bytes(local + split.first + at, remote + split.first + at,
                               split.middle - at);
    return slices;
}

static int64_t random_size(GRand *random, bool splits)
{
    static const int64_t near[] = {1, 24, 504, PAGE, 65536, VDMA_SLICE, 2 * VDMA_SLICE};
    int64_t bytes = near[pick(random, 0, G_N_ELEMENTS(near))] + pick(random, -40, 200);
    bytes = MAX(bytes, 1);
    return splits ? bytes : MAX(bytes / 8 * 8, VDMA_LEAST);
}

// The operations of a rank: all are started, then all are waited for. Counts their slices.
static char *random_ops(GRand *random, int ranks, bool splits, int64_t *slices)
{
    GString *ops = g_string_new(NULL);
    int count = pick(random, 1, MOST_OPS + 1);
    for (int i = 0; i < count; i++) {
        bool writes = pick(random, 0, 2);
        int64_t bytes = random_size(random, splits), here = pick(random, 0, 200),
                there = pick(random, 0, 2) ? here : pick(random, 0, 200);
        if (!splits) {
            here *= VDMA_ALIGNMENT;
            there *= VDMA_ALIGNMENT;
        }
        g_string_append_printf(ops,
                               "{%s: %d, size: %d B, offset: %d B, peer_offset: %d B, request: "
                               "r%d}}, ",
                               writes ? "vdma_write: {to" : "vdma_read: {from",
                               pick(random, 0, ranks), (int)bytes, (int)here, (int)there, i);
        *slices +=
            writes ? slices_of(there, here, bytes, splits) : slices_of(here, there, bytes, splits);
    }
    for (int i = 0; i < count; i++)
        g_string_append_printf(ops, "%s{wait: r%d}", i > 0 ? ", " : "", i);
    return g_string_free(ops, FALSE);
}

static void try_one(guint32 seed)
{
    GRand *random = g_rand_new_with_seed(seed);
    bool splits = pick(random, 0, 2);
    int64_t slices = 0, credits = pick(random, 1, 6);
    struct test_program program = {
        .ranks = pick(random, 2, 5), .machine = MACHINE, .stack = "intercept_vdma"};
    char *sets[] = {
        g_strdup_printf("vdma_handler.unaligned=%s", splits ? "split" : "refuse"),
        g_strdup_printf("vdma_handler.ahead=%d", pick(random, 0, 4)),
        g_strdup_printf("vdma_handler.credits=%d", (int)credits),
        g_strdup_printf("vdma_handler.credit_update=%d", pick(random, 1, (int)credits + 1)),
        g_strdup_printf("vdma_handler.copy_buffers=%d", pick(random, 1, 3)),
        g_strdup_printf("intercept.tx_cb=%d KiB", pick(random, 1, 4)),
        g_strdup_printf("host.processor.cores=%d", pick(random, 1, 3)),
    };
    for (size_t i = 0; i < G_N_ELEMENTS(sets); i++)
        program.sets[i] = sets[i];
    char *ops[TEST_MOST_RANKS];
    for (int rank = 0; rank < program.ranks; rank++)
        program.ops[rank] = ops[rank] = random_ops(random, program.ranks, splits, &slices);
    struct program_run *run = program_run(&program, 1);
    bool good = run->result->status == SIM_COMPLETED && run->result->ledger_balanced &&
                run->result->ledger.declined == 0 &&
                program_counter(run, "VDMA handler: slices received") == slices;
    if (!good) {
        char *text = program_reason(run, "text");
        printf("seed %u: %s, %d slices expected\n", seed, text, (int)slices);
        for (int rank = 0; rank < program.ranks; rank++)
            printf("  rank %d: %s\n", rank, ops[rank]);
        g_free(text);
    }
    CU_ASSERT_TRUE(good);
    program_run_free(run);
    for (int rank = 0; rank < program.ranks; rank++)
        g_free(ops[rank]);
    for (size_t i = 0; i < G_N_ELEMENTS(sets); i++)
        g_free(sets[i]);
    g_rand_free(random);
}

static void test_random(void)
{
    for (guint32 seed = 1; seed <= PROGRAMS; seed++)
        try_one(seed);
}

int main(void)
{
    static const struct suite_case cases[] = {{"random transfers", test_random}, {0}};
    return suite_run("vdma: random", cases);
}
