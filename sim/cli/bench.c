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

struct bench_arguments {
    gboolean quick, no_ns3, markdown;
    char *format;
};

// Complains of a name that is no part; returns false then.
static bool is_part(const char *name)
{
    GPtrArray *names = g_ptr_array_new();
    for (const struct bench_part *part = bench_parts; part->name; part++)
        g_ptr_array_add(names, (gpointer)part->name);
    g_ptr_array_add(names, NULL);
    const char *const *all = (const char *const *)names->pdata;
    bool found = g_strv_contains(all, name);
    if (!found) {
        char *known = g_strjoinv(", ", (char **)names->pdata);
        fprintf(stderr, "netsim: bench: there is no part \"%s\" (%s)\n", name, known);
        g_free(known);
    }
    g_ptr_array_free(names, TRUE);
    return found;
}

// names: of the parts, NULL-terminated
static enum cli_exit bench(char **words, const void *data)
{
    const struct bench_arguments *arguments = data;
    const char *const *names = (const char *const *)words;
    int format = cli_choice("--format", arguments->format, bench_formats);
    if (format < 0)
        return CLI_BAD_INPUT;
    for (const char *const *name = names; *name; name++)
        if (!is_part(*name))
            return CLI_BAD_INPUT;
    struct scenario_schema *schema = registry_schema(&model_registry);
    struct bench_options options = {
        .registry = &model_registry,
        .schema = schema,
        .data_dir = cli_data_dir(),
        .quick = arguments->quick,
        .peers = !arguments->no_ns3,
        .say = say,
    };
    json_t *results = bench_run(&options, names);
    registry_schema_free(schema);
    if (format == 1) {
        char *text = document_text(results);
        fputs(text, stdout);
        g_free(text);
    } else {
        bench_print(results, arguments->markdown, stdout);
        json_decref(results);
    }
    return CLI_DONE;
}

const struct cli_option cli_bench_options[] = {
    CLI_FORMAT_OPTION(struct bench_arguments, format, bench_formats, NULL),
    {.name = "quick",
     .value = CLI_FLAG,
     .offset = offsetof(struct bench_arguments, quick),
     .summary = "take a tenth of the time"},
    {.name = "no-ns3",
     .value = CLI_FLAG,
     .offset = offsetof(struct bench_arguments, no_ns3),
     .summary = "do not compare with other simulators (ns-3, SMPI, SimGrid)"},
    {.name = "markdown",
     .value = CLI_FLAG,
     .offset = offsetof(struct bench_arguments, markdown),
     .summary = "print the tables in Markdown, with the machine"},
    CLI_OPTIONS_END,
};

enum cli_exit cli_bench(const struct cli_command *command, int argc, char **argv)
{
    struct bench_arguments arguments = {0};
    return cli_with_options(command, argc, argv, &arguments, bench);
}
