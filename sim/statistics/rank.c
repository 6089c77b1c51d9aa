// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/statistics/rank.h"

#include <glib.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// An input with less variance of its own than this is a sum of those taken before.
#define RANK_LEAST_OWN 1e-6
// With fewer degrees of freedom the ranks of one of some hundred inputs are those of the value by
// chance, which Student's distribution of continuous values does not know.
#define RANK_LEAST_FREEDOM 6.0

// ---- Ranks ----

void rank_of(const double *values, size_t n, double *ranks)
{
    size_t *order = calloc(n + 1, sizeof *order);
    gsl_sort_index(order, values, 1, n);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && values[order[end]] == values[order[first]]; end++) {}
        for (size_t i = first; i < end; i++)
            ranks[order[i]] = (double)(first + 1 + end) / 2.0;
    }
    free(order);
}

double rank_sum_z(const double *values, const bool *chosen, size_t n)
{
    double *ranks = calloc(n + 1, sizeof *ranks), mean = ((double)n + 1.0) / 2.0;
    double sum = 0.0, squares = 0.0, count = 0.0;
    rank_of(values, n, ranks);
    for (size_t i = 0; i < n; i++) {
        double off = ranks[i] - mean;
        squares += off * off;
        sum += chosen[i] ? off : 0.0;
        count += chosen[i];
    }
    free(ranks);
    // The variance of a sum of `count` of n numbers taken without putting back, ties or not.
    double variance =
        n > 1 ? squares / ((double)n - 1.0) * count * ((double)n - count) / (double)n : 0.0;
    return variance > 0.0 ? sum / sqrt(variance) : 0.0;
}

// ---- Correlations ----

struct rank_inputs {
    size_t count, n;
    double *ranks;        // count rows of n, standardised: mean 0, sum of squares 1
    double *correlations; // count x count
};

// Ranks with the mean 0 and the sum of squares 1; all 0 if the values are equal.
static void standard_ranks(const double *values, size_t n, double *ranks)
{
    double squares = 0.0, mean = ((double)n + 1.0) / 2.0;
    rank_of(values, n, ranks);
    for (size_t i = 0; i < n; i++) {
        ranks[i] -= mean;
        squares += ranks[i] * ranks[i];
    }
    for (size_t i = 0; i < n; i++)
        ranks[i] = squares > 0.0 ? ranks[i] / sqrt(squares) : 0.0;
}

static double rank_product(const double *one, const double *other, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += one[i] * other[i];
    return sum;
}

struct rank_inputs *rank_inputs_new(const double *const *inputs, size_t count, size_t n)
{
    struct rank_inputs *made = calloc(1, sizeof *made);
    *made = (struct rank_inputs){.count = count,
                                 .n = n,
                                 .ranks = calloc(count * n + 1, sizeof(double)),
                                 .correlations = calloc(count * count + 1, sizeof(double))};
    for (size_t i = 0; i < count; i++) {
        standard_ranks(inputs[i], n, made->ranks + i * n);
        for (size_t k = 0; k <= i; k++)
            made->correlations[i * count + k] = made->correlations[k * count + i] =
                rank_product(made->ranks + i * n, made->ranks + k * n, n);
    }
    return made;
}

void rank_inputs_free(struct rank_inputs *inputs)
{
    if (!inputs)
        return;
    free(inputs->ranks);
    free(inputs->correlations);
    free(inputs);
}

// ---- Regression ----

// The symmetric matrix of the correlations of all inputs and, last, of the value. Swept by an input
// (Beaton's operator; Goodnight, "A tutorial on the sweep operator", The American Statistician 33,
// 1979) the last column has the coefficients of the inputs swept so far, and what the others have
// in common with the remainder of the value.
struct rank_sweep {
    double *matrix;
    size_t size; // inputs + 1
    bool *taken; // by input
};

static double *sweep_at(const struct rank_sweep *sweep, size_t row, size_t column)
{
    return &sweep->matrix[row * sweep->size + column];
}

static void sweep_by(struct rank_sweep *sweep, size_t pivot)
{
    double by = *sweep_at(sweep, pivot, pivot);
    for (size_t k = 0; k < sweep->size; k++)
        *sweep_at(sweep, pivot, k) /= by;
    for (size_t i = 0; i < sweep->size; i++) {
        double factor = *sweep_at(sweep, i, pivot);
        if (i == pivot)
            continue;
        for (size_t k = 0; k < sweep->size; k++)
            *sweep_at(sweep, i, k) -= factor * *sweep_at(sweep, pivot, k);
        *sweep_at(sweep, i, pivot) = -factor / by;
    }
    *sweep_at(sweep, pivot, pivot) = 1.0 / by;
    sweep->taken[pivot] = true;
}

static struct rank_sweep sweep_new_of(const struct rank_inputs *inputs, const double *values)
{
    size_t count = inputs->count;
    struct rank_sweep sweep = {calloc((count + 1) * (count + 1), sizeof(double)), count + 1,
                               calloc(count + 1, sizeof(bool))};
    double *ranks = calloc(inputs->n + 1, sizeof *ranks);
    standard_ranks(values, inputs->n, ranks);
    for (size_t i = 0; i < count; i++) {
        memcpy(sweep_at(&sweep, i, 0), inputs->correlations + i * count, count * sizeof(double));
        double with = rank_product(inputs->ranks + i * inputs->n, ranks, inputs->n);
        *sweep_at(&sweep, i, count) = *sweep_at(&sweep, count, i) = with;
    }
    *sweep_at(&sweep, count, count) = rank_product(ranks, ranks, inputs->n);
    free(ranks);
    return sweep;
}

// The square of the partial correlation of an input with the value.
static double partial_square(const struct rank_sweep *sweep, size_t input)
{
    size_t value = sweep->size - 1;
    double own = *sweep_at(sweep, input, input), rest = *sweep_at(sweep, value, value);
    double common = *sweep_at(sweep, input, value);
    return own < RANK_LEAST_OWN || rest <= 1e-12 ? 0.0 : common * common / (own * rest);
}

// The input that is not taken with the greatest partial correlation; the number of inputs: none.
static size_t greatest_partial(const struct rank_sweep *sweep, double *square)
{
    size_t best = sweep->size - 1;
    *square = 0.0;
    for (size_t i = 0; i + 1 < sweep->size; i++) {
        double one = sweep->taken[i] ? 0.0 : partial_square(sweep, i);
        if (one > *square) {
            *square = one;
            best = i;
        }
    }
    return best;
}

// Whether chance makes one of the inputs left as well correlated with less than that probability.
static bool partial_stands_out(double square, double freedom, size_t left, double chance)
{
    if (freedom < RANK_LEAST_FREEDOM)
        return false;
    double t = sqrt(square * freedom / MAX(1.0 - square, 1e-15));
    return 2.0 * gsl_cdf_tdist_Q(t, freedom) * (double)left < chance;
}

static int compare_coefficients(const void *a, const void *b)
{
    const struct rank_coefficient *one = a, *other = b;
    double first = fabs(one->value), second = fabs(other->value);
    return first > second   ? -1
           : first < second ? 1
                            : (one->input > other->input) - (one->input < other->input);
}

static struct rank_regression regression_of(const struct rank_sweep *sweep, size_t taken,
                                            double freedom, size_t n)
{
    size_t value = sweep->size - 1;
    double rest = MAX(*sweep_at(sweep, value, value), 0.0);
    struct rank_regression regression = {.list = calloc(taken + 1, sizeof *regression.list)};
    for (size_t i = 0; i < value; i++)
        if (sweep->taken[i])
            regression.list[regression.count++] = (struct rank_coefficient){
                i, *sweep_at(sweep, i, value),
                sqrt(rest / MAX(freedom, 1.0) * MAX(*sweep_at(sweep, i, i), 0.0)), 0.0};
    qsort(regression.list, regression.count, sizeof *regression.list, compare_coefficients);
    regression.r2 = taken ? MAX(1.0 - rest * ((double)n - 1.0) / MAX(freedom, 1.0), 0.0) : 0.0;
    double squares = 0.0;
    for (size_t i = 0; i < taken; i++)
        squares += regression.list[i].value * regression.list[i].value;
    for (size_t i = 0; i < taken; i++)
        regression.list[i].share =
            regression.r2 * regression.list[i].value * regression.list[i].value / squares;
    return regression;
}

struct rank_regression rank_regression_of(const struct rank_inputs *inputs, const double *values,
                                          double chance)
{
    struct rank_sweep sweep = sweep_new_of(inputs, values);
    size_t taken = 0;
    for (; taken < inputs->count; taken++) {
        double square, freedom = (double)inputs->n - (double)taken - 2.0;
        size_t best = greatest_partial(&sweep, &square);
        if (best == inputs->count ||
            !partial_stands_out(square, freedom, inputs->count - taken, chance))
            break;
        sweep_by(&sweep, best);
    }
    struct rank_regression regression =
        regression_of(&sweep, taken, (double)inputs->n - (double)taken - 1.0, inputs->n);
    free(sweep.matrix);
    free(sweep.taken);
    return regression;
}

void rank_regression_clear(struct rank_regression *regression)
{
    free(regression->list);
    *regression = (struct rank_regression){0};
}
