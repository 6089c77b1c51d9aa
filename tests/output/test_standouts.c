// SPDX-License-Identifier: GPL-3.0-or-later
// Repetitions that stand out: whose wait is named, and the order of their lines.
#include "sim/measure/repetitions.h"
#include "sim/output/standouts.h"
#include "tests/output/sample.h"
#include "tests/support/suite.h"

// Three repetitions of 1 us and one of 100 us, of which a timer ran for `waited` us.
static struct result_standout longest(sim_time waited)
{
    struct repetitions of = {0};
    struct sim *sim = sim_new(1, NULL);
    struct series_result *series = series_result_new("s", "lam_tcp");
    repetitions_begin(&of, 0);
    for (int i = 0; i < 3; i++)
        repetitions_add(&of, sim, i * TIME_US, (i + 1) * TIME_US);
    sim_waited(sim, "delayed ACK", 10 * TIME_US, (10 + waited) * TIME_US);
    repetitions_add(&of, sim, 3 * TIME_US, 103 * TIME_US);
    repetitions_judge(&of, 0, 8, 1, series);
    SUITE_SAME_INTEGER(series->standouts->len, 1);
    struct result_standout found = g_array_index(series->standouts, struct result_standout, 0);
    repetitions_clear(&of);
    series_result_free(series);
    sim_free(sim);
    return found;
}

// A timer that ran for less than half of the repetition does not explain it.
static void test_wait(void)
{
    struct result_standout half = longest(50), less = longest(49);
    SUITE_SAME_TEXT(half.wait, "delayed ACK");
    CU_ASSERT_DOUBLE_EQUAL(half.wait_us, 50, 1e-9);
    CU_ASSERT_PTR_NULL(less.wait);
    SUITE_SAME_INTEGER(less.repetition, 4);
}

// The outlier that changes its mean the most goes first: of 5 repetitions it has more weight than
// of 100.
static void test_order(void)
{
    struct result *result = result_new("x", 1);
    struct series_result *series = series_result_new("s", "lam_tcp");
    const struct result_standout of[] = {
        {.kind = STANDOUT_FIRST,
         .size = 1,
         .repetition = 1,
         .repetitions = 100,
         .us = 30,
         .usual_us = 10},
        {.kind = STANDOUT_FIRST,
         .size = 2,
         .repetition = 1,
         .repetitions = 5,
         .us = 20,
         .usual_us = 10},
    };
    g_array_append_vals(series->standouts, of, G_N_ELEMENTS(of));
    g_ptr_array_add(result->series, series);
    GString *out = g_string_new(NULL);
    standouts_append(out, result);
    SUITE_SAME_TEXT(out->str,
                    "s, 2 B: the first of 5 repetitions took 20 us, 100 % more than the others; "
                    "without it the mean is 10 us, not 12 us\n"
                    "s, 1 B: the first of 100 repetitions took 30 us, 200 % more than the others; "
                    "without it the mean is 10 us, not 10.2 us\n");
    g_string_free(out, TRUE);
    result_free(result);
}

static const struct suite_case cases[] = {
    {"which wait is named", test_wait},
    {"the order of lines", test_order},
    {0},
};

int main(void)
{
    return suite_run("output: repetitions that stand out", cases);
}
