// SPDX-License-Identifier: GPL-3.0-or-later
// netsim plot: one picture of a scenario, of the results of a run, or of a sweep.
#include "sim/cli/cli.h"

#include "sim/campaign/campaign.h"
#include "sim/figures/document.h"
#include "sim/figures/results.h"
#include "sim/figures/swept.h"
#include "sim/output/file.h"
#include "sim/output/json.h"
#include "sim/output/progress.h"
#include "sim/output/python.h"

#include <math.h>
#include <string.h>

static const char *const formats[] = {"svg", "png", "pdf", NULL};

struct plot_arguments {
    char *figure, *format, *out, **sets;
    char *x, *y, *title, *log, *linear, **metrics, **series, **sizes;
    struct cli_limits limits;
    int jobs;
    gboolean quiet, allow_unused;
};

static void report(GError *error)
{
    cli_error(NULL, "%s", error->message);
    g_error_free(error);
}

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

// The database of a sweep that an argument names: itself, or what is in a directory in which no
// `run` has left results. NULL if it names something else; the caller frees it.
static char *database_of(const char *argument)
{
    char *inside = g_build_filename(argument, "sweep.sqlite", NULL);
    char *manifest = g_build_filename(argument, "manifest.json", NULL);
    char *found = NULL;
    if (is_database(argument))
        found = g_strdup(argument);
    else if (is_database(inside) && !g_file_test(manifest, G_FILE_TEST_EXISTS))
        found = g_strdup(inside);
    g_free(manifest);
    g_free(inside);
    return found;
}

static void on_case(void *owner, int done, int total, const char *name)
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
        .progress = on_case,
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

// ---- As what ----

// What the user chooses of what is drawn; NULL after an error.
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

static json_t *document_of(const char *argument, const struct plot_arguments *arguments,
                           struct choice *choice, GError **error)
{
    char *database = database_of(argument);
    if (database) {
        json_t *swept = NULL;
        const struct file_use uses[] = {{"--out", arguments->out, true},
                                        {"the sweep", database, false}};
        if (!arguments->figure && !arguments->sets)
            swept = cli_files_differ(NULL, uses, 2) ? swept_document(database, choice, false, error)
                                                    : NULL;
        else
            g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                        "%s: neither --figure nor --set goes with a sweep", argument);
        g_free(database);
        return swept;
    }
    json_t *result;
    if (!g_file_test(argument, G_FILE_TEST_IS_DIR)) {
        result = result_of_scenario(argument, arguments, error);
    } else if (arguments->sets) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "%s: what was run already can't be --set", argument);
        return NULL;
    } else {
        result = result_of_directory(argument, arguments, error);
    }
    if (!result || !has_axes(choice, argument, error)) {
        json_decref(result);
        return NULL;
    }
    json_t *document = arguments->figure ? document_as(arguments->figure, result)
                                         : figure_of_result(result, choice);
    json_decref(result);
    return document;
}

// ---- Drawing ----

// The format that --format or the end of --out names; -1 after a complaint.
static int format_of(const struct plot_arguments *arguments)
{
    char *name = arguments->out ? g_path_get_basename(arguments->out) : g_strdup("");
    const char *dot = strrchr(name, '.');
    int format = 0;
    if (arguments->format || !dot || dot == name) {
        format = cli_choice("--format", arguments->format, formats);
    } else {
        while (formats[format] && strcmp(dot + 1, formats[format]) != 0)
            format++;
        if (!formats[format]) {
            cli_error("or say which it is to be with --format",
                      "--out %s: a picture ends in .svg, .png or .pdf", arguments->out);
            format = -1;
        }
    }
    g_free(name);
    return format;
}

static char *default_file(json_t *document, const char *format)
{
    const char *file = json_string_value(json_object_get(document, "file"));
    char *name = g_strdelimit(g_strdup(file), G_DIR_SEPARATOR_S, '_');
    if (*name == '.')
        *name = '_';
    char *with_suffix = g_strconcat(name, ".", format, NULL);
    char *path = g_build_filename("figures", with_suffix, NULL);
    g_free(with_suffix);
    g_free(name);
    return path;
}

static bool draw(json_t *document, const char *python, const char *format, const char *out,
                 GError **error)
{
    char *text = json_document_text(json_incref(document));
    char *where = g_strconcat("--out=", out, NULL); // `out` may begin with -
    const char *const arguments[] = {"--format", format, where, "-", NULL};
    struct python_call call = {.python = python,
                               .data_dir = cli_data_dir(),
                               .script = "draw.py",
                               .arguments = arguments,
                               .input = text};
    bool good = python_run(&call, error);
    g_free(where);
    g_free(text);
    return good;
}

static enum cli_exit plot(const char *argument, const struct plot_arguments *arguments)
{
    int format = format_of(arguments);
    if (format < 0)
        return CLI_BAD_INPUT;
    GError *error = NULL;
    json_t *document = NULL;
    struct choice *choice = choice_of(arguments, &error);
    char *python = choice ? python_find(&error) : NULL, *out = NULL;
    enum cli_exit code = CLI_BAD_INPUT;
    if (python && (document = document_of(argument, arguments, choice, &error)) &&
        choice_check(choice, &error) && choice_finish(choice, document, &error)) {
        out = arguments->out ? g_strdup(arguments->out) : default_file(document, formats[format]);
        cli_figure_notes(document);
        if (draw(document, python, formats[format], out, &error)) {
            code = cli_figure_lost(document) ? CLI_CHECK_FAILED : CLI_DONE;
            if (!arguments->quiet)
                cli_print("%s\n", out);
        }
    }
    code = cli_exit_of(error, code);
    if (error)
        report(error);
    json_decref(document);
    g_free(out);
    g_free(python);
    choice_free(choice);
    return code;
}

static const char *const axes[] = {"x", "y", "xy", NULL};

const struct cli_option cli_plot_options[] = {
    {.name = "x",
     .value = CLI_TEXT,
     .offset = offsetof(struct plot_arguments, x),
     .argument = "AXIS",
     .summary = "what a sweep has along x: a parameter, or size",
     .more = "A parameter by its path or the last word of it. There are lines then, one for each "
             "combination of what else varies."},
    {.name = "y",
     .value = CLI_TEXT,
     .offset = offsetof(struct plot_arguments, y),
     .argument = "AXIS",
     .summary = "draw fields of colours with this parameter of a sweep along y"},
    {.name = "metric",
     .value = CLI_LIST,
     .offset = offsetof(struct plot_arguments, metrics),
     .argument = "NAME",
     .summary = "only this metric (repeatable)",
     .more = "By its whole name (`latency_us`) or without the unit (`latency`)."},
    {.name = "series",
     .value = CLI_LIST,
     .offset = offsetof(struct plot_arguments, series),
     .argument = "NAME",
     .summary = "only this one of the series (repeatable)"},
    {.name = "size",
     .value = CLI_LIST,
     .offset = offsetof(struct plot_arguments, sizes),
     .argument = "SIZE",
     .summary = "draw only this message size, or range A..B (repeatable); without a unit: bytes"},
    {.name = "title",
     .value = CLI_TEXT,
     .offset = offsetof(struct plot_arguments, title),
     .argument = "TEXT",
     .summary = "what stands above the picture"},
    {.name = "log",
     .value = CLI_TEXT,
     .offset = offsetof(struct plot_arguments, log),
     .argument = "AXES",
     .choices = axes,
     .words = CLI_WORDS_CHOICE,
     .summary = "logarithmic scale",
     .more = "Without this and the next what fits the values."},
    {.name = "linear",
     .value = CLI_TEXT,
     .offset = offsetof(struct plot_arguments, linear),
     .argument = "AXES",
     .choices = axes,
     .words = CLI_WORDS_CHOICE,
     .summary = "linear scale"},
    {.name = "figure",
     .value = CLI_TEXT,
     .offset = offsetof(struct plot_arguments, figure),
     .argument = "ID",
     .words = CLI_WORDS_FIGURE,
     .summary = "draw it as this figure of the references: its axes, series and marks",
     .more = "The results stand for the scenario of their name, or if the figure has none of "
             "it for that which the figure is about; curves of other scenarios are left out, "
             "and a note says so."},
    CLI_FORMAT_OPTION(struct plot_arguments, format, formats, NULL),
    {.name = "out",
     .value = CLI_TEXT,
     .offset = offsetof(struct plot_arguments, out),
     .argument = "FILE",
     .words = CLI_WORDS_FILE,
     .summary = "the picture's file instead of figures/NAME.FORMAT"},
    CLI_SET_OPTION(struct plot_arguments, sets),
    CLI_UNUSED_OPTION(struct plot_arguments, allow_unused),
    CLI_LIMIT_OPTIONS(struct plot_arguments, limits),
    CLI_JOBS_OPTION(struct plot_arguments, jobs),
    CLI_QUIET_OPTION(struct plot_arguments, quiet),
    CLI_OPTIONS_END,
};

enum cli_exit cli_plot(const struct cli_command *command, int argc, char **argv)
{
    struct plot_arguments arguments = {0};
    enum cli_exit code;
    if (cli_parse(command, &arguments, &argc, &argv, &code)) {
        code = CLI_BAD_INPUT;
        if (cli_limits_read(&arguments.limits, &arguments.sets))
            code = plot(argv[1], &arguments);
    }
    cli_clear(command, &arguments);
    return code;
}
