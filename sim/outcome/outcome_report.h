// SPDX-License-Identifier: GPL-3.0-or-later
// The report on a sweep: how its points ended, which are best and worst, and each axis's effect.
//
// For each of the series and each metric:
//   best and worst   the points, size by size, and for all sizes together by the geometric mean of
//                    the values (only points that have a value, above 0, at every size)
//   effect           of each value of each axis: the mean over all sizes, and over all settings of
//                    the other axes, of value / value at the axis' first value that has results - 1
// Lower is better, except for rates ("..._per_s"). An axis has changed nothing if points that
// differ only in it end the same way with the same values, whatever the other axes are. Values of a
// run that lost data count nowhere.
//
// Runs that differ only in the seed are replications of one point: its value is their mean, with a
// confidence interval (summary.h). A seed is no axis, has no effect and can't be best. Two points
// differ significantly if 0 is outside the interval of their difference, taken seed by seed; an
// effect is significant if 0 is outside its own interval. A point of which some runs have no value
// shows the mean of the others, but counts neither as best or worst nor in an effect.
#ifndef NETSIM_OUTCOME_OUTCOME_REPORT_H
#define NETSIM_OUTCOME_OUTCOME_REPORT_H

#include "sim/outcome/outcome.h"

#include <jansson.h>

// The report as JSON, new reference:
//   {"scenario", "source", "points", "axes": [{"name", "values", "changed_nothing"}],
//    "ends": {"completed", "lost", "deadlock", "failed", "crashed", "missing", "impossible"},  (of
//    series) "failures": [{"series", "kind", "text", "count", "first_point"}], "ends_by_value":
//    [{"axis", "value", "series", "completed", "other", "kinds": {kind: count}}], "ends_by_pair":
//    [{"series", "axes": [name, name], "completed": [[count]], "failed":
//    [[count]]}], "metrics": [{"series", "metric", "unit", "lower_is_better",
//                 "rows": [{"size_bytes", "rank", "best", "best_point", "ties", "worst",
//                 "worst_point"}], "effects": [{"axis", "value", "change", "is_reference"}]}],
//    "warnings": [text]}
// size_bytes is null for all sizes together, -1 for values of no size. change is a fraction, or
// null if nothing could be compared. ends_by_pair covers the first two axes that vary, with one row
// per value of the first. Points have the members "point" and "values" {axis: value}.
//
// A sweep over several seeds also has "seeds": [seed]; in a row "best_summary" and "worst_summary"
// {"n", "half_width", "sd", "min", "max"} and "told_apart" (best from worst), and ties are points
// that are not told apart from the best; in an effect "n", "half_width" and "told_apart"; in a
// metric "means": [{"at": point, "size_bytes", "rank", "runs", "n", "mean", "half_width", "sd",
// "min", "max"}], where n counts the runs that have a value. half_width and sd are null for a
// single run. Points of failures, which are runs, have a "seed".
//
// A sweep in draws also has "draws": [draw], and values are medians of those draws that have one;
// in a row "best_band" and "worst_band" {"n", "median", "low", "high"}, "told_apart" (in nearly all
// draws), "same_in_draws" (all points have the same in each draw) and "best_in", the points that
// are the best in some draws (draws_best_json); in an effect "n", "change" (the median),
// "change_low", "change_high", "sign_share" (of the draws, with the sign of the median) and
// "told_apart"; in a metric "bands" (draws_bands_json) instead of "means". "differences" are those
// between series (draws_differences_json). All are taken draw by draw. Points of failures have a
// "draw".
json_t *outcome_report_json(const struct outcome *outcome);

// The report as text.
char *outcome_report_text(const struct outcome *outcome);

#endif
