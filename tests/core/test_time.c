// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic on simulated time: exact below the end of time, and stopping there.
#include "sim/core/cost.h"
#include "tests/support/suite.h"

static void test_after(void)
{
    SUITE_SAME_INTEGER(time_after(3, 4), 7);
    SUITE_SAME_INTEGER(time_after(TIME_END - 2, 1), TIME_END - 1);
    SUITE_SAME_INTEGER(time_after(TIME_END - 1, 1), TIME_END);
    SUITE_SAME_INTEGER(time_after(TIME_END - 1, 2), TIME_END);
    SUITE_SAME_INTEGER(time_after(TIME_END, TIME_END), TIME_END);
    // The most that the sums of the code come to.
    SUITE_SAME_INTEGER(time_after(TIME_END, 3 * TIME_END), TIME_END);
}

static void test_times(void)
{
    SUITE_SAME_INTEGER(time_times(0, TIME_END), 0);
    SUITE_SAME_INTEGER(time_times(3, 7 * TIME_US), 21 * TIME_US);
    SUITE_SAME_INTEGER(time_times(26, 24 * 3600 * TIME_S), TIME_END);
    SUITE_SAME_INTEGER(time_times(27, 24 * 3600 * TIME_S), TIME_END);
    SUITE_SAME_INTEGER(time_times(INT64_MAX, TIME_END), TIME_END);
}

static void test_rates(void)
{
    SUITE_SAME_INTEGER(time_at_rate(1, 3), 333333333334);
    SUITE_SAME_INTEGER(time_at_rate(26 * 24 * 3600 - 1, 1), TIME_END - TIME_S);
    SUITE_SAME_INTEGER(time_at_rate(26 * 24 * 3600 + 1, 1), TIME_END);
    SUITE_SAME_INTEGER(time_at_rate(INT64_MAX, 1), TIME_END);
    SUITE_SAME_INTEGER(time_of_bytes(INT64_C(1) << 40, 1), TIME_END);
    SUITE_SAME_INTEGER(cost_time((struct cost){.cycles = 36000000000000}, 1000000000),
                       36000 * TIME_S);
    SUITE_SAME_INTEGER(cost_time((struct cost){.cycles = 36000000000000}, 1000000), TIME_END);
}

int main(void)
{
    static const struct suite_case cases[] = {{"a time after another", test_after},
                                              {"many times a time", test_times},
                                              {"times at a rate", test_rates},
                                              {0}};
    return suite_run("core: time", cases);
}
