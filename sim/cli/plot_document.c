// SPDX-License-Identifier: GPL-3.0-or-later
// The documents that `netsim plot` draws: one of each of its words, and all of them as one.
#include "sim/cli/plot.h"

#include "sim/campaign/campaign.h"
#include "sim/cli/sweep.h"
#include "sim/figures/document.h"
#include "sim/figures/measured.h"
#include "sim/figures/over_time.h"
#include "sim/figures/overlay.h"
#include "sim/figures/results.h"
#include "sim/figures/swept.h"
#include "sim/flow/flow.h"
#include "sim/output/file.h"
#include "sim/output/progress.h"
#include "sim/output/values.h"
#include "sim/run/run.h"
#include "sim/run/schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The kinds of words.
enum source_kind {
    SOURCE_SCENARIO,
    SOURCE_RUN,
    SOURCE_SWEEP,
    SOURCE_RESULTS,
    SOURCE_MEASURED,
    SOURCE_VALUES
};

struct source {
    enum source_kind kind;
    const char *word;
    char *label; // short, unlike the others'
    char *path;  // of the database, or of the file of CSV; else NULL
    char *text;  // of that file; else NULL
    gsize length;
};

// A document while it is put together.
struct plotter {
    const struct plot_arguments *arguments;
    struct choice *choice;
    struct source *sources;
    json_t **documents; // of each of them; NULL: not so far
    int count;
};

// ---- What is drawn ----

static bool is_database(const char *path)
{
    static const char magic[16] = "SQLite format 3";
    char start[sizeof magic] = {0};
    FILE *file = g_file_test(path, G_FILE_TEST_IS_REGULAR) ? fopen(path, "rbe") : NULL;
    if (!file)
        return false;
    size_t length = fread(start, 1, sizeof start, file);
    fclose(file);
    return length == sizeof start && memcmp(start, magic, sizeof magic) == 0;
}

// The database of a sweep that an argument names: itself, or the one in a directory in which no
// `run` has left results. NULL if it names something else; the caller frees it.
static char *plot_database_of(const char *argument)
{
    char *inside = g_build_filename(argument, SWEEP_DATABASE, NULL);
    char *manifest = g_build_filename(argument, "manifest.json", NULL);
    char *found = NULL;
    bool run = g_file_test(manifest, G_FILE_TEST_EXISTS);
    if (is_database(argument))
        found = g_strdup(argument);
    else if (is_database(inside) && !run)
        found = g_strdup(inside);
    else if (run && is_database(inside))
        cli_error(NULL, "note: drawn is the run in %s; of the sweep there, draw %s", argument,
                  inside);
    g_free(manifest);
    g_free(inside);
    return found;
}

static void plot_case(void *owner, int done, int total, const char *name)
{
    progress_update(owner, 0, (double)done / MAX(total, 1), name);
}

// Adds a scenario that is known to be right and runs it.
static json_t *run_file(const char *file, const struct plot_arguments *arguments, GError **error)
{
    struct progress *progress = arguments->quiet ? NULL : progress_new(stderr, 1);
    struct campaign_options options = {
        .data_dir = cli_data_dir(),
        .jobs = arguments->jobs,
        .time_limit_s = (int)ceil(arguments->limits.seconds),
        .progress = plot_case,
        .progress_owner = progress,
    };
    struct campaign *campaign = campaign_open(&model_registry, &options, error);
    json_t *result = NULL;
    if (campaign) {
        struct diag_list *diags = diag_list_new();
        int run = campaign_add(campaign, file, (const char *const *)arguments->sets, 0, diags);
        diag_print(diags, stderr);
        diag_list_free(diags);
        if (run < 0)
            g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s can't be run", file);
        else if (campaign_run(campaign, error))
            result = campaign_result(campaign, run);
        campaign_close(campaign);
    }
    progress_free(progress);
    return result;
}

// A short name of a word: its last part without the ending, or for a file that is called the same
// in all directories, the directory's.
static char *label_of(const char *word, enum source_kind kind)
{
    static const char *const same_in_all[] = {"results.csv", SWEEP_DATABASE};
    char *whole = g_strdup(word);
    for (size_t end = strlen(whole); end > 1 && whole[end - 1] == G_DIR_SEPARATOR; end--)
        whole[end - 1] = '\0';
    char *last = g_path_get_basename(whole);
    for (size_t i = 0; i < G_N_ELEMENTS(same_in_all); i++)
        if (strcmp(last, same_in_all[i]) == 0 && strcmp(last, whole) != 0) {
            char *directory = g_path_get_dirname(whole);
            g_free(last);
            last = g_path_get_basename(directory);
            g_free(directory);
            kind = SOURCE_RUN;
        }
    char *dot =
        kind == SOURCE_RUN || g_file_test(whole, G_FILE_TEST_IS_DIR) ? NULL : strrchr(last, '.');
    if (dot && dot > last)
        *dot = '\0';
    g_free(whole);
    return last;
}

// A file of measured points, whatever it is called.
static bool source_init_points(struct source *source, const char *file, GError **error)
{
    *source = (struct source){.kind = SOURCE_MEASURED,
                              .word = file,
                              .label = label_of(file, SOURCE_MEASURED),
                              .path = g_strdup(file)};
    return g_file_get_contents(file, &source->text, &source->length, error);
}

static bool source_init(struct source *source, const char *word, GError **error)
{
    *source = (struct source){.word = word, .path = plot_database_of(word)};
    bool good = true;
    if (source->path) {
        source->kind = SOURCE_SWEEP;
    } else if (g_file_test(word, G_FILE_TEST_IS_DIR)) {
        source->kind = SOURCE_RUN;
    } else if (g_str_has_suffix(word, ".csv") || g_str_has_suffix(word, ".CSV")) {
        source->path = g_strdup(word);
        good = g_file_get_contents(word, &source->text, &source->length, error);
        source->kind = !good                               ? SOURCE_MEASURED
                       : results_has_columns(source->text) ? SOURCE_RESULTS
                       : values_has_columns(source->text)  ? SOURCE_VALUES
                                                           : SOURCE_MEASURED;
    }
    source->label = label_of(word, source->kind);
    return good;
}

static void source_clear(struct source *source)
{
    g_free(source->label);
    g_free(source->path);
    g_free(source->text);
}

// Sources that would be called the same are called by the whole word.
static void tell_apart(struct plotter *plotter)
{
    for (int i = 0; i < plotter->count; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(plotter->sources[i].label, plotter->sources[k].label) == 0) {
                const int both[] = {i, k};
                for (int side = 0; side < 2; side++) {
                    struct source *source = &plotter->sources[both[side]];
                    g_free(source->label);
                    source->label = g_strdup(source->word);
                }
            }
}

// The result of a scenario; NULL after mistakes, which have been printed (*error is then NULL).
static json_t *result_of_scenario(const char *argument, const struct plot_arguments *arguments,
                                  GError **error)
{
    struct scenario_schema *schema = registry_schema(&model_registry);
    struct scenario *scenario =
        cli_scenario(schema, argument, arguments->sets, arguments->allow_unused, 0);
    const struct file_use out = {"--out", arguments->out, true};
    json_t *result = scenario && cli_files_differ(scenario, &out, 1)
                         ? run_file(scenario->file, arguments, error)
                         : NULL;
    if (scenario)
        scenario_free(scenario);
    registry_schema_free(schema);
    return result;
}

static json_t *result_of_directory(const char *directory, const struct plot_arguments *arguments,
                                   GError **error)
{
    char *csv = g_build_filename(directory, "results.csv", NULL);
    char *manifest = g_build_filename(directory, "manifest.json", NULL);
    const struct file_use uses[] = {{"--out", arguments->out, true},
                                    {"the results", csv, false},
                                    {"the manifest", manifest, false}};
    json_t *result =
        cli_files_differ(NULL, uses, G_N_ELEMENTS(uses)) ? results_read(directory, error) : NULL;
    g_free(manifest);
    g_free(csv);
    return result;
}

// ---- Documents ----

// Returns the user's choice of curves and axes; NULL after an error.
static struct choice *choice_of(const struct plot_arguments *arguments, GError **error)
{
    const struct choice_words words = {.x = arguments->x,
                                       .y = arguments->y,
                                       .metrics = arguments->metrics,
                                       .series = arguments->series,
                                       .sizes = arguments->sizes,
                                       .title = arguments->title,
                                       .log = arguments->log,
                                       .linear = arguments->linear};
    if (arguments->figure && (words.x || words.y || words.metrics || words.series || words.sizes)) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "--figure %s: a figure has its own axes, metrics, series and sizes",
                    arguments->figure);
        return NULL;
    }
    return choice_new(&words, error);
}

// Results of a run have no axes to choose among.
static bool has_axes(const struct choice *choice, const char *argument, GError **error)
{
    const char *names[] = {choice_x(choice), choice_y(choice)};
    for (int i = 0; i < 2; i++) {
        if (!names[i] || (i == 0 && strcmp(names[i], CHOICE_SIZE_AXIS) == 0))
            continue;
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "%s: --%c %s: a run has no axis but size, along x; other axes are those of a "
                    "sweep",
                    argument, i == 0 ? 'x' : 'y', names[i]);
        return false;
    }
    return true;
}

// The axes, series and marks of a figure, over a result that may be of any scenario with these
// series.
static json_t *document_as(const char *id, json_t *result)
{
    GPtrArray *specs = cli_figure_specs();
    char *words[] = {(char *)id, NULL};
    GPtrArray *figures = specs ? cli_figures_named(specs, words) : NULL;
    json_t *document = NULL;
    if (figures && figures->len == 1) {
        const struct figure_spec *spec = g_ptr_array_index(figures, 0);
        struct runs *runs = runs_new_empty();
        figure_given(spec, runs, result);
        document = figure_document(spec, runs);
        figure_drop_empty_panels(document);
        runs_free(runs);
    } else if (figures) {
        cli_error(NULL, "--figure %s: it names %u figures, and one is drawn", id, figures->len);
    }
    if (figures)
        g_ptr_array_unref(figures);
    if (specs)
        g_ptr_array_unref(specs);
    return document;
}

// Returns the panels made so far, a new reference, or NULL if there are none.
static json_t *panels_of(const struct plotter *plotter)
{
    json_t *panels = NULL;
    for (int i = 0; i < plotter->count; i++) {
        if (!plotter->documents[i])
            continue;
        panels = panels ? panels : json_array();
        json_array_extend(panels, json_object_get(plotter->documents[i], "panels"));
    }
    return panels;
}

static json_t *document_of_points(const struct plotter *plotter, const struct source *source,
                                  GError **error)
{
    json_t *panels = panels_of(plotter);
    json_t *document = measured_document(source->path, source->text, source->length, source->label,
                                         panels, plotter->choice, error);
    json_decref(panels);
    return document;
}

static bool has_sweep(const struct plotter *plotter)
{
    for (int i = 0; i < plotter->count; i++)
        if (plotter->sources[i].kind == SOURCE_SWEEP)
            return true;
    return false;
}

static json_t *document_of_result(const struct plotter *plotter, const struct source *source,
                                  GError **error)
{
    const struct plot_arguments *arguments = plotter->arguments;
    json_t *result =
        source->kind == SOURCE_RUN ? result_of_directory(source->word, arguments, error)
        : source->kind == SOURCE_RESULTS
            ? results_of_csv(source->path, source->text, source->length, source->label, error)
            : result_of_scenario(source->word, arguments, error);
    json_t *document = NULL;
    if (result && arguments->figure)
        document = document_as(arguments->figure, result);
    else if (result && (has_sweep(plotter) || has_axes(plotter->choice, source->word, error)))
        document = figure_of_result(result, plotter->choice);
    json_decref(result);
    return document;
}

// ---- Values over time ----

// Runs all series with a sink for their values; the text of these, or NULL after mistakes.
static char *values_of_run(const struct scenario *scenario, const struct plot_arguments *arguments,
                           size_t *length, GError **error)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    fputs(VALUES_COLUMNS "\n", out);
    struct recorder *values = recorder_part(&values_kind, out);
    struct run_options options = {.trace = &values->trace,
                                  .time_limit_s = arguments->limits.seconds};
    for (guint i = 0; i < scenario->cases->len; i++) {
        const struct scenario_case *test_case = g_ptr_array_index(scenario->cases, i);
        if (!cli_series_wanted(arguments->series, test_case->name))
            continue;
        recorder_begin(values, (int)i, test_case->name);
        struct series_result *result =
            flow_or_packets(&model_registry, test_case, (int)i, scenario->seed, &options);
        if (result->status != SIM_COMPLETED)
            cli_error(NULL, "note: %s: %s", result->name, sim_status_name(result->status));
        series_result_free(result);
    }
    bool whole = recorder_close(values, error);
    fclose(out);
    if (!whole)
        g_clear_pointer(&text, free);
    return text;
}

static json_t *values_of_scenario(const struct plotter *plotter, const struct source *source,
                                  GError **error)
{
    const struct plot_arguments *arguments = plotter->arguments;
    struct scenario_schema *schema = registry_schema(&model_registry);
    struct scenario *scenario =
        cli_scenario(schema, source->word, arguments->sets, arguments->allow_unused, 0);
    const struct file_use out = {"--out", arguments->out, true};
    size_t length = 0;
    char *text = scenario && cli_files_differ(scenario, &out, 1)
                     ? values_of_run(scenario, arguments, &length, error)
                     : NULL;
    json_t *document = text ? over_time_document(source->word, text, length, scenario->name,
                                                 plotter->choice, error)
                            : NULL;
    free(text);
    if (scenario)
        scenario_free(scenario);
    registry_schema_free(schema);
    return document;
}

static json_t *document_of(const struct plotter *plotter, const struct source *source,
                           GError **error)
{
    const struct file_use uses[] = {
        {"--out", plotter->arguments->out, true},
        {source->text ? "the points" : "the sweep", source->path, false}};
    if (source->path && !cli_files_differ(NULL, uses, G_N_ELEMENTS(uses)))
        return NULL;
    switch (source->kind) {
    case SOURCE_SWEEP:
        return swept_document(source->path, plotter->choice, plotter->count > 1, error);
    case SOURCE_MEASURED:
        return document_of_points(plotter, source, error);
    case SOURCE_VALUES:
        return over_time_document(source->path, source->text, source->length, source->label,
                                  plotter->choice, error);
    case SOURCE_SCENARIO:
        if (plotter->arguments->over_time)
            return values_of_scenario(plotter, source, error);
        return document_of_result(plotter, source, error);
    case SOURCE_RUN:
    case SOURCE_RESULTS:
        return document_of_result(plotter, source, error);
    }
    return NULL;
}

// ---- All of it ----

// Values over time are drawn of one run, and have neither sizes nor axes to choose among.
static bool check_values(const struct plotter *plotter, GError **error)
{
    const struct plot_arguments *arguments = plotter->arguments;
    bool values = arguments->over_time;
    const char *problem = NULL;
    for (int i = 0; i < plotter->count; i++) {
        values = values || plotter->sources[i].kind == SOURCE_VALUES;
        if (arguments->over_time && plotter->sources[i].kind != SOURCE_SCENARIO)
            problem = "--over-time goes with a scenario, which is run";
    }
    if (values && plotter->count > 1)
        problem = "values over time are drawn of one run alone";
    else if (values && (arguments->figure || arguments->x || arguments->y || arguments->sizes))
        problem = "values over time have no figure, sizes and axes to choose among";
    if (problem)
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s: %s", plotter->sources[0].word,
                    problem);
    return !problem;
}

// Refuses options that do not go with the sources.
static bool check_options(const struct plotter *plotter, GError **error)
{
    const struct plot_arguments *arguments = plotter->arguments;
    bool scenarios = false;
    if (!check_values(plotter, error))
        return false;
    for (int i = 0; i < plotter->count; i++) {
        const struct source *source = &plotter->sources[i];
        scenarios = scenarios || source->kind == SOURCE_SCENARIO;
        if (arguments->figure &&
            (source->kind == SOURCE_SWEEP || source->kind == SOURCE_MEASURED || plotter->count > 1))
            g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                        "%s: --figure goes with one run alone, and with no sweep", source->word);
        else
            continue;
        return false;
    }
    if (arguments->sets && !scenarios)
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "%s: what was run already, in a run or a sweep, can't be --set",
                    plotter->sources[0].word);
    return !arguments->sets || scenarios;
}

// The documents of all sources; of measured points last, as they go into the others' figures.
static bool make_documents(struct plotter *plotter, GError **error)
{
    for (int points = 0; points < 2; points++)
        for (int i = 0; i < plotter->count; i++) {
            const struct source *source = &plotter->sources[i];
            if ((source->kind == SOURCE_MEASURED) != (points == 1))
                continue;
            plotter->documents[i] = document_of(plotter, source, error);
            if (!plotter->documents[i])
                return false;
        }
    return true;
}

// The description of the scenario that was run into a directory; NULL: none. The caller frees it.
static char *description_of_run(const char *directory)
{
    char *path = g_build_filename(directory, "manifest.json", NULL);
    json_t *manifest = json_load_file(path, 0, NULL);
    char *text = g_strdup(json_string_value(json_object_get(manifest, "description")));
    json_decref(manifest);
    g_free(path);
    return text;
}

// Gives a picture of one run or sweep the description of its scenario as its title.
static void title_by_description(const struct source *source, json_t *document)
{
    const char *name = json_string_value(json_object_get(document, "id"));
    const char *title = json_string_value(json_object_get(document, "title"));
    if (!name || source->kind == SOURCE_MEASURED || source->kind == SOURCE_VALUES)
        return;
    char *text = source->kind == SOURCE_RUN        ? description_of_run(source->word)
                 : source->kind == SOURCE_SCENARIO ? cli_description_of(source->word)
                 : g_strcmp0(title, name) != 0     ? g_strdup(title)
                                                   : cli_description_of(name);
    if (text && *text) {
        *text = g_ascii_toupper(*text);
        json_object_set_new(document, "title", json_string(text));
    }
    g_free(text);
}

static json_t *joined(const struct plotter *plotter)
{
    if (plotter->count == 1) {
        if (!plotter->arguments->figure)
            title_by_description(&plotter->sources[0], plotter->documents[0]);
        return json_incref(plotter->documents[0]);
    }
    struct overlay_part *parts = g_new(struct overlay_part, plotter->count);
    for (int i = 0; i < plotter->count; i++)
        parts[i] = (struct overlay_part){plotter->sources[i].label, plotter->documents[i]};
    json_t *document = overlay_document(parts, (guint)plotter->count);
    g_free(parts);
    return document;
}

json_t *plot_document(char *const *words, int named, const struct plot_arguments *arguments,
                      GError **error)
{
    int count = named + (arguments->points ? (int)g_strv_length(arguments->points) : 0);
    struct plotter plotter = {.arguments = arguments,
                              .choice = choice_of(arguments, error),
                              .sources = g_new0(struct source, count),
                              .documents = g_new0(json_t *, count),
                              .count = count};
    json_t *document = NULL;
    bool good = plotter.choice != NULL;
    for (int i = 0; good && i < count; i++)
        good = i < named
                   ? source_init(&plotter.sources[i], words[i], error)
                   : source_init_points(&plotter.sources[i], arguments->points[i - named], error);
    if (good)
        tell_apart(&plotter);
    if (good && check_options(&plotter, error) && make_documents(&plotter, error) &&
        choice_check(plotter.choice, error)) {
        document = joined(&plotter);
        bool any = json_array_size(json_object_get(document, "panels")) > 0;
        if (!any)
            g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                        "%s: there is nothing in it that is chosen", words[0]);
        if (!any || !choice_finish(plotter.choice, document, error))
            g_clear_pointer(&document, json_decref);
    }
    for (int i = 0; i < count; i++) {
        json_decref(plotter.documents[i]);
        source_clear(&plotter.sources[i]);
    }
    g_free(plotter.documents);
    g_free(plotter.sources);
    choice_free(plotter.choice);
    return document;
}
