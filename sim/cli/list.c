// SPDX-License-Identifier: GPL-3.0-or-later
// netsim list: what there is to run, and to run it on.
#include "sim/cli/cli.h"

#include "sim/config/node.h"
#include "sim/core/shown.h"
#include "sim/figures/spec.h"
#include "sim/model/model.h"
#include "sim/output/json.h"
#include "sim/output/table.h"
#include "sim/output/text.h"
#include "sim/run/schema.h"

// The first ones are listed if none is named.
const char *const cli_list_kinds[] = {"stacks",  "testbeds", "benchmarks", "scenarios", "sweeps",
                                      "figures", "sections", "parameters", NULL};
#define KINDS_BY_DEFAULT 5
static const char *const list_formats[] = {"table", "json", NULL};

static json_t *entry_new(const char *name, const char *description)
{
    json_t *entry = json_object();
    json_object_set_new(entry, "name", json_string(name));
    json_object_set_new(entry, "description", json_string(description ? description : ""));
    return entry;
}

static json_t *names_json(const char *const *names)
{
    json_t *list = json_array();
    for (; names && *names; names++)
        json_array_append_new(list, json_string(*names));
    return list;
}

static json_t *list_stacks(const struct scenario_schema *schema)
{
    json_t *list = json_array();
    for (const struct stack_schema *stack = schema->stacks; stack->name; stack++) {
        json_t *entry = entry_new(stack->name, stack->doc);
        json_object_set_new(entry, "benchmarks", names_json(stack->benchmarks));
        json_object_set_new(entry, "nics", names_json(stack->nics ? stack->nics : schema->nics));
        json_object_set_new(entry, "sections", names_json(stack->sections));
        if (stack->operations)
            json_object_set_new(entry, "operations", names_json(stack->operations));
        json_array_append_new(list, entry);
    }
    return list;
}

static json_t *list_benchmarks(const struct scenario_schema *schema)
{
    json_t *list = json_array();
    for (const struct benchmark_schema *benchmark = schema->benchmarks; benchmark->name;
         benchmark++) {
        json_t *entry = entry_new(benchmark->name, benchmark->doc);
        json_object_set_new(entry, "least_ranks", json_integer(benchmark->least_ranks));
        json_object_set_new(entry, "most_ranks",
                            benchmark->most_ranks ? json_integer(benchmark->most_ranks)
                                                  : json_null());
        json_object_set_new(entry, "metrics", json_string(benchmark->metrics));
        if (benchmark->counts)
            json_object_set_new(entry, "counts", json_string(benchmark->counts));
        json_array_append_new(list, entry);
    }
    return list;
}

static json_t *list_files(const char *folder)
{
    json_t *list = json_array();
    char **names = cli_data_names(folder);
    for (char **name = names; *name; name++) {
        char *file = g_strconcat(*name, ".yaml", NULL);
        char *path = g_build_filename(cli_data_dir(), folder, file, NULL);
        char *text = cli_description(path);
        json_t *entry = entry_new(*name, text);
        json_object_set_new(entry, "file", json_string(path));
        json_array_append_new(list, entry);
        g_free(text);
        g_free(path);
        g_free(file);
    }
    g_strfreev(names);
    return list;
}

static json_t *list_figures(void)
{
    json_t *list = json_array();
    GPtrArray *specs = cli_figure_specs();
    for (guint i = 0; specs && i < specs->len; i++) {
        const struct figure_spec *figure = g_ptr_array_index(specs, i);
        json_array_append_new(list, entry_new(figure->id, figure->title));
    }
    if (specs)
        g_ptr_array_unref(specs);
    return list;
}

// A section, or (parameters) each of its parameters with its path.
static void append_section(json_t *list, const char *path, const struct param_table *table,
                           bool parameters)
{
    if (!parameters) {
        json_array_append_new(list, entry_new(path, table->doc));
        return;
    }
    for (const struct param *param = table->params; param->name; param++) {
        char *whole = g_strconcat(path, ".", param->name, NULL);
        json_array_append_new(list, entry_new(whole, param->doc));
        g_free(whole);
    }
}

static json_t *list_sections(const struct scenario_schema *schema, bool parameters)
{
    json_t *list = json_array();
    append_section(list, "link", schema->link_table, parameters);
    append_section(list, "switch", schema->switch_table, parameters);
    for (const struct scenario_section *section = schema->sections; section->path; section++)
        append_section(list, section->path, section->table, parameters);
    return list;
}

// All that there is of the kind at an index of `cli_list_kinds`.
static json_t *list_kind(const struct scenario_schema *schema, int kind)
{
    switch (kind) {
    case 0:
        return list_stacks(schema);
    case 1:
        return list_files("scenarios/testbeds");
    case 2:
        return list_benchmarks(schema);
    case 3:
        return list_files("scenarios");
    case 4:
        return list_files("scenarios/sweeps");
    case 5:
        return list_figures();
    default:
        return list_sections(schema, kind == 7);
    }
}

static void print_names(json_t *document)
{
    const char *kind;
    json_t *list, *entry;
    size_t index;
    json_object_foreach(document, kind, list)
    {
        json_array_foreach(list, index, entry)
        {
            cli_print("%s\n", json_string_value(json_object_get(entry, "name")));
        }
    }
}

static int widest_name(json_t *list)
{
    int width = 0;
    json_t *entry;
    size_t index;
    json_array_foreach(list, index, entry)
    {
        width = MAX(width, text_width(json_string_value(json_object_get(entry, "name"))));
    }
    return width;
}

static void print_table(json_t *document)
{
    const char *kind;
    json_t *list, *entry;
    size_t index;
    GString *out = g_string_new(NULL);
    json_object_foreach(document, kind, list)
    {
        int width = widest_name(list);
        g_string_append_printf(out, "%s%s\n", out->len > 0 ? "\n" : "", kind);
        json_array_foreach(list, index, entry)
        {
            g_string_append(out, "  ");
            text_append_left(out, json_string_value(json_object_get(entry, "name")), width + 2);
            text_append_wrapped(out, json_string_value(json_object_get(entry, "description")),
                                MAX(cli_wrap_width(stdout) - width - 4, 40), width + 4);
            g_string_append_c(out, '\n');
        }
    }
    shown_print(out->str, SHOWN_TEXT, stdout);
    g_string_free(out, TRUE);
}

static enum cli_exit list_print(int kind, gboolean names, const char *format_name)
{
    int format = cli_choice("--format", format_name, list_formats);
    if (format < 0)
        return CLI_BAD_INPUT;
    struct scenario_schema *schema = registry_schema(&model_registry);
    json_t *document = json_object();
    for (int i = 0; cli_list_kinds[i]; i++)
        if (kind == i || (kind < 0 && i < KINDS_BY_DEFAULT))
            json_object_set_new(document, cli_list_kinds[i], list_kind(schema, i));
    registry_schema_free(schema);
    if (names) {
        print_names(document);
        json_decref(document);
    } else if (format == 1) {
        char *text = document_text(document);
        fputs(text, stdout);
        g_free(text);
    } else {
        print_table(document);
        json_decref(document);
    }
    return CLI_DONE;
}

struct list_arguments {
    gboolean names, wide;
    char *format;
};

const struct cli_option cli_list_options[] = {
    {.name = "names",
     .value = CLI_FLAG,
     .offset = offsetof(struct list_arguments, names),
     .summary = "print names alone, one a line"},
    CLI_WIDE_OPTION(struct list_arguments, wide),
    CLI_FORMAT_OPTION(struct list_arguments, format, list_formats, NULL),
    CLI_OPTIONS_END,
};

static enum cli_exit list_words(char **words, const void *data)
{
    const struct list_arguments *arguments = data;
    int kind = words[0] ? cli_choice("list", words[0], cli_list_kinds) : -1;
    return words[0] && kind < 0 ? CLI_BAD_INPUT
                                : list_print(kind, arguments->names, arguments->format);
}

enum cli_exit cli_list(const struct cli_command *command, int argc, char **argv)
{
    struct list_arguments arguments = {0};
    return cli_with_options(command, argc, argv, &arguments, list_words);
}
