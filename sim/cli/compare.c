// SPDX-License-Identifier: GPL-3.0-or-later
// netsim compare: two results, curve by curve.
#include "sim/cli/cli.h"

#include "sim/compare/compare.h"
#include "sim/core/sim.h"
#include "sim/output/json.h"

#include <math.h>
#include <string.h>

static const char *const formats[] = {"table", "json", NULL};

// A tolerance: "0.01" or "1 %".
static bool read_tolerance(const char *text, double *tolerance)
{
    char *end;
    *tolerance = text ? g_ascii_strtod(text, &end) : 0.0;
    if (!text)
        return true;
    bool number = end != text;
    while (*end == ' ')
        end++;
    if (strcmp(end, "%") == 0)
        *tolerance /= 100.0;
    if (number && (*end == '\0' || strcmp(end, "%") == 0) && *tolerance >= 0.0 &&
        isfinite(*tolerance))
        return true;
    cli_error("write 0.01 or 1%", "--tolerance %s: a relative deviation is expected", text);
    return false;
}

static struct compared *load(const char *place)
{
    GError *error = NULL;
    struct compared *compared = compared_load(place, &error);
    if (error)
        cli_error(NULL, "%s", error->message);
    g_clear_error(&error);
    return compared;
}

static bool has_metric(const struct compared *compared, const char *metric)
{
    for (guint i = 0; i < compared->curves->len; i++)
        if (strcmp(((const struct compared_curve *)g_ptr_array_index(compared->curves, i))->metric,
                   metric) == 0)
            return true;
    return false;
}

// A metric that neither has would compare nothing, and look well.
static bool metrics_are_right(const struct compared *a, const struct compared *b, char **metrics)
{
    for (; metrics && *metrics; metrics++) {
        if (has_metric(a, *metrics) || has_metric(b, *metrics))
            continue;
        GPtrArray *names = g_ptr_array_new();
        for (guint i = 0; i < a->curves->len; i++)
            g_ptr_array_add(
                names,
                (gpointer)((const struct compared_curve *)g_ptr_array_index(a->curves, i))->metric);
        g_ptr_array_add(names, NULL);
        char *hint = cli_did_you_mean(*metrics, (const char *const *)names->pdata);
        cli_error(hint, "--metric %s: neither result has it", *metrics);
        g_free(hint);
        g_ptr_array_unref(names);
        return false;
    }
    return true;
}

// Two runs that lost the same are the same, and no result either of them.
static void say_lost(const struct compared *compared)
{
    for (guint i = 0; i < compared->series->len; i++) {
        const struct compared_series *series = g_ptr_array_index(compared->series, i);
        if (g_strcmp0(series->status, sim_status_name(SIM_LOST)) == 0)
            cli_error(NULL, "%s: %s lost data: its values are compared, but no result",
                      compared->name, series->name);
    }
}

static enum cli_exit compare_places(char **places, int format, double tolerance, char **metrics)
{
    enum cli_exit code = CLI_BAD_INPUT;
    struct compared *a = load(places[0]), *b = a ? load(places[1]) : NULL;
    if (a && b && metrics_are_right(a, b, metrics)) {
        struct compare_options options = {tolerance, (const char *const *)metrics};
        json_t *comparison = compare(a, b, &options);
        say_lost(a);
        say_lost(b);
        code = json_is_true(json_object_get(comparison, "same")) ? CLI_DONE : CLI_CHECK_FAILED;
        if (format == 0)
            compare_print(comparison, stdout);
        char *text = document_text(comparison);
        if (format == 1)
            fputs(text, stdout);
        g_free(text);
    }
    compared_free(a);
    compared_free(b);
    return code;
}

struct compare_arguments {
    char *tolerance, *format, **metrics;
};

const struct cli_option cli_compare_options[] = {
    {.name = "tolerance",
     .value = CLI_TEXT,
     .offset = offsetof(struct compare_arguments, tolerance),
     .argument = "REL",
     .summary = "largest relative deviation that is no difference (0)",
     .more = "As a number or a percentage (`0.01`, `1%`). Without it, curves must be "
             "identical."},
    {.name = "metric",
     .value = CLI_LIST,
     .offset = offsetof(struct compare_arguments, metrics),
     .argument = "NAME",
     .summary = "only this metric (repeatable)"},
    CLI_FORMAT_OPTION(struct compare_arguments, format, formats, NULL),
    CLI_OPTIONS_END,
};

enum cli_exit cli_compare(const struct cli_command *command, int argc, char **argv)
{
    struct compare_arguments arguments = {0};
    enum cli_exit code;
    if (cli_parse(command, &arguments, &argc, &argv, &code)) {
        double tolerance;
        int format = cli_choice("--format", arguments.format, formats);
        code = CLI_BAD_INPUT;
        if (format >= 0 && read_tolerance(arguments.tolerance, &tolerance))
            code = compare_places(argv + 1, format, tolerance, arguments.metrics);
    }
    cli_clear(command, &arguments);
    return code;
}
