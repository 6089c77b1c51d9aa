// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/summary.h"

#include <glib.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

struct summary summary_of(const double *values, int count)
{
    struct summary summary = {0, NAN, NAN, NAN, NAN, NAN};
    double *there = g_new(double, count + 1);
    for (int i = 0; i < count; i++)
        if (!isnan(values[i]))
            there[summary.n++] = values[i];
    size_t n = (size_t)summary.n;
    if (n > 0) {
        summary.mean = gsl_stats_mean(there, 1, n);
        gsl_stats_minmax(&summary.least, &summary.most, there, 1, n);
    }
    if (n > 1) {
        double t = gsl_cdf_tdist_Pinv(0.5 + SUMMARY_CONFIDENCE / 2, (double)n - 1);
        summary.sd = gsl_stats_sd_m(there, 1, n, summary.mean);
        summary.half_width = t * summary.sd / sqrt((double)n);
    }
    g_free(there);
    return summary;
}

bool summary_is_not_zero(const struct summary *summary)
{
    return fabs(summary->mean) > summary->half_width;
}

char *summary_half_width_text(double half_width)
{
    if (!isfinite(half_width) || half_width == 0)
        return g_strdup_printf("%g", half_width);
    double unit = pow(10, floor(log10(fabs(half_width))) - 1);
    double rounded = round(half_width / unit) * unit;
    int decimals = 1 - (int)floor(log10(fabs(rounded)) + 1e-9); // 9.96 becomes 10
    return g_strdup_printf("%.*f", MAX(decimals, 0), rounded);
}
