// SPDX-License-Identifier: GPL-3.0-or-later
// Weighed draws against algebra: one Gaussian constant that a Gaussian error measures, a line in
// two constants, quantiles of type 7, resampling.
#include "sim/statistics/weights.h"

#include "sim/core/random.h"
#include "tests/support/suite.h"

#include <glib.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#define NEAR(actual, expected, within) CU_ASSERT_DOUBLE_EQUAL(actual, expected, within)

static void equal_weights(double *weights, size_t count)
{
    for (size_t i = 0; i < count; i++)
        weights[i] = 1.0 / (double)count;
}

// ---- Weights ----

static void test_errors(void)
{
    NEAR(weights_error(3.0, 4.0), 5.0, 1e-12);
    NEAR(weights_implausibility(80.0, 74.0, 2.0), 3.0, 1e-12);
    NEAR(weights_implausibility(68.0, 74.0, 2.0), 3.0, 1e-12);
}

static void test_misfits(void)
{
    double misfits[] = {0.0, 2.0 * log(2.0), 2.0 * log(4.0), INFINITY}, weights[4];
    weights_of_misfits(misfits, 4, weights);
    NEAR(weights[0], 4.0 / 7.0, 1e-12);
    NEAR(weights[1], 2.0 / 7.0, 1e-12);
    NEAR(weights[2], 1.0 / 7.0, 1e-12);
    CU_ASSERT(weights[3] == 0.0);
    NEAR(weights_effective_size(weights, 4), 49.0 / 21.0, 1e-12);
}

// Misfits whose exponentials are all 0, and none that is finite.
static void test_far_misfits(void)
{
    double far[] = {1e6, 1e6 + 2.0 * log(3.0)}, none[] = {INFINITY, INFINITY};
    weights_of_misfits(far, 2, far);
    NEAR(far[0], 0.75, 1e-9);
    weights_of_misfits(none, 2, none);
    NEAR(none[0], 0.5, 1e-12);
    NEAR(weights_effective_size(none, 2), 2.0, 1e-12);
}

static void test_moments(void)
{
    const double weights[] = {0.5, 0.25, 0.25, 0.0};
    const double one[] = {1.0, 3.0, 3.0, NAN}, other[] = {5.0, 1.0, 1.0, NAN};
    const double same[] = {2.0, 2.0, 2.0, NAN}, across[] = {0.0, 1.0, -1.0, NAN};
    NEAR(weights_mean(one, weights, 4), 2.0, 1e-12);
    NEAR(weights_correlation(one, other, weights, 4), -1.0, 1e-12);
    NEAR(weights_correlation(one, across, weights, 4), 0.0, 1e-12);
    CU_ASSERT(weights_correlation(one, same, weights, 4) == 0.0);
}

// ---- Quantiles ----

static void test_type_7(void)
{
    double values[37], sorted[37], weights[37];
    for (int i = 0; i < 37; i++)
        sorted[i] = values[i] = (double)((i * 19) % 37) * 1.5 + (i % 3);
    equal_weights(weights, 37);
    gsl_sort(sorted, 1, 37);
    for (double share = 0.0; share <= 1.0; share += 0.03125)
        NEAR(weights_quantile(values, weights, 37, share),
             gsl_stats_quantile_from_sorted_data(sorted, 1, 37, share), 1e-9);
}

// A value of weight 0 does not count, nor does the split of one value into two halves.
static void test_quantile_weights(void)
{
    const double values[] = {3.0, -1e9, 1.0, 2.0}, weights[] = {0.25, 0.0, 0.5, 0.25};
    const double single = 7.0, whole = 1.0;
    NEAR(weights_quantile(values, weights, 4, 0.0), 1.0, 1e-12);
    NEAR(weights_quantile(values, weights, 4, 1.0), 8.0 / 3.0, 1e-12); // the top 3/8: 3, 3, 2
    NEAR(weights_quantile(&single, &whole, 1, 0.3), 7.0, 1e-12);
    CU_ASSERT(isnan(weights_quantile(NULL, NULL, 0, 0.5)));
}

// ---- Resampling ----

static void test_resampling_counts(void)
{
    const double weights[] = {0.1, 0.0, 0.45, 0.2, 0.25};
    size_t chosen[20], counts[5] = {0};
    weights_resample(weights, 5, 20, chosen);
    for (int i = 0; i < 20; i++)
        counts[chosen[i]]++;
    SUITE_SAME_INTEGER((long long)counts[0], 2);
    SUITE_SAME_INTEGER((long long)counts[1], 0);
    SUITE_SAME_INTEGER((long long)counts[2], 9);
    SUITE_SAME_INTEGER((long long)counts[3], 4);
    SUITE_SAME_INTEGER((long long)counts[4], 5);
}

// Of equal weights each draw is chosen once, and any first rows are spread over all.
static void test_resampling_order(void)
{
    double weights[200];
    size_t chosen[200], seen[200] = {0};
    equal_weights(weights, 200);
    weights_resample(weights, 200, 200, chosen);
    for (int i = 0; i < 200; i++)
        seen[chosen[i]]++;
    for (int i = 0; i < 200; i++)
        SUITE_SAME_INTEGER((long long)seen[i], 1);
    for (int first = 10; first <= 200; first++) {
        int low = 0;
        for (int i = 0; i < first; i++)
            low += chosen[i] < 50;
        CU_ASSERT(abs(low - first / 4) <= 2);
    }
}

// A draw of weight 0 is not chosen, wherever it stands, and weights that sum to less by rounding.
static void test_resampling_nothing(void)
{
    const double last[] = {0.5, 0.5 - 1e-15, 0.0}, first[] = {0.0, 1.0 - 1e-15};
    size_t chosen[1000];
    weights_resample(last, 3, 1000, chosen);
    for (int i = 0; i < 1000; i++)
        CU_ASSERT(chosen[i] < 2);
    weights_resample(first, 2, 1000, chosen);
    for (int i = 0; i < 1000; i++)
        CU_ASSERT(chosen[i] == 1);
}

// ---- Posteriors ----

static double normal(struct random_stream *stream)
{
    return gsl_cdf_ugaussian_Pinv(fmax(random_uniform(stream), 1e-12));
}

// A constant of prior N(0, 1), measured as 1.2 with an error of 0.5: the posterior is N(0.96,
// sqrt(0.2)).
static void test_one_constant(void)
{
    enum { DRAWS = 100000 };
    double *values = g_new(double, DRAWS), *weights = g_new(double, DRAWS);
    struct random_stream *stream = random_new(1, "test");
    for (int i = 0; i < DRAWS; i++) {
        values[i] = normal(stream);
        double off = weights_implausibility(values[i], 1.2, 0.5);
        weights[i] = off * off;
    }
    weights_of_misfits(weights, DRAWS, weights);
    NEAR(weights_mean(values, weights, DRAWS), 0.96, 0.01);
    NEAR(weights_quantile(values, weights, DRAWS, 0.05), 0.96 - 1.645 * sqrt(0.2), 0.01);
    NEAR(weights_quantile(values, weights, DRAWS, 0.95), 0.96 + 1.645 * sqrt(0.2), 0.01);
    random_free(stream);
    g_free(values);
    g_free(weights);
}

// A line a + b x at x = 0 and 1, both constants from N(0, 1), each point with an error of 0.4: in
// what share of 200 experiments do the bands of a and b, of 1,000 draws, hold the true values? 200
// trials of a 90 % band give 85 .. 95 % in 98 of 100 series of trials.
static void test_coverage(void)
{
    enum { TRIALS = 200, DRAWS = 1000 };
    const double error = 0.4;
    double constants[2][DRAWS], weights[DRAWS], size = 0.0;
    int held[2] = {0};
    struct random_stream *stream = random_new(3, "experiments");
    for (int trial = 0; trial < TRIALS; trial++) {
        double truth[2] = {normal(stream), normal(stream)};
        double data[2] = {truth[0] + error * normal(stream),
                          truth[0] + truth[1] + error * normal(stream)};
        for (int i = 0; i < DRAWS; i++) {
            double a = constants[0][i] = normal(stream), b = constants[1][i] = normal(stream);
            double off[2] = {weights_implausibility(a, data[0], error),
                             weights_implausibility(a + b, data[1], error)};
            weights[i] = off[0] * off[0] + off[1] * off[1];
        }
        weights_of_misfits(weights, DRAWS, weights);
        size += weights_effective_size(weights, DRAWS) / TRIALS;
        for (int k = 0; k < 2; k++)
            held[k] += weights_quantile(constants[k], weights, DRAWS, 0.05) <= truth[k] &&
                       truth[k] <= weights_quantile(constants[k], weights, DRAWS, 0.95);
    }
    random_free(stream);
    CU_ASSERT(size > 50.0);
    for (int k = 0; k < 2; k++)
        CU_ASSERT(held[k] >= 170 && held[k] <= 190);
}

static const struct suite_case cases[] = {
    {"errors add in squares", test_errors},
    {"weights of misfits", test_misfits},
    {"misfits that are far off, or infinite", test_far_misfits},
    {"moments", test_moments},
    {"equal weights: quantiles of type 7", test_type_7},
    {"quantiles by weight", test_quantile_weights},
    {"resampling: counts", test_resampling_counts},
    {"resampling: order", test_resampling_order},
    {"resampling: draws of no weight", test_resampling_nothing},
    {"a constant and its measurement", test_one_constant},
    {"coverage of a line in two constants", test_coverage},
    {0}};

int main(void)
{
    return suite_run("statistics: weights", cases);
}
