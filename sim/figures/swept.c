// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/figures/swept.h"

#include "sim/config/quantity.h"
#include "sim/figures/document.h"
#include "sim/figures/notes.h"
#include "sim/figures/swept_internal.h"
#include "sim/measure/result.h"
#include "sim/outcome/replicated.h"
#include "sim/output/text.h"

#include <math.h>
#include <string.h>

// Kinds of failures that a note is made of.
#define MOST_FAILURES 6

// ---- Curves ----

static GPtrArray *swept_metrics(const struct outcome *outcome)
{
    GPtrArray *metrics = g_ptr_array_new();
    for (guint i = 0; i < outcome->curves->len; i++) {
        gpointer metric = (gpointer)outcome_curve_at(outcome, (int)i)->metric;
        if (!g_ptr_array_find(metrics, metric, NULL))
            g_ptr_array_add(metrics, metric);
    }
    return metrics;
}

// ---- Notes ----

// Failures for one reason: how many, and the first of them.
struct reason {
    char *shape; // the reason without its numbers
    int point, series, count;
};

static void reason_free(gpointer data)
{
    struct reason *reason = data;
    g_free(reason->shape);
    g_free(reason);
}

static char *shape_of(const char *why)
{
    GString *shape = g_string_new(NULL);
    for (; *why; why++)
        if (!g_ascii_isdigit(*why))
            g_string_append_c(shape, *why);
    return g_string_free(shape, FALSE);
}

static void count_reason(GPtrArray *reasons, const struct outcome *outcome, int point, int series)
{
    char *why = swept_why(outcome, point, series), *shape = shape_of(why);
    struct reason *reason = NULL;
    for (guint i = 0; i < reasons->len && !reason; i++) {
        struct reason *one = g_ptr_array_index(reasons, i);
        if (one->series == series && strcmp(one->shape, shape) == 0)
            reason = one;
    }
    if (reason) {
        reason->count++;
        g_free(shape);
    } else {
        reason = g_new(struct reason, 1);
        *reason = (struct reason){.shape = shape, .point = point, .series = series, .count = 1};
        g_ptr_array_add(reasons, reason);
    }
    g_free(why);
}

static void note_reason(const struct swept_picture *picture, const struct reason *reason)
{
    const struct outcome *outcome = picture->outcome;
    GString *text = g_string_new(outcome->problems[reason->point] ? "\u2013 " : "\u00d7 ");
    g_string_append(text, outcome_series_name(outcome, reason->series));
    for (int axis = 0; axis < (int)outcome->axes->len; axis++) {
        char *name = swept_axis_name(picture, outcome_axis_at(outcome, axis));
        g_string_append_printf(text, ", %s=%s", name, swept_chosen(picture, reason->point, axis));
        g_free(name);
    }
    char *why = swept_why(outcome, reason->point, reason->series);
    g_string_append_printf(text, ": %s", why);
    if (reason->count > 1)
        g_string_append_printf(text, " (and %d more for this reason)", reason->count - 1);
    notes_add(picture->notes, "%s", text->str);
    g_free(why);
    g_string_free(text, TRUE);
}

// Points that did not complete: each reason once.
static void note_failures(const struct swept_picture *picture)
{
    const struct outcome *outcome = picture->outcome;
    GPtrArray *reasons = g_ptr_array_new_with_free_func(reason_free);
    for (int point = 0; point < outcome->points; point++)
        for (int series = 0; series < (int)outcome->series->len; series++)
            if (swept_state(outcome, point, series))
                count_reason(reasons, outcome, point, series);
    int rest = 0;
    for (guint i = 0; i < reasons->len; i++) {
        const struct reason *reason = g_ptr_array_index(reasons, i);
        if (i < MOST_FAILURES)
            note_reason(picture, reason);
        else
            rest += reason->count;
    }
    if (rest > 0)
        notes_add(picture->notes, "\u00d7 and %d more, for other reasons", rest);
    g_ptr_array_unref(reasons);
}

// ---- The picture ----

static bool has_sizes(const struct outcome *outcome, const char *metric)
{
    for (guint i = 0; i < outcome->curves->len; i++) {
        const struct outcome_curve *curve = outcome_curve_at(outcome, (int)i);
        if (curve->metric == metric && curve->size >= 0)
            return true;
    }
    return false;
}

// Along sizes only those metrics are drawn that have values of sizes, if there are any.
static void keep_sized(const struct outcome *outcome, GPtrArray *metrics)
{
    bool any = false;
    for (guint i = 0; i < metrics->len; i++)
        any = any || has_sizes(outcome, g_ptr_array_index(metrics, i));
    for (guint i = metrics->len; any && i-- > 0;)
        if (!has_sizes(outcome, g_ptr_array_index(metrics, i)))
            g_ptr_array_remove_index(metrics, i);
}

static json_t *draw(struct swept_picture *picture, int lost)
{
    const struct outcome *outcome = picture->outcome;
    json_t *panels = json_array();
    GPtrArray *metrics = swept_metrics(outcome);
    choice_of_metrics(picture->choice, metrics, picture->notes);
    if (picture->over_sizes && !picture->y.axis)
        keep_sized(outcome, metrics);
    if (picture->y.axis)
        swept_add_fields(picture, metrics, panels);
    else if (picture->over_sizes)
        swept_add_sizes(picture, metrics, panels);
    else
        swept_add_lines(picture, metrics, panels);
    g_ptr_array_unref(metrics);
    if (outcome_in_draws(outcome))
        notes_add(picture->notes,
                  picture->y.axis ? "medians of %d draws" : "median and 90 %% of %d draws",
                  outcome_replications(outcome));
    else if (outcome_replications(outcome) > 1)
        notes_add(picture->notes, "mean of %d seeds with its %g %% confidence interval",
                  outcome_replications(outcome), 100 * SUMMARY_CONFIDENCE);
    note_failures(picture);
    const char *title = outcome->description ? outcome->description : outcome->scenario;
    json_t *document = json_pack("{s:i,s:s,s:n,s:s,s:s,s:n,s:O,s:o}", "figure", 1, "id",
                                 outcome->scenario, "number", "file", outcome->scenario, "title",
                                 title, "source", "notes", picture->notes, "panels", panels);
    figure_set_lost(document, lost);
    return document;
}

// Runs with seeds or draws as replications; where nothing else varies, there is an axis of them.
static struct outcome *replicated(const struct outcome *runs)
{
    struct outcome *outcome = outcome_replicated(runs);
    if (outcome->axes->len == 0) {
        struct outcome_axis *axis =
            outcome_add_axis(outcome, outcome_in_draws(outcome) ? OUTCOME_DRAW : OUTCOME_SEED);
        g_ptr_array_add(axis->values,
                        g_strdup_printf("%d %s", outcome_replications(outcome),
                                        outcome_in_draws(outcome) ? "draws" : "seeds"));
    }
    return outcome;
}

// The picture of the runs as far as they are chosen.
static json_t *swept_json(struct outcome *runs, struct choice *choice, bool together,
                          GError **error)
{
    choice_of_outcome(choice, runs);
    struct outcome *outcome = replicated(runs);
    struct swept_picture picture = {.choice = choice,
                                    .together = together,
                                    .runs = runs,
                                    .outcome = outcome,
                                    .idle = g_new0(bool, outcome->axes->len + 1),
                                    .notes = json_array()};
    json_t *document =
        swept_choose_axes(&picture, error) ? draw(&picture, outcome_count_lost(runs)) : NULL;
    g_free(picture.idle);
    g_free(picture.x.places);
    g_free(picture.y.places);
    json_decref(picture.notes);
    outcome_free(outcome);
    return document;
}

json_t *swept_document(const char *database, struct choice *choice, bool together, GError **error)
{
    struct store *store = store_open_existing(database, error);
    struct outcome *runs = store ? outcome_read(store, error) : NULL;
    json_t *document = runs ? swept_json(runs, choice, together, error) : NULL;
    if (store && !document)
        g_prefix_error(error, "%s: ", database);
    outcome_free(runs);
    store_close(store);
    return document;
}
