// SPDX-License-Identifier: GPL-3.0-or-later
// Summaries of samples whose numbers stand in tables or are done by hand.
#include "sim/core/summary.h"
#include "tests/support/suite.h"

#include <glib.h>
#include <math.h>

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-4 * fabs(b);
}

// The loss of five seeds: by hand, mean 22.6, squares of the differences 1046.36.
static void test_known(void)
{
    static const double values[] = {11.3, 33.9, NAN, 44.6, 17.3, 5.9};
    struct summary summary = summary_of(values, 6);
    CU_ASSERT_EQUAL(summary.n, 5);
    CU_ASSERT_TRUE(near(summary.mean, 22.6));
    CU_ASSERT_TRUE(near(summary.sd, sqrt(1046.36 / 4)));
    // t of 4 degrees of freedom, two-sided 95 %, as tables have it.
    CU_ASSERT_TRUE(near(summary.half_width, 2.7764 * sqrt(1046.36 / 4) / sqrt(5.0)));
    CU_ASSERT_EQUAL(summary.least, 5.9);
    CU_ASSERT_EQUAL(summary.most, 44.6);
    CU_ASSERT_TRUE(summary_is_not_zero(&summary));
}

// t of 1, 2 and 30 degrees of freedom.
static void test_quantiles(void)
{
    static const struct {
        int n;
        double t;
    } known[] = {{2, 12.7062}, {3, 4.3027}, {31, 2.0423}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double values[31];
        for (int k = 0; k < known[i].n; k++)
            values[k] = k % 2 ? 1.0 : -1.0;
        struct summary summary = summary_of(values, known[i].n);
        CU_ASSERT_TRUE(near(summary.half_width, known[i].t * summary.sd / sqrt(known[i].n)));
        CU_ASSERT_FALSE(summary_is_not_zero(&summary));
    }
}

// Of one value nothing is claimed, and of none less.
static void test_few(void)
{
    static const double values[] = {NAN, 0.1, NAN};
    struct summary one = summary_of(values, 3), none = summary_of(values, 1);
    CU_ASSERT_EQUAL(one.n, 1);
    CU_ASSERT_EQUAL(one.mean, 0.1);
    CU_ASSERT_TRUE(isnan(one.sd) && isnan(one.half_width));
    CU_ASSERT_FALSE(summary_is_not_zero(&one));
    CU_ASSERT_EQUAL(none.n, 0);
    CU_ASSERT_TRUE(isnan(none.mean) && isnan(none.least) && isnan(none.most));
}

// Equal values are known exactly, whatever their digits.
static void test_equal(void)
{
    double values[7];
    for (int i = 0; i < 7; i++)
        values[i] = 83.52868149999999;
    struct summary summary = summary_of(values, 7);
    CU_ASSERT_EQUAL(summary.mean, 83.52868149999999);
    CU_ASSERT_EQUAL(summary.half_width, 0.0);
    CU_ASSERT_TRUE(summary_is_not_zero(&summary));
}

// Half widths have two significant digits, in full.
static void test_half_width_text(void)
{
    static const struct {
        double half_width;
        const char *text;
    } cases[] = {
        {0, "0"},        {6.4, "6.4"},     {2, "2.0"},           {0.036, "0.036"}, {0.1, "0.10"},
        {15.9, "16"},    {99.6, "100"},    {9.96, "10"},         {0.0996, "0.10"}, {193.95, "190"},
        {3085, "3100"},  {11878, "12000"}, {1e-7, "0.00000010"}, {5e6, "5000000"}, {100, "100"},
        {0.01, "0.010"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *text = summary_half_width_text(cases[i].half_width);
        SUITE_SAME_TEXT(text, cases[i].text);
        g_free(text);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"a sample done by hand", test_known},
        {"quantiles of tables", test_quantiles},
        {"one value and none", test_few},
        {"equal values", test_equal},
        {"half widths as text", test_half_width_text},
        {0},
    };
    return suite_run("core: summaries", cases);
}
