// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/statistics/indices.h"

#include "sim/core/random.h"
#include "sim/statistics/band.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define INDICES_RESAMPLES 1000
#define INDICES_BEYOND 0.025 // on each side of the interval

// The sums of the estimators, of one sample over the draws that are taken.
struct index_sums {
    double values, squares; // of A and B
    double *first, *total;  // [group]: squares of B - mixed, of A - mixed
};

static void add_draw(struct index_sums *sums, const struct indices_sample *sample, size_t groups,
                     size_t draw, double middle)
{
    double a = sample->a[draw], b = sample->b[draw];
    sums->values += a - middle + b - middle;
    sums->squares += (a - middle) * (a - middle) + (b - middle) * (b - middle);
    for (size_t group = 0; group < groups; group++) {
        double mixed = sample->mixed[group][draw];
        sums->first[group] += (b - mixed) * (b - mixed);
        sums->total[group] += (a - mixed) * (a - mixed);
    }
}

// Adds the indices of a sample over some draws, to 2 * groups numbers. Returns false if the value
// does not vary.
static bool add_indices(const struct indices_sample *sample, size_t groups, const size_t *draws,
                        size_t n, struct index_sums *sums, double *both)
{
    sums->values = sums->squares = 0.0;
    for (size_t group = 0; group < groups; group++)
        sums->first[group] = sums->total[group] = 0.0;
    double middle = sample->a[0]; // sums of small numbers are exact enough
    for (size_t i = 0; i < n; i++)
        add_draw(sums, sample, groups, draws[i], middle);
    double count = 2.0 * (double)n, mean = sums->values / count;
    double variance = sums->squares / count - mean * mean;
    if (!(variance > 1e-18 * middle * middle))
        return false;
    for (size_t group = 0; group < groups; group++) {
        both[group] += 1.0 - sums->first[group] / count / variance;
        both[groups + group] += sums->total[group] / count / variance;
    }
    return true;
}

// Means over the samples that vary; NAN if none does.
static void mean_indices(const struct indices_sample *samples, size_t count, size_t groups,
                         const size_t *draws, size_t n, struct index_sums *sums, double *both)
{
    size_t varying = 0;
    for (size_t i = 0; i < 2 * groups; i++)
        both[i] = 0.0;
    for (size_t i = 0; i < count; i++)
        varying += add_indices(&samples[i], groups, draws, n, sums, both);
    for (size_t i = 0; i < 2 * groups; i++)
        both[i] = varying ? both[i] / (double)varying : NAN;
}

// The interval of one of 2 * groups numbers over all resamples.
static void index_interval(const double *resampled, size_t groups, size_t which, double *values,
                           double *low, double *high)
{
    for (size_t k = 0; k < INDICES_RESAMPLES; k++)
        values[k] = resampled[k * 2 * groups + which];
    size_t present = band_sort(values, INDICES_RESAMPLES);
    *low = band_quantile(values, present, INDICES_BEYOND);
    *high = band_quantile(values, present, 1.0 - INDICES_BEYOND);
}

void indices_of(const struct indices_sample *samples, size_t count, size_t groups, size_t n,
                uint64_t seed, struct indices *indices)
{
    struct index_sums sums = {.first = calloc(groups + 1, sizeof(double)),
                              .total = calloc(groups + 1, sizeof(double))};
    size_t *draws = calloc(n + 1, sizeof *draws);
    double *both = calloc(2 * groups + 1, sizeof *both);
    double *resampled = calloc(INDICES_RESAMPLES * 2 * groups + 1, sizeof *resampled);
    double values[INDICES_RESAMPLES];
    for (size_t i = 0; i < n; i++)
        draws[i] = i;
    mean_indices(samples, n ? count : 0, groups, draws, n, &sums, both);
    struct random_stream *stream = random_new(seed, "bootstrap of indices");
    for (size_t k = 0; k < INDICES_RESAMPLES; k++) {
        for (size_t i = 0; i < n; i++)
            draws[i] = (size_t)random_below(stream, n);
        mean_indices(samples, n ? count : 0, groups, draws, n, &sums, resampled + k * 2 * groups);
    }
    random_free(stream);
    for (size_t group = 0; group < groups; group++) {
        struct indices *one = &indices[group];
        one->first = both[group];
        one->total = both[groups + group];
        index_interval(resampled, groups, group, values, &one->first_low, &one->first_high);
        index_interval(resampled, groups, groups + group, values, &one->total_low,
                       &one->total_high);
    }
    free(resampled);
    free(both);
    free(draws);
    free(sums.total);
    free(sums.first);
}
