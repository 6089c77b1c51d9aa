// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of the constants that points can determine, by effects that are known.
#include "sim/calibrate/propose.h"

#include "tests/support/suite.h"

#include <math.h>

#define TARGETS 3

// "0 2 | 1~0 0.95x2.00": the chosen ones, then the others with what they are like.
static char *choice_text(const double (*effects)[TARGETS], guint constants, guint most)
{
    struct proposed *list = g_new0(struct proposed, constants);
    guint chosen = propose_choose(&effects[0][0], constants, TARGETS, most, list);
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < constants; i++) {
        CU_ASSERT_EQUAL(list[i].chosen, i < chosen);
        g_string_append_printf(out, "%s%u", i == chosen ? " | " : i ? " " : "", list[i].constant);
        if (!list[i].chosen && list[i].like >= 0)
            g_string_append_printf(out, "~%d %.2fx%.2f", list[i].like, list[i].cosine,
                                   list[i].ratio);
    }
    g_free(list);
    return g_string_free(out, FALSE);
}

static void expect_choice(const double (*effects)[TARGETS], guint constants, guint most,
                          const char *expected)
{
    char *text = choice_text(effects, constants, most);
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
}

// A latency and a cost per byte show on their own; another latency does not.
static void test_parallel(void)
{
    static const double effects[][TARGETS] = {
        {2, 2, 2},          // a latency
        {0, 0.5, 8},        // by the byte
        {-1.5, -1.5, -1.5}, // the same latency again
        {0.1, 0.1, 0.1},    // too little
    };
    expect_choice(effects, 4, 8, "1 0 | 2~0 -1.00x0.75 3~0 1.00x0.05");
}

// The sum of two chosen effects is not chosen, though it is like neither.
static void test_sum(void)
{
    static const double effects[][TARGETS] = {{5, 0, 0}, {0, 4, 0}, {3, 3, 0}};
    expect_choice(effects, 3, 8, "0 1 | 2~0 0.71x0.85");
}

// No more than there are points to leave one for the judgement, and always one.
static void test_bounds(void)
{
    static const double effects[][TARGETS] = {{5, 0, 0}, {0, 4, 0}, {0, 0, 3}};
    static const double weak[][TARGETS] = {{0.1, 0, 0}, {0, 0.2, 0}};
    static const double none[][TARGETS] = {{0, 0, 0}, {0, 0, 0}};
    expect_choice(effects, 3, 2, "0 1 | 2~0 0.00x0.60");
    expect_choice(weak, 2, 8, "1 | 0~1 0.00x0.50");
    struct proposed list[2];
    SUITE_SAME_INTEGER(propose_choose(&none[0][0], 2, TARGETS, 8, list), 0);
}

// The effect, the point that moves most, and what is left of an effect at the choice.
static void test_numbers(void)
{
    static const double effects[][TARGETS] = {{3, 4, 0}, {3, 4, 2}};
    struct proposed list[2];
    SUITE_SAME_INTEGER(propose_choose(&effects[0][0], 2, TARGETS, 8, list), 2);
    SUITE_SAME_INTEGER(list[0].constant, 1);
    CU_ASSERT_DOUBLE_EQUAL(list[0].effect, sqrt(29), 1e-12);
    SUITE_SAME_INTEGER(list[0].most_at, 1);
    CU_ASSERT_DOUBLE_EQUAL(list[0].most, 4, 1e-12);
    // 5 and a direction at the cosine 5 / sqrt(29): what is left is 5 times the sine.
    CU_ASSERT_DOUBLE_EQUAL(list[1].left, 5 * 2 / sqrt(29), 1e-12);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"parallel effects", test_parallel},
        {"a sum", test_sum},
        {"bounds", test_bounds},
        {"numbers", test_numbers},
        {0},
    };
    return suite_run("calibrate: the choice of parameters", cases);
}
