// SPDX-License-Identifier: GPL-3.0-or-later
// netsim bench: how fast the simulator is here.
#include "sim/cli/cli.h"

#include "bench/bench.h"
#include "sim/output/json.h"
#include "sim/run/schema.h"

static const char *const bench_formats[] = {"table", "json", NULL};

static void say(const char *text)
{
    fprintf(stderr, "netsim bench: %s\n", text);
}

static enum cli_exit bench(bool quick, bool ns3, const char *format_name)
{
    int format = cli_choice("--format", format_name, bench_formats);
    if (format < 0)
        return CLI_BAD_INPUT;
    struct scenario_schema *schema = registry_schema(&model_registry);
    struct bench_options options = {
        .registry = &model_registry,
        .schema = schema,
        .data_dir = cli_data_dir(),
        .quick = quick,
        .ns3 = ns3,
        .say = say,
    };
    json_t *results = bench_run(&options);
    registry_schema_free(schema);
    if (format == 1) {
        char *text = document_text(results);
        fputs(text, stdout);
        g_free(text);
    } else {
        bench_print(results, stdout);
        json_decref(results);
    }
    return CLI_DONE;
}

struct bench_arguments {
    gboolean quick, no_ns3;
    char *format;
};

const struct cli_option cli_bench_options[] = {
    CLI_FORMAT_OPTION(struct bench_arguments, format, bench_formats, NULL),
    {.name = "quick",
     .value = CLI_FLAG,
     .offset = offsetof(struct bench_arguments, quick),
     .summary = "take a tenth of the time"},
    {.name = "no-ns3",
     .value = CLI_FLAG,
     .offset = offsetof(struct bench_arguments, no_ns3),
     .summary = "do not compare with ns-3"},
    CLI_OPTIONS_END,
};

enum cli_exit cli_bench(const struct cli_command *command, int argc, char **argv)
{
    struct bench_arguments arguments = {0};
    enum cli_exit code;
    if (cli_parse(command, &arguments, &argc, &argv, &code))
        code = bench(arguments.quick, !arguments.no_ns3, arguments.format);
    cli_clear(command, &arguments);
    return code;
}
