// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks, the rank-sum test against R's wilcox.test, regression on ranks of sums with known shares.
#include "sim/core/random.h"
#include "sim/statistics/rank.h"
#include "tests/support/suite.h"

#include <math.h>
#include <stdlib.h>

#define INPUTS 40
#define DRAWS 400

static double inputs[INPUTS][DRAWS];

static const double *const *random_inputs(void)
{
    static const double *rows[INPUTS];
    struct random_stream *stream = random_new(3, "inputs");
    for (int i = 0; i < INPUTS; i++) {
        rows[i] = inputs[i];
        for (int k = 0; k < DRAWS; k++)
            inputs[i][k] = random_uniform(stream);
    }
    random_free(stream);
    return rows;
}

static struct rank_regression regression(size_t n, double (*value)(const double *input))
{
    const double *const *rows = random_inputs();
    struct rank_inputs *ranked = rank_inputs_new(rows, INPUTS, n);
    double values[DRAWS], one[INPUTS];
    for (size_t k = 0; k < n; k++) {
        for (int i = 0; i < INPUTS; i++)
            one[i] = inputs[i][k];
        values[k] = value(one);
    }
    struct rank_regression found = rank_regression_of(ranked, values, 0.05);
    rank_inputs_free(ranked);
    return found;
}

static void test_ties(void)
{
    const double values[] = {5, 1, 5, 3, 5};
    const double wanted[] = {4, 1, 4, 2, 4};
    double ranks[5];
    rank_of(values, 5, ranks);
    for (int i = 0; i < 5; i++)
        CU_ASSERT_EQUAL(ranks[i], wanted[i]);
}

// Of the values 1 .. 7 the greatest three: W = 18, mean 12, variance 3 * 4 * 8 / 12.
static void test_rank_sum(void)
{
    const double values[] = {1, 7, 2, 6, 3, 5, 4}, same[] = {2, 2, 2};
    const bool chosen[] = {false, true, false, true, false, true, false};
    CU_ASSERT_DOUBLE_EQUAL(rank_sum_z(values, chosen, 7), 6.0 / sqrt(8.0), 1e-12);
    const bool none[7] = {false};
    CU_ASSERT_EQUAL(rank_sum_z(values, none, 7), 0.0);
    CU_ASSERT_EQUAL(rank_sum_z(same, chosen, 3), 0.0);
    CU_ASSERT_EQUAL(rank_sum_z(values, chosen, 0), 0.0);
}

static double sum_of_two(const double *input)
{
    return 3.0 * input[7] - 2.0 * input[2];
}

// The coefficients of 3 x - 2 y are 12 cov(x, F) = 113/135 and 12 cov(y, F) = -8/15, where F is the
// quantile of the sum. In 400 draws they are off by 0.02 or so.
static void test_shares_of_a_sum(void)
{
    struct rank_regression found = regression(DRAWS, sum_of_two);
    SUITE_SAME_INTEGER((long long)found.count, 2);
    if (found.count == 2) {
        SUITE_SAME_INTEGER((long long)found.list[0].input, 7);
        SUITE_SAME_INTEGER((long long)found.list[1].input, 2);
        CU_ASSERT_DOUBLE_EQUAL(found.list[0].value, 113.0 / 135.0, 0.05);
        CU_ASSERT_DOUBLE_EQUAL(found.list[1].value, -8.0 / 15.0, 0.05);
        CU_ASSERT_DOUBLE_EQUAL(found.list[0].share + found.list[1].share, found.r2, 1e-12);
        CU_ASSERT_DOUBLE_EQUAL(found.list[0].share / found.list[1].share,
                               pow(found.list[0].value / found.list[1].value, 2), 1e-9);
        CU_ASSERT_TRUE(found.list[0].error > 0.0 && found.list[0].error < 0.02);
    }
    CU_ASSERT_TRUE(found.r2 > 0.97 && found.r2 <= 1.0);
    rank_regression_clear(&found);
}

static double monotone(const double *input)
{
    return exp(20.0 * input[5]);
}

// One input alone explains a monotone value wholly, however curved it is.
static void test_monotone(void)
{
    struct rank_regression found = regression(50, monotone);
    SUITE_SAME_INTEGER((long long)found.count, 1);
    CU_ASSERT_DOUBLE_EQUAL(found.r2, 1.0, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(found.list[0].value, 1.0, 1e-9);
    rank_regression_clear(&found);
}

static double product(const double *input)
{
    return (input[0] - 0.5) * (input[1] - 0.5);
}

static double constant(const double *input)
{
    (void)input;
    return 7.0;
}

// Inputs that act together only are not found, and a value that does not vary has none.
static void test_not_additive(void)
{
    struct rank_regression found = regression(DRAWS, product);
    SUITE_SAME_INTEGER((long long)found.count, 0);
    CU_ASSERT_EQUAL(found.r2, 0.0);
    rank_regression_clear(&found);
    found = regression(DRAWS, constant);
    SUITE_SAME_INTEGER((long long)found.count, 0);
    rank_regression_clear(&found);
}

// With as few values as inputs, or none, nothing is found that chance may have made.
static void test_few_values(void)
{
    for (size_t n = 0; n < 30; n++) {
        struct rank_regression found = regression(n, sum_of_two);
        CU_ASSERT_TRUE(found.r2 >= 0.0 && found.r2 <= 1.0);
        CU_ASSERT_TRUE(n < 8 ? found.count == 0 : found.count < n);
        rank_regression_clear(&found);
    }
}

// Of values that depend on no input, one in twenty has an input that seems to matter, or less.
static void test_chance(void)
{
    const double *const *rows = random_inputs();
    struct rank_inputs *ranked = rank_inputs_new(rows, INPUTS, 100);
    struct random_stream *stream = random_new(4, "noise");
    int wrong = 0, trials = 1000;
    for (int trial = 0; trial < trials; trial++) {
        double values[100];
        for (int k = 0; k < 100; k++)
            values[k] = random_uniform(stream);
        struct rank_regression found = rank_regression_of(ranked, values, 0.05);
        wrong += found.count > 0;
        rank_regression_clear(&found);
    }
    random_free(stream);
    rank_inputs_free(ranked);
    CU_ASSERT_TRUE(wrong <= 0.07 * trials);
    CU_ASSERT_TRUE(wrong >= 0.02 * trials);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"equal values", test_ties},
        {"rank-sum test", test_rank_sum},
        {"shares of a sum", test_shares_of_a_sum},
        {"a curved value of one input", test_monotone},
        {"inputs that act together only", test_not_additive},
        {"fewer values than inputs", test_few_values},
        {"what chance makes", test_chance},
        {0},
    };
    return suite_run("statistics: rank", cases);
}
