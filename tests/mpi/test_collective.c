// SPDX-License-Identifier: GPL-3.0-or-later
// The schedules of collectives, run abstractly: ranks take turns at random, a message is there once
// it is sent, and a round ends when all its requests are met.
#include "sim/core/random.h"
#include "sim/mpi/collective.h"
#include "tests/support/suite.h"

#define MOST_RANKS 33

struct rank {
    struct mpi_schedule schedule;
    guint entered; // steps before this one have been started
    bool left;
};

struct play {
    int ranks;
    int64_t size;
    struct rank rank[MOST_RANKS];
    // Messages and receives between each pair: how many were sent, and how many receives were
    // started.
    int sent[MOST_RANKS][MOST_RANKS], wanted[MOST_RANKS][MOST_RANKS];
};

static const struct mpi_step *step_at(const struct rank *rank, guint number)
{
    return &g_array_index(rank->schedule.steps, struct mpi_step, number);
}

static void play_build(struct play *play, enum mpi_collective collective, int ranks, int64_t size,
                       int64_t linear_processes)
{
    struct mpi_library_config library = {.linear_processes = linear_processes};
    *play = (struct play){.ranks = ranks, .size = size};
    for (int i = 0; i < ranks; i++) {
        struct mpi_process process = {.rank = i, .ranks = ranks, .library = &library};
        mpi_schedule_init(&play->rank[i].schedule);
        mpi_schedule_build(&play->rank[i].schedule, &process, collective, size);
    }
}

static void play_clear(struct play *play)
{
    for (int i = 0; i < play->ranks; i++)
        mpi_schedule_clear(&play->rank[i].schedule);
}

// All of the rank's rounds so far are over: what it sent was wanted, what it wanted has come. (A
// send of an eager library would not even wait for that; this is the stricter rule.)
static bool round_over(const struct play *play, int rank, bool eager)
{
    for (int peer = 0; peer < play->ranks; peer++) {
        if (play->sent[peer][rank] < play->wanted[rank][peer])
            return false;
        if (!eager && play->wanted[peer][rank] < play->sent[rank][peer])
            return false;
    }
    return true;
}

static void enter_round(struct play *play, int number)
{
    struct rank *rank = &play->rank[number];
    const struct mpi_step *step;
    do {
        step = step_at(rank, rank->entered++);
        if (step->kind == MPI_SEND)
            play->sent[number][step->peer]++;
        else
            play->wanted[number][step->peer]++;
    } while (!step->ends_round);
}

static bool all_entered(const struct play *play)
{
    for (int i = 0; i < play->ranks; i++)
        if (play->rank[i].schedule.steps->len > 0 && play->rank[i].entered == 0)
            return false;
    return true;
}

// Runs the schedules to their end. With `barrier` no rank may leave before all have entered.
static void play_run(struct play *play, struct random_stream *random, bool eager, bool barrier)
{
    int left = 0, idle = 0;
    while (left < play->ranks && idle < 100000) {
        int number = (int)random_below(random, (uint64_t)play->ranks);
        struct rank *rank = &play->rank[number];
        idle++;
        if (rank->left || !round_over(play, number, eager))
            continue;
        idle = 0;
        if (rank->entered < rank->schedule.steps->len) {
            enter_round(play, number);
            continue;
        }
        rank->left = true;
        left++;
        if (barrier)
            CU_ASSERT(all_entered(play));
    }
    // Nobody hangs, and nothing is left over.
    CU_ASSERT_EQUAL(left, play->ranks);
    for (int a = 0; a < play->ranks; a++)
        for (int b = 0; b < play->ranks; b++)
            CU_ASSERT_EQUAL(play->sent[a][b], play->wanted[b][a]);
}

// Every step's peer is another rank, and the last step of a schedule ends a round.
static void check_form(const struct play *play)
{
    for (int i = 0; i < play->ranks; i++) {
        const struct rank *rank = &play->rank[i];
        guint steps = rank->schedule.steps->len;
        CU_ASSERT_EQUAL(steps > 0, play->ranks > 1);
        CU_ASSERT(steps == 0 || step_at(rank, steps - 1)->ends_round);
        for (guint k = 0; k < steps; k++) {
            const struct mpi_step *step = step_at(rank, k);
            CU_ASSERT(step->peer >= 0 && step->peer < play->ranks && step->peer != i);
            CU_ASSERT(step->kind == MPI_SEND || step->kind == MPI_RECV);
            CU_ASSERT_EQUAL(step->size, play->size);
        }
    }
}

// ---- Barriers ----

static void check_barrier(int64_t linear_processes)
{
    struct random_stream *random = random_new(9, "turns");
    struct play *play = g_new(struct play, 1);
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++)
        for (int eager = 0; eager < 2; eager++)
            for (int turn = 0; turn < 8; turn++) {
                play_build(play, MPI_BARRIER, ranks, 0, linear_processes);
                check_form(play);
                play_run(play, random, eager, true);
                play_clear(play);
            }
    g_free(play);
    random_free(random);
}

static void test_barrier_linear(void)
{
    check_barrier(MOST_RANKS);
}

static void test_barrier_tree(void)
{
    check_barrier(0);
}

static int messages(const struct play *play, int rank)
{
    return (int)play->rank[rank].schedule.steps->len;
}

// Which algorithm is taken: linear up to the library's number of processes, where rank 0 deals with
// all others; by tree above, where nobody deals with more than the logarithm. A process without a
// library takes the linear one.
static void test_barrier_choice(void)
{
    struct play *play = g_new(struct play, 1);
    play_build(play, MPI_BARRIER, 8, 0, 8);
    SUITE_SAME_INTEGER(messages(play, 0), 14);
    SUITE_SAME_INTEGER(messages(play, 7), 2);
    play_clear(play);
    play_build(play, MPI_BARRIER, 9, 0, 8);
    // Children 1, 2, 4 and 8, each up and down.
    SUITE_SAME_INTEGER(messages(play, 0), 8);
    SUITE_SAME_INTEGER(messages(play, 4), 2 * 2 + 2);
    SUITE_SAME_INTEGER(messages(play, 7), 2);
    play_clear(play);
    g_free(play);
    struct mpi_schedule schedule;
    struct mpi_process native = {.rank = 0, .ranks = 20};
    mpi_schedule_init(&schedule);
    mpi_schedule_build(&schedule, &native, MPI_BARRIER, 0);
    SUITE_SAME_INTEGER(schedule.steps->len, 2 * 19);
    mpi_schedule_clear(&schedule);
}

// ---- Alltoall ----

// Each pair of ranks once in each direction, from and to the peer's block; all receives stand
// before all sends; one round.
static void check_alltoall(const struct play *play)
{
    for (int i = 0; i < play->ranks; i++) {
        const struct rank *rank = &play->rank[i];
        bool seen[2][MOST_RANKS] = {0};
        guint steps = rank->schedule.steps->len;
        SUITE_SAME_INTEGER(steps, 2 * (play->ranks - 1));
        for (guint k = 0; k < steps; k++) {
            const struct mpi_step *step = step_at(rank, k);
            CU_ASSERT_EQUAL(step->kind, k < steps / 2 ? MPI_RECV : MPI_SEND);
            CU_ASSERT_FALSE(seen[step->kind == MPI_SEND][step->peer]);
            seen[step->kind == MPI_SEND][step->peer] = true;
            CU_ASSERT_EQUAL(step->offset, step->peer * play->size);
            CU_ASSERT_EQUAL(step->ends_round, k == steps - 1);
        }
    }
}

static void test_alltoall(void)
{
    struct random_stream *random = random_new(10, "turns");
    struct play *play = g_new(struct play, 1);
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        // 4 GiB a block: offsets need 64 bits.
        play_build(play, MPI_ALLTOALL, ranks, INT64_C(1) << 32, 4);
        check_form(play);
        check_alltoall(play);
        play_run(play, random, ranks % 2, false);
        play_clear(play);
    }
    g_free(play);
    random_free(random);
}

// A schedule is built again in place.
static void test_rebuild(void)
{
    struct mpi_schedule schedule;
    struct mpi_process process = {.rank = 1, .ranks = 4};
    mpi_schedule_init(&schedule);
    mpi_schedule_build(&schedule, &process, MPI_ALLTOALL, 10);
    schedule.next = 3;
    mpi_schedule_build(&schedule, &process, MPI_BARRIER, 0);
    SUITE_SAME_INTEGER(schedule.steps->len, 2);
    SUITE_SAME_INTEGER(schedule.next, 0);
    mpi_schedule_clear(&schedule);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"barrier, linear, 1 to 33 ranks", test_barrier_linear},
        {"barrier, tree, 1 to 33 ranks", test_barrier_tree},
        {"barrier: which algorithm", test_barrier_choice},
        {"alltoall, 1 to 33 ranks", test_alltoall},
        {"built again", test_rebuild},
        {NULL, NULL},
    };
    return suite_run("mpi: collectives", cases);
}
