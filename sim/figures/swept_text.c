// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the drawers of a sweep's pictures: names, values and places of axes and
// combinations.
#include "sim/figures/swept_internal.h"

#include "sim/config/quantity.h"
#include "sim/figures/notes.h"
#include "sim/measure/result.h"
#include "sim/outcome/replicated.h"
#include "sim/output/text.h"

#include <math.h>
#include <string.h>

// A path that is longer is called by its last word.
#define LONG_PATH 24

json_t *swept_place(const struct drawn_axis *drawn, int value)
{
    return drawn->numeric ? json_real(drawn->places[value])
                          : json_string(g_ptr_array_index(drawn->axis->values, (guint)value));
}

char *swept_axis_name(const struct swept_picture *picture, const struct outcome_axis *axis)
{
    const char *last = strrchr(axis->name, '.');
    if (!last || strlen(axis->name) <= LONG_PATH || strchr(axis->name, ','))
        return g_strdup(axis->name);
    for (int i = 0; i < (int)picture->outcome->axes->len; i++) {
        const struct outcome_axis *other = outcome_axis_at(picture->outcome, i);
        if (other != axis && g_str_has_suffix(other->name, last))
            return g_strdup(axis->name);
    }
    return g_strdup(last + 1);
}

json_t *swept_axis_json(const struct swept_picture *picture, const struct drawn_axis *drawn)
{
    char *name = swept_axis_name(picture, drawn->axis);
    if (strcmp(name, drawn->axis->name) != 0)
        notes_add(picture->notes, "%s is %s", name, drawn->axis->name);
    json_t *axis = json_pack("{s:s,s:s,s:s}", "label", name, "unit", drawn->unit, "scale",
                             drawn->log ? "log" : "linear");
    g_free(name);
    return axis;
}

bool swept_is_duration(const char *metric)
{
    const char *unit = metric_unit(metric);
    return strcmp(unit, "us") == 0 || strcmp(unit, "s") == 0;
}

json_t *swept_metric_json(const char *metric, const char *scale)
{
    char *label = text_metric_axis(metric);
    json_t *axis =
        json_pack("{s:s,s:s,s:s}", "label", label, "unit", metric_unit(metric), "scale", scale);
    g_free(label);
    return axis;
}

int swept_index(const struct swept_picture *picture, int point, int axis)
{
    return picture->outcome->indices[point * (int)picture->outcome->axes->len + axis];
}

const char *swept_chosen(const struct swept_picture *picture, int point, int axis)
{
    return g_ptr_array_index(outcome_axis_at(picture->outcome, axis)->values,
                             (guint)swept_index(picture, point, axis));
}

bool swept_is_free(const struct swept_picture *picture, int axis)
{
    return axis != picture->x.number && !picture->idle[axis] &&
           (!picture->y.axis || axis != picture->y.number);
}

// Whether two points differ in nothing but the drawn axes.
static bool same_combination(const struct swept_picture *picture, int a, int b)
{
    for (int axis = 0; axis < (int)picture->outcome->axes->len; axis++)
        if (swept_is_free(picture, axis) &&
            swept_index(picture, a, axis) != swept_index(picture, b, axis))
            return false;
    return true;
}

char *swept_setting(const struct swept_picture *picture, int combination)
{
    GString *setting = g_string_new(NULL);
    for (int axis = 0; axis < (int)picture->outcome->axes->len; axis++) {
        const struct outcome_axis *of = outcome_axis_at(picture->outcome, axis);
        if (!swept_is_free(picture, axis) || of->values->len < 2)
            continue;
        char *called = swept_axis_name(picture, of);
        g_string_append_printf(setting, "%s%s=%s", setting->len > 0 ? ", " : "", called,
                               swept_chosen(picture, combination, axis));
        g_free(called);
    }
    return g_string_free(setting, FALSE);
}

char *swept_name(const struct swept_picture *picture, const struct outcome_curve *curve,
                 int combination, bool with_size)
{
    GString *name = g_string_new(outcome_series_name(picture->outcome, curve->series));
    if (curve->size >= 0 && with_size) {
        const char *counts = picture->outcome->counts;
        char *size = quantity_format(counts ? QUANTITY_COUNT : QUANTITY_SIZE,
                                     (struct quantity){.integer = curve->size});
        g_string_append_printf(name, ", %s%s%s", size, counts ? " " : "", counts ? counts : "");
        g_free(size);
    }
    if (curve->rank >= 0)
        g_string_append_printf(name, ", rank %d", curve->rank);
    char *setting = swept_setting(picture, combination);
    g_string_append_printf(name, "%s%s", *setting ? ", " : "", setting);
    g_free(setting);
    return g_string_free(name, FALSE);
}

// How a series of a point ended if it did not complete, else NULL.
const char *swept_state(const struct outcome *outcome, int point, int series)
{
    if (outcome->problems[point])
        return "impossible";
    const char *status = outcome_end_at(outcome, point, series)->status;
    return g_strcmp0(status, "completed") == 0 ? NULL : status ? status : "missing";
}

static void take_swept_value(struct swept_value *found, const struct outcome_curve *curve,
                             int point)
{
    const struct summary *summary = &curve->summaries[point];
    found->n = summary->n;
    if (curve->bands) {
        const struct band *band = &curve->bands[point];
        found->mean = band->median;
        found->low = band->low;
        found->high = band->high;
        return;
    }
    found->mean = summary->mean;
    found->half_width = summary->half_width;
    found->low = summary->mean - summary->half_width;
    found->high = summary->mean + summary->half_width;
}

struct swept_value swept_value_at(const struct swept_picture *picture,
                                  const struct outcome_curve *curve, int combination, int x, int y)
{
    const struct outcome *outcome = picture->outcome;
    struct swept_value found = {
        .mean = NAN, .half_width = NAN, .low = NAN, .high = NAN, .failed = -1};
    for (int point = 0; point < outcome->points; point++) {
        if (!same_combination(picture, point, combination) ||
            (x >= 0 && swept_index(picture, point, picture->x.number) != x) ||
            (y >= 0 && swept_index(picture, point, picture->y.number) != y))
            continue;
        const char *state = swept_state(outcome, point, curve->series);
        if (state) {
            found.failed = point;
            found.state = state;
        }
        // Points that differ in what changes nothing are alike: one that was run is enough.
        if (!isnan(curve->summaries[point].mean))
            take_swept_value(&found, curve, point);
    }
    return found;
}

void swept_add_interval(json_t *intervals, json_t *place, const struct swept_value *value)
{
    if (isnan(value->low))
        json_decref(place);
    else
        json_array_append_new(intervals,
                              json_pack("[o,f,f,i]", place, value->low, value->high, value->n));
}

char *swept_why(const struct outcome *outcome, int point, int series)
{
    if (outcome->problems[point])
        return g_strdup_printf("not possible: %s", outcome->problems[point]);
    const struct outcome_end *end = outcome_end_at(outcome, point, series);
    GString *why = g_string_new(NULL);
    bool drawn = outcome_in_draws(outcome);
    int runs = outcome_replications(outcome) * (drawn ? MAX(outcome->seed_count, 1) : 1);
    const char *noun = !drawn ? "seeds" : outcome->seed_count > 1 ? "runs" : "draws";
    if (runs > 1 && end->runs == runs)
        g_string_append_printf(why, "%d of %d %s ", runs - end->completed, runs, noun);
    else if (runs > 1)
        g_string_append_printf(why, "%d of %d %s completed, ", end->completed, runs, noun);
    if (g_strcmp0(end->status, "missing") == 0)
        g_string_append(why, "not run so far");
    else
        g_string_append_printf(why, "%s: %s", end->status ? end->status : "no result",
                               end->text ? end->text : "no reason was given");
    return g_string_free(why, FALSE);
}

bool swept_has_many_sizes(const GPtrArray *curves)
{
    for (guint i = 1; i < curves->len; i++)
        if (((const struct outcome_curve *)g_ptr_array_index(curves, i))->size !=
            ((const struct outcome_curve *)g_ptr_array_index(curves, 0))->size)
            return true;
    return false;
}

GArray *swept_combinations(const struct swept_picture *picture)
{
    GArray *found = g_array_new(FALSE, FALSE, sizeof(int));
    for (int point = 0; point < picture->outcome->points; point++) {
        bool known = false;
        for (guint i = 0; i < found->len; i++)
            known = known || same_combination(picture, point, g_array_index(found, int, i));
        if (!known)
            g_array_append_val(found, point);
    }
    return found;
}
