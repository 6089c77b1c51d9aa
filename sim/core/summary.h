// SPDX-License-Identifier: GPL-3.0-or-later
// What a sample of values says: mean, spread, and how well the mean is known.
#ifndef NETSIM_CORE_SUMMARY_H
#define NETSIM_CORE_SUMMARY_H

#include <stdbool.h>

// Of how many repetitions of an experiment an interval is to hold the true mean.
#define SUMMARY_CONFIDENCE 0.95

struct summary {
    int n;             // values that were there
    double mean;       // NAN if there was none
    double sd;         // of a sample (n - 1); NAN below two values
    double half_width; // of the confidence interval of the mean; NAN below two values
    double least, most;
};

// The summary of those of `count` values that are numbers: NAN stands for one that is missing. The
// interval is Student's, mean +- t(n - 1) sd / sqrt(n): right for values that are independent, and
// if they are few, near to a normal distribution.
struct summary summary_of(const double *values, int count);

// Whether the interval leaves 0 out. False, too, if there is none.
bool summary_is_not_zero(const struct summary *summary);

#endif
