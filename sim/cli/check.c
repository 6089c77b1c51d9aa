// SPDX-License-Identifier: GPL-3.0-or-later
// netsim check: is a scenario right, and how much of the machine will it need?
#include "sim/cli/cli.h"

#include "sim/flow/flow.h"
#include "sim/model/model.h"
#include "sim/output/json.h"
#include "sim/run/estimate.h"
#include "sim/run/schema.h"
#include "sim/scenario/workload.h"

static const char *const check_formats[] = {"table", "json", NULL};
enum check_format { CHECK_TABLE, CHECK_JSON };

struct check_arguments {
    char **sets, *format;
    gboolean allow_unused, wide;
};

// Returns the part that this machine lacks for some series; NULL: none. The caller frees it.
static char *lacking(const struct scenario *scenario)
{
    char *why = NULL;
    for (guint i = 0; i < scenario->cases->len && !why; i++) {
        const struct scenario_case *test_case = g_ptr_array_index(scenario->cases, i);
        if (scenario_case_on_simgrid(test_case))
            g_free(flow_simgrid_version(&why));
    }
    return why;
}

// The scenario is right nevertheless, on this machine and on others.
static void warn_of_lacking(const char *file, const struct scenario *scenario)
{
    char *why = lacking(scenario);
    if (why)
        cli_error(NULL, "warning: %s can't run here: %s", file, why);
    g_free(why);
}

// Of each series, each warning once.
static void warn_of_risks(const struct scenario *scenario)
{
    GHashTable *told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    struct diag_list *risks = diag_list_new();
    for (guint i = 0; i < scenario->cases->len; i++) {
        const struct scenario_case *test_case = g_ptr_array_index(scenario->cases, i);
        if (test_case->stack->warn && test_case->fidelity == FIDELITY_PACKET)
            test_case->stack->warn(test_case, risks);
    }
    for (guint i = 0; i < risks->items->len; i++) {
        const struct diag *risk = g_ptr_array_index(risks->items, i);
        char *place = risk->mark.line ? g_strdup_printf("%s:%d:%d", risk->mark.file,
                                                        risk->mark.line, risk->mark.column)
                                      : g_strdup(risk->mark.file);
        char *text = g_strdup_printf("%s: warning: %s: %s", place, risk->path, risk->message);
        if (g_hash_table_add(told, text))
            cli_error(risk->hint, "%s", text);
        g_free(place);
    }
    diag_list_free(risks);
    g_hash_table_unref(told);
}

static json_t *case_series_json(const struct scenario_case *test_case)
{
    struct estimate estimate = estimate_of(test_case);
    const struct topology *topology = &test_case->topology;
    return json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:f, s:f, s:f}", "name", test_case->name,
                     "stack", test_case->stack->name, "ranks", test_case->workload.ranks, "hosts",
                     (int)topology->hosts->len, "switches", (int)topology->switches->len, "links",
                     (int)topology->links->len, "memory_bytes", estimate.memory, "operations",
                     estimate.operations, "events", estimate.events);
}

static json_t *scenario_json(const char *file, const struct scenario *scenario)
{
    json_t *series = json_array();
    for (guint i = 0; i < scenario->cases->len; i++)
        json_array_append_new(series, case_series_json(g_ptr_array_index(scenario->cases, i)));
    char *shown = g_filename_display_name(file);
    json_t *json =
        json_pack("{s:s, s:s, s:o}", "file", shown, "name", scenario->name, "series", series);
    char *why = lacking(scenario);
    json_object_set_new(json, "lacking", why ? json_string(why) : json_null());
    g_free(why);
    g_free(shown);
    return json;
}

static void append_count(GString *out, const char *before, guint count, const char *noun,
                         const char *nouns)
{
    g_string_append_printf(out, "%s%u %s", before, count, count == 1 ? noun : nouns);
}

// "2 ranks on 6 hosts, 1 switch, 6 links"; the caller frees it.
static char *machine_text(const struct scenario_case *test_case)
{
    const struct topology *topology = &test_case->topology;
    GString *out = g_string_new(NULL);
    append_count(out, "", (guint)test_case->workload.ranks, "rank", "ranks");
    if (case_ranks_are_fewest(test_case))
        g_string_append(out, " (workload.ranks is not given)");
    append_count(out, " on ", topology->hosts->len, "host", "hosts");
    if (topology->switches->len > 0)
        append_count(out, ", ", topology->switches->len, "switch", "switches");
    append_count(out, ", ", topology->links->len, "link", "links");
    return g_string_free(out, FALSE);
}

static void print_scenario(const char *file, const struct scenario *scenario)
{
    cli_print("%s: correct, %u series\n", file, scenario->cases->len);
    for (guint i = 0; i < scenario->cases->len; i++) {
        const struct scenario_case *test_case = g_ptr_array_index(scenario->cases, i);
        struct estimate estimate = estimate_of(test_case);
        char *text = estimate_text(&estimate), *machine = machine_text(test_case);
        cli_print("  %s: %s; %s\n", test_case->name, machine, text);
        g_free(machine);
        g_free(text);
    }
}

static enum cli_exit check(char **files, const void *data)
{
    const struct check_arguments *arguments = data;
    int format = cli_choice("--format", arguments->format, check_formats);
    if (format < 0)
        return CLI_BAD_INPUT;
    struct scenario_schema *schema = registry_schema(&model_registry);
    enum cli_exit code = CLI_DONE;
    json_t *all = json_array();
    for (char **file = files; *file; file++) {
        struct scenario *scenario =
            cli_scenario(schema, *file, arguments->sets, arguments->allow_unused, 0);
        if (!scenario)
            code = CLI_BAD_INPUT;
        else if (format == CHECK_JSON)
            json_array_append_new(all, scenario_json(*file, scenario));
        else
            print_scenario(*file, scenario);
        if (scenario)
            warn_of_lacking(*file, scenario);
        if (scenario)
            warn_of_risks(scenario);
        scenario_free(scenario);
    }
    if (format == CHECK_JSON) {
        char *text = document_text(json_pack("{s:O}", "scenarios", all));
        fputs(text, stdout);
        g_free(text);
    }
    json_decref(all);
    registry_schema_free(schema);
    return code;
}

const struct cli_option cli_check_options[] = {
    CLI_SETTING_OPTIONS(struct check_arguments),
    CLI_WIDE_OPTION(struct check_arguments, wide),
    CLI_FORMAT_OPTION(struct check_arguments, format, check_formats, NULL),
    CLI_OPTIONS_END,
};

enum cli_exit cli_check(const struct cli_command *command, int argc, char **argv)
{
    struct check_arguments arguments = {0};
    return cli_with_options(command, argc, argv, &arguments, check);
}
