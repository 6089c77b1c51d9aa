// SPDX-License-Identifier: GPL-3.0-or-later
// netsim explain: where the time of a message goes.
#include "sim/cli/diagram.h"
#include "sim/cli/read_again.h"
#include "sim/explain/csv.h"
#include "sim/explain/trial.h"
#include "sim/output/json.h"
#include "sim/output/progress.h"
#include "sim/run/schema.h"

#include <string.h>

static const char *const explain_formats[] = {"table", "csv", "json", NULL};
enum explain_format { EXPLAIN_TABLE, EXPLAIN_CSV, EXPLAIN_JSON };

struct explain_arguments {
    char **sets, **series;
    char *size, *format, *plot, *diagram, *seed;
    struct cli_limits limits;
    gboolean allow_unused, no_trials, wide;
};

// ---- What is asked for ----

// Only a benchmark is given a size; a program's messages have sizes of its own.
static bool size_is_wanted(const struct scenario *scenario,
                           const struct explain_arguments *arguments)
{
    for (guint i = 0; arguments->size && i < scenario->cases->len; i++) {
        const struct scenario_case *test_case = g_ptr_array_index(scenario->cases, i);
        const struct benchmark_schema *benchmark = test_case->workload.benchmark;
        if (!cli_series_wanted(arguments->series, test_case->name) ||
            (benchmark && !benchmark->sizeless))
            continue;
        cli_error(NULL, "--size: %s runs %s, which takes no message size", test_case->name,
                  benchmark ? benchmark->name : "a program");
        return false;
    }
    return true;
}

// ---- Runs ----

static void show_explaining(void *progress)
{
    progress_beat(progress);
}

// only: the one size to explain, in full; NULL: all.
static struct explained_series *explain_series(const struct scenario *scenario,
                                               const struct scenario_case *test_case,
                                               const int64_t *only, const struct cli_reader *reader,
                                               const struct explain_arguments *arguments)
{
    struct explained_series *series = explained_series_new(test_case);
    struct progress *progress = progress_new(stderr, 1);
    progress_detail(progress, test_case->name);
    struct explain_run run = {
        .registry = &model_registry,
        .test_case = test_case,
        .seed = scenario->seed,
        .size = only ? *only : EXPLAIN_ALL,
        .time_limit_s = arguments->limits.seconds,
        .wall_end = arguments->limits.end,
        .beat = show_explaining,
        .beat_owner = progress,
    };
    g_ptr_array_unref(series->sizes);
    series->sizes = explain_case(&run);
    // All sizes are a table of times, which has no place for trials.
    if (series->sizes->len == 1 && reader)
        explain_try(g_ptr_array_index(series->sizes, 0), &run,
                    &(struct explain_again){cli_read_again, (void *)reader});
    progress_free(progress);
    return series;
}

static void print_tables(const GPtrArray *all)
{
    struct cli_text text = cli_text_begin();
    for (guint i = 0; i < all->len; i++) {
        const struct explained_series *series = g_ptr_array_index(all, i);
        if (i > 0)
            fputc('\n', text.file);
        if (series->sizes->len == 1)
            report_print_size(series, g_ptr_array_index(series->sizes, 0), text.file);
        else
            report_print_sizes(series, text.file);
    }
    cli_text_print(&text);
}

static void print_csv(const char *scenario, const GPtrArray *all)
{
    GString *csv = explain_csv(scenario, all);
    fputs(csv->str, stdout);
    g_string_free(csv, TRUE);
}

// A run that failed or lost data has no message whose time could be explained; why is the answer.
static enum cli_exit explain_code(const GPtrArray *all)
{
    enum cli_exit code = CLI_DONE;
    for (guint i = 0; i < all->len; i++) {
        const struct explained_series *series = g_ptr_array_index(all, i);
        for (guint k = 0; k < series->sizes->len; k++) {
            const struct explanation *found = g_ptr_array_index(series->sizes, k);
            if (found->done)
                continue;
            cli_error(NULL, "%s: %s", series->name, found->why);
            code = MAX(code, found->status == SIM_LOST ? CLI_CHECK_FAILED : CLI_RUN_FAILED);
        }
    }
    return code;
}

// Whether there is something to draw.
static bool any_done(const GPtrArray *all)
{
    for (guint i = 0; i < all->len; i++) {
        const struct explained_series *series = g_ptr_array_index(all, i);
        for (guint k = 0; k < series->sizes->len; k++)
            if (((const struct explanation *)g_ptr_array_index(series->sizes, k))->done)
                return true;
    }
    return false;
}

static void free_series(void *series)
{
    explained_series_free(series);
}

static enum cli_exit explain_scenario(const struct scenario *scenario,
                                      const struct explain_arguments *arguments,
                                      enum explain_format format, const int64_t *only,
                                      const struct cli_reader *reader)
{
    GPtrArray *all = g_ptr_array_new_with_free_func(free_series);
    for (guint i = 0; i < scenario->cases->len; i++) {
        const struct scenario_case *test_case = g_ptr_array_index(scenario->cases, i);
        if (cli_series_wanted(arguments->series, test_case->name) &&
            test_case->fidelity == FIDELITY_PACKET)
            g_ptr_array_add(all, explain_series(scenario, test_case, only, reader, arguments));
    }
    char *json = document_text(report_json(scenario->name, all));
    switch (format) {
    case EXPLAIN_TABLE:
        print_tables(all);
        break;
    case EXPLAIN_CSV:
        print_csv(scenario->name, all);
        break;
    case EXPLAIN_JSON:
        fputs(json, stdout);
        break;
    }
    enum cli_exit code = explain_code(all);
    if (arguments->plot && any_done(all) && !cli_draw("explain.py", json, arguments->plot))
        code = CLI_BAD_INPUT;
    if (arguments->diagram && any_done(all)) {
        const struct explain_again again = {cli_read_again, (void *)reader};
        const struct cli_diagram wanted = {scenario, arguments->series,  0,
                                           only,     &arguments->limits, reader ? &again : NULL};
        code = MAX(code, cli_diagram_file(&wanted, arguments->diagram));
    }
    g_free(json);
    g_ptr_array_unref(all);
    return code;
}

static enum cli_exit explain_argument(char **words, const void *data)
{
    const struct explain_arguments *arguments = data;
    const char *file = words[0];
    int format = cli_choice("--format", arguments->format, explain_formats);
    uint64_t seed;
    int64_t size = 0;
    if (format < 0 || !cli_seed(arguments->seed, &seed) ||
        (arguments->size && !cli_size_read(arguments->size, &size)) ||
        (arguments->diagram && !cli_diagram_path("--diagram", arguments->diagram)))
        return CLI_BAD_INPUT;
    struct scenario_schema *schema = registry_schema(&model_registry);
    struct scenario *scenario =
        cli_scenario(schema, file, arguments->sets, arguments->allow_unused, seed);
    enum cli_exit code = CLI_BAD_INPUT;
    struct cli_reader reader = {schema, file, arguments->sets, seed};
    const struct file_use files[] = {{"--plot", arguments->plot, true},
                                     {"--diagram", arguments->diagram, true}};
    if (scenario && cli_series_exist(scenario, arguments->series) &&
        cli_packets_exist(scenario, arguments->series, "explain") &&
        size_is_wanted(scenario, arguments) &&
        cli_files_differ(scenario, files, G_N_ELEMENTS(files)))
        code =
            explain_scenario(scenario, arguments, (enum explain_format)format,
                             arguments->size ? &size : NULL, arguments->no_trials ? NULL : &reader);
    scenario_free(scenario);
    registry_schema_free(schema);
    return code;
}

const struct cli_option cli_explain_options[] = {
    CLI_SERIES_OPTION(struct explain_arguments, series),
    {.name = "size",
     .value = CLI_TEXT,
     .offset = offsetof(struct explain_arguments, size),
     .argument = "SIZE",
     .summary = "explain this message size in full instead of all sizes; without a unit: bytes",
     .more = "Stages with their share, running sum and class, what the rank waits for while "
             "it sleeps, how busy each resource is, for which share of the time the critical "
             "path is on it, how many wait for it (the mean over time, and the most), and "
             "what bounds the run: the size is run again with each resource that is on the way 1 % "
             "faster, and with each other algorithm of what is measured, and what helped says by "
             "how much."},
    {.name = "no-trials",
     .value = CLI_FLAG,
     .offset = offsetof(struct explain_arguments, no_trials),
     .summary = "do not run a size again with faster resources and other algorithms",
     .more = "Only a size that is explained in full is."},
    CLI_SCENARIO_OPTIONS(struct explain_arguments),
    CLI_WIDE_OPTION(struct explain_arguments, wide),
    CLI_FORMAT_OPTION(
        struct explain_arguments, format, explain_formats,
        "CSV has one number a row: scenario, series, size, kind, name, class, unit, value."),
    CLI_LIMIT_OPTIONS(struct explain_arguments, limits),
    {.name = "plot",
     .value = CLI_TEXT,
     .offset = offsetof(struct explain_arguments, plot),
     .argument = "FILE",
     .words = CLI_WORDS_FILE,
     .summary = "also draw the classes of stages over the sizes (png, svg or pdf)",
     .more = "As shares of the time, stacked."},
    {.name = "diagram",
     .value = CLI_TEXT,
     .offset = offsetof(struct explain_arguments, diagram),
     .argument = "FILE",
     .words = CLI_WORDS_FILE,
     .summary = "also draw a message's space-time diagram (FILE.svg, FILE.html)",
     .more = "That of `netsim diagram`, of one series; --no-trials leaves out the parameters that "
             "its times depend on."},
    CLI_OPTIONS_END,
};

enum cli_exit cli_explain(const struct cli_command *command, int argc, char **argv)
{
    struct explain_arguments arguments = {0};
    return cli_with_options(command, argc, argv, &arguments, explain_argument);
}
