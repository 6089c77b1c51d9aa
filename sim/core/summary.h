// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics of a sample: mean, spread, and confidence interval of the mean.
#ifndef NETSIM_CORE_SUMMARY_H
#define NETSIM_CORE_SUMMARY_H

#include <stdbool.h>

// Fraction of repeated experiments whose interval contains the true mean.
#define SUMMARY_CONFIDENCE 0.95

struct summary {
    int n;             // values present
    double mean;       // NAN if there was none
    double sd;         // sample standard deviation (n - 1); NAN below two values
    double half_width; // of the confidence interval of the mean; NAN below two values
    double least, most;
};

// Summarises `count` values; NAN marks a missing one. The interval is Student's, mean +- t(n - 1)
// sd / sqrt(n). It is right for independent values that, if they are few, are nearly normally
// distributed.
struct summary summary_of(const double *values, int count);

// True if the interval excludes 0. False if there is no interval.
bool summary_is_not_zero(const struct summary *summary);

// Writes a half width with two significant digits, in full: "0.036", "2.0", "1200". The caller
// frees it.
char *summary_half_width_text(double half_width);

#endif
