// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/statistics/weights.h"

#include <glib.h>
#include <gsl/gsl_qrng.h>
#include <math.h>

double weights_error(double stated, double discrepancy)
{
    return hypot(stated, discrepancy);
}

double weights_implausibility(double simulated, double measured, double error)
{
    return fabs(simulated - measured) / error;
}

void weights_of_misfits(const double *misfits, size_t count, double *weights)
{
    double least = INFINITY, sum = 0.0;
    for (size_t i = 0; i < count; i++)
        least = fmin(least, misfits[i]);
    for (size_t i = 0; i < count; i++) {
        // Less the least: exp() of a misfit of thousands is 0 for all draws alike.
        weights[i] = isinf(least) ? 1.0 : exp((least - misfits[i]) / 2.0);
        sum += weights[i];
    }
    for (size_t i = 0; i < count; i++)
        weights[i] /= sum;
}

double weights_effective_size(const double *weights, size_t count)
{
    double squares = 0.0;
    for (size_t i = 0; i < count; i++)
        squares += weights[i] * weights[i];
    return 1.0 / squares;
}

double weights_mean(const double *values, const double *weights, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        if (weights[i] > 0.0) // a draw that failed has weight 0 and no value
            sum += weights[i] * values[i];
    return sum;
}

double weights_correlation(const double *one, const double *other, const double *weights,
                           size_t count)
{
    double mean_one = weights_mean(one, weights, count);
    double mean_other = weights_mean(other, weights, count);
    double variance_one = 0.0, variance_other = 0.0, covariance = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (weights[i] <= 0.0)
            continue;
        double a = one[i] - mean_one, b = other[i] - mean_other;
        variance_one += weights[i] * a * a;
        variance_other += weights[i] * b * b;
        covariance += weights[i] * a * b;
    }
    double scale = sqrt(variance_one * variance_other);
    return scale > 0.0 ? CLAMP(covariance / scale, -1.0, 1.0) : 0.0;
}

// ---- Quantiles ----

struct weighted_value {
    double value, weight;
};

static int compare_weighted(const void *a, const void *b)
{
    double one = ((const struct weighted_value *)a)->value;
    double other = ((const struct weighted_value *)b)->value;
    return one < other ? -1 : one > other;
}

double weights_quantile(const double *values, const double *weights, size_t count, double share)
{
    GArray *sorted = g_array_sized_new(FALSE, FALSE, sizeof(struct weighted_value), (guint)count);
    for (size_t i = 0; i < count; i++) {
        const struct weighted_value value = {values[i], weights[i]};
        if (weights[i] > 0.0)
            g_array_append_val(sorted, value);
    }
    g_array_sort(sorted, compare_weighted);
    double size = count ? weights_effective_size(weights, count) : 0.0;
    // The window of the cumulative weight whose mean value is the quantile.
    double low = share * (size - 1.0) / size, high = low + 1.0 / size, below = 0.0, sum = 0.0;
    double covered = 0.0;
    for (guint i = 0; i < sorted->len; i++) {
        const struct weighted_value *next = &g_array_index(sorted, struct weighted_value, i);
        double part = fmin(below + next->weight, high) - fmax(below, low);
        if (part > 0.0) {
            sum += part * next->value;
            covered += part;
        }
        below += next->weight;
    }
    g_array_unref(sorted);
    return covered > 0.0 ? sum / covered : NAN;
}

// ---- Resampling ----

struct resample_place {
    double order; // van der Corput's sequence
    size_t place;
};

static int compare_places(const void *a, const void *b)
{
    double one = ((const struct resample_place *)a)->order;
    double other = ((const struct resample_place *)b)->order;
    return one < other ? -1 : one > other;
}

// The places 0 .. wanted - 1 in an order whose beginnings are spread evenly over all of them.
static size_t *spread_places(size_t wanted)
{
    struct resample_place *places = g_new(struct resample_place, wanted);
    size_t *order = g_new(size_t, wanted);
    gsl_qrng *sequence = gsl_qrng_alloc(gsl_qrng_halton, 1); // of base 2: van der Corput's
    for (size_t i = 0; i < wanted; i++) {
        gsl_qrng_get(sequence, &places[i].order);
        places[i].place = i;
    }
    qsort(places, wanted, sizeof *places, compare_places);
    for (size_t i = 0; i < wanted; i++) // the row whose number in the sequence ranks i-th
        order[places[i].place] = i;
    gsl_qrng_free(sequence);
    g_free(places);
    return order;
}

void weights_resample(const double *weights, size_t count, size_t wanted, size_t *chosen)
{
    size_t *rows = spread_places(wanted);
    size_t *by_place = g_new(size_t, wanted), at = 0;
    double below = 0.0;
    for (size_t place = 0; place < wanted; place++) {
        double position = ((double)place + 0.5) / (double)wanted;
        // Rounding must not lead beyond the last, or to a draw of no weight.
        while (at + 1 < count && below + weights[at] <= position)
            below += weights[at++];
        while (at > 0 && weights[at] <= 0.0)
            at--;
        by_place[place] = at;
    }
    for (size_t row = 0; row < wanted; row++)
        chosen[row] = by_place[rows[row]];
    g_free(by_place);
    g_free(rows);
}
