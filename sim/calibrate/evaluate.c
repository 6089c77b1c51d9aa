// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/calibrate/evaluate.h"

#include "sim/core/sim.h"

#include <stdio.h>
#include <string.h>

// ---- What is run ----

static void group_free(void *data)
{
    struct evaluation_group *group = data;
    g_free(group->sizes);
    g_ptr_array_unref(group->series);
    g_free(group);
}

static char *sizes_setting(const struct target_list *targets, const char *series)
{
    GArray *sizes = target_list_sizes(targets, series);
    const char *unit = target_list_counts(targets, series) ? "" : " B";
    GString *text = g_string_new("workload.sizes=[");
    for (guint i = 0; i < sizes->len; i++)
        g_string_append_printf(text, "%s%" G_GINT64_FORMAT "%s", i ? ", " : "",
                               g_array_index(sizes, int64_t, i), unit);
    g_string_append_c(text, ']');
    g_array_unref(sizes);
    return g_string_free(text, FALSE);
}

// The group that has these sizes; a new one if there is none. Takes `sizes`.
static struct evaluation_group *group_of(GPtrArray *groups, char *sizes)
{
    for (guint i = 0; i < groups->len; i++) {
        struct evaluation_group *group = g_ptr_array_index(groups, i);
        if (strcmp(group->sizes, sizes) == 0) {
            g_free(sizes);
            return group;
        }
    }
    struct evaluation_group *group = g_new0(struct evaluation_group, 1);
    group->sizes = sizes;
    group->series = g_ptr_array_new();
    g_ptr_array_add(groups, group);
    return group;
}

void evaluation_init(struct evaluation *evaluation)
{
    evaluation->groups = g_ptr_array_new_with_free_func(group_free);
    GPtrArray *names = target_list_series(evaluation->targets);
    for (guint i = 0; i + 1 < names->len; i++) {
        char *name = g_ptr_array_index(names, i);
        char *sizes = sizes_setting(evaluation->targets, name);
        g_ptr_array_add(group_of(evaluation->groups, sizes)->series, name);
    }
    for (guint i = 0; i < evaluation->groups->len; i++) {
        struct evaluation_group *group = g_ptr_array_index(evaluation->groups, i);
        g_ptr_array_add(group->series, NULL);
    }
    g_ptr_array_unref(names);
}

void evaluation_clear(struct evaluation *evaluation)
{
    if (evaluation->groups)
        g_ptr_array_unref(evaluation->groups);
    evaluation->groups = NULL;
}

// The settings of the fitted parameters in a draw (0: none); NULL-terminated, g_strfreev.
static char **value_settings(const struct evaluation *evaluation, const double *values,
                             int64_t draw)
{
    GPtrArray *sets = g_ptr_array_new();
    if (draw > 0)
        g_ptr_array_add(sets, g_strdup_printf("draw=%" G_GINT64_FORMAT, draw));
    for (guint i = 0; i < evaluation->parameters->len; i++) {
        const struct fit_parameter *parameter = g_ptr_array_index(evaluation->parameters, i);
        char *text = fit_parameter_text(parameter, values[i]);
        g_ptr_array_add(sets, g_strdup_printf("%s=%s", parameter->path, text));
        g_free(text);
    }
    g_ptr_array_add(sets, NULL);
    return (char **)g_ptr_array_free(sets, FALSE);
}

// All settings of a group at one point: the sizes, the user's, the point's. Free the array alone.
static GPtrArray *group_settings(const struct evaluation *evaluation,
                                 const struct evaluation_group *group, char *const *point)
{
    GPtrArray *sets = g_ptr_array_new();
    g_ptr_array_add(sets, group->sizes);
    for (int i = 0; evaluation->sets && evaluation->sets[i]; i++)
        g_ptr_array_add(sets, (gpointer)evaluation->sets[i]);
    for (int i = 0; point[i]; i++)
        g_ptr_array_add(sets, point[i]);
    g_ptr_array_add(sets, NULL);
    return sets;
}

static bool refuse(GError **error, char *text)
{
    g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, text);
    g_free(text);
    return false;
}

static char *first_diagnostic(const struct diag_list *diags)
{
    const struct diag *first = diags->items->len ? g_ptr_array_index(diags->items, 0) : NULL;
    return g_strdup_printf("the scenario does not take the values: %s: %s",
                           first && first->path ? first->path : "?",
                           first ? first->message : "unknown");
}

GQuark evaluation_error_quark(void)
{
    return g_quark_from_static_string("netsim-evaluation-error");
}

// A run that lost data has values, and they are no result.
static bool nothing_was_lost(const json_t *document, GError **error)
{
    const json_t *series;
    size_t i;
    json_array_foreach(json_object_get(document, "series"), i, series)
    {
        const char *text =
            json_string_value(json_object_get(json_object_get(series, "reason"), "text"));
        if (g_strcmp0(json_string_value(json_object_get(series, "status")),
                      sim_status_name(SIM_LOST)) != 0)
            continue;
        g_set_error(error, EVALUATION_ERROR, EVALUATION_LOST, "%s lost data: %s",
                    json_string_value(json_object_get(series, "name")),
                    text ? text : "no reason was given");
        return false;
    }
    return true;
}

static bool judge(const struct evaluation *evaluation, const json_t *document, double *residuals,
                  GError **error)
{
    if (!nothing_was_lost(document, error))
        return false;
    for (guint i = 0; i < evaluation->targets->targets->len; i++) {
        const struct target *target = g_ptr_array_index(evaluation->targets->targets, i);
        char *why = NULL;
        if (!target_judge(target, document, residuals, &why))
            return refuse(error, why);
        residuals += target_residuals(target);
    }
    return true;
}

// Adds the runs of one point, one for each group. False and *fault (g_free) if it is refused.
static bool add_point(struct evaluation *evaluation, char *const *point, int *runs, char **fault)
{
    bool good = true;
    for (guint i = 0; good && i < evaluation->groups->len; i++) {
        const struct evaluation_group *group = g_ptr_array_index(evaluation->groups, i);
        GPtrArray *sets = group_settings(evaluation, group, point);
        struct diag_list *diags = diag_list_new();
        runs[i] = campaign_add_series(
            evaluation->campaign, evaluation->file, (const char *const *)sets->pdata,
            (const char *const *)group->series->pdata, evaluation->seed, diags);
        good = runs[i] >= 0;
        if (!good)
            *fault = first_diagnostic(diags);
        diag_list_free(diags);
        g_ptr_array_unref(sets);
    }
    return good;
}

// The runs of a point as one document: that of the first, with the series of all.
static json_t *document_of(const struct evaluation *evaluation, const int *runs)
{
    json_t *document = campaign_result(evaluation->campaign, runs[0]);
    for (guint i = 1; i < evaluation->groups->len; i++) {
        json_t *more = campaign_result(evaluation->campaign, runs[i]);
        json_array_extend(json_object_get(document, "series"), json_object_get(more, "series"));
        json_decref(more);
    }
    return document;
}

bool evaluation_documents(struct evaluation *evaluation, int count, char **const *points,
                          json_t **documents, char **faults, GError **error)
{
    g_assert(count > 0);
    ptrdiff_t groups = evaluation->groups->len;
    int *runs = g_new0(int, count *groups);
    bool good = true, *added = g_new0(bool, count);
    for (int i = 0; good && i < count; i++) {
        char *fault = NULL;
        added[i] = add_point(evaluation, points[i], runs + i * groups, &fault);
        if (fault && faults)
            faults[i] = fault;
        else if (fault)
            good = refuse(error, fault);
    }
    good = good && campaign_run(evaluation->campaign, error);
    for (int i = 0; good && i < count; i++)
        if (added[i])
            documents[i] = document_of(evaluation, runs + i * groups);
    g_free(added);
    g_free(runs);
    return good;
}

static void free_points(char ***points, int count)
{
    for (int i = 0; i < count; i++)
        g_strfreev(points[i]);
    g_free(points);
}

// Runs points, each of a draw if `draws` is not NULL. With `faults` a point that can't be run or
// judged has its reason there; without, it ends all.
static bool run_points(struct evaluation *evaluation, int count, const int64_t *draws,
                       const double *values, double *residuals, json_t **documents, char **faults,
                       GError **error)
{
    ptrdiff_t parameters = evaluation->parameters->len;
    int each = target_list_residuals(evaluation->targets);
    char ***points = g_new0(char **, count);
    json_t **found = g_new0(json_t *, count);
    for (int i = 0; i < count; i++)
        points[i] = value_settings(evaluation, values + i * parameters, draws ? draws[i] : 0);
    bool good = evaluation_documents(evaluation, count, points, found, faults, error);
    for (int i = 0; i < count; i++) {
        GError *fault = NULL;
        if (good && !(faults && faults[i]) &&
            !judge(evaluation, found[i], residuals + (ptrdiff_t)i * each, &fault)) {
            if (faults)
                faults[i] = g_strdup(fault->message);
            else
                good = false;
        }
        if (fault && !faults)
            g_propagate_error(error, fault);
        else
            g_clear_error(&fault);
        if (documents && good)
            documents[i] = json_incref(found[i]);
        json_decref(found[i]);
    }
    g_free(found);
    free_points(points, count);
    evaluation->runs += count;
    if (evaluation->progress)
        evaluation->progress(evaluation->progress_owner, evaluation->runs);
    return good;
}

bool evaluation_run(struct evaluation *evaluation, int count, const double *values,
                    double *residuals, json_t **documents, GError **error)
{
    return run_points(evaluation, count, NULL, values, residuals, documents, NULL, error);
}

bool evaluation_run_draws(struct evaluation *evaluation, int count, const int64_t *draws,
                          const double *values, double *residuals, char **faults, GError **error)
{
    return run_points(evaluation, count, draws, values, residuals, NULL, faults, error);
}
