// SPDX-License-Identifier: GPL-3.0-or-later
// The repetitions of a measurement, and their times.
#include "sim/measure/laps.h"
#include "tests/support/suite.h"

static struct laps kept(void)
{
    return (struct laps){.kept = true};
}

static void test_times(void)
{
    struct laps laps = kept();
    laps_begin(&laps, 100);
    laps_add(&laps, 3, 110, 4);
    laps_add(&laps, 3, 125, 9);
    laps_add(&laps, 3, 127, 10);
    const sim_time *times = laps_end(&laps, 3, false, 27);
    CU_ASSERT_PTR_NOT_NULL_FATAL(times);
    CU_ASSERT(times[0] == 10 && times[1] == 15 && times[2] == 2);
    laps_clear(&laps);
}

// Times that the library has reported, instead of the clock's.
static void test_reported(void)
{
    struct laps laps = kept();
    laps_begin(&laps, 100);
    laps_add(&laps, 2, 110, 4);
    laps_add(&laps, 2, 125, 9);
    const sim_time *times = laps_end(&laps, 2, true, 9);
    CU_ASSERT(times && times[0] == 4 && times[1] == 5);
    laps_clear(&laps);
}

// The second measurement is as long as the first, and needs no more room.
static void test_again(void)
{
    struct laps laps = kept();
    laps_begin(&laps, 0);
    laps_add(&laps, 1000, 0, 0);
    const sim_time *room = laps.ends;
    for (int i = 1; i < 1000; i++)
        laps_add(&laps, 1000, i, 0);
    CU_ASSERT_PTR_EQUAL(laps.ends, room);
    laps_end(&laps, 1000, false, 999);
    laps_begin(&laps, 5000);
    for (int i = 1; i <= 10; i++)
        laps_add(&laps, 10, 5000 + i * i, 0);
    CU_ASSERT_PTR_EQUAL(laps.ends, room);
    const sim_time *times = laps_end(&laps, 10, false, 100);
    CU_ASSERT(times && times[0] == 1 && times[9] == 19);
    laps_clear(&laps);
}

// Without a loop a single repetition has the time of all; more of them have none of their own, nor
// have turns that are not one each.
static void test_others(void)
{
    struct laps laps = kept(), off = {0};
    laps_begin(&laps, 100);
    const sim_time *times = laps_end(&laps, 1, false, 12);
    CU_ASSERT(times && times[0] == 12);
    laps_begin(&laps, 100);
    CU_ASSERT_PTR_NULL(laps_end(&laps, 2, false, 12));
    laps_begin(&laps, 100);
    laps_add(&laps, 2, 110, 0);
    laps_add(&laps, 2, 120, 0);
    CU_ASSERT_PTR_NULL(laps_end(&laps, 8, false, 20));
    // Nothing is kept.
    laps_begin(&off, 100);
    laps_add(&off, 2, 110, 0);
    CU_ASSERT_PTR_NULL(off.ends);
    CU_ASSERT_PTR_NULL(laps_end(&off, 1, false, 12));
    laps_clear(&laps);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"times on the clock", test_times},
        {"times that the library reports", test_reported},
        {"room is made once", test_again},
        {"measurements without repetitions", test_others},
        {0},
    };
    return suite_run("workload: laps", cases);
}
