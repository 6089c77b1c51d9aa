// SPDX-License-Identifier: GPL-3.0-or-later
// What the pictures of a sweep share among themselves: the axes that are drawn, and the values at a
// place of them. For swept*.c only.
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
    bool together; // with other results in one picture: lines, and a panel for each metric
    const struct outcome *runs;    // as read, for reports
    const struct outcome *outcome; // of replications
    struct drawn_axis x, y;        // y.axis NULL: lines, not fields
    bool over_sizes;               // x are message sizes: x.axis is NULL, x.number -1
    bool *idle;                    // of each axis: it changes nothing, and one value stands for all
    json_t *notes;
};

// Says what stands along x and y, and which axes are idle. False and *error if the user names an
// axis that is not there, or if there is none.
bool swept_choose_axes(struct swept_picture *picture, GError **error);

// What there is at a place of the picture.
struct swept_value {
    double mean;       // over the seeds that have a value; NAN: nothing was measured
    double half_width; // of its confidence interval; NAN: there is none, as of one seed
    int n;             // the seeds that have a value
    int failed;        // a point there of which not all runs completed, or -1
    const char *state; // how that one ended: a status, or "impossible"; NULL without one
};

// The value of a curve at the x-th and y-th values (-1: that axis is not drawn), of the combination
// of the other axes that the point `combination` has.
struct swept_value swept_value_at(const struct swept_picture *picture,
                                  const struct outcome_curve *curve, int combination, int x, int y);

// Points that stand for each combination of what is not drawn. Free with g_array_unref.
GArray *swept_combinations(const struct swept_picture *picture);

// "tiny=1 KiB, short=4 KiB": the values of a combination; empty if there is none to tell it by. The
// caller frees it.
char *swept_setting(const struct swept_picture *picture, int combination);

// "VIA RPI, 4 KiB, tiny=1 KiB": how a curve of a combination is called. The caller frees it.
char *swept_name(const struct swept_picture *picture, const struct outcome_curve *curve,
                 int combination, bool with_size);

// How an axis is called where there is little room: long paths by their last word. The caller frees
// it.
char *swept_axis_name(const struct swept_picture *picture, const struct outcome_axis *axis);

// Where a value stands on its axis: a number or a name. New reference.
json_t *swept_place(const struct drawn_axis *drawn, int value);

// An axis, and that of a metric, as a document has them. New references.
json_t *swept_axis_json(const struct swept_picture *picture, const struct drawn_axis *drawn);
json_t *swept_metric_json(const char *metric, const char *scale);

// Whether the metric is a time, of which less is better.
bool swept_is_duration(const char *metric);

// Adds to a list [place, from, to, n]: the interval of a mean at a place of the x axis, which this
// takes. Nothing if there is none.
void swept_add_interval(json_t *intervals, json_t *place, const struct swept_value *value);

// Why a point has no result, or not of all its seeds, in one line. The caller frees it.
char *swept_why(const struct outcome *outcome, int point, int series);

// Whether the curves are of more than one message size.
bool swept_has_many_sizes(const GPtrArray *curves);

// Curves of a metric (borrowed): those of all ranks together if there are any, else of each.
GPtrArray *swept_curves(const struct outcome *outcome, const char *metric);

// Adds a note; the same one only once.
void swept_note(const struct swept_picture *picture, const char *format, ...) G_GNUC_PRINTF(2, 3);

// ---- Kinds of panels; each adds to `panels` ----

// Lines over one axis, one for each series, message size and combination of the others; a panel for
// each metric.
void swept_add_lines(const struct swept_picture *picture, const GPtrArray *metrics, json_t *panels);

// Lines over message sizes, one for each combination of what varies; a panel for each series and
// metric, or if other results come into the picture, for each metric.
void swept_add_sizes(const struct swept_picture *picture, const GPtrArray *metrics, json_t *panels);

// Fields of two axes, one for each series, message size and combination of further axes.
void swept_add_fields(const struct swept_picture *picture, const GPtrArray *metrics,
                      json_t *panels);

// The value of an axis at a point, as text that the outcome owns.
const char *swept_chosen(const struct swept_picture *picture, int point, int axis);

// How the run of a series at a point ended ("completed", "failed", ...).
const char *swept_state(const struct outcome *outcome, int point, int series);

#endif
