// SPDX-License-Identifier: GPL-3.0-or-later
// When repetitions have become alike, for ranks whose turns take given times.
#include "sim/measure/steady.h"
#include "tests/support/suite.h"

#define MOST_RANKS 4

// A loop of ranks: what turn `turn` (from 1) takes on a rank.
struct turns {
    int ranks, sharers;
    int64_t turns;
    sim_time (*takes)(int rank, int64_t turn);
};

struct outcome {
    int64_t ran[MOST_RANKS];
    sim_time took[MOST_RANKS], left_out[MOST_RANKS]; // of the turns that were run, and the others
};

// Runs the loop; the rank whose turn ends first is next.
static struct outcome run_loop(struct steady *steady, const struct turns *loop)
{
    struct outcome outcome = {0};
    bool left[MOST_RANKS] = {0};
    for (;;) {
        int next = -1;
        sim_time end = 0;
        for (int rank = 0; rank < loop->sharers; rank++) {
            sim_time own = outcome.took[rank] + loop->takes(rank, outcome.ran[rank] + 1);
            if (!left[rank] && (next < 0 || own < end)) {
                next = rank;
                end = own;
            }
        }
        if (next < 0)
            return outcome;
        outcome.took[next] = end;
        struct steady_turn turn = {++outcome.ran[next], loop->turns, loop->sharers};
        left[next] = steady_leaves(steady, next, &turn, end, &outcome.left_out[next]) ||
                     outcome.ran[next] == loop->turns;
    }
}

static sim_time whole_time(const struct turns *loop, int rank)
{
    sim_time time = 0;
    for (int64_t turn = 1; turn <= loop->turns; turn++)
        time += loop->takes(rank, turn);
    return time;
}

// Checks that all ranks leave after the same turn, with the time that the whole loop takes.
static int64_t expect_exact(const struct turns *loop)
{
    struct steady *steady = steady_new(loop->ranks, 3);
    struct outcome outcome = run_loop(steady, loop);
    for (int rank = 0; rank < loop->sharers; rank++) {
        SUITE_SAME_INTEGER(outcome.ran[rank], outcome.ran[0]);
        SUITE_SAME_INTEGER(outcome.took[rank] + outcome.left_out[rank], whole_time(loop, rank));
    }
    SUITE_SAME_INTEGER(steady_turns(steady), loop->turns);
    SUITE_SAME_INTEGER(steady_turns_run(steady), outcome.ran[0]);
    steady_free(steady);
    return outcome.ran[0];
}

static sim_time take_alike(int rank, int64_t turn)
{
    (void)rank;
    return turn == 1 ? 900 : 100;
}

static sim_time take_warm_up(int rank, int64_t turn)
{
    return turn < 8 ? 200 - 10 * turn + rank : 100;
}

// Roots that rotate: another rank is slow in each of four turns.
static sim_time take_rotating(int rank, int64_t turn)
{
    return turn % 4 == rank ? 170 : 110;
}

static sim_time take_falling_behind(int rank, int64_t turn)
{
    (void)turn;
    return rank == 0 ? 100 : 101;
}

static sim_time take_growing(int rank, int64_t turn)
{
    (void)rank;
    return 100 + turn;
}

// Three equal turns are part of a longer period.
static sim_time take_seldom(int rank, int64_t turn)
{
    (void)rank;
    return turn % 12 == 0 ? 300 : 100;
}

static void test_alike(void)
{
    const struct turns pair = {2, 2, 100, take_alike}, one = {2, 1, 100, take_alike};
    CU_ASSERT_EQUAL(expect_exact(&pair), 5);
    CU_ASSERT_EQUAL(expect_exact(&one), 5); // the other rank has no such loop
}

static void test_warm_up(void)
{
    const struct turns loop = {3, 3, 100, take_warm_up};
    int64_t ran = expect_exact(&loop);
    CU_ASSERT(ran > 9 && ran < 16);
}

static void test_period(void)
{
    for (int64_t turns = 60; turns < 64; turns++) {
        const struct turns loop = {4, 4, turns, take_rotating};
        CU_ASSERT(expect_exact(&loop) < 20);
    }
}

// Of many turns more must be equal: a 64th of 1,000 is more than the eleven that are alike here.
static void test_longer_period(void)
{
    const struct turns loop = {2, 2, 1000, take_seldom};
    CU_ASSERT(expect_exact(&loop) < 60);
}

static void test_never(void)
{
    const struct turns behind = {2, 2, 100, take_falling_behind},
                       growing = {2, 2, 50, take_growing}, few = {2, 2, 4, take_alike};
    CU_ASSERT_EQUAL(expect_exact(&behind), 100);
    CU_ASSERT_EQUAL(expect_exact(&growing), 50);
    CU_ASSERT_EQUAL(expect_exact(&few), 4);
}

// A loop is judged by its own turns.
static void test_second_loop(void)
{
    const struct turns first = {2, 2, 100, take_alike}, second = {2, 2, 50, take_growing};
    struct steady *steady = steady_new(2, 3);
    SUITE_SAME_INTEGER(run_loop(steady, &first).ran[1], 5);
    SUITE_SAME_INTEGER(run_loop(steady, &second).ran[1], 50);
    SUITE_SAME_INTEGER(steady_turns(steady), 150);
    SUITE_SAME_INTEGER(steady_turns_run(steady), 55);
    steady_free(steady);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"turns that are alike", test_alike},
        {"turns that become alike", test_warm_up},
        {"a period of several turns", test_period},
        {"a part of a longer period", test_longer_period},
        {"turns that never are", test_never},
        {"one loop after the other", test_second_loop},
        {0},
    };
    return suite_run("measure: steady repetitions", cases);
}
