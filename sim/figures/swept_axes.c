// SPDX-License-Identifier: GPL-3.0-or-later
// Which axes of a sweep its picture has: those that do most, or those that the user names.
#include "sim/figures/swept_internal.h"

#include "sim/config/axis_value.h"
#include "sim/figures/notes.h"
#include "sim/outcome/outcome_report.h"

#include <math.h>
#include <string.h>

// Values that span more than this are put on a logarithmic axis.
#define AXIS_LOG_SPAN 8.0
// From so many message sizes on they are an axis, and no longer a line each.
#define MANY_SIZES 5

// ---- What an axis does ----

static const char *axis_text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

// The largest change that a value of an axis makes to one of the metrics, as a share. A change
// within chance is none.
static double largest_change(const json_t *report, const char *axis)
{
    double largest = 0.0;
    size_t i, k;
    const json_t *metric, *effect;
    json_array_foreach(json_object_get(report, "metrics"), i, metric)
    {
        json_array_foreach(json_object_get(metric, "effects"), k, effect)
        {
            if (strcmp(axis_text_of(effect, "axis"), axis) == 0)
                largest = fmax(largest, fabs(json_number_value(json_object_get(effect, "change"))));
        }
    }
    return largest;
}

// By how much the share of runs that come to their end differs along an axis.
static double change_of_ends(const json_t *report, const char *axis)
{
    double largest = 0.0;
    size_t i, k;
    const json_t *one, *other;
    json_array_foreach(json_object_get(report, "ends_by_value"), i, one)
    {
        json_array_foreach(json_object_get(report, "ends_by_value"), k, other)
        {
            double shares[2];
            const json_t *const both[] = {one, other};
            for (int side = 0; side < 2; side++) {
                double good = json_number_value(json_object_get(both[side], "completed"));
                double bad = json_number_value(json_object_get(both[side], "other"));
                shares[side] = good + bad > 0.0 ? bad / (good + bad) : NAN;
            }
            if (strcmp(axis_text_of(one, "axis"), axis) == 0 &&
                strcmp(axis_text_of(other, "axis"), axis) == 0 &&
                strcmp(axis_text_of(one, "series"), axis_text_of(other, "series")) == 0)
                largest = fmax(largest, fabs(shares[0] - shares[1]));
        }
    }
    return largest;
}

// How much an axis does, as the report has it; -1: it has changed nothing.
static double strength_of(const json_t *report, const char *axis)
{
    size_t i;
    const json_t *one;
    json_array_foreach(json_object_get(report, "axes"), i, one)
    {
        if (strcmp(axis_text_of(one, "name"), axis) == 0 &&
            json_is_true(json_object_get(one, "changed_nothing")))
            return -1.0;
    }
    return fmax(largest_change(report, axis), change_of_ends(report, axis));
}

static int length_of(const struct outcome *outcome, int axis)
{
    return (int)outcome_axis_at(outcome, axis)->values->len;
}

// Whether an axis does more than another (-1: none), or as much with more values.
static bool is_before(const struct swept_picture *picture, const double *strengths, int axis,
                      int other)
{
    if (other < 0)
        return true;
    if (strengths[axis] != strengths[other])
        return strengths[axis] > strengths[other];
    return length_of(picture->outcome, axis) > length_of(picture->outcome, other);
}

// The axis that does most of those that vary, but for one (-1: none); -1: there is none.
static int strongest(const struct swept_picture *picture, const double *strengths, int but)
{
    int found = -1;
    for (int axis = 0; axis < (int)picture->outcome->axes->len; axis++)
        if (axis != but && length_of(picture->outcome, axis) > 1 &&
            is_before(picture, strengths, axis, found))
            found = axis;
    return found;
}

// ---- Axes that are drawn ----

static struct drawn_axis drawn_axis(const struct outcome *outcome, int number)
{
    struct drawn_axis drawn = {.axis = outcome_axis_at(outcome, number), .number = number};
    guint count = drawn.axis->values->len;
    drawn.places = g_new0(double, count + 1);
    const char *unit = axis_values_place(drawn.axis->values, drawn.places);
    drawn.numeric = unit != NULL;
    drawn.unit = unit ? unit : "";
    double low = INFINITY, high = -INFINITY;
    for (guint i = 0; drawn.numeric && i < count; i++) {
        low = MIN(low, drawn.places[i]);
        high = MAX(high, drawn.places[i]);
    }
    drawn.log = drawn.numeric && low > 0.0 && high / low > AXIS_LOG_SPAN;
    return drawn;
}

// Axes that change nothing and that were not asked for: only one of their values is drawn.
static void set_idle(struct swept_picture *picture, const double *strengths)
{
    const struct outcome *outcome = picture->outcome;
    for (int axis = 0; axis < (int)outcome->axes->len; axis++) {
        picture->idle[axis] = strengths[axis] < 0.0 && length_of(outcome, axis) > 1 &&
                              axis != picture->x.number &&
                              !(picture->y.axis && axis == picture->y.number);
        if (picture->idle[axis])
            notes_add(picture->notes, "%s changes nothing, so it is no axis here",
                      outcome_axis_at(outcome, axis)->name);
    }
}

// ---- Axes that are named ----

static bool is_called(const struct outcome_axis *axis, const char *name)
{
    char **parts = g_strsplit(axis->name, ", ", 0);
    bool found = strcmp(axis->name, name) == 0;
    for (int i = 0; parts[i] && !found; i++) {
        const char *last = strrchr(parts[i], '.');
        found = strcmp(parts[i], name) == 0 || (last && strcmp(last + 1, name) == 0);
    }
    g_strfreev(parts);
    return found;
}

// The axis that an option names, by its path or the last word of it. -1 and *error.
static int axis_named(const struct outcome *outcome, const char *option, const char *name,
                      GError **error)
{
    GString *all = g_string_new(NULL);
    int found = -1, count = 0;
    for (int axis = 0; axis < (int)outcome->axes->len; axis++) {
        const struct outcome_axis *of = outcome_axis_at(outcome, axis);
        g_string_append_printf(all, "%s, ", of->name);
        if (strcmp(of->name, name) == 0) {
            found = axis;
            count = 1;
            break;
        }
        if (is_called(of, name)) {
            found = axis;
            count++;
        }
    }
    if (count > 1)
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "%s %s: several axes are called so, give the whole path", option, name);
    else if (count == 0 && strcmp(name, CHOICE_SIZE_AXIS) == 0)
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "%s size: message sizes are an axis of lines, as --x", option);
    else if (count == 0)
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "%s %s: the sweep has no such axis (%s%s)", option, name, all->str,
                    CHOICE_SIZE_AXIS);
    g_string_free(all, TRUE);
    return count == 1 ? found : -1;
}

// ---- The choice ----

// How many message sizes one of the series has.
static int count_sizes(const struct outcome *outcome)
{
    GHashTable *sizes = g_hash_table_new(g_int64_hash, g_int64_equal);
    for (guint i = 0; i < outcome->curves->len; i++) {
        const struct outcome_curve *curve = outcome_curve_at(outcome, (int)i);
        if (curve->series == 0 && curve->size >= 0)
            g_hash_table_add(sizes, (gpointer)&curve->size);
    }
    int count = (int)g_hash_table_size(sizes);
    g_hash_table_unref(sizes);
    return count;
}

// The axes, where not named: *x and *y are -1 if there is none. An axis that changes nothing is
// drawn along y only if it is named.
static void choose_pair(const struct swept_picture *picture, const double *strengths, bool field,
                        int *x, int *y)
{
    if (*x < 0)
        *x = strongest(picture, strengths, *y);
    else
        return; // with x alone, lines are drawn
    if (*y >= 0 || !field)
        return;
    *y = strongest(picture, strengths, *x);
    if (*y >= 0 && strengths[*y] < 0.0)
        *y = -1;
    // Of the two the longer one goes along x, where there is more room.
    if (*y >= 0 &&
        (length_of(picture->outcome, *y) > length_of(picture->outcome, *x) ||
         (length_of(picture->outcome, *y) == length_of(picture->outcome, *x) && *y < *x))) {
        int other = *x;
        *x = *y;
        *y = other;
    }
}

// Puts the axes into the picture. False: the sweep varies nothing, and has no sizes either.
static bool set_axes(struct swept_picture *picture, const double *strengths, int x, int y)
{
    int sizes = count_sizes(picture->outcome);
    const char *wanted = choice_x(picture->choice);
    bool many = sizes >= (picture->together ? 2 : MANY_SIZES);
    picture->over_sizes = wanted ? strcmp(wanted, CHOICE_SIZE_AXIS) == 0 : y < 0 && many;
    if (x < 0 && !picture->over_sizes) {
        if (picture->outcome->axes->len == 0)
            return false;
        x = 0; // one value of everything was run
    }
    if (picture->over_sizes)
        picture->x.number = -1;
    else
        picture->x = drawn_axis(picture->outcome, x);
    if (y >= 0)
        picture->y = drawn_axis(picture->outcome, y);
    set_idle(picture, strengths);
    return true;
}

bool swept_choose_axes(struct swept_picture *picture, GError **error)
{
    const struct outcome *outcome = picture->outcome;
    const char *names[] = {choice_x(picture->choice), choice_y(picture->choice)};
    static const char *const options[] = {"--x", "--y"};
    int axes = (int)outcome->axes->len, chosen[] = {-1, -1};
    bool sizes = g_strcmp0(names[0], CHOICE_SIZE_AXIS) == 0;
    for (int i = 0; i < 2; i++) {
        if (!names[i] || (i == 0 && sizes))
            continue;
        chosen[i] = axis_named(outcome, options[i], names[i], error);
        if (chosen[i] < 0)
            return false;
    }
    if (picture->together && names[1]) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "--y %s: a field is of one sweep alone, and other results come into this "
                    "picture; without --y there are lines",
                    names[1]);
        return false;
    }
    if (sizes && names[1]) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "--x size --y %s: over message sizes there are lines, one for each value of %s "
                    "without --y",
                    names[1], names[1]);
        return false;
    }
    json_t *report = outcome_report_json(picture->runs);
    double *strengths = g_new0(double, axes + 1);
    for (int axis = 0; axis < axes; axis++)
        strengths[axis] = strength_of(report, outcome_axis_at(outcome, axis)->name);
    json_decref(report);
    if (!sizes)
        choose_pair(picture, strengths, !picture->together, &chosen[0], &chosen[1]);
    bool good = set_axes(picture, strengths, chosen[0], chosen[1]);
    if (!good)
        g_set_error(error, STORE_ERROR, 0, "its sweep varies nothing");
    g_free(strengths);
    return good;
}
