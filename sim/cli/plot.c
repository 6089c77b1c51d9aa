// SPDX-License-Identifier: GPL-3.0-or-later
// netsim plot: one picture of scenarios, results of runs, sweeps and measured points.
#include "sim/cli/plot.h"

#include "sim/output/json.h"
#include "sim/output/python.h"

#include <string.h>

static const char *const plot_formats[] = {"svg", "png", "pdf", NULL};

// ---- Drawing ----

// The format that --format or the end of --out names; -1 after a complaint.
static int format_of(const struct plot_arguments *arguments)
{
    char *name = arguments->out ? g_path_get_basename(arguments->out) : g_strdup("");
    const char *dot = strrchr(name, '.');
    int format = 0;
    if (arguments->format || !dot || dot == name) {
        format = cli_choice("--format", arguments->format, plot_formats);
    } else {
        while (plot_formats[format] && strcmp(dot + 1, plot_formats[format]) != 0)
            format++;
        if (!plot_formats[format]) {
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

static bool plot_draw(json_t *document, const char *python, const char *format, const char *out,
                      GError **error)
{
    char *text = document_text(json_incref(document));
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

static enum cli_exit plot(char **words, const void *data)
{
    const struct plot_arguments *arguments = data;
    int format = format_of(arguments);
    if (format < 0)
        return CLI_BAD_INPUT;
    GError *error = NULL;
    json_t *document = NULL;
    char *python = python_find(&error), *out = NULL;
    enum cli_exit code = CLI_BAD_INPUT;
    if (python && (document = plot_document(words, (int)g_strv_length(words), arguments, &error))) {
        out = arguments->out ? g_strdup(arguments->out)
                             : default_file(document, plot_formats[format]);
        cli_figure_notes(document);
        if (plot_draw(document, python, plot_formats[format], out, &error)) {
            code = cli_figure_lost(document) ? CLI_CHECK_FAILED : CLI_DONE;
            if (!arguments->quiet)
                cli_print("%s\n", out);
        }
    }
    code = cli_exit_with(error, code);
    json_decref(document);
    g_free(out);
    g_free(python);
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
     .more = "By its whole name (`repetition_p99_us`), without the unit, or by the last word of it "
             "(`p99`)."},
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
    {.name = "points",
     .value = CLI_LIST,
     .offset = offsetof(struct plot_arguments, points),
     .argument = "FILE",
     .words = CLI_WORDS_FILE,
     .summary = "draw these measured points with their errors, from CSV (repeatable)",
     .more =
         "Columns: size, value and, if there are any, series, metric, unit and error. A series of "
         "the picture has its colour."},
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
    {.name = "over-time",
     .value = CLI_FLAG,
     .offset = offsetof(struct plot_arguments, over_time),
     .summary = "run the scenario and draw its windows and the like over time",
     .more = "What `netsim run --values FILE` writes, which can be drawn too: one panel for each "
             "connection or path with the most changes. `--series` chooses of the run's series, "
             "`--metric` of the quantities: cwnd."},
    CLI_FORMAT_OPTION(struct plot_arguments, format, plot_formats, NULL),
    {.name = "out",
     .value = CLI_TEXT,
     .offset = offsetof(struct plot_arguments, out),
     .argument = "FILE",
     .words = CLI_WORDS_FILE,
     .summary = "the picture's file instead of figures/NAME.FORMAT"},
    CLI_SETTING_OPTIONS(struct plot_arguments),
    CLI_LIMIT_OPTIONS_EACH(struct plot_arguments, limits),
    CLI_JOBS_OPTION(struct plot_arguments, jobs),
    CLI_QUIET_OPTION(struct plot_arguments, quiet),
    CLI_OPTIONS_END,
};

enum cli_exit cli_plot(const struct cli_command *command, int argc, char **argv)
{
    struct plot_arguments arguments = {0};
    return cli_with_options(command, argc, argv, &arguments, plot);
}
