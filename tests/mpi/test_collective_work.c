// SPDX-License-Identifier: GPL-3.0-or-later
// How many messages, rounds and bytes the algorithms of collectives take, by their closed forms;
// and that building a schedule again asks the system for no memory.
//
// test_collective.c checks their results.
#include "sim/mpi/collective.h"
#include "tests/support/allocations.h"
#include "tests/support/suite.h"

#include <string.h>

#define MOST_RANKS 64
#define SEGMENT 64

struct work {
    int messages, most_rounds; // of all ranks; of the rank with the most
    int64_t bytes;
};

struct algorithm {
    enum mpi_collective collective;
    const char *const *rules;
    size_t rule; // the field
    const char *name;
};

#define ALGORITHM(collective, field, name)                                                         \
    (&(struct algorithm){collective, mpi_##field##_rules,                                          \
                         offsetof(struct mpi_library_config, field), name})

static struct mpi_library_config library_of(const struct algorithm *algorithm)
{
    struct mpi_library_config library = {
        .empty_collectives_send = true, .empty_blocks_send = true, .segment = SEGMENT};
    int rule = 0;
    while (strcmp(algorithm->rules[rule], algorithm->name) != 0)
        rule++;
    memcpy((char *)&library + algorithm->rule, &rule, sizeof rule);
    return library;
}

static void add_work(struct work *work, const struct mpi_schedule *schedule)
{
    int rounds = 0;
    for (guint k = 0; k < schedule->steps->len; k++) {
        const struct mpi_step *step = &g_array_index(schedule->steps, struct mpi_step, k);
        work->messages += step->kind == STEP_SEND;
        work->bytes += step->kind == STEP_SEND ? step->size : 0;
        rounds += step->ends_round;
    }
    work->most_rounds = MAX(work->most_rounds, rounds);
}

// Bytes from one rank to another, if blocks differ.
static int64_t uneven(int from, int to)
{
    return (from * 5 + to * 3) % 7 * 100;
}

// size < 0: blocks differ.
static struct work work_of(const struct algorithm *algorithm, int ranks, int64_t size)
{
    struct mpi_library_config library = library_of(algorithm);
    struct mpi_schedule schedule;
    struct work work = {0};
    mpi_schedule_init(&schedule);
    for (int rank = 0; rank < ranks; rank++) {
        struct mpi_process process = {.rank = rank, .ranks = ranks, .library = &library};
        int64_t blocks[MOST_RANKS], receive_blocks[MOST_RANKS];
        struct mpi_collective_sizes sizes = {.size = size};
        for (int peer = 0; peer < ranks; peer++) {
            bool pairs = algorithm->collective == COLLECTIVE_ALLTOALLV;
            blocks[peer] = uneven(pairs ? rank : 0, peer);
            receive_blocks[peer] = uneven(peer, rank);
        }
        if (size < 0)
            sizes =
                (struct mpi_collective_sizes){.blocks = blocks, .receive_blocks = receive_blocks};
        mpi_collective_build_sized(&schedule, &process, NULL, algorithm->collective, 0, &sizes);
        add_work(&work, &schedule);
    }
    mpi_schedule_clear(&schedule);
    return work;
}

static void expect(const struct algorithm *algorithm, int ranks, int64_t size, int messages,
                   int rounds, int64_t bytes)
{
    struct work work = work_of(algorithm, ranks, size);
    if (!suite_same_integer(__FILE__, __LINE__, work.messages, messages) ||
        !suite_same_integer(__FILE__, __LINE__, work.most_rounds, rounds) ||
        !suite_same_integer(__FILE__, __LINE__, work.bytes, bytes))
        fprintf(stderr, "%s among %d\n", algorithm->name, ranks);
}

// Steps in which a distance that doubles reaches all of them.
static int steps_of(int ranks)
{
    int steps = 0;
    while (1 << steps < ranks)
        steps++;
    return steps;
}

// ---- A power of two of ranks, p = 2^d; n bytes of a message or block ----

static void test_reductions(void)
{
    for (int d = 1; d <= 6; d++) {
        int p = 1 << d;
        int64_t n = 128;
        // Halves of halves: n / 2 + n / 4 + ... of each rank, and the same back, or up a tree.
        expect(ALGORITHM(COLLECTIVE_REDUCE, reduce, "rabenseifner"), p, n, p * d + p - 1, 2 * d,
               (p - 1) * n + n / 2 * d);
        expect(ALGORITHM(COLLECTIVE_ALLREDUCE, allreduce, "rabenseifner"), p, n, 2 * p * d, 2 * d,
               2 * (p - 1) * n);
        expect(ALGORITHM(COLLECTIVE_ALLREDUCE, allreduce, "folded_doubling"), p, n, p * d, d + 1,
               p * d * n);
        expect(ALGORITHM(COLLECTIVE_ALLREDUCE, allreduce, "ring"), p, n, 2 * p * (p - 1),
               2 * (p - 1), 2 * (p - 1) * n);
        expect(ALGORITHM(COLLECTIVE_SCAN, scan, "recursive_doubling"), p, n, p * d, d + 1,
               p * d * n);
        expect(ALGORITHM(COLLECTIVE_EXSCAN, exscan, "recursive_doubling"), p, n, p * d, d + 1,
               p * d * n);
    }
}

static void test_reduce_scatter(void)
{
    for (int d = 1; d <= 6; d++) {
        int p = 1 << d;
        int64_t n = 128;
        expect(ALGORITHM(COLLECTIVE_REDUCE_SCATTER, reduce_scatter, "recursive_halving"), p, n,
               p * d, d + 1, p * (p - 1) * n);
        // All blocks but those of the own group of 1, 2, 4, ...
        expect(ALGORITHM(COLLECTIVE_REDUCE_SCATTER, reduce_scatter, "recursive_doubling"), p, n,
               p * d, d + 1, p * (d * p - (p - 1)) * n);
        expect(ALGORITHM(COLLECTIVE_REDUCE_SCATTER, reduce_scatter, "pairwise"), p, n, p * (p - 1),
               p, p * (p - 1) * n);
        expect(ALGORITHM(COLLECTIVE_REDUCE_SCATTER, reduce_scatter, "reduce_scatterv"), p, n,
               2 * (p - 1), 2 * p - 1, (p - 1) * (p * n + n));
    }
}

static void test_gathering(void)
{
    for (int d = 1; d <= 6; d++) {
        int p = 1 << d;
        int64_t n = 128;
        expect(ALGORITHM(COLLECTIVE_BCAST, bcast, "scatter_ring"), p, n, p - 1 + p * (p - 1),
               d + p - 1, n / 2 * d + (p - 1) * n);
        expect(ALGORITHM(COLLECTIVE_ALLGATHER, allgather, "neighbours"), p, n, p * p / 2, p / 2,
               p * (p - 1) * n);
        expect(ALGORITHM(COLLECTIVE_ALLTOALL, alltoall, "pairs"), p, n, p * (p - 1), p - 1,
               p * (p - 1) * n);
        expect(ALGORITHM(COLLECTIVE_ALLTOALL, alltoall, "bruck"), p, n, p * d, d + 1,
               p * d * (p / 2 * n));
        expect(ALGORITHM(COLLECTIVE_ALLGATHERV, allgatherv, "recursive_doubling"), p, n, p * d,
               d + 1, p * (p - 1) * n);
    }
}

// ---- Any number of ranks ----

static void test_any_number(void)
{
    for (int p = 2; p <= 40; p++) {
        int d = steps_of(p);
        int64_t n = 24;
        expect(ALGORITHM(COLLECTIVE_BARRIER, barrier, "dissemination"), p, 0, p * d, d, 0);
        expect(ALGORITHM(COLLECTIVE_ALLGATHER, allgather, "bruck"), p, n, p * d, d + 1,
               p * (p - 1) * n);
        expect(ALGORITHM(COLLECTIVE_SCAN, scan, "linear"), p, n, p - 1, 2, (p - 1) * n);
        expect(ALGORITHM(COLLECTIVE_EXSCAN, exscan, "linear"), p, n, p - 1, 3, (p - 1) * n);
        expect(ALGORITHM(COLLECTIVE_GATHERV, gatherv, "linear"), p, n, p - 1, p - 1, (p - 1) * n);
        expect(ALGORITHM(COLLECTIVE_SCATTERV, scatterv, "linear"), p, n, p - 1, p - 1, (p - 1) * n);
        expect(ALGORITHM(COLLECTIVE_ALLTOALLV, alltoallv, "in_order"), p, n, p * (p - 1), 1,
               p * (p - 1) * n);
    }
}

// In s segments along a chain: the last rank has the last one after p - 1 + s - 1 steps; each rank
// but the root gets the message once, of a split one after both halves have come.
static void test_segments(void)
{
    for (int p = 2; p <= 40; p++) {
        int64_t n = 9 * SEGMENT + 1;
        expect(ALGORITHM(COLLECTIVE_BCAST, bcast, "pipeline"), p, n, 10 * (p - 1), p == 2 ? 10 : 11,
               (p - 1) * n);
        expect(ALGORITHM(COLLECTIVE_REDUCE, reduce, "pipeline"), p, n, 10 * (p - 1),
               p == 2 ? 11 : 20, (p - 1) * n);
        struct work split = work_of(ALGORITHM(COLLECTIVE_BCAST, bcast, "split_binary"), p, n),
                    binary = work_of(ALGORITHM(COLLECTIVE_REDUCE, reduce, "binary"), p, n);
        SUITE_SAME_INTEGER(split.bytes, (p - 1) * n);
        SUITE_SAME_INTEGER(binary.bytes, (p - 1) * n);
        SUITE_SAME_INTEGER(binary.messages, 10 * (p - 1));
        // 5 segments of either half, and an exchange with a neighbour.
        SUITE_SAME_INTEGER(split.messages, 5 * (p - 1) + p - 1);
    }
}

// Those beyond the power of two send their operand to a neighbour and get the result from it: two
// more messages each.
static void test_between_powers(void)
{
    for (int p = 2; p <= 40; p++) {
        int d = 0;
        while (2 << d <= p)
            d++;
        int power = 1 << d, surplus = p - power;
        struct work folded = work_of(ALGORITHM(COLLECTIVE_ALLREDUCE, allreduce, "folded_doubling"),
                                     p, 4096),
                    halves = work_of(ALGORITHM(COLLECTIVE_ALLREDUCE, allreduce, "rabenseifner"), p,
                                     4096),
                    spread = work_of(
                        ALGORITHM(COLLECTIVE_REDUCE_SCATTER, reduce_scatter, "recursive_halving"),
                        p, 4096);
        SUITE_SAME_INTEGER(folded.messages, power * d + 2 * surplus);
        SUITE_SAME_INTEGER(halves.messages, 2 * power * d + 2 * surplus);
        SUITE_SAME_INTEGER(spread.messages, power * d + 2 * surplus);
        SUITE_SAME_INTEGER(folded.bytes, (power * d + 2 * surplus) * 4096);
        SUITE_SAME_INTEGER(halves.bytes, (2 * (power - 1) + 2 * surplus) * 4096);
    }
}

// ---- Blocks that differ ----

// Each byte of a block travels as often as in the equal form.
static void test_uneven(void)
{
    for (int p = 2; p <= 20; p++) {
        int64_t all = 0, own = uneven(0, 0), pairs = 0;
        for (int i = 0; i < p; i++) {
            all += uneven(0, i);
            for (int j = 0; j < p; j++)
                pairs += i == j ? 0 : uneven(i, j);
        }
        static const char *const gathering[] = {"gatherv_each", "ring", "bruck"};
        for (size_t i = 0; i < G_N_ELEMENTS(gathering); i++)
            SUITE_SAME_INTEGER(
                work_of(ALGORITHM(COLLECTIVE_ALLGATHERV, allgatherv, gathering[i]), p, -1).bytes,
                (p - 1) * all);
        static const char *const exchanging[] = {"linear", "in_order", "pairwise"};
        for (size_t i = 0; i < G_N_ELEMENTS(exchanging); i++)
            SUITE_SAME_INTEGER(
                work_of(ALGORITHM(COLLECTIVE_ALLTOALLV, alltoallv, exchanging[i]), p, -1).bytes,
                pairs);
        SUITE_SAME_INTEGER(work_of(ALGORITHM(COLLECTIVE_GATHERV, gatherv, "linear"), p, -1).bytes,
                           all - own);
        SUITE_SAME_INTEGER(work_of(ALGORITHM(COLLECTIVE_SCATTERV, scatterv, "linear"), p, -1).bytes,
                           all - own);
        SUITE_SAME_INTEGER(
            work_of(ALGORITHM(COLLECTIVE_REDUCE_SCATTER, reduce_scatter, "pairwise"), p, -1).bytes,
            (p - 1) * all);
    }
}

// ---- Memory ----

// A schedule that has been built once needs no more memory, whatever its blocks.
static void test_memory(void)
{
    struct mpi_library_config library =
        library_of(ALGORITHM(COLLECTIVE_ALLTOALLV, alltoallv, "linear"));
    struct mpi_process process = {.rank = 5, .ranks = MOST_RANKS, .library = &library};
    int64_t blocks[MOST_RANKS], receive_blocks[MOST_RANKS];
    struct mpi_collective_sizes sizes = {.blocks = blocks, .receive_blocks = receive_blocks};
    struct mpi_schedule schedule;
    mpi_schedule_init(&schedule);
    uint64_t warm = 0;
    for (int call = 0; call < 100; call++) {
        for (int i = 0; i < MOST_RANKS; i++) {
            blocks[i] = uneven(call + i, i);
            receive_blocks[i] = uneven(i, call);
        }
        for (int collective = 0; collective < COLLECTIVES; collective++)
            mpi_collective_build_sized(&schedule, &process, NULL, (enum mpi_collective)collective,
                                       0, &sizes);
        if (call == 0)
            warm = allocations.count;
    }
    SUITE_SAME_INTEGER(allocations.count, warm);
    mpi_schedule_clear(&schedule);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"reductions", test_reductions},
        {"reduce_scatter", test_reduce_scatter},
        {"gathering and exchanging", test_gathering},
        {"any number of ranks", test_any_number},
        {"segments", test_segments},
        {"between powers of two", test_between_powers},
        {"blocks that differ", test_uneven},
        {"no memory once warm", test_memory},
        {0},
    };
    return suite_run("mpi: what collectives cost", cases);
}
