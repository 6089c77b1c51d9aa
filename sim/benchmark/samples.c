// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/benchmark/samples.h"

#include "sim/benchmark/benchmark.h"

#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>

enum metric { P50, P90, P99, LEAST, MOST, SD };

const char *const samples_metrics[] = {
    [P50] = SAMPLES_METRIC "p50_us",
    [P90] = SAMPLES_METRIC "p90_us",
    [P99] = SAMPLES_METRIC "p99_us",
    [LEAST] = SAMPLES_METRIC "min_us",
    [MOST] = SAMPLES_METRIC "max_us",
    [SD] = SAMPLES_METRIC "sd_us",
    NULL,
};

double samples_of_rank(const struct workload *workload)
{
    double repetitions = 0;
    for (guint i = 0; workload->samples && i < workload->sizes->len; i++)
        repetitions +=
            (double)benchmark_repetitions(workload, g_array_index(workload->sizes, int64_t, i));
    return repetitions;
}

double samples_bytes(const struct workload *workload)
{
    double most = 0;
    for (guint i = 0; workload->samples && i < workload->sizes->len; i++)
        most = MAX(most, (double)benchmark_repetitions(workload,
                                                       g_array_index(workload->sizes, int64_t, i)));
    // The laps of a size, and what is kept of all, in an array that may be twice as long.
    return workload->ranks * (most * 2 * sizeof(sim_time) +
                              samples_of_rank(workload) * 2 * sizeof(struct result_sample));
}

void samples_keep(GArray *samples, int rank, int64_t size, int64_t count, int64_t parts,
                  const sim_time *times)
{
    for (int64_t i = 0; i < count; i++) {
        struct result_sample sample = {rank, size, time_to_us(times[i]) / (double)parts};
        g_array_append_val(samples, sample);
    }
}

void samples_report_range(struct series_result *result, int64_t size, double least, double most)
{
    series_result_add(result, -1, size, samples_metrics[LEAST], least * 1e6);
    series_result_add(result, -1, size, samples_metrics[MOST], most * 1e6);
}

void samples_report(struct series_result *result, guint first, guint count)
{
    static const double fractions[] = {[P50] = 0.5, [P90] = 0.9, [P99] = 0.99, 0.0, 1.0};
    const struct result_sample *samples =
        &g_array_index(result->samples, struct result_sample, first);
    int64_t size = samples->size;
    double *sorted = g_new(double, count);
    for (guint i = 0; i < count; i++)
        sorted[i] = samples[i].us;
    gsl_sort(sorted, 1, count);
    for (size_t i = 0; i < G_N_ELEMENTS(fractions); i++)
        series_result_add(result, -1, size, samples_metrics[i],
                          gsl_stats_quantile_from_sorted_data(sorted, 1, count, fractions[i]));
    if (count > 1)
        series_result_add(result, -1, size, samples_metrics[SD], gsl_stats_sd(sorted, 1, count));
    g_free(sorted);
}
