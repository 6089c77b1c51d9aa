// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of a sweep that differ only in the seed, merged: replications of one experiment. In
// draws (sim/scenario/draw.h) the draws are the replications, each of them the mean of its seeds.
#ifndef NETSIM_OUTCOME_REPLICATED_H
#define NETSIM_OUTCOME_REPLICATED_H

#include "sim/outcome/outcome.h"
#include "sim/outcome/paired.h"

// The outcome in which points that differ only in seed and draw are merged into one, whose values
// are means or medians (see struct outcome_curve) and whose ends count their runs. Points are
// numbered by the axes, the last axis fastest. `runs` is an outcome as read and stays with the
// caller. Free with outcome_free.
struct outcome *outcome_replicated(const struct outcome *runs);

// Whether the replications are draws.
bool outcome_in_draws(const struct outcome *outcome);

// The most replications that a point may have: 1 if the sweep varies no seeds and no draws.
int outcome_replications(const struct outcome *outcome);

// The value of one replication of a curve at a point; NAN: it has none.
double outcome_replicate(const struct outcome *outcome, const struct outcome_curve *curve,
                         int point, int replication);

// Whether a curve has the same value, or none, at two points in every draw.
bool outcome_same_in_draws(const struct outcome *outcome, const struct outcome_curve *curve,
                           int one, int other);

// Computes the summaries and values of a curve from its replicates; for an outcome of replications
// and code that computes curves. The curve's owner keeps owning its arrays.
void outcome_summarise(const struct outcome *outcome, struct outcome_curve *curve);

// The difference of a curve's values at two points, one minus other, over the seeds that both have:
// the same seed gives the same random events as far as possible. n is 0 if they share no seed.
struct summary outcome_difference(const struct outcome *outcome, const struct outcome_curve *curve,
                                  int one, int other);

// In draws, the change of a curve's value from one point to another, or of one curve's to
// another's.
struct paired outcome_change(const struct outcome *outcome, const struct outcome_curve *from,
                             int from_point, const struct outcome_curve *to, int to_point);

// Whether a curve is known to differ at two points: by more than the interval of the difference; if
// the sweep does not vary seeds, at all; in draws, with the same sign in nearly all of them.
bool outcome_differs(const struct outcome *outcome, const struct outcome_curve *curve, int one,
                     int other);

#endif
