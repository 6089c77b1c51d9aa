// SPDX-License-Identifier: GPL-3.0-or-later
// Bands: quantiles against those of R's quantile(), the ranks of a quantile against tables of the
// binomial distribution and against simulated experiments.
#include "sim/core/random.h"
#include "sim/statistics/band.h"
#include "tests/support/suite.h"

#include <math.h>

static void test_type_7(void)
{
    // R: quantile(c(1, 2, 4, 8, 16), c(0, 0.05, 0.25, 0.5, 0.95, 1))
    const double values[] = {1, 2, 4, 8, 16};
    const double wanted[][2] = {{0, 1}, {0.05, 1.2}, {0.25, 2}, {0.5, 4}, {0.95, 14.4}, {1, 16}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        CU_ASSERT_DOUBLE_EQUAL(band_quantile(values, 5, wanted[i][0]), wanted[i][1], 1e-12);
    CU_ASSERT_TRUE(isnan(band_quantile(values, 0, 0.5)));
}

static void test_band_of_any_order(void)
{
    const double values[] = {16, NAN, 2, 8, 1, 4, NAN};
    struct band band = band_of(values, 7);
    SUITE_SAME_INTEGER((long long)band.n, 5);
    CU_ASSERT_DOUBLE_EQUAL(band.low, 1.2, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(band.median, 4, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(band.high, 14.4, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(values[0], 16, 0.0);
}

static void test_few_values(void)
{
    const double one = 3.5, none = NAN;
    struct band band = band_of(&one, 1);
    CU_ASSERT_TRUE(band.low == one && band.median == one && band.high == one);
    band = band_of(&none, 1);
    CU_ASSERT_TRUE(band.n == 0 && isnan(band.low) && isnan(band.median) && isnan(band.high));
}

// Of the median: the ranks of the table of the sign test (Conover, Practical Nonparametric
// Statistics, section 3.2: for n = 20 the 6th and the 15th, for n = 10 the 2nd and the 9th).
static void test_ranks_of_a_median(void)
{
    struct band_ranks ranks = band_quantile_ranks(20, 0.5);
    SUITE_SAME_INTEGER((long long)ranks.from, 6);
    SUITE_SAME_INTEGER((long long)ranks.to, 15);
    ranks = band_quantile_ranks(10, 0.5);
    SUITE_SAME_INTEGER((long long)ranks.from, 2);
    SUITE_SAME_INTEGER((long long)ranks.to, 9);
}

// Of 20 values none may be below the 5 % quantile (0.95^20 = 0.36), and of 73 (0.95^73 = 0.024).
static void test_open_ends(void)
{
    struct band_ranks ranks = band_quantile_ranks(20, BAND_LOW);
    SUITE_SAME_INTEGER((long long)ranks.from, 0);
    SUITE_SAME_INTEGER((long long)ranks.to, 4); // P(B <= 3) = 0.984, P(B <= 2) = 0.925
    ranks = band_quantile_ranks(20, BAND_HIGH);
    SUITE_SAME_INTEGER((long long)ranks.from, 17);
    SUITE_SAME_INTEGER((long long)ranks.to, 21);
    SUITE_SAME_INTEGER((long long)band_quantile_ranks(71, BAND_LOW).from, 0);
    SUITE_SAME_INTEGER((long long)band_quantile_ranks(72, BAND_LOW).from, 1);
}

static void test_ranks_are_symmetric(void)
{
    for (size_t n = 1; n <= 300; n++) {
        struct band_ranks low = band_quantile_ranks(n, BAND_LOW);
        struct band_ranks high = band_quantile_ranks(n, BAND_HIGH);
        CU_ASSERT_EQUAL(low.from, n + 1 - high.to);
        CU_ASSERT_EQUAL(low.to, n + 1 - high.from);
    }
}

// The 5 % quantile of a uniform distribution is between the 1st and the 11th of 100 values with
// P(1 <= B <= 10) = 98.3 % of 4,000 experiments (the last step of less would leave 95 %).
static void test_coverage_of_ranks(void)
{
    struct random_stream *stream = random_new(1, "experiments");
    int held = 0, experiments = 4000;
    struct band_ranks ranks = band_quantile_ranks(100, BAND_LOW);
    for (int k = 0; k < experiments; k++) {
        double values[100];
        for (int i = 0; i < 100; i++)
            values[i] = random_uniform(stream);
        band_sort(values, 100);
        held += values[ranks.from - 1] <= BAND_LOW && BAND_LOW <= values[ranks.to - 1];
    }
    random_free(stream);
    CU_ASSERT_DOUBLE_EQUAL((double)held / experiments, 0.9826, 0.0062);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"quantiles of type 7", test_type_7},
        {"values in any order, some missing", test_band_of_any_order},
        {"one value, and none", test_few_values},
        {"ranks of a median", test_ranks_of_a_median},
        {"ends that few draws leave open", test_open_ends},
        {"ranks of both ends", test_ranks_are_symmetric},
        {"coverage of the ranks", test_coverage_of_ranks},
        {0},
    };
    return suite_run("statistics: band", cases);
}
