// SPDX-License-Identifier: GPL-3.0-or-later
// Sobol's indices: the share of a value's variance that a group of inputs has alone (first order),
// and together with all others (total). Inputs may act in any manner, but are independent.
#ifndef NETSIM_STATISTICS_INDICES_H
#define NETSIM_STATISTICS_INDICES_H

#include <stddef.h>
#include <stdint.h>

// A value in the runs of Saltelli's design (Saltelli and others, "Variance based sensitivity
// analysis of model output. Design and estimator for the total sensitivity index", Computer Physics
// Communications 181, 2010): in the draws of A, in the independent ones of B, and for each group in
// those of A with the inputs of that group from B.
struct indices_sample {
    const double *a, *b;        // n each
    const double *const *mixed; // [group][n]
};

// Both orders with their 95 % interval (percentiles of a bootstrap). NAN where the value does not
// vary.
struct indices {
    double first, first_low, first_high;
    double total, total_low, total_high;
};

// Fills `indices` (of each group) by Jansen's estimators ("Analysis of variance designs for model
// output", Computer Physics Communications 117, 1999). With several samples, values of the same
// draws (a latency at several sizes): means of their indices; those that do not vary are left out.
// The bootstrap takes draws of a stream that is seeded with `seed`.
void indices_of(const struct indices_sample *samples, size_t count, size_t groups, size_t n,
                uint64_t seed, struct indices *indices);

#endif
