// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a sweep's report on values in draws: bands, in which draws a point is the best, and
// differences draw by draw.
#ifndef NETSIM_OUTCOME_DRAWS_METRICS_H
#define NETSIM_OUTCOME_DRAWS_METRICS_H

#include "sim/outcome/outcome.h"

#include <jansson.h>

// All of these take an outcome of replications in draws and return new references.

// {"n", "median", "low", "high"}
json_t *draws_band_json(const struct band *band);

// [{"at": point, "n", "share", "share_low", "share_high", "same_as_best"}]: in which share of the
// draws each point is the best, or as good as it, those that never are left out, the most often
// best first. n counts the draws in which any point has a value; one without a value is not the
// best there. `best` is the point with the best median; others may have its value in each draw.
json_t *draws_best_json(const struct outcome *outcome, const struct outcome_curve *curve, int best);

// A band for each curve and point that has values: draws_band_json, with "at", "size_bytes", "rank"
// and "draws", how many were run.
json_t *draws_bands_json(const struct outcome *outcome, const GPtrArray *curves);

// The change from one value of an axis to another, as in paired_json: of each draw the mean over
// all curves and settings of the other axes. A draw that lacks one of them does not count.
json_t *draws_effect_json(const struct outcome *outcome, const GPtrArray *curves, int axis,
                          int reference, int value);

// [{"metric", "size_bytes", "rank", "at", "series", "against", …}]: how each of the series differs
// from each before it, at every point, as in paired_json.
json_t *draws_differences_json(const struct outcome *outcome);

#endif
