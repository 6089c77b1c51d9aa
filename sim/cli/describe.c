// SPDX-License-Identifier: GPL-3.0-or-later
// netsim describe: the parameter tables and benchmarks as text for a terminal, the tables as
// Markdown for docs/parameters.md, and a JSON Schema for editors.
#include "sim/cli/cli.h"
#include "sim/scenario/json_schema.h"

#include "sim/cli/describe_operations.h"
#include "sim/config/param_kind.h"
#include "sim/core/intern.h"
#include "sim/output/json.h"
#include "sim/output/text.h"
#include "sim/workload/model.h"

#include <string.h>

#define PARAMETER_TEXT_WIDTH 92

// Before the name of a benchmark whose own keys of the workload these are.
#define WORKLOAD_OF "workload of "

static const char *const describe_formats[] = {"text", "markdown", NULL};

// ---- Which tables ----

// All sections, with those of links and switches under the keys that they have in a scenario.
static GArray *all_sections(const struct scenario_schema *schema)
{
    GArray *sections = g_array_new(FALSE, FALSE, sizeof(struct scenario_section));
    const struct scenario_section link = {"link", schema->link_table};
    const struct scenario_section node = {"switch", schema->switch_table};
    g_array_append_val(sections, link);
    g_array_append_val(sections, node);
    for (const struct scenario_section *section = schema->sections; section->path; section++)
        g_array_append_val(sections, *section);
    for (const struct benchmark_schema *one = schema->benchmarks; one->name; one++) {
        char *path = g_strconcat(WORKLOAD_OF, one->name, NULL);
        const struct scenario_section own = {intern_text(path), one->parameters};
        if (one->parameters)
            g_array_append_val(sections, own);
        g_free(path);
    }
    return sections;
}

static const struct stack_schema *find_stack(const struct scenario_schema *schema, const char *name)
{
    for (const struct stack_schema *stack = schema->stacks; stack->name; stack++)
        if (strcmp(stack->name, name) == 0)
            return stack;
    return NULL;
}

static const struct benchmark_schema *find_benchmark(const struct scenario_schema *schema,
                                                     const char *name)
{
    for (const struct benchmark_schema *one = schema->benchmarks; name && one->name; one++)
        if (strcmp(one->name, name) == 0)
            return one;
    return NULL;
}

static bool lies_below(const char *path, const char *above)
{
    size_t length = strlen(above);
    return strncmp(path, above, length) == 0 && (path[length] == '\0' || path[length] == '.');
}

// Whether MODEL means this section: its path or one above it, its table, a stack that reads it, or
// a benchmark that has it.
static bool section_is_meant(const struct scenario_section *section, const char *model,
                             const struct stack_schema *stack)
{
    if (lies_below(section->path, model) || strcmp(section->table->name, model) == 0)
        return true;
    if (g_str_has_prefix(section->path, WORKLOAD_OF) &&
        (strcmp(model, "workload") == 0 || strcmp(section->path + strlen(WORKLOAD_OF), model) == 0))
        return true;
    return stack && stack->sections && g_strv_contains(stack->sections, section->path);
}

static void report_unknown(const struct scenario_schema *schema, const GArray *sections,
                           const char *model)
{
    GPtrArray *names = g_ptr_array_new();
    for (guint i = 0; i < sections->len; i++) {
        const char *path = g_array_index(sections, struct scenario_section, i).path;
        if (!g_str_has_prefix(path, WORKLOAD_OF))
            g_ptr_array_add(names, (gpointer)path);
    }
    for (const struct stack_schema *stack = schema->stacks; stack->name; stack++)
        if (!g_ptr_array_find_with_equal_func(names, stack->name, g_str_equal, NULL))
            g_ptr_array_add(names, (gpointer)stack->name);
    for (const struct benchmark_schema *one = schema->benchmarks; one->name; one++)
        g_ptr_array_add(names, (gpointer)one->name);
    describe_operation_names(schema, names);
    g_ptr_array_add(names, NULL);
    char *hint = cli_did_you_mean(model, (const char *const *)names->pdata);
    char *all = g_strjoinv(", ", (char **)names->pdata);
    cli_error(hint ? hint : all, "no model, section, stack, benchmark or operation `%s'", model);
    g_free(all);
    g_free(hint);
    g_ptr_array_unref(names);
}

// The sections that MODEL (NULL: all) stands for; empty if none, which has been reported unless it
// is a benchmark or an operation.
static GArray *chosen_sections(const struct scenario_schema *schema, const char *model)
{
    GArray *all = all_sections(schema);
    if (!model)
        return all;
    const struct stack_schema *stack = find_stack(schema, model);
    GArray *chosen = g_array_new(FALSE, FALSE, sizeof(struct scenario_section));
    for (guint i = 0; i < all->len; i++) {
        struct scenario_section section = g_array_index(all, struct scenario_section, i);
        if (section_is_meant(&section, model, stack))
            g_array_append_val(chosen, section);
    }
    if (chosen->len == 0 && !find_benchmark(schema, model) &&
        !describe_has_operations(schema, model))
        report_unknown(schema, all, model);
    g_array_unref(all);
    return chosen;
}

// ---- One parameter in words ----

// "1 B .. 64 KiB", "at least 0", the choices, or nothing. The caller frees it.
static char *range_text(const struct param *param)
{
    if (param->choices)
        return g_strjoinv(", ", (char **)param->choices);
    if (!param_types[param->kind].number)
        return g_strdup("");
    const char *least, *most;
    param_bounds(param, &least, &most);
    return most ? g_strdup_printf("%s .. %s", least, most) : g_strdup_printf("at least %s", least);
}

// The default, and for which profiles it is another: "1 s (s2007: 3 s, ns2: 3 s)". The caller frees
// it.
static char *default_text(const struct param_table *table, const struct param *param)
{
    if (!param->fallback)
        return g_strdup("must be given");
    GString *text = g_string_new(*param->fallback ? param->fallback : "empty");
    const char *lead = " (";
    for (int i = 1; param->by_profile && table->params[0].choices[i]; i++) {
        const char *value = param_fallback(param, i);
        if (strcmp(value, param->fallback) == 0)
            continue;
        g_string_append_printf(text, "%s%s: %s", lead, table->params[0].choices[i], value);
        lead = ", ";
    }
    g_string_append(text, *lead == ',' ? ")" : "");
    return g_string_free(text, FALSE);
}

// Where the default is from, and what it was chosen for; NULL: not said. The caller frees it.
static char *source_text(const struct param *param)
{
    if (!param->chosen_for)
        return g_strdup(param->source);
    char **ids = g_strsplit(param->chosen_for, " ", -1);
    char *list = g_strjoinv(", ", ids);
    char *text = g_strdup_printf("%s%schosen for %s", param->source ? param->source : "",
                                 param->source ? "; " : "", list);
    g_free(list);
    g_strfreev(ids);
    return text;
}

// ---- Text ----

static void append_indented(GString *out, const char *text)
{
    g_string_append(out, "      ");
    text_append_wrapped(out, text, PARAMETER_TEXT_WIDTH - 6, 6);
    g_string_append_c(out, '\n');
}

static void append_param_text(GString *out, const struct param_table *table,
                              const struct param *param)
{
    char *range = range_text(param), *fallback = default_text(table, param);
    g_string_append_printf(out, "  %s = %s", param->name, fallback);
    g_free(fallback);
    if (*range)
        g_string_append_printf(out, "   [%s]", range);
    g_string_append_printf(out, "   %s\n", param_kind_units(param->kind));
    append_indented(out, param->doc ? param->doc : "");
    char *source = source_text(param);
    if (source) {
        char *line = g_strdup_printf("source: %s", source);
        append_indented(out, line);
        g_free(line);
        g_free(source);
    }
    g_free(range);
}

static void append_section_text(GString *out, const struct scenario_section *section)
{
    g_string_append_printf(out, "%s%s: ", out->len > 0 ? "\n" : "", section->path);
    text_append_wrapped(out, section->table->doc, PARAMETER_TEXT_WIDTH - 2, 2);
    g_string_append_c(out, '\n');
    for (const struct param *param = section->table->params; param->name; param++)
        append_param_text(out, section->table, param);
}

// Prints what a benchmark does and reports, for how many ranks and which sizes.
static void append_benchmark_text(GString *out, const struct benchmark_schema *benchmark)
{
    g_string_append_printf(out, "%s: ", benchmark->name);
    text_append_wrapped(out, benchmark->doc, PARAMETER_TEXT_WIDTH - 2, 2);
    g_string_append_printf(out, "\n  ranks: %d", MAX(benchmark->least_ranks, 1));
    if (benchmark->most_ranks == 0)
        g_string_append(out, " or more");
    else if (benchmark->most_ranks > benchmark->least_ranks)
        g_string_append_printf(out, " .. %d", benchmark->most_ranks);
    if (benchmark->over_time)
        g_string_append_printf(out,
                               "\n  over time: a value for each %s, or by bins of another length",
                               benchmark->counts);
    if (!benchmark->sizeless) {
        g_string_append_printf(out, "\n  sizes: %s",
                               benchmark->counts ? "numbers of " : "in bytes");
        g_string_append(out, benchmark->counts ? benchmark->counts : "");
        if (benchmark->sizes)
            g_string_append_printf(out, "; %s if none are given", benchmark->sizes);
    }
    g_string_append_printf(out, "\n  reports: %s\n", benchmark->metrics);
}

// ---- Markdown ----

static void append_param_markdown(GString *out, const struct param_table *table,
                                  const struct param *param)
{
    char *range = range_text(param), *source = source_text(param);
    char *fallback = default_text(table, param);
    g_string_append_printf(out, "| `%s` |", param->name);
    text_append_cell(out, fallback);
    g_free(fallback);
    text_append_cell(out, range);
    text_append_cell(out, param_kind_units(param->kind));
    text_append_cell(out, param->doc);
    text_append_cell(out, source);
    g_string_append_c(out, '\n');
    g_free(source);
    g_free(range);
}

static void append_section_markdown(GString *out, const struct scenario_section *section)
{
    g_string_append_printf(out,
                           "\n## `%s`\n\n%s\n\n"
                           "| Parameter | Default | Range | Unit | Meaning | Source |\n"
                           "|---|---|---|---|---|---|\n",
                           section->path, section->table->doc);
    for (const struct param *param = section->table->params; param->name; param++)
        append_param_markdown(out, section->table, param);
}

// ---- The command ----

static void print_sections(const struct scenario_schema *schema, const char *model,
                           const GArray *sections, bool markdown)
{
    const struct benchmark_schema *benchmark = find_benchmark(schema, model);
    GString *out = g_string_new(NULL);
    if (benchmark && !markdown)
        append_benchmark_text(out, benchmark);
    if (markdown)
        g_string_append(
            out, "# Parameters\n\n"
                 "Made by `netsim describe --format markdown` from the tables in the sources.\n"
                 "A parameter's path in a scenario is its section, a dot, and its name.\n");
    for (guint i = 0; i < sections->len; i++) {
        const struct scenario_section *section =
            &g_array_index(sections, struct scenario_section, i);
        if (markdown)
            append_section_markdown(out, section);
        else
            append_section_text(out, section);
    }
    (markdown ? describe_operations_markdown : describe_operations_text)(out, schema, model);
    fputs(out->str, stdout);
    g_string_free(out, TRUE);
}

static enum cli_exit describe(const char *model, bool schema_wanted, const char *format_name)
{
    int format = cli_choice("--format", format_name, describe_formats);
    if (format < 0)
        return CLI_BAD_INPUT;
    struct scenario_schema *schema = registry_schema(&model_registry);
    GArray *sections = chosen_sections(schema, model);
    bool found = sections->len > 0 || find_benchmark(schema, model) ||
                 describe_has_operations(schema, model);
    if (found && schema_wanted) {
        char *text = document_text(scenario_json_schema(schema));
        fputs(text, stdout);
        g_free(text);
    } else if (found) {
        print_sections(schema, model, sections, format == 1);
    }
    g_array_unref(sections);
    registry_schema_free(schema);
    return found ? CLI_DONE : CLI_BAD_INPUT;
}

struct describe_arguments {
    gboolean schema;
    char *format;
};

const struct cli_option cli_describe_options[] = {
    {.name = "json-schema",
     .value = CLI_FLAG,
     .offset = offsetof(struct describe_arguments, schema),
     .summary = "print a JSON Schema of scenarios, for editors"},
    CLI_FORMAT_OPTION(struct describe_arguments, format, describe_formats,
                      "As `markdown` it is the reference of parameters."),
    CLI_OPTIONS_END,
};

enum cli_exit cli_describe(const struct cli_command *command, int argc, char **argv)
{
    struct describe_arguments arguments = {0};
    enum cli_exit code;
    if (cli_parse(command, &arguments, &argc, &argv, &code))
        code = describe(argc > 1 ? argv[1] : NULL, arguments.schema, arguments.format);
    cli_clear(command, &arguments);
    return code;
}
