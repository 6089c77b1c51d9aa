// SPDX-License-Identifier: GPL-3.0-or-later
// netsim export: a scenario for other programs.
#include "sim/cli/export.h"

#include "sim/model/model.h"
#include "sim/output/progress.h"
#include "sim/run/schema.h"

#include <string.h>

static const struct export_target targets[] = {
    {"ti", "a program as SimGrid's time-independent traces",
     (const char *const[]){"host-speed", NULL}, false, export_ti},
    {"simgrid",
     "a machine and its MPI library as a platform of SimGrid, for MPI programs as they are",
     (const char *const[]){"host-speed", "tolerance", NULL}, true, export_simgrid},
};

const char *const cli_export_targets[] = {"ti", "simgrid", NULL};
G_STATIC_ASSERT(G_N_ELEMENTS(cli_export_targets) == G_N_ELEMENTS(targets) + 1);

const struct cli_option cli_export_options[] = {
    {.name = "out",
     .value = CLI_TEXT,
     .offset = offsetof(struct export_arguments, out),
     .argument = "DIR",
     .words = CLI_WORDS_DIRECTORY,
     .summary = "where the files are written; it is made if it does not exist"},
    CLI_SERIES_OPTION(struct export_arguments, series),
    CLI_SETTING_OPTIONS(struct export_arguments),
    {.name = "host-speed",
     .value = CLI_TEXT,
     .offset = offsetof(struct export_arguments, host_speed),
     .argument = "SPEED",
     .summary = "flops per second of a host, in which the time of computations is counted",
     .more = "Default: the speed of a replay, else 1 Gflop/s."},
    {.name = "tolerance",
     .value = CLI_TEXT,
     .offset = offsetof(struct export_arguments, tolerance),
     .argument = "AMOUNT",
     .summary = "how far a platform's PingPong may be off netsim's, 1% to 50%",
     .more = "Default: 3%. Less takes more pieces."},
    CLI_OPTIONS_END,
};

// ---- Names ----

#define LONGEST_NAME 100

// A name for files from that of a series. g_free.
static char *file_name(const char *series)
{
    char *name = g_strndup(*series ? series : "_", LONGEST_NAME);
    for (char *at = name; *at; at++)
        if (!g_ascii_isalnum(*at) && !strchr("-_.", *at))
            *at = '_';
    if (*name == '.' || *name == '-')
        *name = '_';
    return name;
}

static bool is_taken(const GPtrArray *names, const char *name)
{
    for (guint i = 0; i < names->len; i++)
        if (g_ascii_strcasecmp(g_ptr_array_index(names, i), name) == 0)
            return true;
    return false;
}

static void add_case(struct export_job *job, struct scenario_case *test_case)
{
    char *first = file_name(test_case->name), *name = g_strdup(first);
    for (int number = 2; is_taken(job->names, name); number++) {
        g_free(name);
        name = g_strdup_printf("%s-%d", first, number);
    }
    g_free(first);
    g_ptr_array_add(job->names, name);
    g_ptr_array_add(job->cases, test_case);
}

// ---- Options ----

static const struct export_target *target_find(const char *name)
{
    int found = cli_choice("target", name, cli_export_targets);
    return found < 0 ? NULL : &targets[found];
}

static bool has_option(const struct export_target *target, const char *option)
{
    return target->options && g_strv_contains(target->options, option);
}

// The targets that have an option which not all have, "ti, simgrid"; g_free. NULL: all have it.
static char *owners_of(const char *option)
{
    GString *names = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(targets); i++)
        if (has_option(&targets[i], option))
            g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : "", targets[i].name);
    return g_string_free(names, names->len == 0);
}

static bool is_given(const struct cli_option *option, const struct export_arguments *arguments)
{
    const char *member = (const char *)arguments + option->offset;
    switch (option->value) {
    case CLI_FLAG:
        return *(const gboolean *)(const void *)member;
    case CLI_JOBS:
        return *(const int *)(const void *)member != 0;
    case CLI_TEXT:
    case CLI_LIST:
        return *(const void *const *)(const void *)member != NULL;
    }
    g_assert_not_reached();
}

// Whether the options are the target's, and those that it needs are there.
static bool options_fit(const struct export_target *target,
                        const struct export_arguments *arguments)
{
    for (const struct cli_option *option = cli_export_options; option->name; option++) {
        if (has_option(target, option->name) || !is_given(option, arguments))
            continue;
        char *owners = owners_of(option->name);
        if (owners)
            cli_error(NULL, "--%s is an option of `export %s', and not of `export %s'",
                      option->name, owners, target->name);
        g_free(owners);
        if (owners)
            return false;
    }
    if (!arguments->out || !*arguments->out)
        cli_error("--out DIR", "where shall the files be written?");
    return arguments->out && *arguments->out;
}

// ---- The command ----

static enum cli_exit export_scenario(const struct export_target *target,
                                     const struct scenario *scenario,
                                     const struct export_arguments *arguments)
{
    struct export_job job = {arguments,
                             scenario,
                             arguments->out,
                             g_ptr_array_new(),
                             g_ptr_array_new_with_free_func(g_free),
                             NULL};
    GError *error = NULL;
    enum cli_exit code = CLI_BAD_INPUT;
    for (guint i = 0; i < scenario->cases->len; i++) {
        struct scenario_case *one = g_ptr_array_index(scenario->cases, i);
        if (cli_series_wanted(arguments->series, one->name))
            add_case(&job, one);
    }
    job.progress = progress_new(stderr, (int)job.cases->len);
    if (file_ready_directory(job.directory, &error))
        code = target->write(&job);
    else
        cli_error(NULL, "%s", error->message);
    progress_free(job.progress);
    g_clear_error(&error);
    g_ptr_array_unref(job.cases);
    g_ptr_array_unref(job.names);
    return code;
}

static enum cli_exit export_argument(char **words, const void *data)
{
    const struct export_arguments *arguments = data;
    const struct export_target *target = target_find(words[0]);
    if (!target || !options_fit(target, arguments))
        return CLI_BAD_INPUT;
    struct scenario_schema *schema = registry_schema(&model_registry);
    if (!target->runs)
        schema->check = NULL;
    struct scenario *scenario =
        cli_scenario(schema, words[1], arguments->sets, arguments->allow_unused, 0);
    enum cli_exit code = CLI_BAD_INPUT;
    if (scenario && cli_series_exist(scenario, arguments->series))
        code = export_scenario(target, scenario, arguments);
    scenario_free(scenario);
    registry_schema_free(schema);
    return code;
}

enum cli_exit cli_export(const struct cli_command *command, int argc, char **argv)
{
    struct export_arguments arguments = {0};
    return cli_with_options(command, argc, argv, &arguments, export_argument);
}
