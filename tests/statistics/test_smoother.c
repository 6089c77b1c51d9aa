// SPDX-License-Identifier: GPL-3.0-or-later
// The ensemble smoother against algebra: linear models with Gaussian priors, whose posterior is
// known, and coverage by synthetic experiments.
#include "sim/statistics/smoother.h"

#include "sim/core/random.h"
#include "tests/support/suite.h"

#include <glib.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#define NEAR(actual, expected, within) CU_ASSERT_DOUBLE_EQUAL(actual, expected, within)

static double normal(struct random_stream *stream)
{
    return gsl_cdf_ugaussian_Pinv(fmax(random_uniform(stream), 1e-12));
}

typedef void model_fn(const double *state, double *simulated);

static void fill_prior(double *state, size_t count, struct random_stream *stream)
{
    for (size_t i = 0; i < count; i++)
        state[i] = normal(stream);
}

static void smooth(struct smoother smoother, model_fn *model)
{
    double *simulated = g_new(double, smoother.members *smoother.targets);
    smoother.simulated = simulated;
    for (int step = 0; step < smoother.assimilations; step++) {
        for (size_t i = 0; i < smoother.members; i++)
            model(smoother.state + i * smoother.parameters, simulated + i * smoother.targets);
        smoother_update(&smoother, step);
    }
    g_free(simulated);
}

static void line(const double *state, double *simulated)
{
    simulated[0] = state[0];
    simulated[1] = state[0] + state[1];
}

// a = 1 and a + b = 3, with errors of 0.1, and priors N(0, 1): precisions add. By algebra the
// posterior's precision is [[201, 100], [100, 101]], its mean that inverse of (400, 300).
static void test_line(void)
{
    enum { MEMBERS = 5000 };
    const double measured[] = {1.0, 3.0}, errors[] = {0.1, 0.1};
    const double determinant = 201.0 * 101.0 - 100.0 * 100.0;
    double *state = g_new(double, 2 * MEMBERS);
    struct random_stream *stream = random_new(5, "prior");
    fill_prior(state, 2 * (size_t)MEMBERS, stream);
    smooth((struct smoother){.members = MEMBERS,
                             .parameters = 2,
                             .targets = 2,
                             .state = state,
                             .measured = measured,
                             .errors = errors,
                             .assimilations = SMOOTHER_ASSIMILATIONS,
                             .seed = 1},
           line);
    NEAR(gsl_stats_mean(state, 2, MEMBERS), (101.0 * 400 - 100.0 * 300) / determinant, 0.01);
    NEAR(gsl_stats_mean(state + 1, 2, MEMBERS), (201.0 * 300 - 100.0 * 400) / determinant, 0.01);
    NEAR(gsl_stats_sd(state, 2, MEMBERS), sqrt(101.0 / determinant), 0.005);
    NEAR(gsl_stats_sd(state + 1, 2, MEMBERS), sqrt(201.0 / determinant), 0.005);
    NEAR(gsl_stats_correlation(state, 2, state + 1, 2, MEMBERS), -100.0 / sqrt(201.0 * 101.0),
         0.03);
    random_free(stream);
    g_free(state);
}

static void test_deterministic(void)
{
    const double measured[] = {1.0, 3.0}, errors[] = {0.1, 0.1};
    double state[2][40];
    for (int run = 0; run < 2; run++) {
        struct random_stream *stream = random_new(5, "prior");
        fill_prior(state[run], 40, stream);
        random_free(stream);
        smooth((struct smoother){.members = 20,
                                 .parameters = 2,
                                 .targets = 2,
                                 .state = state[run],
                                 .measured = measured,
                                 .errors = errors,
                                 .assimilations = 4,
                                 .seed = 7},
               line);
    }
    for (int i = 0; i < 40; i++)
        CU_ASSERT(state[0][i] == state[1][i]);
}

// A single member has no spread to learn from, a target that nothing moves teaches nothing.
static void constant(const double *state, double *simulated)
{
    (void)state;
    simulated[0] = 5.0;
}

static void test_nothing_to_learn(void)
{
    const double measured = 1.0, error = 0.1;
    double state[] = {0.3, -0.2, 1.5};
    struct smoother smoother = {.members = 1,
                                .parameters = 1,
                                .targets = 1,
                                .state = state,
                                .measured = &measured,
                                .errors = &error,
                                .assimilations = 4};
    smooth(smoother, constant);
    smoother.members = 3;
    smooth(smoother, constant);
    NEAR(state[0], 0.3, 1e-12);
    NEAR(state[1], -0.2, 1e-12);
    NEAR(state[2], 1.5, 1e-12);
}

// ---- Alternatives ----

// Two factors of two values each, unbalanced: 10 and 3 more for the second value of each, and the
// third makes no difference.
static void test_group_offsets(void)
{
    enum { MEMBERS = 60 };
    double simulated[MEMBERS], offsets[MEMBERS], means[2][2] = {{0.0}};
    int groups[MEMBERS * 3], counts[2][2] = {{0}};
    for (int i = 0; i < MEMBERS; i++) {
        int one = i % 3 == 0, other = i % 4 == 0 || i % 6 == 0;
        groups[3 * i] = one;
        groups[3 * i + 1] = other;
        groups[3 * i + 2] = i % 2;
        simulated[i] = 10.0 * one + 3.0 * other + 0.1 * ((i * 7) % 5);
    }
    smoother_group_offsets(simulated, MEMBERS, 1, groups, 3, offsets);
    for (int i = 0; i < MEMBERS; i++) {
        means[groups[3 * i]][groups[3 * i + 1]] += offsets[i];
        counts[groups[3 * i]][groups[3 * i + 1]]++;
    }
    for (int one = 0; one < 2; one++)
        for (int other = 0; other < 2; other++)
            means[one][other] /= counts[one][other];
    NEAR(means[1][0] - means[0][0], 10.0, 0.2);
    NEAR(means[0][1] - means[0][0], 3.0, 0.2);
    NEAR(means[1][1] - means[0][1], 10.0, 0.2);
}

// A constant of N(0, 1) with either of two offsets, 0 and 2; what is measured is 3, with an error
// of 0.5. By algebra the likelihoods are normal with a variance of 1.25, and each member moves to
// the posterior of its alternative: 0.8 times 3 or 1.
static void shifted(const double *state, double *simulated)
{
    simulated[0] = state[0] + state[1];
}

static void test_alternatives(void)
{
    enum { MEMBERS = 2000 };
    static double state[MEMBERS], simulated[MEMBERS], offsets[MEMBERS], weights[MEMBERS];
    static int groups[MEMBERS];
    const double measured = 3.0, error = 0.5;
    struct random_stream *stream = random_new(5, "prior");
    fill_prior(state, MEMBERS, stream);
    struct smoother smoother = {.members = MEMBERS,
                                .parameters = 1,
                                .targets = 1,
                                .state = state,
                                .simulated = simulated,
                                .measured = &measured,
                                .errors = &error,
                                .offsets = offsets,
                                .assimilations = SMOOTHER_ASSIMILATIONS};
    double sums[2] = {0.0}, shares[2] = {0.0};
    for (int step = 0; step < SMOOTHER_ASSIMILATIONS; step++) {
        for (int i = 0; i < MEMBERS; i++) {
            const double both[] = {state[i], 2.0 * (i % 2)};
            groups[i] = i % 2;
            shifted(both, &simulated[i]);
        }
        smoother_group_offsets(simulated, MEMBERS, 1, groups, 1, offsets);
        if (step == 0)
            smoother_offset_weights(&smoother, weights);
        smoother_update(&smoother, step);
    }
    for (int i = 0; i < MEMBERS; i++) {
        sums[i % 2] += 2.0 * state[i] / MEMBERS;
        shares[i % 2] += weights[i];
    }
    NEAR(sums[0], 0.8 * 3.0, 0.05);
    NEAR(sums[1], 0.8 * 1.0, 0.05);
    NEAR(shares[0] / shares[1], exp((1.0 - 9.0) / 2.0 / 1.25), 0.01);
    random_free(stream);
}

// Three targets of 100 constants, of which 90 have no part in them, with 100 members: what the
// command does with a testbed. Targets are exponentials, as costs are of log-normal constants.
enum { CONSTANTS = 100, RELEVANT = 10, TARGETS = 3 };

static void costs(const double *state, double *simulated)
{
    for (int target = 0; target < TARGETS; target++) {
        simulated[target] = 0.0;
        for (int i = 0; i < RELEVANT; i++)
            simulated[target] += (1 + (i + 3 * target) % 5) * exp(0.2 * state[i]);
    }
}

// In what share of 200 experiments does the band of 90 % hold the true constant? Of the relevant
// and of the others; each experiment counts all of its constants, which are nearly independent.
static void test_coverage(void)
{
    enum { TRIALS = 200, MEMBERS = 200 };
    static double state[MEMBERS * CONSTANTS], column[MEMBERS];
    int held[2] = {0};
    struct random_stream *stream = random_new(11, "experiments");
    for (int trial = 0; trial < TRIALS; trial++) {
        double truth[CONSTANTS], data[TARGETS], errors[TARGETS];
        fill_prior(truth, CONSTANTS, stream);
        costs(truth, data);
        for (int i = 0; i < TARGETS; i++) {
            errors[i] = 0.02 * data[i];
            data[i] += errors[i] * normal(stream);
        }
        fill_prior(state, (size_t)MEMBERS * CONSTANTS, stream);
        smooth((struct smoother){.members = MEMBERS,
                                 .parameters = CONSTANTS,
                                 .targets = TARGETS,
                                 .state = state,
                                 .measured = data,
                                 .errors = errors,
                                 .assimilations = SMOOTHER_ASSIMILATIONS,
                                 .seed = (uint64_t)trial},
               costs);
        for (int i = 0; i < CONSTANTS; i++) {
            for (int member = 0; member < MEMBERS; member++)
                column[member] = state[member * CONSTANTS + i];
            gsl_sort(column, 1, MEMBERS);
            held[i >= RELEVANT] +=
                gsl_stats_quantile_from_sorted_data(column, 1, MEMBERS, 0.05) <= truth[i] &&
                truth[i] <= gsl_stats_quantile_from_sorted_data(column, 1, MEMBERS, 0.95);
        }
    }
    random_free(stream);
    double relevant = (double)held[0] / (TRIALS * RELEVANT);
    double others = (double)held[1] / (TRIALS * (CONSTANTS - RELEVANT));
    CU_ASSERT(relevant >= 0.85 && relevant <= 0.95);
    CU_ASSERT(others >= 0.85 && others <= 0.95);
}

static const struct suite_case cases[] = {
    {"a line in two constants", test_line},
    {"same seed, same ensemble", test_deterministic},
    {"nothing to learn", test_nothing_to_learn},
    {"offsets of groups", test_group_offsets},
    {"alternatives are weighed, numbers moved", test_alternatives},
    {"coverage of a sum of costs", test_coverage},
    {0}};

int main(void)
{
    return suite_run("statistics: smoother", cases);
}
