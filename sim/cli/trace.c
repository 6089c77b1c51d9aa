// SPDX-License-Identifier: GPL-3.0-or-later
// netsim trace: what is in a recording.
#include "sim/cli/trace.h"

#include "sim/cli/cli.h"

#include "sim/config/param.h"
#include "sim/config/quantity.h"
#include "sim/model/model.h"
#include "sim/model/stack.h"
#include "sim/output/json.h"
#include "sim/run/schema.h"

#include <stdlib.h>
#include <string.h>

static const char *const trace_formats[] = {"table", "csv", "json", NULL};
enum trace_format { TRACE_TABLE, TRACE_CSV, TRACE_JSON };

struct trace_arguments {
    char *speed, *stack, *format, *matrix;
    gboolean wide;
};

// ---- What is asked for ----

static bool trace_read_speed(const char *text, const struct recording *recording, int64_t *speed)
{
    struct quantity quantity = {0};
    char *error = NULL, *hint = NULL;
    bool good = !text || quantity_parse(text, QUANTITY_FLOP_RATE, &quantity, &error, &hint);
    if (!good)
        cli_error(hint, "--speed %s: %s", text, error);
    else if (text && quantity.integer < 1)
        cli_error(NULL, "--speed %s: a rank does at least 1 flop/s", text);
    else if (text && recording_work(recording) == RECORDED_TIME)
        cli_error(NULL, "--speed %s: the recording has times, and counts no operations", text);
    *speed = quantity.integer;
    g_free(error);
    g_free(hint);
    return !text || (good && *speed >= 1 && recording_work(recording) == RECORDED_FLOPS);
}

static const struct scenario_section *section_find(const struct scenario_schema *schema,
                                                   const char *path)
{
    const struct scenario_section *section = schema->sections;
    while (section->path && strcmp(section->path, path) != 0)
        section++;
    return section->path ? section : NULL;
}

// Unfolds the collectives as the stack's library runs them with the defaults of all parameters.
static bool unfold(struct recording *recording, const char *name, struct traffic *traffic)
{
    const struct stack *stack = registry_stack(&model_registry, name);
    if (!stack || !stack->library_section) {
        cli_error("`netsim list stacks' has those that are",
                  stack ? "--stack %s: it has no MPI library" : "--stack %s: there is none", name);
        return false;
    }
    struct scenario_schema *schema = registry_schema(&model_registry);
    struct diag_list *diags = diag_list_new();
    const struct scenario_section *section = section_find(schema, stack->library_section);
    struct param_values *library = param_read(section->table, NULL, section->path, diags);
    char *error;
    bool good = recorded_profile_unfold(recording, library->values, traffic, &error);
    if (!good)
        cli_error(NULL, "%s", error);
    g_free(error);
    param_values_free(library);
    diag_list_free(diags);
    registry_schema_free(schema);
    return good;
}

// ---- Output ----

static bool trace_draw(const struct trace_report *report, const char *path)
{
    json_t *document = trace_json(report);
    char *json = json_dumps(document, JSON_COMPACT);
    bool good = cli_draw("matrix.py", json, path);
    free(json);
    json_decref(document);
    return good;
}

static enum cli_exit print_report(const struct trace_report *report, enum trace_format format,
                                  const char *picture)
{
    struct cli_text text;
    char *json;
    switch (format) {
    case TRACE_TABLE:
        text = cli_text_begin();
        trace_print(report, text.file);
        cli_text_print(&text);
        break;
    case TRACE_CSV:
        trace_print_matrix(report, stdout);
        break;
    case TRACE_JSON:
        json = document_text(trace_json(report));
        fputs(json, stdout);
        g_free(json);
        break;
    }
    return !picture || trace_draw(report, picture) ? CLI_DONE : CLI_BAD_INPUT;
}

// Whether the picture is none of the files that the recording is read from.
static bool picture_differs(const struct recording *recording, const char *picture)
{
    const char *last = NULL;
    for (int rank = -1; picture && rank < recording_ranks(recording); rank++) {
        const char *file = rank < 0 ? recording_path(recording) : recording_file(recording, rank);
        const struct file_use uses[] = {{"the recording", file, false},
                                        {"--matrix", picture, true}};
        if (file != last && !cli_files_differ(NULL, uses, G_N_ELEMENTS(uses)))
            return false;
        last = file;
    }
    return true;
}

// ---- The command ----

static struct recording *read_recording(const char *path)
{
    struct diag_list *diags = diag_list_new();
    struct recording *recording = recording_read(path, (struct source_mark){path, 0, 0}, diags);
    diag_print(diags, stderr);
    diag_list_free(diags);
    return recording;
}

static enum cli_exit report_recording(struct recording *recording,
                                      const struct trace_arguments *arguments,
                                      enum trace_format format)
{
    struct trace_report report = {.recording = recording, .unfolded = arguments->stack};
    struct traffic unfolded;
    enum cli_exit code = CLI_BAD_INPUT;
    if (!trace_read_speed(arguments->speed, recording, &report.speed) ||
        !picture_differs(recording, arguments->matrix))
        return CLI_BAD_INPUT;
    traffic_init(&unfolded, recording_ranks(recording));
    if (!arguments->stack || unfold(recording, arguments->stack, &unfolded)) {
        struct recorded_profile *profile = recorded_profile_new(recording);
        report.profile = profile;
        report.matrix = arguments->stack ? &unfolded : &profile->sent;
        code = print_report(&report, format, arguments->matrix);
        recorded_profile_free(profile);
    }
    traffic_clear(&unfolded);
    return code;
}

static enum cli_exit trace_argument(char **words, const void *data)
{
    const struct trace_arguments *arguments = data;
    int format = cli_choice("--format", arguments->format, trace_formats);
    if (format < 0)
        return CLI_BAD_INPUT;
    struct recording *recording = read_recording(words[0]);
    enum cli_exit code = recording
                             ? report_recording(recording, arguments, (enum trace_format)format)
                             : CLI_BAD_INPUT;
    recording_unref(recording);
    return code;
}

const struct cli_option cli_trace_options[] = {
    {.name = "speed",
     .value = CLI_TEXT,
     .offset = offsetof(struct trace_arguments, speed),
     .argument = "SPEED",
     .summary = "also print how long the computations take at so many flop/s",
     .more = "Of a recording that counts operations; others have times."},
    {.name = "stack",
     .value = CLI_TEXT,
     .offset = offsetof(struct trace_arguments, stack),
     .argument = "NAME",
     .words = CLI_WORDS_STACK,
     .summary = CLI_STACK_SUMMARY,
     .more = "The matrix then has also the messages that it makes of collectives. They are "
             "unfolded by the rules of its MPI library, with the defaults of all "
             "parameters. Without it the matrix has messages from point to point alone."},
    CLI_WIDE_OPTION(struct trace_arguments, wide),
    CLI_FORMAT_OPTION(struct trace_arguments, format, trace_formats,
                      "CSV is the communication matrix: from, to, messages, bytes. JSON has "
                      "everything, with sizes in bytes."),
    {.name = "matrix",
     .value = CLI_TEXT,
     .offset = offsetof(struct trace_arguments, matrix),
     .argument = "FILE",
     .words = CLI_WORDS_FILE,
     .summary = "also draw the communication matrix (png, svg or pdf)",
     .more = "Needs Debian's python3-matplotlib."},
    CLI_OPTIONS_END,
};

enum cli_exit cli_trace(const struct cli_command *command, int argc, char **argv)
{
    struct trace_arguments arguments = {0};
    return cli_with_options(command, argc, argv, &arguments, trace_argument);
}
