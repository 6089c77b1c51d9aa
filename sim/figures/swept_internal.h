// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the pictures of a sweep: the axes that are drawn, and the values at a position. For
// swept*.c only.
#ifndef NETSIM_FIGURES_SWEPT_INTERNAL_H
#define NETSIM_FIGURES_SWEPT_INTERNAL_H

#include "sim/figures/choice.h"
#include "sim/outcome/outcome.h"

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

// An axis that is drawn.
struct drawn_axis {
    const struct outcome_axis *axis; // NULL: there is none
    int number;                      // in the outcome
    bool numeric;
    double *places; // of its values, if numeric
    const char *unit;
    bool log;
};

struct swept_picture {
    struct choice *choice;
    bool together; // with other results in one picture: lines, and one panel per metric
    const struct outcome *runs;    // as read, for reports
    const struct outcome *outcome; // of replications
    struct drawn_axis x, y;        // y.axis NULL: lines, not fields
    bool over_sizes;               // x are message sizes: x.axis is NULL, x.number -1
    bool *idle;                    // of each axis: it changes nothing, and only one value is drawn
    json_t *notes;
};

// Chooses the axes for x and y and determines which axes are idle. Returns false and sets *error if
// the user names an axis that does not exist, or if there is none.
bool swept_choose_axes(struct swept_picture *picture, GError **error);

// The value at a position of the picture.
struct swept_value {
    double mean;       // over the seeds that have a value; NAN: nothing was measured. In draws the
                       // median
    double half_width; // of its confidence interval; NAN: none, as with one seed, and in draws
    double low, high;  // its interval or, in draws, its band; NAN: none
    int n;             // the seeds or draws that have a value
    int failed;        // a point there of which not all runs completed, or -1
    const char *state; // how that one ended: a status, or "impossible"; NULL without one
};

// The value of a curve at the x-th and y-th values (-1: that axis is not drawn); the other axes
// have the values of the point `combination`.
struct swept_value swept_value_at(const struct swept_picture *picture,
                                  const struct outcome_curve *curve, int combination, int x, int y);

// One point per combination of the axes that are not drawn. Free with g_array_unref.
GArray *swept_combinations(const struct swept_picture *picture);

// "tiny=1 KiB, short=4 KiB": the values of a combination; empty if there is only one. The caller
// frees it.
char *swept_setting(const struct swept_picture *picture, int combination);

// "VIA RPI, 4 KiB, tiny=1 KiB": the name of a combination's curve. The caller frees it.
char *swept_name(const struct swept_picture *picture, const struct outcome_curve *curve,
                 int combination, bool with_size);

// The short name of an axis: the last word of a long path. The caller frees it.
char *swept_axis_name(const struct swept_picture *picture, const struct outcome_axis *axis);

// The position of a value on its axis: a number or a name. Returns a new reference.
json_t *swept_place(const struct drawn_axis *drawn, int value);

// An axis, and that of a metric, as a document has them. New references.
json_t *swept_axis_json(const struct swept_picture *picture, const struct drawn_axis *drawn);
json_t *swept_metric_json(const char *metric, const char *scale);

// Whether the metric is a time, for which lower is better.
bool swept_is_duration(const char *metric);

// Appends [place, from, to, n] to a list: the interval or band at a position of the x axis; takes
// the reference to `place`. Appends nothing if there is no interval.
void swept_add_interval(json_t *intervals, json_t *place, const struct swept_value *value);

// Why a point has no result, or lacks results of some seeds, in one line. The caller frees it.
char *swept_why(const struct outcome *outcome, int point, int series);

// Whether the curves have more than one message size.
bool swept_has_many_sizes(const GPtrArray *curves);

// Curves of a metric: those of all ranks together if there are any, else those of each rank. A time
// of more than `most_ranks` ranks is that of the slowest. Free with g_ptr_array_unref.
GPtrArray *swept_curves(const struct swept_picture *picture, const char *metric, int most_ranks);

// ---- Kinds of panels; each adds to `panels` ----

// Lines over one axis, one per series, message size and combination of the others; one panel per
// metric.
void swept_add_lines(const struct swept_picture *picture, const GPtrArray *metrics, json_t *panels);

// Lines over message sizes, one per combination of what varies; one panel per series and metric or,
// if other results are added to the picture, per metric.
void swept_add_sizes(const struct swept_picture *picture, const GPtrArray *metrics, json_t *panels);

// Fields of two axes, one per series, message size and combination of further axes.
void swept_add_fields(const struct swept_picture *picture, const GPtrArray *metrics,
                      json_t *panels);

// Whether an axis is neither drawn nor idle, and so distinguishes lines.
bool swept_is_free(const struct swept_picture *picture, int axis);

// Which value of an axis a point has.
int swept_index(const struct swept_picture *picture, int point, int axis);

// The value of an axis at a point, as text owned by the outcome.
const char *swept_chosen(const struct swept_picture *picture, int point, int axis);

// How the run of a series at a point ended ("completed", "failed", ...).
const char *swept_state(const struct outcome *outcome, int point, int series);

#endif
