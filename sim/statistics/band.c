// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/statistics/band.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_band_values(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

size_t band_sort(double *values, size_t n)
{
    size_t present = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(values[i])) {
            double value = values[i];
            values[i] = values[present];
            values[present++] = value;
        }
    if (present > 1)
        qsort(values, present, sizeof values[0], compare_band_values);
    return present;
}

double band_quantile(const double *sorted, size_t n, double p)
{
    return n == 0 ? NAN : gsl_stats_quantile_from_sorted_data(sorted, 1, n, p);
}

struct band band_of(const double *values, size_t n)
{
    double *sorted = calloc(n + 1, sizeof *sorted);
    if (n > 0)
        memcpy(sorted, values, n * sizeof *sorted);
    size_t present = band_sort(sorted, n);
    struct band band = {present, band_quantile(sorted, present, BAND_LOW),
                        band_quantile(sorted, present, 0.5),
                        band_quantile(sorted, present, BAND_HIGH)};
    free(sorted);
    return band;
}

// The least k with P(B <= k) >= bound, of a binomial B; n at most.
static size_t binomial_quantile(size_t n, double p, double bound)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (gsl_cdf_binomial_P((unsigned)middle, p, (unsigned)n) >= bound)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

struct band_ranks band_quantile_ranks(size_t n, double p)
{
    // The value of rank k is above the quantile if at most k - 1 values are below that.
    double beyond = (1.0 - BAND_CONFIDENCE) / 2.0;
    return (struct band_ranks){binomial_quantile(n, p, beyond),
                               binomial_quantile(n, p, 1.0 - beyond) + 1};
}
