// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/outcome/outcome_report.h"

#include "sim/outcome/draws_metrics.h"
#include "sim/outcome/outcome_metrics.h"
#include "sim/outcome/outcome_point.h"
#include "sim/outcome/replicated.h"
#include "sim/output/text.h"

#include <math.h>
#include <string.h>

#define MOST_REFUSED 10 // draws that are listed

// ---- How points ended ----

// Adds 1 to a member of an object of counts.
static void count_up(json_t *counts, const char *name)
{
    json_int_t count = json_integer_value(json_object_get(counts, name));
    json_object_set_new(counts, name, json_integer(count + 1));
}

// Series of runs, and points that are not possible.
static json_t *ends_json(const struct outcome *runs, const struct outcome *means)
{
    json_t *ends =
        json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "completed", 0, "lost", 0, "deadlock", 0,
                  "failed", 0, "crashed", 0, "missing", 0, "impossible", 0);
    for (int point = 0; point < means->points; point++)
        if (means->problems[point])
            count_up(ends, "impossible");
    for (int i = 0; i < runs->points * (int)runs->series->len; i++)
        if (runs->ends[i].status)
            count_up(ends, runs->ends[i].status);
    return ends;
}

// Returns the name of a series' end at a point: a kind of failure, else its status; NULL if it has
// none.
static const char *end_name(const struct outcome *outcome, int point, int series)
{
    const struct outcome_end *end = outcome_end_at(outcome, point, series);
    return end->kind ? end->kind : end->status;
}

static bool has_failed(const struct outcome_end *end)
{
    return end->status && strcmp(end->status, "completed") != 0 &&
           strcmp(end->status, "missing") != 0;
}

static json_t *find_failure(json_t *failures, const char *series, const char *kind)
{
    json_t *one;
    size_t i;
    json_array_foreach(failures, i, one)
    {
        if (strcmp(json_string_value(json_object_get(one, "series")), series) == 0 &&
            strcmp(json_string_value(json_object_get(one, "kind")), kind) == 0)
            return one;
    }
    return NULL;
}

// Each kind of failure once, with the first point that shows it.
static json_t *failures_json(const struct outcome *outcome)
{
    json_t *failures = json_array();
    for (int point = 0; point < outcome->points; point++)
        for (int series = 0; series < (int)outcome->series->len; series++) {
            const struct outcome_end *end = outcome_end_at(outcome, point, series);
            if (!has_failed(end))
                continue;
            const char *name = outcome_series_name(outcome, series);
            const char *kind = end_name(outcome, point, series);
            json_t *one = find_failure(failures, name, kind);
            if (!one) {
                one = json_pack("{s:s, s:s, s:s, s:s, s:o}", "series", name, "kind", kind, "status",
                                end->status, "text", end->text ? end->text : "", "first_point",
                                outcome_point_json(outcome, point));
                json_array_append_new(failures, one);
            }
            count_up(one, "count");
        }
    return failures;
}

// How one of the series ended at the points that have a value of an axis.
static json_t *ends_of_value(const struct outcome *outcome, int axis, int value, int series)
{
    const struct outcome_axis *of = outcome_axis_at(outcome, axis);
    json_t *kinds = json_object();
    int completed = 0, other = 0;
    for (int point = 0; point < outcome->points; point++) {
        const struct outcome_end *end = outcome_end_at(outcome, point, series);
        if (outcome_value_of(outcome, point, axis) != value || !end->status)
            continue;
        bool good = strcmp(end->status, "completed") == 0;
        completed += good;
        other += !good;
        if (!good)
            count_up(kinds, end_name(outcome, point, series));
    }
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:o}", "axis", of->name, "value",
                     (const char *)g_ptr_array_index(of->values, value), "series",
                     outcome_series_name(outcome, series), "completed", completed, "other", other,
                     "kinds", kinds);
}

static json_t *ends_by_value_json(const struct outcome *outcome)
{
    json_t *list = json_array();
    for (int axis = 0; axis < (int)outcome->axes->len; axis++)
        for (int series = 0; series < (int)outcome->series->len; series++)
            for (int value = 0; value < outcome_value_count(outcome, axis); value++)
                json_array_append_new(list, ends_of_value(outcome, axis, value, series));
    return list;
}

// How many of the points that have both values completed, and how many there are: a row for each
// value of the first axis, a column for each of the second.
static json_t *ends_of_pair(const struct outcome *outcome, int series, const int axes[2])
{
    json_t *completed = json_array(), *others = json_array();
    for (int i = 0; i < outcome_value_count(outcome, axes[0]); i++) {
        json_t *good_row = json_array(), *bad_row = json_array();
        for (int k = 0; k < outcome_value_count(outcome, axes[1]); k++) {
            int good = 0, bad = 0;
            for (int point = 0; point < outcome->points; point++) {
                const struct outcome_end *end = outcome_end_at(outcome, point, series);
                if (outcome_value_of(outcome, point, axes[0]) != i ||
                    outcome_value_of(outcome, point, axes[1]) != k || !end->status)
                    continue;
                good += strcmp(end->status, "completed") == 0;
                bad += has_failed(end);
            }
            json_array_append_new(good_row, json_integer(good));
            json_array_append_new(bad_row, json_integer(bad));
        }
        json_array_append_new(completed, good_row);
        json_array_append_new(others, bad_row);
    }
    return json_pack("{s:s, s:[s, s], s:o, s:o}", "series", outcome_series_name(outcome, series),
                     "axes", outcome_axis_at(outcome, axes[0])->name,
                     outcome_axis_at(outcome, axes[1])->name, "completed", completed, "failed",
                     others);
}

// For the first two axes that vary: where failures begin often depends on two at once.
static json_t *ends_by_pair_json(const struct outcome *outcome)
{
    json_t *list = json_array();
    int axes[2], varying = 0;
    for (int axis = 0; axis < (int)outcome->axes->len && varying < 2; axis++)
        if (outcome_value_count(outcome, axis) > 1)
            axes[varying++] = axis;
    for (int series = 0; varying == 2 && series < (int)outcome->series->len; series++)
        json_array_append_new(list, ends_of_pair(outcome, series, axes));
    return list;
}

// ---- What changes nothing ----

static bool same_value(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

// Whether two points have the same end and the same values; *known: whether both have been run.
static bool same_outcome(const struct outcome *outcome, int a, int b, bool *known)
{
    *known = !outcome->problems[a] && !outcome->problems[b];
    bool same = true;
    for (int series = 0; *known && series < (int)outcome->series->len; series++) {
        const char *one = end_name(outcome, a, series), *other = end_name(outcome, b, series);
        *known = g_strcmp0(one, "missing") != 0 && g_strcmp0(other, "missing") != 0;
        same &= g_strcmp0(one, other) == 0;
    }
    for (guint i = 0; *known && same && i < outcome->curves->len; i++) {
        const struct outcome_curve *curve = outcome_curve_at(outcome, (int)i);
        same = curve->bands ? outcome_same_in_draws(outcome, curve, a, b)
                            : same_value(curve->values[a], curve->values[b]);
    }
    return same;
}

// Each point is compared with the nearest one before it on the axis that has results, since those
// at the first value may be impossible or missing.
static bool changed_nothing(const struct outcome *outcome, int axis)
{
    bool compared = false;
    int stride = outcome_stride(outcome, axis);
    for (int point = 0; point < outcome->points; point++) {
        bool known = false;
        for (int back = 1; !known && back <= outcome_value_of(outcome, point, axis); back++)
            if (!same_outcome(outcome, point - back * stride, point, &known) && known)
                return false;
        compared |= known;
    }
    return compared;
}

// Whether the points at one value of an axis have the results of those at an earlier one.
static bool values_are_equal(const struct outcome *outcome, int axis, int one, int other)
{
    bool compared = false;
    int back = (other - one) * outcome_stride(outcome, axis);
    for (int point = 0; point < outcome->points; point++) {
        bool known = false;
        if (outcome_value_of(outcome, point, axis) != other)
            continue;
        if (!same_outcome(outcome, point - back, point, &known) || !known)
            return false;
        compared = true;
    }
    return compared;
}

// Groups of values, [["16", "32"], ...], that give the same results at every point.
static json_t *equal_values_json(const struct outcome *outcome, int axis)
{
    const GPtrArray *values = outcome_axis_at(outcome, axis)->values;
    bool *grouped = g_new0(bool, values->len);
    json_t *groups = json_array();
    for (guint first = 0; first < values->len; first++) {
        json_t *group = json_pack("[s]", g_ptr_array_index(values, first));
        for (guint i = first + 1; !grouped[first] && i < values->len; i++) {
            if (grouped[i] || !values_are_equal(outcome, axis, (int)first, (int)i))
                continue;
            grouped[i] = true;
            json_array_append_new(group, json_string(g_ptr_array_index(values, i)));
        }
        if (json_array_size(group) > 1)
            json_array_append(groups, group);
        json_decref(group);
    }
    g_free(grouped);
    return groups;
}

// ---- All of it ----

static json_t *axes_json(const struct outcome *outcome)
{
    json_t *axes = json_array();
    for (int axis = 0; axis < (int)outcome->axes->len; axis++) {
        const struct outcome_axis *of = outcome_axis_at(outcome, axis);
        json_t *values = json_array();
        for (guint i = 0; i < of->values->len; i++)
            json_array_append_new(values, json_string(g_ptr_array_index(of->values, i)));
        json_array_append_new(axes,
                              json_pack("{s:s, s:o, s:b, s:o}", "name", of->name, "values", values,
                                        "changed_nothing", changed_nothing(outcome, axis),
                                        "equal_values", equal_values_json(outcome, axis)));
    }
    return axes;
}

static void warn(json_t *warnings, char *text)
{
    json_array_append_new(warnings, json_string(text));
    g_free(text);
}

// Whether of several seeds or draws each gives the same at all points: nothing is random there.
static bool repeats_changed_nothing(const struct outcome *means)
{
    bool same = means->replications->len > 1;
    for (guint i = 0; same && i < means->curves->len; i++) {
        const struct outcome_curve *curve = outcome_curve_at(means, (int)i);
        for (int point = 0; same && point < means->points; point++) {
            const struct summary *summary = &curve->summaries[point];
            int runs = outcome_end_at(means, point, curve->series)->runs;
            same =
                summary->n * MAX(means->seed_count, 1) == runs && summary->least == summary->most;
        }
    }
    return same && means->curves->len > 0;
}

// Points of which some runs have given values, and some have not.
static void warn_of_parts(json_t *warnings, const struct outcome *means)
{
    int parts = 0, missed = 0, made = 0;
    for (int i = 0; i < means->points * (int)means->series->len; i++) {
        const struct outcome_end *end = &means->ends[i];
        if (end->completed == 0 || end->completed == end->runs)
            continue;
        parts++;
        missed += end->runs - end->completed;
        made += end->runs;
    }
    if (parts)
        warn(warnings, g_strdup_printf("%d of %d runs did not complete at %d point%s where others "
                                       "did: a mean of the others would leave out just the bad "
                                       "ones, so where a run has no value, the point counts "
                                       "neither as best or worst nor in an effect",
                                       missed, made, parts, parts == 1 ? "" : "s"));
}

#define MOST_SEEDS_NAMED 8

// Seeds of other sweeps are not taken along: they may be of a few points only.
static void warn_of_other_seeds(json_t *warnings, const struct outcome *means)
{
    guint count = means->other_seeds->len;
    GString *seeds = g_string_new(NULL);
    for (guint i = 0; i < MIN(count, MOST_SEEDS_NAMED); i++)
        g_string_append_printf(seeds, "%s%" G_GINT64_FORMAT, i ? ", " : "",
                               g_array_index(means->other_seeds, int64_t, i));
    warn(warnings, g_strdup_printf("other sweeps of this database have run cases of this one with "
                                   "%u more seed%s (%s%s), which are not counted here: a sweep "
                                   "with all of them takes what is there",
                                   count, count == 1 ? "" : "s", seeds->str,
                                   count > MOST_SEEDS_NAMED ? ", ..." : ""));
    g_string_free(seeds, TRUE);
}

// Of n packets that no fault struck: with 95 % the rate is at most this over n.
#define RULE_OF_THREE 3.0

static char *same_seeds_text(const struct outcome *means)
{
    if (means->risked_packets > 0)
        return g_strdup_printf(
            "the seeds changed nothing, but not for want of chance: links with random faults "
            "carried %" G_GINT64_FORMAT " packets in these runs, and none was struck so that a "
            "result changed. Runs with the same seed have the same chances, so that of these "
            "packets "
            "%" G_GINT64_FORMAT " count: with 95 %% confidence that happens to fewer than %.2g of "
            "all packets; what it does when it happens is not seen here (more seeds or repetitions "
            "would see it)",
            means->risked_packets, means->risked_apart,
            RULE_OF_THREE / (double)MAX(means->risked_apart, 1));
    if (means->random_choices > 0)
        return g_strdup_printf("the seeds changed nothing: protocols made %" G_GINT64_FORMAT
                               " random choices in these runs, and no result depends on them",
                               means->random_choices);
    return g_strdup("the seeds changed nothing: nothing in these runs is left to chance, and one "
                    "seed tells as much");
}

// The first run that was refused for the reason that most of those have; -1: none. *alike: how many
// runs that is, *refused: how many were refused.
static int most_refused(const struct outcome *runs, int *alike, int *refused)
{
    int best = -1;
    *alike = *refused = 0;
    for (int run = 0; run < runs->points; run++) {
        int same = 0;
        *refused += runs->problems[run] != NULL;
        for (int other = 0; runs->problems[run] && other < runs->points; other++)
            same += text_alike(runs->problems[run], runs->problems[other]);
        if (same > *alike) {
            *alike = same;
            best = run;
        }
    }
    return best;
}

// "50, 57": the draws that are refused at a point or more.
static char *refused_draws(const struct outcome *runs, int *count)
{
    GString *out = g_string_new(NULL);
    *count = 0;
    for (guint i = 0; i < runs->all_draws->len; i++) {
        int64_t draw = g_array_index(runs->all_draws, int64_t, i);
        bool is = false;
        for (int run = 0; run < runs->points; run++)
            is |= runs->draws[run] == draw && runs->problems[run];
        if (!is)
            continue;
        (*count)++;
        if (*count <= MOST_REFUSED)
            g_string_append_printf(out, "%s%" G_GINT64_FORMAT, out->len ? ", " : "", draw);
        else if (*count == MOST_REFUSED + 1)
            g_string_append(out, " ...");
    }
    return g_string_free(out, FALSE);
}

// Draws whose machine a rule does not allow, and what they have in common.
static void warn_of_refused_draws(json_t *warnings, const struct outcome *runs)
{
    int alike, refused, count, first = most_refused(runs, &alike, &refused);
    if (first < 0)
        return;
    char *draws = refused_draws(runs, &count);
    char *all = alike < refused ? g_strdup_printf("%d of %d because ", alike, refused)
                                : g_strdup("because ");
    warn(warnings,
         g_strdup_printf("%d of %d draws (%s) are of no possible machine at a point or "
                         "more, %s%s",
                         count, (int)runs->all_draws->len, draws, all, runs->problems[first]));
    g_free(all);
    g_free(draws);
}

static void warn_of_draws(json_t *warnings, const struct outcome *runs, const struct outcome *means)
{
    warn_of_refused_draws(warnings, runs);
    int parts = 0, failed = 0, ran = 0;
    for (int i = 0; i < means->points * (int)means->series->len; i++) {
        const struct outcome_end *end = &means->ends[i];
        parts += end->completed > 0 && end->completed < end->runs;
        failed += end->completed > 0 ? end->runs - end->completed : 0;
        ran += end->completed > 0 ? end->runs : 0;
    }
    if (repeats_changed_nothing(means))
        warn(warnings, g_strdup("the draws changed nothing: no uncertain constant plays a part"));
    if (parts)
        warn(warnings, g_strdup_printf("%d of %d runs did not complete at %d point%s where others "
                                       "did: bands and differences are of the draws that have a "
                                       "value, and a draw without one is not the best",
                                       failed, ran, parts, parts == 1 ? "" : "s"));
}

static void warn_of_seeds(json_t *warnings, const struct outcome *runs, const struct outcome *means)
{
    if (outcome_in_draws(means)) {
        warn_of_draws(warnings, runs, means);
        return;
    }
    if (repeats_changed_nothing(means))
        warn(warnings, same_seeds_text(means));
    if (means->replications->len > 1)
        warn_of_parts(warnings, means);
    if (means->replications->len > 0 && means->other_seeds->len > 0)
        warn_of_other_seeds(warnings, means);
}

static json_t *warnings_json(const struct outcome *runs, const struct outcome *means,
                             const json_t *axes, const json_t *ends)
{
    json_t *warnings = json_array();
    const json_t *axis;
    size_t i;
    json_array_foreach(axes, i, axis)
    {
        if (json_is_true(json_object_get(axis, "changed_nothing")))
            warn(warnings, g_strdup_printf("%s changed nothing: every result is the same at all of "
                                           "its values",
                                           json_string_value(json_object_get(axis, "name"))));
    }
    json_int_t impossible = json_integer_value(json_object_get(ends, "impossible"));
    for (int point = 0; impossible && point < means->points; point++) {
        if (!means->problems[point])
            continue;
        warn(warnings, g_strdup_printf("%d of %d points are not possible; the first because %s",
                                       (int)impossible, means->points, means->problems[point]));
        break;
    }
    warn_of_seeds(warnings, runs, means);
    json_int_t lost = json_integer_value(json_object_get(ends, "lost"));
    if (lost)
        warn(warnings, g_strdup_printf("%d runs lost data: their values count for nothing here, "
                                       "neither as best or worst nor in an effect",
                                       (int)lost));
    json_int_t missing = json_integer_value(json_object_get(ends, "missing"));
    if (missing)
        warn(warnings, g_strdup_printf("%d runs have not been made; the sweep goes on where it "
                                       "stopped when it is started again",
                                       (int)missing));
    return warnings;
}

// Of seeds or draws.
static json_t *numbers_json(const GArray *numbers)
{
    json_t *list = json_array();
    for (guint i = 0; i < numbers->len; i++)
        json_array_append_new(list, json_integer(g_array_index(numbers, int64_t, i)));
    return list;
}

json_t *outcome_report_json(const struct outcome *outcome)
{
    struct outcome *means = outcome_replicated(outcome);
    json_t *axes = axes_json(means), *ends = ends_json(outcome, means);
    json_t *warnings = warnings_json(outcome, means, axes, ends);
    json_t *report = json_pack(
        "{s:s, s:s, s:s*, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "scenario", outcome->scenario,
        "source", outcome->source, "counts", outcome->counts, "points", means->points, "axes", axes,
        "ends", ends, "failures", failures_json(outcome), "ends_by_value",
        ends_by_value_json(outcome), "ends_by_pair", ends_by_pair_json(outcome), "metrics",
        outcome_metrics_json(means), "warnings", warnings);
    if (outcome->replications->len > 1)
        json_object_set_new(report, "seeds", numbers_json(outcome->replications));
    if (outcome_in_draws(outcome)) {
        json_object_set_new(report, "draws", numbers_json(outcome->all_draws));
        json_object_set_new(report, "differences", draws_differences_json(means));
    }
    outcome_free(means);
    return report;
}
