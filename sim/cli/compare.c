// SPDX-License-Identifier: GPL-3.0-or-later
// netsim compare: two results, curve by curve.
#include "sim/cli/cli.h"

#include "sim/cli/compare_draws.h"
#include "sim/compare/compare.h"
#include "sim/compare/compare_draws.h"
#include "sim/core/shown.h"
#include "sim/core/sim.h"
#include "sim/output/json.h"
#include "sim/output/text.h"
#include "sim/scenario/sweep.h"

#include <string.h>

static const char *const compare_formats[] = {"table", "json", "junit", NULL};
enum compare_format { COMPARE_TABLE, COMPARE_JSON, COMPARE_JUNIT };

struct compare_arguments {
    char *format, **tolerances, **metrics, *draws, *seeds;
    gboolean common, wide;
    int jobs;
};

static struct compared *load(const char *place)
{
    GError *error = NULL;
    struct compared *compared = compared_load(place, &error);
    if (error)
        cli_error(NULL, "%s", error->message);
    g_clear_error(&error);
    return compared;
}

// A metric that neither has would compare nothing, and seem to pass.
static bool compare_metrics_are_right(const GPtrArray *metrics, char **names)
{
    for (; names && *names; names++) {
        guint found = 0;
        while (found < metrics->len && !text_metric_is(g_ptr_array_index(metrics, found), *names))
            found++;
        if (found < metrics->len)
            continue;
        GPtrArray *known = g_ptr_array_copy((GPtrArray *)metrics, NULL, NULL);
        g_ptr_array_add(known, NULL);
        char *hint = cli_did_you_mean(*names, (const char *const *)known->pdata);
        cli_error(hint, "--metric %s: neither result has it", *names);
        g_free(hint);
        g_ptr_array_unref(known);
        return false;
    }
    return true;
}

static struct tolerances *read_tolerances(char **texts, const GPtrArray *metrics)
{
    GError *error = NULL;
    char *hint;
    struct tolerances *tolerances =
        tolerances_read((const char *const *)texts, metrics, &error, &hint);
    if (error)
        cli_error(hint, "--tolerance %s", error->message);
    g_clear_error(&error);
    g_free(hint);
    return tolerances;
}

// Two runs that lost the same data compare as equal, but neither is a result.
static void say_lost(const struct compared *compared)
{
    for (guint i = 0; i < compared->series->len; i++) {
        const struct compared_series *series = g_ptr_array_index(compared->series, i);
        if (g_strcmp0(series->status, sim_status_name(SIM_LOST)) == 0)
            cli_error(NULL, "%s: %s lost data: its values are compared, but no result",
                      compared->name, series->name);
    }
}

static void print_comparison(json_t *comparison, enum compare_format format)
{
    if (format == COMPARE_TABLE) {
        struct cli_text table = cli_text_begin();
        compare_print(comparison, table.file);
        cli_text_print(&table);
        return;
    }
    char *text = format == COMPARE_JUNIT ? compare_junit(comparison)
                                         : document_text(json_incref(comparison));
    fputs(text, stdout);
    g_free(text);
}

// NULL after a mistake in --metric or --tolerance.
static struct tolerances *tolerances_of(const struct compare_arguments *arguments,
                                        GPtrArray *metrics)
{
    return compare_metrics_are_right(metrics, arguments->metrics)
               ? read_tolerances(arguments->tolerances, metrics)
               : NULL;
}

static enum cli_exit compare_results(const struct compared *a, const struct compared *b,
                                     const struct compare_arguments *arguments,
                                     enum compare_format format)
{
    enum cli_exit code = CLI_BAD_INPUT;
    GPtrArray *metrics = compared_metrics(a, b);
    struct tolerances *tolerances = tolerances_of(arguments, metrics);
    if (tolerances) {
        struct compare_options options = {tolerances, (const char *const *)arguments->metrics,
                                          arguments->common};
        json_t *comparison = compare(a, b, &options);
        say_lost(a);
        say_lost(b);
        bool any = json_integer_value(json_object_get(comparison, "compared")) > 0;
        if (arguments->common && !any) {
            cli_error(NULL, "--common: no point of a curve is in both results");
        } else {
            code = json_is_true(json_object_get(comparison, "same")) ? CLI_DONE : CLI_CHECK_FAILED;
            print_comparison(comparison, format);
        }
        json_decref(comparison);
    }
    tolerances_free(tolerances);
    g_ptr_array_unref(metrics);
    return code;
}

static enum cli_exit compare_places(char **places, const struct compare_arguments *arguments,
                                    enum compare_format format)
{
    struct compared *a = load(places[0]), *b = a ? load(places[1]) : NULL;
    enum cli_exit code = a && b ? compare_results(a, b, arguments, format) : CLI_BAD_INPUT;
    compared_free(a);
    compared_free(b);
    return code;
}

// ---- In draws ----

static void print_drawn_comparison(json_t *comparison, enum compare_format format)
{
    char *text = format == COMPARE_JSON    ? document_text(json_incref(comparison))
                 : format == COMPARE_JUNIT ? compare_draws_junit(comparison)
                                           : compare_draws_text(comparison);
    if (format == COMPARE_TABLE)
        cli_print_text(text);
    else
        fputs(text, stdout);
    g_free(text);
}

static enum cli_exit print_drawn(const GPtrArray *a, const GPtrArray *b,
                                 const struct compare_arguments *arguments,
                                 enum compare_format format)
{
    enum cli_exit code = CLI_BAD_INPUT;
    GPtrArray *metrics = compared_metrics(g_ptr_array_index(a, 0), g_ptr_array_index(b, 0));
    struct tolerances *tolerances = tolerances_of(arguments, metrics);
    if (tolerances) {
        struct compare_options options = {tolerances, (const char *const *)arguments->metrics,
                                          arguments->common};
        json_t *comparison = compare_draws(a, b, &options);
        code = json_is_true(json_object_get(comparison, "same")) ? CLI_DONE : CLI_CHECK_FAILED;
        if (json_array_size(json_object_get(comparison, "rows")) == 0) {
            cli_error(NULL, "--draws: no value is in both results");
            code = CLI_BAD_INPUT;
        } else {
            print_drawn_comparison(comparison, format);
        }
        json_decref(comparison);
    }
    tolerances_free(tolerances);
    g_ptr_array_unref(metrics);
    return code;
}

static enum cli_exit compare_drawn(char **places, const struct compare_arguments *arguments,
                                   enum compare_format format)
{
    struct compare_draws_options options = {.jobs = arguments->jobs};
    if (!cli_count("--draws", arguments->draws, CLI_MOST_DRAWS, &options.draws) ||
        !cli_count("--seeds", arguments->seeds, SWEEP_MOST_SEEDS, &options.seeds))
        return CLI_BAD_INPUT;
    GPtrArray *a = g_ptr_array_new(), *b = g_ptr_array_new();
    enum cli_exit code = compare_run_draws(places, &options, a, b)
                             ? print_drawn(a, b, arguments, format)
                             : CLI_BAD_INPUT;
    g_ptr_array_unref(a);
    g_ptr_array_unref(b);
    return code;
}

static enum cli_exit compare_words(char **words, const void *data)
{
    const struct compare_arguments *arguments = data;
    int format = cli_choice("--format", arguments->format, compare_formats);
    if (format < 0)
        return CLI_BAD_INPUT;
    if (arguments->seeds && !arguments->draws) {
        cli_error("--draws 20", "--seeds goes with --draws");
        return CLI_BAD_INPUT;
    }
    return (arguments->draws ? compare_drawn : compare_places)(words, arguments,
                                                               (enum compare_format)format);
}

const struct cli_option cli_compare_options[] = {
    {.name = "tolerance",
     .value = CLI_LIST,
     .offset = offsetof(struct compare_arguments, tolerances),
     .argument = "AMOUNT",
     .summary = "how far B may be off A: 2%, '0.5 us', latency='2% worse' (repeatable)",
     .more = "A share of A's value has its percent sign, an amount its unit, which applies to the "
             "metrics in such a unit; a bare number is refused. With METRIC= before it, it is for "
             "that metric alone, in place of those for all. After it, `worse` lets only longer "
             "times and lower rates count, `more` and `less` only values above or below A's. Of "
             "several for one metric, one is enough. Without a tolerance, curves must be "
             "identical."},
    {.name = "common",
     .value = CLI_FLAG,
     .offset = offsetof(struct compare_arguments, common),
     .summary = "compare only the points that both have",
     .more = "Points, curves and series of one result alone are no differences: for measured "
             "points."},
    {.name = "metric",
     .value = CLI_LIST,
     .offset = offsetof(struct compare_arguments, metrics),
     .argument = "NAME",
     .summary = "only this metric (repeatable)"},
    {.name = "draws",
     .value = CLI_TEXT,
     .offset = offsetof(struct compare_arguments, draws),
     .argument = "N",
     .summary = "run A and B in the draws 1 .. N, and compare draw by draw",
     .more = "A and B are then scenarios, each with settings if any: `pingpong_cluster1` and "
             "`'pingpong_cluster1#lam_via.tiny=1 KiB'`. Of each value it prints both medians with "
             "their bands, the change with its band, and in which share of the draws it has its "
             "sign. A row is within if B is within the tolerance in at least 95 % of the draws, "
             "outside if in at most 5 %, else undecided. Ends with 2 unless all rows are within."},
    {.name = "seeds",
     .value = CLI_TEXT,
     .offset = offsetof(struct compare_arguments, seeds),
     .argument = "N",
     .summary = "with --draws: take the mean of the seeds 1 .. N in each draw",
     .more = "A draw in which a seed fails has no value, as in a sweep."},
    CLI_JOBS_OPTION(struct compare_arguments, jobs),
    CLI_WIDE_OPTION(struct compare_arguments, wide),
    CLI_FORMAT_OPTION(struct compare_arguments, format, compare_formats, NULL),
    CLI_OPTIONS_END,
};

enum cli_exit cli_compare(const struct cli_command *command, int argc, char **argv)
{
    struct compare_arguments arguments = {0};
    return cli_with_options(command, argc, argv, &arguments, compare_words);
}
