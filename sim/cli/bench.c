// SPDX-License-Identifier: GPL-3.0-or-later
// netsim bench: how fast the simulator is here.
#include "sim/cli/cli.h"

#include "bench/bench.h"
#include "sim/output/json.h"

static const char *const formats[] = {"table", "json", NULL};

static void say(const char *text)
{
    fprintf(stderr, "netsim bench: %s\n", text);
}

static enum cli_exit bench(bool quick, bool ns3, const char *format_name)
{
    int format = cli_choice("--format", format_name, formats);
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
        char *text = json_document_text(results);
        fputs(text, stdout);
        g_free(text);
    } else {
        bench_print(results, stdout);
        json_decref(results);
    }
    return CLI_DONE;
}

enum cli_exit cli_bench(const struct cli_command *command, int argc, char **argv)
{
    gboolean quick = FALSE, no_ns3 = FALSE;
    char *format = NULL;
    const GOptionEntry entries[] = {
        {"format", 0, 0, G_OPTION_ARG_FILENAME, &format, "table or json", "FORMAT"},
        {"quick", 0, 0, G_OPTION_ARG_NONE, &quick, "take a tenth of the time", NULL},
        {"no-ns3", 0, 0, G_OPTION_ARG_NONE, &no_ns3, "do not compare with ns-3", NULL},
        G_OPTION_ENTRY_NULL,
    };
    enum cli_exit code;
    if (cli_parse(command, entries, 0, 0, &argc, &argv, &code))
        code = bench(quick, !no_ns3, format);
    g_free(format);
    return code;
}
