// SPDX-License-Identifier: GPL-3.0-or-later
// Sobol's indices by Jansen's estimators: Ishigami's function, Sobol's g and a sum, whose indices
// are known.
#include "sim/core/random.h"
#include "sim/statistics/indices.h"
#include "tests/support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_INPUTS 8
#define MOST_DRAWS 4096

typedef double value_fn(const double *input); // of inputs that are uniform in 0 .. 1

static double rows[MOST_INPUTS + 2][MOST_DRAWS]; // A, B, mixed

static struct indices_sample sample_of(value_fn *value, size_t inputs, size_t n, uint64_t seed)
{
    static const double *mixed[MOST_INPUTS];
    struct random_stream *stream = random_new(seed, "design");
    for (size_t k = 0; k < n; k++) {
        double a[MOST_INPUTS], b[MOST_INPUTS];
        for (size_t i = 0; i < inputs; i++) {
            a[i] = random_uniform(stream);
            b[i] = random_uniform(stream);
        }
        rows[0][k] = value(a);
        rows[1][k] = value(b);
        for (size_t i = 0; i < inputs; i++) {
            double both[MOST_INPUTS];
            memcpy(both, a, sizeof both);
            both[i] = b[i];
            rows[2 + i][k] = value(both);
            mixed[i] = rows[2 + i];
        }
    }
    random_free(stream);
    return (struct indices_sample){rows[0], rows[1], mixed};
}

// Ishigami and Homma (1990) with a = 7, b = 0.1.
static double ishigami(const double *input)
{
    double x[3];
    for (int i = 0; i < 3; i++)
        x[i] = M_PI * (2.0 * input[i] - 1.0);
    return sin(x[0]) + 7.0 * pow(sin(x[1]), 2) + 0.1 * pow(x[2], 4) * sin(x[0]);
}

static void assert_indices(const struct indices *found, double first, double total, double within)
{
    CU_ASSERT_DOUBLE_EQUAL(found->first, first, within);
    CU_ASSERT_DOUBLE_EQUAL(found->total, total, within);
    CU_ASSERT_TRUE(found->first_low <= found->first && found->first <= found->first_high);
    CU_ASSERT_TRUE(found->total_low <= found->total && found->total <= found->total_high);
    CU_ASSERT_TRUE(found->first_high - found->first_low < 4.0 * within);
}

static void test_ishigami(void)
{
    struct indices found[3];
    struct indices_sample sample = sample_of(ishigami, 3, MOST_DRAWS, 1);
    indices_of(&sample, 1, 3, MOST_DRAWS, 1, found);
    assert_indices(&found[0], 0.3139, 0.5576, 0.05);
    assert_indices(&found[1], 0.4424, 0.4424, 0.05);
    assert_indices(&found[2], 0.0000, 0.2437, 0.05);
}

// Sobol's g with a = 0, 1, 4.5, 9, 99, 99, 99, 99 (Saltelli and others 2010, G*'s parent).
static double sobol_g(const double *input)
{
    static const double a[MOST_INPUTS] = {0, 1, 4.5, 9, 99, 99, 99, 99};
    double product = 1.0;
    for (int i = 0; i < MOST_INPUTS; i++)
        product *= (fabs(4.0 * input[i] - 2.0) + a[i]) / (1.0 + a[i]);
    return product;
}

static void test_g(void)
{
    static const double a[MOST_INPUTS] = {0, 1, 4.5, 9, 99, 99, 99, 99};
    double own[MOST_INPUTS], whole = 1.0; // variances
    for (int i = 0; i < MOST_INPUTS; i++) {
        own[i] = 1.0 / 3.0 / pow(1.0 + a[i], 2);
        whole *= 1.0 + own[i];
    }
    struct indices found[MOST_INPUTS];
    struct indices_sample sample = sample_of(sobol_g, MOST_INPUTS, MOST_DRAWS, 2);
    indices_of(&sample, 1, MOST_INPUTS, MOST_DRAWS, 1, found);
    for (int i = 0; i < MOST_INPUTS; i++)
        assert_indices(&found[i], own[i] / (whole - 1.0),
                       own[i] * whole / (1.0 + own[i]) / (whole - 1.0), 0.05);
}

static double sum(const double *input)
{
    return 1000.0 + 3.0 * input[0] - 2.0 * input[1] + input[2];
}

static const double sum_shares[3] = {9.0 / 14.0, 4.0 / 14.0, 1.0 / 14.0};

// Of a sum, first and total order are the share of the variance: 9, 4 and 1 of 14. An input that
// the value does not depend on has none to the last bit.
static void test_sum(void)
{
    struct indices found[4];
    struct indices_sample sample = sample_of(sum, 4, MOST_DRAWS, 3);
    indices_of(&sample, 1, 4, MOST_DRAWS, 1, found);
    for (int i = 0; i < 3; i++)
        assert_indices(&found[i], sum_shares[i], sum_shares[i], 0.04);
    CU_ASSERT_EQUAL(found[3].total, 0.0);
    CU_ASSERT_EQUAL(found[3].total_high, 0.0);
}

// In some 95 % of 200 experiments of 100 draws each interval holds the truth.
static void test_coverage(void)
{
    int first[3] = {0}, total[3] = {0}, trials = 200;
    for (int trial = 0; trial < trials; trial++) {
        struct indices found[3];
        struct indices_sample sample = sample_of(sum, 3, 100, 100 + (uint64_t)trial);
        indices_of(&sample, 1, 3, 100, 1, found);
        for (int i = 0; i < 3; i++) {
            first[i] += found[i].first_low <= sum_shares[i] && sum_shares[i] <= found[i].first_high;
            total[i] += found[i].total_low <= sum_shares[i] && sum_shares[i] <= found[i].total_high;
        }
    }
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_TRUE(first[i] >= 0.89 * trials && first[i] <= 0.99 * trials);
        CU_ASSERT_TRUE(total[i] >= 0.89 * trials && total[i] <= 0.99 * trials);
    }
}

// The mean over two values, of which one depends on no input.
static void test_several_values(void)
{
    struct indices found[3], alone[3];
    struct indices_sample sample = sample_of(sum, 3, 50, 3);
    static const double still[50] = {0};
    static const double *const mixed[3] = {still, still, still};
    const struct indices_sample samples[] = {sample, {still, still, mixed}};
    indices_of(samples, 2, 3, 50, 1, found);
    indices_of(&sample, 1, 3, 50, 1, alone);
    for (int i = 0; i < 3; i++) {
        CU_ASSERT(found[i].first == alone[i].first && found[i].total == alone[i].total);
        CU_ASSERT(found[i].first_low == alone[i].first_low);
        CU_ASSERT(found[i].first_high == alone[i].first_high);
        CU_ASSERT(found[i].total_low == alone[i].total_low);
        CU_ASSERT(found[i].total_high == alone[i].total_high);
    }
    indices_of(samples + 1, 1, 3, 50, 1, found);
    CU_ASSERT_TRUE(isnan(found[0].first) && isnan(found[0].total_high));
    indices_of(&sample, 1, 3, 0, 1, found);
    CU_ASSERT_TRUE(isnan(found[0].first) && isnan(found[0].first_low));
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"Ishigami's function", test_ishigami},
        {"Sobol's g", test_g},
        {"a sum", test_sum},
        {"coverage of the intervals", test_coverage},
        {"several values, and one that does not vary", test_several_values},
        {0},
    };
    return suite_run("statistics: indices", cases);
}
