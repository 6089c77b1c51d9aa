// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cli/calibrate_draws.h"

#include "sim/core/shown.h"
#include "sim/output/file.h"
#include "sim/output/json.h"
#include "sim/output/progress.h"
#include "sim/output/text.h"
#include "sim/scenario/draw.h"
#include "sim/scenario/ensemble.h"
#include "sim/statistics/band.h"
#include "sim/statistics/rank.h"

#include <math.h>
#include <string.h>

#define BATCH 40        // draws after which the file is written
#define FIT_CHANCE 0.05 // that the greatest of all correlations is one
#define MOST_FIT_CAUSES 3
#define DRAWS_OPTION " --draws "

// A row of the file, made or kept.
struct drawn_row {
    char **values; // texts by parameter; NULL: there is no fit
    char *fault;
    bool there; // it is known
};

struct drawing_of_fits {
    const struct calibrate_draws *asked;
    struct refit *refit;
    struct drawn_row *rows; // by number of draw; the first is that of the medians
    const char **paths;     // NULL-terminated
    int searched, tried;
};

static const struct fit_parameter *drawn_parameter_at(const struct drawing_of_fits *drawing,
                                                      size_t index)
{
    return g_ptr_array_index(drawing->asked->evaluation->parameters, index);
}

static size_t drawn_parameters(const struct drawing_of_fits *drawing)
{
    return drawing->asked->evaluation->parameters->len;
}

static struct drawn_row row_of_values(const struct drawing_of_fits *drawing, const double *values,
                                      const char *fault)
{
    size_t p = drawn_parameters(drawing);
    struct drawn_row row = {.there = true, .fault = g_strdup(fault)};
    if (fault)
        return row;
    row.values = g_new0(char *, p + 1);
    for (size_t k = 0; k < p; k++)
        row.values[k] = fit_parameter_text(drawn_parameter_at(drawing, k), values[k]);
    return row;
}

// ---- The file ----

static char *file_of_rows(const struct drawing_of_fits *drawing)
{
    GString *text = g_string_new(NULL);
    char *comments = g_strdup_printf("Fitted in each draw; made by the command below, which gives "
                                     "the same values again. Do not edit.\n\n    %s\n",
                                     drawing->asked->command);
    bool faults = false;
    for (int draw = 0; draw <= drawing->asked->draws; draw++)
        faults |= drawing->rows[draw].fault != NULL;
    ensemble_append_head(text, comments, drawing->paths, faults);
    for (int draw = 0; draw <= drawing->asked->draws; draw++)
        if (drawing->rows[draw].there)
            ensemble_append_row(text, draw, drawn_parameters(drawing),
                                (const char *const *)drawing->rows[draw].values, faults,
                                drawing->rows[draw].fault);
    g_free(comments);
    return g_string_free(text, FALSE);
}

static bool write_rows(const struct drawing_of_fits *drawing, GError **error)
{
    const char *out = drawing->asked->out;
    if (!out)
        return true;
    char *directory = g_path_get_dirname(out), *text = file_of_rows(drawing);
    bool good = file_make_directory(directory, error) && file_put(out, text, strlen(text), error);
    g_free(directory);
    g_free(text);
    return good;
}

// A command without its number of draws and the file that it writes. The caller frees it.
static char *command_core(const char *command)
{
    const char *draws = strstr(command, DRAWS_OPTION);
    return draws ? g_strndup(command, (gsize)(draws - command)) : g_strdup(command);
}

static bool refuse_file(const char *file, const char *why)
{
    cli_error("--again makes it anew", "%s: %s", file, why);
    return false;
}

// Whether a file has the draws of this fit.
static bool is_of_this_command(const struct drawing_of_fits *drawing,
                               const struct ensemble *ensemble)
{
    char *one = command_core(ensemble->command ? ensemble->command : "");
    char *other = command_core(drawing->asked->command);
    bool check = drawing->asked->check != NULL; // compares, whatever made the file
    bool same =
        (check || strcmp(one, other) == 0) && ensemble->paths->len == drawn_parameters(drawing);
    for (guint i = 0; same && i < ensemble->paths->len; i++)
        same = strcmp(g_ptr_array_index(ensemble->paths, i), drawing->paths[i]) == 0;
    g_free(one);
    g_free(other);
    if (!same)
        return refuse_file(ensemble->file, "it was made by another command");
    const struct ensemble_row *row = ensemble_row_of(ensemble, 0);
    for (size_t k = 0; same && row && row->values && k < drawn_parameters(drawing); k++)
        same = strcmp(row->values[k], drawing->rows[0].values[k]) == 0;
    return same || refuse_file(ensemble->file, "it is of another fit: its row 0 differs from what "
                                               "is fitted without draws");
}

// NULL after a complaint.
static struct ensemble *load_file(const struct drawing_of_fits *drawing, const char *file)
{
    struct diag_list *diags = diag_list_new();
    struct ensemble *ensemble = ensemble_load(file, NULL, (struct source_mark){0}, diags);
    diag_print(diags, stderr);
    diag_list_free(diags);
    if (ensemble && is_of_this_command(drawing, ensemble))
        return ensemble;
    ensemble_free(ensemble);
    return NULL;
}

// Keeps the rows that the file has. Sets *all if no row is missing.
static bool keep_rows(struct drawing_of_fits *drawing, bool *all)
{
    const struct calibrate_draws *asked = drawing->asked;
    *all = false;
    if (!asked->out || asked->again || !g_file_test(asked->out, G_FILE_TEST_EXISTS))
        return true;
    struct ensemble *ensemble = load_file(drawing, asked->out);
    if (!ensemble)
        return false;
    *all = true;
    for (int draw = 1; draw <= asked->draws; draw++) {
        const struct ensemble_row *row = ensemble_row_of(ensemble, draw);
        *all &= row != NULL;
        if (row)
            drawing->rows[draw] =
                (struct drawn_row){g_strdupv(row->values), g_strdup(row->fault), true};
    }
    ensemble_free(ensemble);
    return true;
}

// ---- The fits ----

static void take_drawn_fit(struct drawing_of_fits *drawing, struct refit_draw *draw)
{
    drawing->rows[draw->draw] = row_of_values(drawing, draw->values, draw->fault);
    drawing->searched += draw->searched;
    drawing->tried += draw->tried;
    refit_draw_clear(draw);
}

static void show_fitted_draws(const struct drawing_of_fits *drawing, int done)
{
    char *text = g_strdup_printf("calibrate: %d of %d draws, %d runs", done, drawing->asked->draws,
                                 drawing->asked->evaluation->runs);
    progress_detail(drawing->asked->progress, text);
    g_free(text);
}

// Fits the draws that are missing.
static bool fit_missing(struct drawing_of_fits *drawing, GError **error)
{
    bool good = true;
    for (int next = 1; good && next <= drawing->asked->draws;) {
        struct refit_draw batch[BATCH] = {{0}};
        int count = 0;
        for (; next <= drawing->asked->draws && count < BATCH; next++)
            if (!drawing->rows[next].there)
                batch[count++].draw = next;
        if (count == 0)
            break;
        good = refit_run(drawing->refit, batch, count, error);
        for (int i = 0; good && i < count; i++)
            take_drawn_fit(drawing, &batch[i]);
        if (!good)
            for (int i = 0; i < count; i++)
                refit_draw_clear(&batch[i]);
        good = good && write_rows(drawing, error);
        show_fitted_draws(drawing, next - 1);
    }
    return good;
}

// ---- What it came to ----

// The values of a parameter in the draws that have a fit.
static GArray *fitted_values(const struct drawing_of_fits *drawing, size_t parameter)
{
    GArray *values = g_array_new(FALSE, FALSE, sizeof(double));
    for (int draw = 1; draw <= drawing->asked->draws; draw++) {
        double value;
        const struct drawn_row *row = &drawing->rows[draw];
        if (row->values && fit_parameter_number(drawn_parameter_at(drawing, parameter),
                                                row->values[parameter], &value))
            g_array_append_val(values, value);
    }
    return values;
}

static bool is_target_series(const struct drawing_of_fits *drawing, const char *name)
{
    GPtrArray *names = target_list_series(drawing->asked->evaluation->targets);
    bool found = g_strv_contains((const char *const *)names->pdata, name);
    g_ptr_array_unref(names);
    return found;
}

// The names of the inputs of the series that the targets use, each once.
static GPtrArray *inputs_of_targets(const struct drawing_of_fits *drawing)
{
    GPtrArray *all = g_ptr_array_new_with_free_func(g_free);
    const GPtrArray *cases = drawing->asked->scenario->cases;
    for (guint i = 0; i < cases->len; i++) {
        const struct scenario_case *test_case = g_ptr_array_index(cases, i);
        if (!is_target_series(drawing, test_case->name))
            continue;
        GPtrArray *inputs = draw_inputs(test_case, drawing->asked->schema);
        for (guint k = 0; k < inputs->len; k++)
            if (!g_ptr_array_find_with_equal_func(all, g_ptr_array_index(inputs, k), g_str_equal,
                                                  NULL))
                g_ptr_array_add(all, g_strdup(g_ptr_array_index(inputs, k)));
        g_ptr_array_unref(inputs);
    }
    return all;
}

struct causes_of_fits {
    GPtrArray *names;
    double **quantiles; // of each, in the draws that have a fit
    struct rank_inputs *ranks;
    size_t draws;
};

static struct causes_of_fits causes_new(const struct drawing_of_fits *drawing)
{
    struct causes_of_fits causes = {.names = inputs_of_targets(drawing)};
    for (int draw = 1; draw <= drawing->asked->draws; draw++)
        causes.draws += drawing->rows[draw].values != NULL;
    causes.quantiles = g_new0(double *, causes.names->len + 1);
    for (guint i = 0; i < causes.names->len; i++) {
        size_t at = 0;
        causes.quantiles[i] = g_new0(double, causes.draws + 1);
        for (int draw = 1; draw <= drawing->asked->draws; draw++)
            if (drawing->rows[draw].values)
                causes.quantiles[i][at++] = draw_quantile(draw, g_ptr_array_index(causes.names, i));
    }
    causes.ranks =
        rank_inputs_new((const double *const *)causes.quantiles, causes.names->len, causes.draws);
    return causes;
}

static void causes_clear(struct causes_of_fits *causes)
{
    rank_inputs_free(causes->ranks);
    for (guint i = 0; i < causes->names->len; i++)
        g_free(causes->quantiles[i]);
    g_free(causes->quantiles);
    g_ptr_array_unref(causes->names);
}

static json_t *fit_causes_json(const struct causes_of_fits *causes, const GArray *values)
{
    json_t *list = json_array();
    struct rank_regression regression =
        rank_regression_of(causes->ranks, (const double *)(const void *)values->data, FIT_CHANCE);
    for (size_t i = 0; i < regression.count && i < MOST_FIT_CAUSES; i++)
        json_array_append_new(list, json_pack("{s:s, s:f}", "of",
                                              (const char *)g_ptr_array_index(
                                                  causes->names, regression.list[i].input),
                                              "correlation", regression.list[i].value));
    rank_regression_clear(&regression);
    return list;
}

static json_t *drawn_parameter_json(const struct drawing_of_fits *drawing,
                                    const struct causes_of_fits *causes, size_t index)
{
    const struct fit_parameter *parameter = drawn_parameter_at(drawing, index);
    GArray *values = fitted_values(drawing, index);
    struct band band = band_of((const double *)(const void *)values->data, values->len);
    json_t *json = json_pack("{s:s, s:f, s:o}", "path", parameter->path, "value",
                             drawing->refit->medians->values[index], "causes",
                             fit_causes_json(causes, values));
    if (values->len > 0)
        json_object_update_new(json, json_pack("{s:f, s:f, s:f}", "median", band.median, "low",
                                               band.low, "high", band.high));
    json_object_set_new(json, "by_numbers", json_boolean(drawing->refit->by_numbers[index]));
    g_array_unref(values);
    return json;
}

static json_t *fitted_draws_json(const struct drawing_of_fits *drawing)
{
    struct causes_of_fits causes = causes_new(drawing);
    json_t *parameters = json_array(), *faults = json_array();
    for (size_t k = 0; k < drawn_parameters(drawing); k++)
        json_array_append_new(parameters, drawn_parameter_json(drawing, &causes, k));
    for (int draw = 1; draw <= drawing->asked->draws; draw++)
        if (!drawing->rows[draw].values)
            json_array_append_new(faults, json_pack("{s:i, s:s?}", "draw", draw, "reason",
                                                    drawing->rows[draw].fault));
    json_t *json =
        json_pack("{s:i, s:i, s:b, s:i, s:i, s:i, s:o, s:o}", "draws", drawing->asked->draws,
                  "fitted", (int)causes.draws, "scenario_is_fitted", drawing->refit->known, "runs",
                  drawing->asked->evaluation->runs, "searched", drawing->searched, "moved",
                  drawing->tried, "parameters", parameters, "faults", faults);
    causes_clear(&causes);
    return json;
}

static char *drawn_value_text(const struct fit_parameter *parameter, const json_t *json,
                              const char *key)
{
    const json_t *value = json_object_get(json, key);
    return value ? fit_parameter_text(parameter,
                                      fit_parameter_round(parameter, json_number_value(value)))
                 : g_strdup("-");
}

static void print_drawn_parameter(const struct drawing_of_fits *drawing, const json_t *json,
                                  size_t index, int width, FILE *out)
{
    const struct fit_parameter *parameter = drawn_parameter_at(drawing, index);
    char *now = drawn_value_text(parameter, json, "value"),
         *median = drawn_value_text(parameter, json, "median");
    char *low = drawn_value_text(parameter, json, "low"),
         *high = drawn_value_text(parameter, json, "high");
    char *band = g_strdup_printf("%s (%s .. %s)", median, low, high);
    fprintf(out, "%-*s %15s   %-40s", width, parameter->path, now, band);
    size_t i;
    const json_t *cause;
    json_array_foreach(json_object_get(json, "causes"), i, cause)
    {
        fprintf(out, "%s%s %+.2f", i ? ", " : " ", json_string_value(json_object_get(cause, "of")),
                json_number_value(json_object_get(cause, "correlation")));
    }
    fputc('\n', out);
    g_free(now);
    g_free(median);
    g_free(low);
    g_free(high);
    g_free(band);
}

static void print_draw_notes(const struct drawing_of_fits *drawing, const json_t *json, FILE *out)
{
    const json_t *faults = json_object_get(json, "faults"), *first = json_array_get(faults, 0);
    if (first)
        fprintf(out, "%zu draws have no fit. Draw %d: %s\n", json_array_size(faults),
                (int)json_integer_value(json_object_get(first, "draw")),
                json_string_value(json_object_get(first, "reason")));
    if (!drawing->refit->known)
        fputs("The scenario has other values than the fit without draws: write its overlay, too\n",
              out);
    if (drawing->searched)
        fprintf(out, "The search began anew in %d draws\n", drawing->searched);
    for (size_t k = 0; k < drawn_parameters(drawing); k++)
        if (!drawing->refit->by_numbers[k])
            fprintf(out,
                    "%s: no number depends on it. It stays where orders and crossovers are met no "
                    "worse than without draws, and moved in %d draws\n",
                    drawing->paths[k], drawing->tried);
}

static void print_fitted_draws(const struct drawing_of_fits *drawing, FILE *out)
{
    json_t *json = fitted_draws_json(drawing);
    int width = text_width("parameter");
    for (size_t k = 0; k < drawn_parameters(drawing); k++)
        width = MAX(width, text_width(drawing->paths[k]));
    fprintf(out, "%d draws, of which %d are fitted\n\n", drawing->asked->draws,
            (int)json_integer_value(json_object_get(json, "fitted")));
    fprintf(out, "%-*s %15s   %-40s %s\n", width, "parameter", "without draws",
            "in draws, median (5 % .. 95 %)", "goes with (correlation of ranks)");
    size_t i;
    const json_t *parameter;
    json_array_foreach(json_object_get(json, "parameters"), i, parameter)
    {
        print_drawn_parameter(drawing, parameter, i, width, out);
    }
    fputc('\n', out);
    print_draw_notes(drawing, json, out);
    json_decref(json);
}

// ---- Comparing ----

static bool same_row(const struct drawing_of_fits *drawing, const struct drawn_row *mine,
                     const struct ensemble_row *theirs)
{
    if (!theirs || !mine->values != !theirs->values)
        return false;
    bool same = true;
    for (size_t k = 0; same && mine->values && k < drawn_parameters(drawing); k++)
        same = strcmp(mine->values[k], theirs->values[k]) == 0;
    return same;
}

static char *row_text(char *const *values)
{
    return values ? g_strjoinv(", ", (char **)values) : g_strdup("no values");
}

static enum cli_exit check_rows(const struct drawing_of_fits *drawing)
{
    const char *file = drawing->asked->check;
    struct ensemble *ensemble = load_file(drawing, file);
    if (!ensemble)
        return CLI_BAD_INPUT;
    enum cli_exit code = CLI_DONE;
    for (int draw = 0; draw <= drawing->asked->draws; draw++) {
        const struct ensemble_row *row = ensemble_row_of(ensemble, draw);
        if (same_row(drawing, &drawing->rows[draw], row))
            continue;
        char *mine = row_text(drawing->rows[draw].values),
             *theirs = row_text(row ? row->values : NULL);
        cli_error(NULL, "%s: draw %d: %s, and the file has %s", file, draw, mine, theirs);
        g_free(mine);
        g_free(theirs);
        code = CLI_CHECK_FAILED;
    }
    ensemble_free(ensemble);
    return code;
}

// ---- The command ----

static enum cli_exit present_draws(const struct drawing_of_fits *drawing)
{
    if (drawing->asked->json) {
        char *json = document_text(fitted_draws_json(drawing));
        fputs(json, stdout);
        g_free(json);
    } else {
        struct cli_text text = cli_text_begin();
        print_fitted_draws(drawing, text.file);
        cli_text_print(&text);
        if (!drawing->asked->out && !drawing->asked->check) {
            char *file = file_of_rows(drawing);
            putchar('\n');
            shown_print(file, SHOWN_TEXT, stdout); // not folded
            g_free(file);
        }
    }
    return drawing->asked->check ? check_rows(drawing) : CLI_DONE;
}

static enum cli_exit draw_fits(struct drawing_of_fits *drawing, GError **error)
{
    bool all;
    drawing->rows[0] = row_of_values(drawing, drawing->refit->medians->values, NULL);
    if (!keep_rows(drawing, &all))
        return CLI_BAD_INPUT;
    if (!all && (!write_rows(drawing, error) || !fit_missing(drawing, error)))
        return cli_exit_of(*error, CLI_RUN_FAILED);
    return present_draws(drawing);
}

enum cli_exit calibrate_draws(const struct calibrate_draws *asked)
{
    GError *error = NULL;
    struct drawing_of_fits drawing = {.asked = asked};
    drawing.refit = refit_new(asked->evaluation, asked->method, &error);
    drawing.rows = g_new0(struct drawn_row, asked->draws + 1);
    drawing.paths = g_new0(const char *, drawn_parameters(&drawing) + 1);
    for (size_t k = 0; k < drawn_parameters(&drawing); k++)
        drawing.paths[k] = drawn_parameter_at(&drawing, k)->path;
    enum cli_exit code =
        drawing.refit ? draw_fits(&drawing, &error) : cli_exit_of(error, CLI_RUN_FAILED);
    if (error)
        cli_refuse(error);
    for (int draw = 0; draw <= asked->draws; draw++) {
        g_strfreev(drawing.rows[draw].values);
        g_free(drawing.rows[draw].fault);
    }
    g_free(drawing.rows);
    g_free(drawing.paths);
    refit_free(drawing.refit);
    return code;
}
