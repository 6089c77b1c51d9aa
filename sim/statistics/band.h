// SPDX-License-Identifier: GPL-3.0-or-later
// The band of the values of a number of draws: their median, their central 90 %, and how far so few
// draws leave its ends open.
#ifndef NETSIM_STATISTICS_BAND_H
#define NETSIM_STATISTICS_BAND_H

#include <stddef.h>

#define BAND_LOW 0.05
#define BAND_HIGH 0.95
#define BAND_CONFIDENCE 0.95 // that a quantile of the distribution is within its band_ranks

struct band {
    size_t n;                 // values present
    double low, median, high; // NAN if there was none
};

// The band of values in any order, which are not changed; NAN marks a missing one.
struct band band_of(const double *values, size_t n);

// The quantile p, 0 <= p <= 1, of values that ascend: type 7 of Hyndman and Fan (Sample quantiles
// in statistical packages, The American Statistician 50, 1996), linear between order statistics.
// NAN if there are none.
double band_quantile(const double *sorted, size_t n, double p);

// Sorts values in place; those that are NAN are moved to the end and not counted. Returns how
// many there are.
size_t band_sort(double *values, size_t n);

// The values, counted from 1 in ascending order, between which the quantile of the distribution
// lies with BAND_CONFIDENCE, whatever the distribution (David and Nagaraja, Order Statistics, 7.1:
// the number of values below it is binomial). `from` is 0 if it may be below the least value, `to`
// is n + 1 if it may be above the greatest. For independent draws; those of a Latin hypercube leave
// the ends less open.
struct band_ranks {
    size_t from, to;
};
struct band_ranks band_quantile_ranks(size_t n, double p);

#endif
