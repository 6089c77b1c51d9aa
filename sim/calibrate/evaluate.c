// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/calibrate/evaluate.h"

#include <stdio.h>
#include <string.h>

void evaluation_init(struct evaluation *evaluation)
{
    GArray *sizes = target_list_sizes(evaluation->targets);
    GString *text = g_string_new("workload.sizes=[");
    for (guint i = 0; i < sizes->len; i++)
        g_string_append_printf(text, "%s%" G_GINT64_FORMAT " B", i ? ", " : "",
                               g_array_index(sizes, int64_t, i));
    g_string_append_c(text, ']');
    evaluation->sizes = g_string_free(text, FALSE);
    g_array_unref(sizes);
}

void evaluation_clear(struct evaluation *evaluation)
{
    g_free(evaluation->sizes);
    evaluation->sizes = NULL;
}

// The settings of one point; NULL-terminated, g_strfreev. The user's own come last, so that a
// number of repetitions that was asked for holds.
static char **settings(const struct evaluation *evaluation, const double *values)
{
    GPtrArray *sets = g_ptr_array_new();
    g_ptr_array_add(sets, g_strdup(evaluation->sizes));
    g_ptr_array_add(sets, g_strdup_printf("workload.repetitions=%d", CALIBRATE_REPETITIONS));
    for (int i = 0; evaluation->sets && evaluation->sets[i]; i++)
        g_ptr_array_add(sets, g_strdup(evaluation->sets[i]));
    for (guint i = 0; i < evaluation->parameters->len; i++) {
        const struct fit_parameter *parameter = g_ptr_array_index(evaluation->parameters, i);
        char *text = fit_parameter_text(parameter, values[i]);
        g_ptr_array_add(sets, g_strdup_printf("%s=%s", parameter->path, text));
        g_free(text);
    }
    g_ptr_array_add(sets, NULL);
    return (char **)g_ptr_array_free(sets, FALSE);
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

static bool judge(const struct evaluation *evaluation, const json_t *document, double *residuals,
                  GError **error)
{
    for (guint i = 0; i < evaluation->targets->targets->len; i++) {
        const struct target *target = g_ptr_array_index(evaluation->targets->targets, i);
        char *why = NULL;
        if (!target_judge(target, document, residuals, &why))
            return refuse(error, why);
        residuals += target_residuals(target);
    }
    return true;
}

static bool add_runs(struct evaluation *evaluation, int count, const double *values, int *runs,
                     GError **error)
{
    bool good = true;
    for (int i = 0; good && i < count; i++) {
        char **sets = settings(evaluation, values + (size_t)i * evaluation->parameters->len);
        struct diag_list *diags = diag_list_new();
        runs[i] = campaign_add(evaluation->campaign, evaluation->file, (const char *const *)sets,
                               evaluation->seed, diags);
        if (runs[i] < 0)
            good = refuse(error, first_diagnostic(diags));
        diag_list_free(diags);
        g_strfreev(sets);
    }
    return good;
}

bool evaluation_run(struct evaluation *evaluation, int count, const double *values,
                    double *residuals, json_t **documents, GError **error)
{
    int each = target_list_residuals(evaluation->targets);
    int *runs = g_new0(int, count);
    bool good = add_runs(evaluation, count, values, runs, error) &&
                campaign_run(evaluation->campaign, error);
    for (int i = 0; good && i < count; i++) {
        json_t *document = campaign_result(evaluation->campaign, runs[i]);
        good = judge(evaluation, document, residuals + (ptrdiff_t)i * each, error);
        if (documents && good)
            documents[i] = json_incref(document);
        json_decref(document);
    }
    g_free(runs);
    evaluation->runs += count;
    if (evaluation->progress)
        evaluation->progress(evaluation->progress_owner, evaluation->runs);
    return good;
}
