// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the judges; for judge*.c only.
#ifndef NETSIM_VALIDATE_PARTS_H
#define NETSIM_VALIDATE_PARTS_H

#include "sim/validate/judge.h"

// A check being judged. A judge fills in *result, whose deviation is initially NAN.
struct judging {
    const struct judge_context *context;
    const struct check *check;
    struct judgement *result;
};

typedef void judge_fn(struct judging *judging);

// Judges of curves.
judge_fn judge_value, judge_values, judge_inside, judge_gain, judge_order, judge_crossover,
    judge_monotone, judge_no_step, judge_parallel, judge_widest, judge_narrows, judge_slows_beyond,
    judge_mean, judge_first, judge_agreement;
// Judges of runs, cases and files.
judge_fn judge_ends_with, judge_contains_event, judge_parameter, judge_figure, judge_transitions;

// Makes the check not checkable; takes ownership of the text.
void judging_give_up(struct judging *judging, char *why);
void judging_decide(struct judging *judging, bool holds);

// Decides an order or a sign at several sizes, of which some are level and some of the others
// wrong: level sizes do not count. It misses if less than a share of the others are right, is
// level if more than half of all are, and else holds.
void judging_decide_sizes(struct judging *judging, guint sizes, guint wrong, guint level,
                          double share);

// Notes how far a value is off one that is expected, and the tolerance (NAN: none).
void judging_note_off(struct judging *judging, double off, double tolerance, bool points);

// ---- Points (judge_points.c) ----

// The first of the check's curves.
const struct curve *judging_curve(const struct judging *judging);

// All points of a curve. Returns NULL if there are none; the check is then decided: a series that
// has failed misses its claim, anything else is not checkable. Free with g_array_unref.
GArray *judging_all_points(struct judging *judging, const struct curve *curve);

// The curve's points at the sizes that the check asks for; NULL as above.
GArray *judging_points(struct judging *judging, const struct curve *curve);

// Appends the points of several curves, all at the same sizes, to `sets` (NULL: to a new array).
// Returns NULL as above, after freeing `sets`. Free with g_ptr_array_unref.
GPtrArray *judging_curves(struct judging *judging, const GPtrArray *curves, GPtrArray *sets);

const struct curve_point *judge_points_at(const GArray *points, guint index);

// ---- Words ----

// The names of some of a check's curves. The caller frees it.
char *judging_labels(const struct check *check, const GPtrArray *curves);

void judge_append_size(GString *out, const struct check *check, int64_t size);
void judge_append_number(GString *out, double value, const char *unit);

// Appends `before` and "1 B .. 512 B, 1 MiB"; nothing if there are no ranges.
void judge_append_ranges(GString *out, const struct check *check, const char *before,
                         const GArray *ranges);

// Appends " at 1 B .. 512 B but 8 B": the sizes that a check asks for.
void judge_append_sizes(GString *out, const struct check *check);

// A number for people: four digits and the unit. The caller frees it.
char *judge_number_text(double value, const char *unit);

// "64 KiB", or a plain number if the check counts something else. The caller frees it.
char *judge_size_text(const struct check *check, int64_t size);

// Appends the bounds: "above 2", "at least 1 and below 2".
void judge_append_bounds(GString *out, const struct check *check, const char *unit);

// How far a value lies outside a check's bounds (negative: inside), in the value's own unit, and
// the bound from which this is measured.
double judge_bounds_excess(const struct check *check, double value, double *bound);
bool judge_bounds_hold(const struct check *check, double value);

#endif
