// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of a sweep that differ only in the seed, merged: replications of one experiment.
#ifndef NETSIM_OUTCOME_REPLICATED_H
#define NETSIM_OUTCOME_REPLICATED_H

#include "sim/outcome/outcome.h"

// The outcome in which points that differ only in the seed are merged into one, whose values are
// means (see struct outcome_curve) and whose ends count their runs. Points are numbered by the
// axes, the last axis fastest. `runs` is an outcome as read and stays with the caller. Free with
// outcome_free.
struct outcome *outcome_replicated(const struct outcome *runs);

// The most replications that a point may have: 1 if the sweep varies no seeds.
int outcome_replications(const struct outcome *outcome);

// The value of one replication of a curve at a point; NAN: it has none.
double outcome_replicate(const struct outcome *outcome, const struct outcome_curve *curve,
                         int point, int replication);

// Computes the summaries and values of a curve from its replicates; for an outcome of replications
// and code that computes curves. The curve's owner keeps owning its arrays.
void outcome_summarise(const struct outcome *outcome, struct outcome_curve *curve);

// The difference of a curve's values at two points, one minus other, over the seeds that both have:
// the same seed gives the same random events as far as possible. n is 0 if they share no seed.
struct summary outcome_difference(const struct outcome *outcome, const struct outcome_curve *curve,
                                  int one, int other);

// Whether a curve is known to differ at two points: by more than the interval of the difference or,
// if the sweep does not vary seeds, at all.
bool outcome_differs(const struct outcome *outcome, const struct outcome_curve *curve, int one,
                     int other);

#endif
