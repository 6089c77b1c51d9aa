// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of a sweep that differ in nothing but the seed, taken together: replications of one
// experiment.
#ifndef NETSIM_OUTCOME_REPLICATED_H
#define NETSIM_OUTCOME_REPLICATED_H

#include "sim/outcome/outcome.h"

// The outcome in which points that differ in the seed alone are one, whose values are means (see
// struct outcome_curve) and whose ends count their runs. Points are numbered by the axes, the last
// one fastest. `runs` is one that was read, and stays with the caller. Free with outcome_free.
struct outcome *outcome_replicated(const struct outcome *runs);

// How many replications a point may have: 1 if the sweep asks for no seeds.
int outcome_replications(const struct outcome *outcome);

// Of a curve of replications the value of one of them at a point; NAN: there is none.
double outcome_replicate(const struct outcome *outcome, const struct outcome_curve *curve,
                         int point, int replication);

// Makes the summaries and values of a curve from its replicates: of an outcome of replications, for
// those who compute curves. The curve's arrays are owned by whoever owns the curve.
void outcome_summarise(const struct outcome *outcome, struct outcome_curve *curve);

// The difference of a curve's values at two points, one less other, over the seeds that both have:
// the same seed makes the same chances, as far as it can. n 0: they have none in common.
struct summary outcome_difference(const struct outcome *outcome, const struct outcome_curve *curve,
                                  int one, int other);

// Whether a curve is known to differ at two points: by more than the interval of the difference;
// where the sweep has no several seeds, at all.
bool outcome_differs(const struct outcome *outcome, const struct outcome_curve *curve, int one,
                     int other);

#endif
