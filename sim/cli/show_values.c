// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cli/show_values.h"

#include "sim/cli/cli.h"
#include "sim/output/text.h"

#include <string.h>

// A value, as it is printed.
struct shown_value {
    char *path, *value, *origin;
};

static void clear_shown_value(void *data)
{
    struct shown_value *value = data;
    g_free(value->path);
    g_free(value->value);
    g_free(value->origin);
}

static GArray *shown_values_new(void)
{
    GArray *values = g_array_new(FALSE, TRUE, sizeof(struct shown_value));
    g_array_set_clear_func(values, clear_shown_value);
    return values;
}

static char *origin_text(struct source_mark mark)
{
    return mark.line ? g_strdup_printf("%s:%d:%d", mark.file, mark.line, mark.column)
                     : g_strdup(mark.file ? mark.file : "default");
}

// Appends the values of a table, those that are no defaults or all.
static void add_table_values(GArray *list, const struct param_values *values, bool all)
{
    for (int i = 0; values->table->params[i].name; i++) {
        const struct param *param = &values->table->params[i];
        if (!all && param_is_default(values, param->name))
            continue;
        char *text = param_value_text(values, param);
        struct shown_value value = {g_strdup_printf("%s.%s", values->path, param->name),
                                    text ? text : g_strdup("none"),
                                    origin_text(values->origins[i])};
        g_array_append_val(list, value);
    }
}

static bool has_path(const GArray *list, const char *path)
{
    for (guint i = 0; i < list->len; i++)
        if (g_str_has_prefix(g_array_index(list, struct shown_value, i).path, path))
            return true;
    return false;
}

// The values of links or switches, which several of them share.
static void add_shared_values(GArray *list, const struct param_values *values,
                              const struct param_values **before, bool all)
{
    if (values == *before || has_path(list, values->path))
        return;
    *before = values;
    add_table_values(list, values, all);
}

static GArray *case_values(const struct scenario_case *one, const struct scenario_schema *schema,
                           bool all)
{
    GArray *list = shown_values_new();
    const struct param_values *before = NULL;
    for (guint i = 0; i < one->topology.links->len; i++)
        add_shared_values(
            list, ((struct topology_link *)g_ptr_array_index(one->topology.links, i))->values,
            &before, all);
    for (guint i = 0; i < one->topology.switches->len; i++)
        add_shared_values(
            list, ((struct topology_switch *)g_ptr_array_index(one->topology.switches, i))->values,
            &before, all);
    for (guint i = 0; i < one->sections->len; i++) {
        const struct param_values *values = g_ptr_array_index(one->sections, i);
        if (scenario_case_reads(one, schema, values->path))
            add_table_values(list, values, all);
    }
    if (one->workload.parameters)
        add_table_values(list, one->workload.parameters, all);
    return list;
}

static bool has_value(const GArray *list, const struct shown_value *value)
{
    for (guint i = 0; i < list->len; i++) {
        const struct shown_value *other = &g_array_index(list, struct shown_value, i);
        if (strcmp(other->path, value->path) == 0)
            return strcmp(other->value, value->value) == 0 &&
                   strcmp(other->origin, value->origin) == 0;
    }
    return false;
}

static void append_value_text(GString *out, const struct shown_value *value,
                              const struct show_values_options *options)
{
    char *text = g_strdup_printf("%s = %s", value->path, value->value);
    g_string_append(out, "  ");
    text_append_wrapped(out, text, options->width - 2, 4);
    g_string_append_c(out, '\n');
    if (options->origins)
        g_string_append_printf(out, "      %s\n", value->origin);
    g_free(text);
}

static void append_values_heading(GString *out, const char *whose,
                                  const struct show_values_options *options)
{
    g_string_append(out, "\nvalues");
    if (whose)
        g_string_append_printf(out, " of %s", whose);
    g_string_append(out, options->all ? "\n" : " that are no defaults\n");
}

void show_values_of_cases(GString *out, const struct scenario *scenario,
                          const struct scenario_schema *schema,
                          const struct show_values_options *options)
{
    guint count = scenario->cases->len;
    g_assert(count > 0);
    GArray **lists = g_new0(GArray *, count + 1);
    for (guint i = 0; i < count; i++)
        lists[i] = case_values(g_ptr_array_index(scenario->cases, i), schema, options->all);
    for (guint turn = 0; turn <= count; turn++) { // first those of all, then of each
        const GArray *list = lists[turn > 0 ? turn - 1 : 0];
        bool begun = false;
        for (guint i = 0; i < list->len; i++) {
            const struct shown_value *value = &g_array_index(list, struct shown_value, i);
            bool common = true;
            for (guint k = 0; common && k < count; k++)
                common = has_value(lists[k], value);
            if (common != (turn == 0))
                continue;
            if (!begun)
                append_values_heading(out,
                                      turn > 0 ? ((struct scenario_case *)g_ptr_array_index(
                                                      scenario->cases, turn - 1))
                                                     ->name
                                               : NULL,
                                      options);
            begun = true;
            append_value_text(out, value, options);
        }
    }
    for (guint i = 0; i < count; i++)
        g_array_unref(lists[i]);
    g_free(lists);
}

static void add_tree_values(GArray *list, const struct node *tree, const char *path,
                            const struct param_table *table, bool all)
{
    const struct node *map = cli_node_at(tree, path);
    if (!map || map->kind != NODE_MAP)
        return;
    struct diag_list *diags = diag_list_new();
    struct param_values *values = param_read_part(table, map, path, false, NULL, diags);
    add_table_values(list, values, all);
    param_values_free(values);
    diag_list_free(diags);
}

void show_values_of_testbed(GString *out, const struct node *tree,
                            const struct scenario_schema *schema,
                            const struct show_values_options *options)
{
    GArray *list = shown_values_new();
    add_tree_values(list, tree, "link", schema->link_table, options->all);
    add_tree_values(list, tree, "switch", schema->switch_table, options->all);
    for (const struct scenario_section *section = schema->sections; section->path; section++)
        add_tree_values(list, tree, section->path, section->table, options->all);
    append_values_heading(out, NULL, options);
    for (guint i = 0; i < list->len; i++)
        append_value_text(out, &g_array_index(list, struct shown_value, i), options);
    g_array_unref(list);
}
