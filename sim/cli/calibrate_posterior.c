// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cli/calibrate_posterior.h"

#include "sim/calibrate/posterior_report.h"
#include "sim/config/tolerance.h"
#include "sim/output/json.h"
#include "sim/output/progress.h"
#include "sim/run/schema.h"

#include <math.h>
#include <string.h>

#define MOST_DISCREPANCY 1.0

bool calibrate_posterior_read(const char *draws, const char *discrepancy,
                              struct calibrate_posterior *request)
{
    guint64 number = 0;
    if (!draws) {
        cli_error("--draws 200", "--posterior: how many draws are to be weighed?");
        return false;
    }
    if (!g_ascii_string_to_unsigned(draws, 10, POSTERIOR_LEAST_DRAWS, POSTERIOR_MOST_DRAWS, &number,
                                    NULL)) {
        cli_error(NULL, "--draws %s: with --posterior it must be a number from %d to %d", draws,
                  POSTERIOR_LEAST_DRAWS, POSTERIOR_MOST_DRAWS);
        return false;
    }
    request->draws = (int)number;
    request->discrepancy = POSTERIOR_DISCREPANCY;
    struct tolerance read;
    if (!discrepancy)
        return true;
    if (tolerance_parse(discrepancy, NULL, &read) != TOLERANCE_GOOD ||
        read.amount >= MOST_DISCREPANCY) {
        cli_error("--discrepancy 2%", "--discrepancy %s: it must be a percentage below 100 %%",
                  discrepancy);
        return false;
    }
    request->discrepancy = read.amount;
    return true;
}

// "PATH={value: …, range: LO .. HI, …}": the middle is the median.
static char *range_setting(const struct fit_parameter *parameter)
{
    double middle = fit_parameter_round(parameter, sqrt(parameter->lo * parameter->hi));
    char *value = fit_parameter_text(parameter, middle);
    char *lo = fit_parameter_text(parameter, parameter->lo);
    char *hi = fit_parameter_text(parameter, parameter->hi);
    char *text = g_strdup_printf("%s={value: %s, range: %s .. %s, source: \"assumed: --fit\"}",
                                 parameter->path, value, lo, hi);
    g_free(value);
    g_free(lo);
    g_free(hi);
    return text;
}

bool calibrate_posterior_fits(char **fits, const struct scenario *scenario, GPtrArray *sets,
                              GPtrArray *named)
{
    for (int i = 0; fits && fits[i]; i++) {
        const char *equals = strchr(fits[i], '=');
        char *path =
            g_strstrip(equals ? g_strndup(fits[i], (gsize)(equals - fits[i])) : g_strdup(fits[i]));
        if (g_ptr_array_find_with_equal_func(named, path, g_str_equal, NULL)) {
            cli_error(NULL, "--fit %s: given twice", path);
            g_free(path);
            return false;
        }
        g_ptr_array_add(named, path);
        if (!equals)
            continue;
        GError *error = NULL;
        struct fit_parameter *parameter = fit_parameter_read(fits[i], scenario, &error);
        if (!parameter) {
            cli_refuse(error);
            return false;
        }
        if (parameter->lo > 0.0)
            g_ptr_array_add(sets, range_setting(parameter));
        else
            cli_error(NULL, "--fit %s: a range of draws begins above 0", path);
        bool good = parameter->lo > 0.0;
        fit_parameter_free(parameter);
        if (!good)
            return false;
    }
    return true;
}

// Whether all that --fit names is drawn.
static bool named_are_drawn(char **named, const struct uncertain_list *constants)
{
    for (int i = 0; named && named[i]; i++) {
        GPtrArray *paths = g_ptr_array_new();
        for (guint k = 0; k < constants->constants->len; k++)
            g_ptr_array_add(paths, uncertain_at(constants, k)->drawn->path);
        g_ptr_array_add(paths, NULL);
        bool there = g_strv_contains((const char *const *)paths->pdata, named[i]);
        g_ptr_array_unref(paths);
        if (there)
            continue;
        char *hint = g_strdup_printf("give it a range: --fit %s=LO..HI", named[i]);
        cli_error(hint, "--fit %s: draws of this scenario do not differ in it", named[i]);
        g_free(hint);
        return false;
    }
    return true;
}

// ---- Running ----

static void show_posterior_runs(void *owner, int done, int total, const char *name)
{
    char *text = g_strdup_printf("posterior: %d of %d, %s", done, total, name);
    progress_detail(owner, text);
    g_free(text);
}

// Whether the ensemble's file can be written, before draws are run in vain.
static bool posterior_is_writable(const char *path)
{
    GError *error = NULL;
    if (!path)
        return true;
    char *directory = g_path_get_dirname(path);
    struct file *file = file_make_directory(directory, &error) ? file_begin(path, &error) : NULL;
    g_free(directory);
    file_drop(file);
    if (!file)
        cli_refuse(error);
    return file != NULL;
}

static enum cli_exit write_posterior(const struct posterior *posterior,
                                     const struct calibrate_posterior *request)
{
    if (!request->out)
        return CLI_DONE;
    GError *error = NULL;
    char *text = posterior_ensemble(posterior, request->command);
    bool good = file_put(request->out, text, strlen(text), &error);
    g_free(text);
    return good ? CLI_DONE : cli_refuse(error);
}

static enum cli_exit present_posterior(const struct posterior *posterior,
                                       const struct calibrate_posterior *request)
{
    enum cli_exit code = write_posterior(posterior, request);
    json_t *document = posterior_json(posterior);
    if (request->json) {
        char *json = document_text(document); // takes the document
        fputs(json, stdout);
        g_free(json);
        return code;
    }
    struct cli_text text = cli_text_begin();
    posterior_print(document, request->named, text.file);
    cli_text_print(&text);
    json_decref(document);
    return code;
}

static enum cli_exit learn(const struct calibrate_posterior *request, struct campaign *campaign,
                           const struct uncertain_list *constants)
{
    GError *error = NULL;
    GPtrArray *none = g_ptr_array_new();
    struct evaluation evaluation = {
        .campaign = campaign,
        .file = request->scenario->file,
        .sets = (const char *const *)request->sets,
        .seed = request->scenario->seed,
        .targets = request->targets,
        .parameters = none,
    };
    const struct posterior_options options = {
        .draws = request->draws,
        .discrepancy = request->discrepancy,
        .seed = request->scenario->seed,
    };
    evaluation_init(&evaluation);
    struct posterior *posterior = posterior_new(&evaluation, constants, &options, &error);
    enum cli_exit code = cli_exit_of(error, CLI_RUN_FAILED);
    if (posterior)
        code = present_posterior(posterior, request);
    else
        cli_refuse(error);
    posterior_free(posterior);
    evaluation_clear(&evaluation);
    g_ptr_array_unref(none);
    return code;
}

enum cli_exit calibrate_posterior(const struct calibrate_posterior *request)
{
    GError *error = NULL;
    struct diag_list *diags = diag_list_new();
    struct uncertain_list *constants =
        uncertain_list_new(request->scenario, request->schema, request->draws, diags);
    diag_print(diags, stderr);
    diag_list_free(diags);
    enum cli_exit code = CLI_BAD_INPUT;
    if (constants && constants->constants->len == 0) {
        cli_error("give a constant a range: --fit PATH=LO..HI",
                  "no constant that the scenario reads is uncertain");
    } else if (constants && named_are_drawn(request->named, constants) &&
               posterior_is_writable(request->out)) {
        struct progress *progress = progress_new(stderr, 1);
        struct campaign_options options = {
            .database = request->database,
            .data_dir = cli_data_dir(),
            .jobs = request->jobs,
            .time_limit_s = request->time_limit_s,
            .progress = progress ? show_posterior_runs : NULL,
            .progress_owner = progress,
        };
        struct campaign *campaign = campaign_open(&model_registry, &options, &error);
        if (campaign)
            code = learn(request, campaign, constants);
        else
            cli_refuse(error);
        campaign_close(campaign);
        progress_free(progress);
    }
    uncertain_list_free(constants);
    return code;
}
