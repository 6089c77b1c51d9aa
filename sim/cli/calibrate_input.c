// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cli/calibrate_input.h"

#include "sim/output/file.h"

#include <string.h>

static void free_parameter(void *parameter)
{
    fit_parameter_free(parameter);
}

static bool report_fit(GError *error)
{
    cli_refuse(error);
    return false;
}

GPtrArray *calibrate_parameters(char **fits, const struct scenario *scenario)
{
    GPtrArray *parameters = g_ptr_array_new_with_free_func(free_parameter);
    bool good = true;
    for (int i = 0; good && fits[i]; i++) {
        GError *error = NULL;
        struct fit_parameter *parameter = fit_parameter_read(fits[i], scenario, &error);
        good = parameter || report_fit(error);
        for (guint k = 0; good && k < parameters->len; k++)
            if (strcmp(((struct fit_parameter *)g_ptr_array_index(parameters, k))->path,
                       parameter->path) == 0) {
                cli_error(NULL, "--fit %s: given twice", parameter->path);
                good = false;
            }
        if (parameter)
            g_ptr_array_add(parameters, parameter);
    }
    if (good)
        return parameters;
    g_ptr_array_unref(parameters);
    return NULL;
}

// NULL-terminated; the array alone is to be freed.
static GPtrArray *series_names(const struct scenario *scenario)
{
    GPtrArray *names = g_ptr_array_new();
    for (guint i = 0; i < scenario->cases->len; i++)
        g_ptr_array_add(names,
                        ((struct scenario_case *)g_ptr_array_index(scenario->cases, i))->name);
    g_ptr_array_add(names, NULL);
    return names;
}

static bool series_exist(const GPtrArray *known, const struct target_list *targets)
{
    bool good = true;
    for (guint i = 0; good && i < targets->targets->len; i++) {
        const struct target *target = g_ptr_array_index(targets->targets, i);
        for (guint k = 0; good && k < target->series->len; k++) {
            const char *name = g_ptr_array_index(target->series, k);
            good = g_strv_contains((const char *const *)known->pdata, name);
            if (good)
                continue;
            char *hint = cli_did_you_mean(name, (const char *const *)known->pdata);
            cli_error(hint, "%s: the scenario has no series \"%s\"", targets->file, name);
            g_free(hint);
        }
    }
    return good;
}

// Measured points as targets. NULL after an error that has been reported.
static struct target_list *read_points_of(const struct scenario *scenario, const char *file)
{
    GError *error = NULL;
    struct target_list *targets = target_list_measured(file, scenario, &error);
    if (!targets)
        report_fit(error);
    else if (targets->assumed > 0)
        cli_error("a column error has the errors of points",
                  "note: %s: %u of %u points have no error, and 1 %% of the value is assumed", file,
                  targets->assumed, targets->targets->len);
    return targets;
}

struct target_list *calibrate_targets(const struct scenario *scenario, const char *file)
{
    if (target_file_is_measured(file))
        return read_points_of(scenario, file);
    struct diag_list *diags = diag_list_new();
    GPtrArray *names = series_names(scenario);
    struct target_list *targets = target_list_load(file, (const char *const *)names->pdata, diags);
    diag_print(diags, stderr);
    diag_list_free(diags);
    if (targets && !series_exist(names, targets)) {
        target_list_free(targets);
        targets = NULL;
    }
    g_ptr_array_unref(names);
    return targets;
}

void calibrate_append_word(GString *text, const char *option, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./=,:";
    char *quoted = word[strspn(word, plain)] ? g_shell_quote(word) : g_strdup(word);
    g_string_append_printf(text, " %s%s%s", option, *option ? " " : "", quoted);
    g_free(quoted);
}

enum cli_exit calibrate_write(const char *path, const char *text)
{
    GError *error = NULL;
    char *directory = g_path_get_dirname(path);
    bool good =
        file_make_directory(directory, &error) && file_put(path, text, strlen(text), &error);
    g_free(directory);
    return good || report_fit(error) ? CLI_DONE : CLI_BAD_INPUT;
}
