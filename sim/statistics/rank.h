// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks of values, the rank-sum test, and regression on ranks: which inputs a value rises and falls
// with.
#ifndef NETSIM_STATISTICS_RANK_H
#define NETSIM_STATISTICS_RANK_H

#include <stdbool.h>
#include <stddef.h>

// Fills ranks with the place of each value in ascending order, from 1; equal values share the mean
// of their places.
void rank_of(const double *values, size_t n, double *ranks);

// Wilcoxon's rank-sum test: how many standard deviations the ranks of the chosen values are above
// what chance gives on average (below it: negative). 0 if all or none are chosen, or all are equal.
// Normal from some three chosen ones and three others on.
double rank_sum_z(const double *values, const bool *chosen, size_t n);

// The correlations of the ranks of a number of inputs with each other, from n values of each.
struct rank_inputs;
struct rank_inputs *rank_inputs_new(const double *const *inputs, size_t count, size_t n);
void rank_inputs_free(struct rank_inputs *inputs);

// A value's regression on those inputs that stand out.
struct rank_coefficient {
    size_t input;
    double value; // standardised rank regression coefficient (SRRC), -1 .. 1
    double error; // its standard error
    double share; // of the variance of the ranks: the squares of all coefficients share r2
};
struct rank_regression {
    struct rank_coefficient *list; // the largest first
    size_t count;
    double r2; // share of the variance of the ranks that these explain, adjusted for their number
};

// Forward selection (Helton and Davis, "Illustration of sampling-based methods for uncertainty and
// sensitivity analysis", Risk Analysis 22, 2002): takes the input with the greatest partial
// correlation as long as the probability that chance makes one as great among all inputs is below
// `chance`. Shares go by the squares of the coefficients, as inputs are independent but for chance.
// Free with rank_regression_clear.
struct rank_regression rank_regression_of(const struct rank_inputs *inputs, const double *values,
                                          double chance);
void rank_regression_clear(struct rank_regression *regression);

#endif
