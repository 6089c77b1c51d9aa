// SPDX-License-Identifier: GPL-3.0-or-later
// netsim figures: the figures of the references, drawn from simulated results, on a page with their
// claims.
#include "sim/cli/cli.h"

#include "sim/figures/document.h"
#include "sim/figures/gallery.h"
#include "sim/output/file.h"
#include "sim/output/progress.h"
#include "sim/validate/validate.h"

#include <string.h>

static const char *const figures_formats[] = {"svg", "png", "pdf", NULL};

struct figures_arguments {
    char *format, *out;
    int jobs;
    gboolean again, list, quiet;
};

// A call of the command, while it runs.
struct drawing {
    const struct figures_arguments *arguments;
    const char *directory, *format;
    char *python, *database;
    const GPtrArray *figures; // struct figure_spec *
    GPtrArray *documents;     // json_t *
    struct progress *progress;
    int ran;   // cases that were run, not found
    bool lost; // a series lost data
    gint64 started;
};

static double seconds_since(gint64 start)
{
    return (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC;
}

// ---- Which ----

// The id or number that a word is nearest to, and all that there are.
static char *hint_for(const GPtrArray *specs, const char *word)
{
    GPtrArray *names = g_ptr_array_new();
    GString *hint = g_string_new(NULL);
    for (guint i = 0; i < specs->len; i++) {
        const struct figure_spec *spec = g_ptr_array_index(specs, i);
        g_ptr_array_add(names, (gpointer)spec->id);
        if (spec->number)
            g_ptr_array_add(names, (gpointer)spec->number);
        g_string_append_printf(hint, "%s%s", i > 0 ? ", " : "there are ", spec->id);
    }
    if (specs->len == 0)
        g_string_append(hint, "there are none");
    g_ptr_array_add(names, NULL);
    const char *nearest = diag_nearest(word, (const char *const *)names->pdata);
    if (nearest) {
        char *all = g_string_free(hint, FALSE);
        hint = g_string_new(NULL);
        g_string_printf(hint, "did you mean %s? %s", nearest, all);
        g_free(all);
    }
    g_ptr_array_unref(names);
    return g_string_free(hint, FALSE);
}

GPtrArray *cli_figure_specs(void)
{
    struct diag_list *diags = diag_list_new();
    GPtrArray *specs = figure_specs_load(cli_data_dir(), diags);
    diag_print(diags, stderr);
    diag_list_free(diags);
    return specs;
}

GPtrArray *cli_figures_named(const GPtrArray *specs, char **words)
{
    const char *unknown;
    GPtrArray *figures = gallery_select(specs, words, &unknown);
    if (figures && figures->len > 0)
        return figures;
    if (!figures) {
        char *hint = hint_for(specs, unknown);
        cli_error(hint, "there is no figure `%s'", unknown);
        g_free(hint);
        return NULL;
    }
    g_ptr_array_unref(figures);
    cli_error(NULL, "there are no figures in %s/references/figures", cli_data_dir());
    return NULL;
}

// ---- Running ----

static void figure_case(void *owner, int done, int total, const char *name)
{
    struct drawing *drawing = owner;
    drawing->ran++;
    progress_update(drawing->progress, 0, (double)done / MAX(total, 1), name);
}

static struct campaign_options campaign_of(struct drawing *drawing)
{
    return (struct campaign_options){
        .database = drawing->database,
        .data_dir = cli_data_dir(),
        .jobs = drawing->arguments->jobs,
        .run_again = drawing->arguments->again,
        .progress = figure_case,
        .progress_owner = drawing,
    };
}

// Reports on stderr what is missing from a picture.
static void print_notes(const char *id, json_t *document)
{
    size_t index, i, j;
    json_t *note, *panel, *series;
    GHashTable *said = g_hash_table_new(g_str_hash, g_str_equal);
    json_array_foreach(json_object_get(document, "notes"), index, note)
    {
        if (g_str_has_prefix(json_string_value(note), "not drawn: "))
            cli_error(NULL, "%s: %s", id, json_string_value(note));
    }
    json_array_foreach(json_object_get(document, "panels"), i, panel)
    {
        json_array_foreach(json_object_get(panel, "series"), j, series)
        {
            json_t *failure = json_object_get(series, "failure");
            const char *name = json_string_value(json_object_get(series, "name"));
            if (json_is_object(failure) && g_hash_table_add(said, (gpointer)name))
                cli_error(NULL, "%s: %s: %s", id, name,
                          json_string_value(json_object_get(failure, "text")));
        }
    }
    g_hash_table_unref(said);
}

void cli_figure_notes(json_t *document)
{
    print_notes(json_string_value(json_object_get(document, "id")), document);
}

bool cli_figure_lost(const json_t *document)
{
    int lost = figure_lost(document);
    if (lost > 0)
        cli_error("netsim run says which messages", "%s: %d series lost data, so %s no result",
                  json_string_value(json_object_get(document, "title")), lost,
                  lost == 1 ? "it is" : "they are");
    return lost > 0;
}

// Runs the scenarios that the figures need and makes their documents.
static bool figures_simulate(struct drawing *drawing, GError **error)
{
    struct campaign_options options = campaign_of(drawing);
    struct runs *runs = runs_new(&model_registry, &options, error);
    if (!runs)
        return false;
    for (guint i = 0; i < drawing->figures->len; i++)
        figure_need(g_ptr_array_index(drawing->figures, i), runs);
    bool good = runs_run(runs, error);
    for (guint i = 0; good && i < drawing->figures->len; i++)
        g_ptr_array_add(drawing->documents,
                        figure_document(g_ptr_array_index(drawing->figures, i), runs));
    runs_free(runs);
    return good;
}

// The verdicts on the claims of all figures, or NULL and *why.
static json_t *judge(struct drawing *drawing, char **why)
{
    GPtrArray *claims = gallery_claims(drawing->figures);
    struct validate_options options = {
        .data_dir = cli_data_dir(),
        .patterns = (const char *const *)claims->pdata,
        .campaign = campaign_of(drawing),
    };
    options.campaign.run_again = false; // the pictures' scenarios have just been run
    struct diag_list *diags = diag_list_new();
    GError *error = NULL;
    json_t *scorecard =
        claims->len > 1 ? validate_scorecard(&model_registry, &options, diags, &error) : NULL;
    if (!scorecard) {
        diag_print(diags, stderr);
        *why = g_strdup(error             ? error->message
                        : diag_any(diags) ? "the claims could not be read"
                                          : "no claims are named");
        cli_error(NULL, "no verdicts: %s", *why);
    }
    g_clear_error(&error);
    diag_list_free(diags);
    g_ptr_array_unref(claims);
    return scorecard;
}

// ---- Drawing ----

static void on_picture(void *owner, const char *line)
{
    struct drawing *drawing = owner;
    const char *blank = strrchr(line, ' ');
    char *name = blank ? g_strndup(line, (gsize)(blank - line)) : g_strdup(line);
    progress_update(drawing->progress, 0, 1.0, name);
    if (!drawing->arguments->quiet)
        cli_print("%s/%s\n", drawing->directory, name);
    g_free(name);
}

static void print_totals(const struct drawing *drawing, json_t *scorecard, double simulated,
                         double drawn)
{
    int series = 0, failed = 0;
    for (guint i = 0; i < drawing->documents->len; i++) {
        int failures;
        series += figure_count_series(g_ptr_array_index(drawing->documents, i), &failures);
        failed += failures;
    }
    json_t *totals = json_object_get(scorecard, "totals");
    json_t *predicted = json_object_get(totals, "predicted");
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%s/index.html\n\n%u %s with %d series", drawing->directory,
                           drawing->figures->len, drawing->figures->len == 1 ? "figure" : "figures",
                           series);
    if (failed > 0)
        g_string_append_printf(out, ", %d of them failed", failed);
    if (totals)
        g_string_append_printf(out,
                               "; %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " claims hold",
                               json_integer_value(json_object_get(totals, "holds")),
                               json_integer_value(json_object_get(totals, "claims")));
    if (json_integer_value(json_object_get(predicted, "claims")) > 0)
        g_string_append_printf(
            out, " (%" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " predicted ones)",
            json_integer_value(json_object_get(predicted, "hold")),
            json_integer_value(json_object_get(predicted, "claims")));
    g_string_append_printf(
        out, "; %d %s run, the others were in %s\n%.1f s: %.1f s to simulate, %.1f s to draw\n",
        drawing->ran, drawing->ran == 1 ? "case" : "cases", drawing->database,
        seconds_since(drawing->started), simulated, drawn);
    cli_print_text(out->str);
    g_string_free(out, TRUE);
}

// Runs, judges, writes and draws.
static bool draw_all(struct drawing *drawing, GError **error)
{
    char *why = NULL;
    if (!file_make_directory(drawing->directory, error) || !figures_simulate(drawing, error))
        return false;
    json_t *scorecard = judge(drawing, &why);
    double simulated = seconds_since(drawing->started);
    for (guint i = 0; i < drawing->documents->len; i++)
        cli_figure_notes(g_ptr_array_index(drawing->documents, i));
    for (guint i = 0; i < drawing->documents->len; i++)
        drawing->lost |= cli_figure_lost(g_ptr_array_index(drawing->documents, i));
    gint64 start = g_get_monotonic_time();
    bool good = gallery_write(drawing->directory, drawing->figures, drawing->documents, scorecard,
                              why, error) &&
                gallery_draw(drawing->directory, drawing->python, cli_data_dir(), drawing->format,
                             on_picture, drawing, error);
    progress_free(drawing->progress);
    drawing->progress = NULL;
    if (good && !drawing->arguments->quiet)
        print_totals(drawing, scorecard, simulated, seconds_since(start));
    json_decref(scorecard);
    g_free(why);
    return good;
}

static void unref_json(gpointer json)
{
    json_decref(json);
}

static enum cli_exit draw_figures(const GPtrArray *figures,
                                  const struct figures_arguments *arguments, int format)
{
    const char *directory = arguments->out ? arguments->out : "figures";
    GError *error = NULL;
    struct drawing drawing = {
        .arguments = arguments,
        .directory = directory,
        .format = figures_formats[format],
        .figures = figures,
        .documents = g_ptr_array_new_with_free_func(unref_json),
        .started = g_get_monotonic_time(),
    };
    // Before a long run: check for Python, which draws, and for the directory.
    bool good = file_check_directory(directory, &error) && (drawing.python = python_find(&error));
    if (good) {
        drawing.database = g_build_filename(directory, "cache.sqlite", NULL);
        drawing.progress = arguments->quiet ? NULL : progress_new(stderr, 1);
        good = draw_all(&drawing, &error);
        progress_free(drawing.progress);
    }
    enum cli_exit code = cli_exit_of(error, CLI_BAD_INPUT);
    if (!good)
        cli_refuse(error);
    g_ptr_array_unref(drawing.documents);
    g_free(drawing.database);
    g_free(drawing.python);
    if (!good)
        return code;
    return drawing.lost ? CLI_CHECK_FAILED : CLI_DONE;
}

static void print_list(const GPtrArray *figures)
{
    for (guint i = 0; i < figures->len; i++) {
        const struct figure_spec *figure = g_ptr_array_index(figures, i);
        cli_print("%-12s  %s (%s)\n", figure->id, figure->title, figure->source);
    }
}

static enum cli_exit figures_words(char **words, const void *data)
{
    const struct figures_arguments *arguments = data;
    int format = cli_choice("--format", arguments->format, figures_formats);
    GPtrArray *specs = format < 0 ? NULL : cli_figure_specs();
    GPtrArray *named = specs ? cli_figures_named(specs, words) : NULL;
    enum cli_exit code = named ? CLI_DONE : CLI_BAD_INPUT;
    if (named && arguments->list)
        print_list(named);
    else if (named)
        code = draw_figures(named, arguments, format);
    g_clear_pointer(&named, g_ptr_array_unref);
    g_clear_pointer(&specs, g_ptr_array_unref);
    return code;
}

const struct cli_option cli_figures_options[] = {
    CLI_FORMAT_OPTION(struct figures_arguments, format, figures_formats, NULL),
    {.name = "out",
     .value = CLI_TEXT,
     .offset = offsetof(struct figures_arguments, out),
     .argument = "DIR",
     .words = CLI_WORDS_DIRECTORY,
     .summary = "directory for the pictures instead of figures/"},
    CLI_JOBS_OPTION(struct figures_arguments, jobs),
    CLI_AGAIN_OPTION(struct figures_arguments, again),
    {.name = "list",
     .value = CLI_FLAG,
     .offset = offsetof(struct figures_arguments, list),
     .summary = "print the figures there are, draw nothing"},
    CLI_QUIET_OPTION(struct figures_arguments, quiet),
    CLI_OPTIONS_END,
};

enum cli_exit cli_figures(const struct cli_command *command, int argc, char **argv)
{
    struct figures_arguments arguments = {0};
    return cli_with_options(command, argc, argv, &arguments, figures_words);
}
