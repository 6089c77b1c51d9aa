// SPDX-License-Identifier: GPL-3.0-or-later
// netsim diagram: the space-time diagram of one message.
#include "sim/cli/diagram.h"

#include "sim/cli/read_again.h"
#include "sim/output/json.h"
#include "sim/run/schema.h"

#include <string.h>

static const char *const diagram_formats[] = {"svg", "json", NULL};
enum diagram_format { DIAGRAM_SVG, DIAGRAM_JSON };

struct diagram_arguments {
    char **sets, **series;
    char *message, *size, *format, *out, *seed;
    struct cli_limits limits;
    gboolean allow_unused, no_constants;
};

// ---- What is asked for ----

// The one series that is wanted; NULL after an error.
static const struct scenario_case *diagram_case(const struct scenario *scenario, char **names)
{
    const struct scenario_case *found = NULL;
    GString *all = g_string_new(NULL);
    int count = 0;
    for (guint i = 0; i < scenario->cases->len; i++) {
        const struct scenario_case *one = g_ptr_array_index(scenario->cases, i);
        if (!cli_series_wanted(names, one->name) || one->fidelity != FIDELITY_PACKET)
            continue;
        g_string_append_printf(all, "%s\"%s\"", count > 0 ? ", " : "", one->name);
        found = found ? found : one;
        count++;
    }
    if (count > 1)
        cli_error("a diagram is of one message: --series NAME", "there are %d series: %s", count,
                  all->str);
    g_string_free(all, TRUE);
    return count == 1 ? found : NULL;
}

static bool message_number(const char *text, uint64_t *number)
{
    char *end = NULL;
    *number = 0;
    if (!text)
        return true;
    *number = g_ascii_isdigit(*text) ? g_ascii_strtoull(text, &end, 10) : 0;
    if (*number > 0 && *number < G_MAXINT64 && !*end)
        return true;
    cli_error("messages are numbered from 1, as captures and reports number them",
              "--message %s: this is no number of a message", text);
    return false;
}

// The size to run by itself: what --size gives; without it and --message the first of the
// benchmark's above 0.
static int64_t size_to_run(const struct scenario_case *test_case, const int64_t *given,
                           uint64_t number)
{
    const struct workload *workload = &test_case->workload;
    if (given)
        return *given;
    if (number > 0 || !workload->benchmark || workload->benchmark->sizeless)
        return EXPLAIN_ALL;
    for (guint i = 0; i < workload->sizes->len; i++)
        if (g_array_index(workload->sizes, int64_t, i) > 0)
            return g_array_index(workload->sizes, int64_t, i);
    return EXPLAIN_ALL;
}

static bool size_allowed(const struct scenario_case *test_case, const int64_t *size)
{
    const struct benchmark_schema *benchmark = test_case->workload.benchmark;
    if (!size || (benchmark && !benchmark->sizeless))
        return true;
    cli_error(NULL, "--size: %s runs %s, which takes no message size", test_case->name,
              benchmark ? benchmark->name : "a program");
    return false;
}

// ---- For this command and `explain` ----

static enum cli_exit diagram_code(const struct diagram *diagram)
{
    if (!diagram->why)
        return CLI_DONE;
    return diagram->bad                  ? CLI_BAD_INPUT
           : diagram->status == SIM_LOST ? CLI_CHECK_FAILED
                                         : CLI_RUN_FAILED;
}

char *cli_diagram_document(const struct cli_diagram *wanted, enum cli_exit *code)
{
    const struct scenario_case *test_case = diagram_case(wanted->scenario, wanted->series);
    *code = CLI_BAD_INPUT;
    if (!test_case || !size_allowed(test_case, wanted->size))
        return NULL;
    struct explain_run run = {
        .registry = &model_registry,
        .test_case = test_case,
        .seed = wanted->scenario->seed,
        .size = size_to_run(test_case, wanted->size, wanted->number),
        .time_limit_s = wanted->limits->seconds,
        .wall_end = wanted->limits->end,
    };
    struct diagram_request request = {&run, wanted->number};
    struct diagram *diagram = diagram_of(&request);
    char *document = NULL;
    *code = diagram_code(diagram);
    if (diagram->why) {
        cli_error(NULL, "%s: %s", test_case->name, diagram->why);
    } else {
        if (wanted->again)
            diagram_constants(diagram, &request, wanted->again);
        document = document_text(diagram_json(diagram, wanted->scenario->name, &request));
    }
    diagram_free(diagram);
    return document;
}

enum cli_exit cli_diagram_file(const struct cli_diagram *wanted, const char *path)
{
    enum cli_exit code;
    char *document = cli_diagram_document(wanted, &code);
    if (document && !cli_draw("diagram.py", document, path))
        code = CLI_BAD_INPUT;
    g_free(document);
    return code;
}

bool cli_diagram_path(const char *option, const char *path)
{
    if (g_str_has_suffix(path, ".svg") || g_str_has_suffix(path, ".html"))
        return true;
    cli_error(NULL, "%s %s: a diagram ends in .svg or .html", option, path);
    return false;
}

// ---- The command ----

static enum cli_exit diagram_print(const struct cli_diagram *wanted)
{
    enum cli_exit code;
    char *document = cli_diagram_document(wanted, &code);
    if (document)
        fputs(document, stdout);
    g_free(document);
    return code;
}

static enum cli_exit diagram_argument(char **words, const void *data)
{
    const struct diagram_arguments *arguments = data;
    const char *file = words[0], *picture = arguments->out ? arguments->out : "diagram.svg";
    int format = cli_choice("--format", arguments->format, diagram_formats);
    uint64_t seed, number;
    int64_t size = 0;
    if (format < 0 || !cli_seed(arguments->seed, &seed) ||
        !message_number(arguments->message, &number) ||
        (arguments->size && !cli_size_read(arguments->size, &size)) ||
        (format == DIAGRAM_SVG && !cli_diagram_path("--out", picture)))
        return CLI_BAD_INPUT;
    struct scenario_schema *schema = registry_schema(&model_registry);
    struct scenario *scenario =
        cli_scenario(schema, file, arguments->sets, arguments->allow_unused, seed);
    enum cli_exit code = CLI_BAD_INPUT;
    struct cli_reader reader = {schema, file, arguments->sets, seed};
    const struct explain_again again = {cli_read_again, &reader};
    const struct file_use out = {"--out", format == DIAGRAM_SVG ? picture : NULL, true};
    const struct cli_diagram wanted = {scenario,
                                       arguments->series,
                                       number,
                                       arguments->size ? &size : NULL,
                                       &arguments->limits,
                                       arguments->no_constants ? NULL : &again};
    if (scenario && cli_series_exist(scenario, arguments->series) &&
        cli_packets_exist(scenario, arguments->series, "diagram") &&
        cli_files_differ(scenario, &out, 1))
        code = format == DIAGRAM_JSON ? diagram_print(&wanted) : cli_diagram_file(&wanted, picture);
    scenario_free(scenario);
    registry_schema_free(schema);
    return code;
}

const struct cli_option cli_diagram_options[] = {
    {.name = "message",
     .value = CLI_TEXT,
     .offset = offsetof(struct diagram_arguments, message),
     .argument = "N",
     .summary = "of this message of the run",
     .more = "Messages are numbered from 1 as they are sent; captures and reports have the same "
             "numbers. Without it the first message that the benchmark measures."},
    CLI_SERIES_OPTION(struct diagram_arguments, series),
    {.name = "size",
     .value = CLI_TEXT,
     .offset = offsetof(struct diagram_arguments, size),
     .argument = "SIZE",
     .summary = "run this message size by itself; without a unit: bytes",
     .more = "Without it and --message the smallest of the scenario's above 0."},
    {.name = "out",
     .value = CLI_TEXT,
     .offset = offsetof(struct diagram_arguments, out),
     .argument = "FILE",
     .words = CLI_WORDS_FILE,
     .summary = "the picture (FILE.svg) or a page with it (FILE.html); by default diagram.svg",
     .more = "In the page it can be zoomed, moved, and read off along the critical path."},
    CLI_FORMAT_OPTION(
        struct diagram_arguments, format, diagram_formats,
        "`json` prints columns, spans, arrows, steps and the critical path; times are "
        "picoseconds from the message's sending."),
    {.name = "no-constants",
     .value = CLI_FLAG,
     .offset = offsetof(struct diagram_arguments, no_constants),
     .summary = "do not find the parameters that each time depends on",
     .more = "For them the message is sent again with each time, cost and rate a little larger."},
    CLI_SCENARIO_OPTIONS(struct diagram_arguments),
    CLI_LIMIT_OPTIONS(struct diagram_arguments, limits),
    CLI_OPTIONS_END,
};

enum cli_exit cli_diagram(const struct cli_command *command, int argc, char **argv)
{
    struct diagram_arguments arguments = {0};
    return cli_with_options(command, argc, argv, &arguments, diagram_argument);
}
