// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario/draw.h"

#include "sim/config/reader.h"
#include "sim/scenario/draw_host.h"
#include "sim/scenario/draw_mix.h"
#include "sim/scenario/draw_quantile.h"
#include "sim/scenario/ensemble.h"
#include "sim/scenario/host_settings.h"

#include <string.h>

#define MOST_CAUSES 16 // from a parameter by `with` to the one that it is drawn with

// ---- Causes ----

struct drawing {
    int64_t draw;
    GPtrArray *sections; // struct param_values *: of the case, of all links, of all switches
    struct ensemble_shelf *ensembles;
    struct node **tree;
    struct diag_list *diags;
    struct draw_mix mix;
};

// The section and index of the parameter at a path; NULL: there is none.
static const struct param_values *parameter_at(const struct drawing *drawing, const char *path,
                                               int *index)
{
    const char *dot = strrchr(path, '.');
    for (guint i = 0; dot && i < drawing->sections->len; i++) {
        const struct param_values *values = g_ptr_array_index(drawing->sections, i);
        if (strlen(values->path) != (size_t)(dot - path) ||
            strncmp(values->path, path, (size_t)(dot - path)) != 0)
            continue;
        *index = param_index(values->table, dot + 1);
        return *index >= 0 ? values : NULL;
    }
    return NULL;
}

// The path of the parameter that one is drawn with at last, often its own; NULL after a complaint.
static const char *cause_of(const struct drawing *drawing, const struct param_values *values,
                            int index, const char *path)
{
    struct source_mark mark = values->origins[index];
    for (int hops = 0; values->withs[index]; hops++) {
        const char *with = values->withs[index];
        if (hops == MOST_CAUSES) {
            diag_add(drawing->diags, mark, path, "let one of them stand alone",
                     "`with` leads from %s in a circle", with);
            return NULL;
        }
        values = parameter_at(drawing, with, &index);
        if (!values) {
            diag_add(drawing->diags, mark, path, NULL, "`with`: there is no parameter %s", with);
            return NULL;
        }
        path = with;
    }
    return path;
}

// ---- A draw ----

// `source` is of the value without draws, `mark` where that of the draw comes from.
static bool lay_value(struct drawing *drawing, int64_t draw, const char *path, const char *value,
                      const char *source, struct source_mark mark)
{
    struct node *map = node_new_map(mark);
    char *text = g_strdup_printf("draw %" G_GINT64_FORMAT "%s%s", draw, source ? " of " : "",
                                 source ? source : "");
    struct node *from = node_new_scalar(mark, text);
    node_unset(*drawing->tree, path); // its source, range and the rest, too
    bool good = node_set(&map, "value", value, mark.file, drawing->diags) &&
                node_put(&map, "source", from, drawing->diags);
    if (good)
        node_get(map, "value")->mark = mark;
    good = good && node_put(drawing->tree, path, map, drawing->diags);
    node_free(from);
    node_free(map);
    g_free(text);
    return good;
}

// The quantile of a parameter in the draw that it is of, in *draw; 0 after a complaint.
static double quantile_of(const struct drawing *drawing, const struct param_values *values,
                          int index, const char *path, bool usual, int64_t *draw)
{
    const char *cause = cause_of(drawing, values, index, path);
    if (!cause)
        return 0.0;
    *draw = draw_mix_of(&drawing->mix, drawing->draw, cause);
    return usual && !values->withs[index] ? draw_shared_quantile(*draw, path, values->path)
                                          : draw_quantile(*draw, cause);
}

// By --set PATH.value=, which leaves the keys next to the value.
static bool is_set_by_user(struct source_mark origin)
{
    return origin.line == 0 && origin.file && g_str_has_prefix(origin.file, "--set ");
}

// The row of an ensemble.
static bool lay_from_ensemble(struct drawing *drawing, const struct param_values *values, int index)
{
    const struct param *param = &values->table->params[index];
    const char *file = values->ensembles[index];
    char *path = reader_path(values->path, param->name), *now = param_value_text(values, param);
    char *name = g_path_get_basename(file);
    struct source_mark place;
    const char *value = ensemble_value(drawing->ensembles, file, path, drawing->draw, now,
                                       values->origins[index], &place, drawing->diags);
    bool good = value && lay_value(drawing, drawing->draw, path, value, name, place);
    g_free(name);
    g_free(now);
    g_free(path);
    return good;
}

// Lays the value at `place`, the path of the section or of an item that has its own.
static bool draw_parameter(struct drawing *drawing, const struct param_values *values, int index,
                           const char *place)
{
    struct prior prior;
    if (values->ensembles[index] && (drawing->mix.mixed || is_set_by_user(values->origins[index])))
        return true;
    if (values->ensembles[index])
        return lay_from_ensemble(drawing, values, index);
    if (!prior_of(values, index, &prior) || draw_host_has_own(values, &prior))
        return true;
    char *path = reader_path(values->path, prior.param->name);
    char *there = reader_path(place, prior.param->name);
    int64_t draw = 0;
    double u = quantile_of(drawing, values, index, path, prior.usual != NULL, &draw);
    char *value = u > 0.0 ? prior_quantile(&prior, u) : NULL;
    bool good = u > 0.0 && (!value || lay_value(drawing, draw, there, value, values->sources[index],
                                                (struct source_mark){.file = "draw"}));
    prior_clear(&prior);
    g_free(value);
    g_free(there);
    g_free(path);
    return good;
}

// Hosts have the phases of the draw, unless a user has set whose.
static bool draw_phases(struct drawing *drawing)
{
    int index;
    const struct param_values *values =
        parameter_at(drawing, DRAW_HOST_SECTION "." DRAW_HOST_KEY, &index);
    if (!values || !param_is_default(values, DRAW_HOST_KEY))
        return true;
    int64_t draw = draw_mix_of(&drawing->mix, drawing->draw, DRAW_HOST_SECTION);
    char *number = g_strdup_printf("%" G_GINT64_FORMAT, draw);
    bool good = lay_value(drawing, draw, DRAW_HOST_SECTION "." DRAW_HOST_KEY, number, NULL,
                          (struct source_mark){.file = "draw"});
    g_free(number);
    return good;
}

static void add_shared(GPtrArray *sections, const struct param_table *table,
                       const struct node *tree, const char *path)
{
    struct diag_list *ignored = diag_list_new();
    g_ptr_array_add(sections,
                    param_read_part(table, node_get(tree, path), path, false, NULL, ignored));
    diag_list_free(ignored);
}

static void free_drawn_values(void *data)
{
    param_values_free(data);
}

// The sections that a case draws from.
static GPtrArray *sections_of(const struct scenario_case *test_case,
                              const struct scenario_schema *schema, const struct node *tree)
{
    GPtrArray *sections = g_ptr_array_new_with_free_func(free_drawn_values);
    for (guint i = 0; i < test_case->sections->len; i++) {
        struct param_values *values = g_ptr_array_index(test_case->sections, i);
        if (scenario_case_reads(test_case, schema, values->path))
            g_ptr_array_add(sections, param_values_ref(values));
    }
    add_shared(sections, schema->link_table, tree, "link");
    add_shared(sections, schema->switch_table, tree, "switch");
    return sections;
}

// ---- What one link, switch or host has of its own ----

struct drawn_item {
    struct param_values *values; // its own and defaults; path: of the section that all have
    char *place;                 // "links[2]", "hosts[0].host.memory"
};

static void free_drawn_item(void *data)
{
    struct drawn_item *item = data;
    param_values_free(item->values);
    g_free(item->place);
    g_free(item);
}

static void add_item(GPtrArray *items, const struct param_table *table, const struct node *map,
                     const char *path, char *place)
{
    struct diag_list *ignored = diag_list_new();
    struct drawn_item *item = g_new0(struct drawn_item, 1);
    item->values = param_read_part(table, map, path, false, NULL, ignored);
    item->place = place;
    g_ptr_array_add(items, item);
    diag_list_free(ignored);
}

static void add_items_of_list(GPtrArray *items, const struct param_table *table,
                              const struct node *list, const char *path, const char *key)
{
    for (guint i = 0; list && list->kind == NODE_LIST && i < list->children->len; i++)
        add_item(items, table, g_ptr_array_index(list->children, i), path,
                 g_strdup_printf("%s[%u]", key, i));
}

// The settings of host i of the list.
static void add_items_of_host(GPtrArray *items, const struct scenario_schema *schema,
                              const struct node *item, guint i)
{
    const char *prefix = HOST_SETTINGS_KEY ".";
    const struct node *own = node_get(item, HOST_SETTINGS_KEY);
    for (const struct scenario_section *section = schema->sections; own && section->path;
         section++) {
        if (!g_str_has_prefix(section->path, prefix))
            continue;
        const struct node *map = node_get(own, section->path + strlen(prefix));
        if (map)
            add_item(items, section->table, map, section->path,
                     g_strdup_printf("hosts[%u].%s", i, section->path));
    }
}

static GPtrArray *items_of(const struct scenario_schema *schema, const struct node *tree)
{
    GPtrArray *items = g_ptr_array_new_with_free_func(free_drawn_item);
    const struct node *hosts = node_get(tree, "hosts");
    add_items_of_list(items, schema->link_table, node_get(tree, "links"), "link", "links");
    add_items_of_list(items, schema->switch_table, node_get(tree, "switches"), "switch",
                      "switches");
    for (guint i = 0; hosts && hosts->kind == NODE_LIST && i < hosts->children->len; i++)
        add_items_of_host(items, schema, g_ptr_array_index(hosts->children, i), i);
    return items;
}

// Whether the item itself has the parameter.
static bool item_has(const struct drawn_item *item, int index)
{
    return !param_is_default(item->values, item->values->table->params[index].name);
}

// Each by the quantile of the parameter that all have: those of one kind go together.
static bool draw_items(struct drawing *drawing, const struct scenario_schema *schema)
{
    GPtrArray *items = items_of(schema, *drawing->tree);
    bool good = true;
    for (guint i = 0; i < items->len; i++) {
        const struct drawn_item *item = g_ptr_array_index(items, i);
        for (int index = 0; item->values->table->params[index].name; index++)
            if (item_has(item, index))
                good &= draw_parameter(drawing, item->values, index, item->place);
    }
    g_ptr_array_unref(items);
    return good;
}

bool draw_lay(int64_t draw, const struct scenario_case *test_case,
              const struct scenario_schema *schema, struct ensemble_shelf *ensembles,
              struct node **tree, struct diag_list *diags)
{
    struct drawing drawing = {draw, sections_of(test_case, schema, *tree), ensembles, tree, diags,
                              {0}};
    bool good = draw_mix_read(*tree, schema, &drawing.mix, diags) && draw_phases(&drawing);
    for (guint i = 0; i < drawing.sections->len; i++) {
        const struct param_values *values = g_ptr_array_index(drawing.sections, i);
        for (int index = 0; values->table->params[index].name; index++)
            good &= draw_parameter(&drawing, values, index, values->path);
    }
    good &= draw_items(&drawing, schema);
    draw_mix_clear(&drawing.mix);
    g_ptr_array_unref(drawing.sections);
    return good;
}

// ---- The uncertain parameters of a case ----

static void free_drawn_parameter(void *data)
{
    struct drawn_parameter *parameter = data;
    prior_clear(&parameter->prior);
    param_values_free(parameter->values);
    g_free(parameter->cause);
    g_free(parameter->path);
    g_free(parameter);
}

static void add_row_parameter(struct param_values *values, int index, GPtrArray *parameters)
{
    struct drawn_parameter *parameter = g_new0(struct drawn_parameter, 1);
    parameter->prior.param = &values->table->params[index];
    parameter->path = reader_path(values->path, parameter->prior.param->name);
    parameter->values = param_values_ref(values);
    parameter->cause = g_strdup(parameter->path);
    parameter->ensemble = values->ensembles[index];
    g_ptr_array_add(parameters, parameter);
}

static void add_drawn_parameter(const struct drawing *drawing, struct param_values *values,
                                int index, GPtrArray *parameters)
{
    struct prior prior;
    if (!prior_of(values, index, &prior))
        return;
    if (draw_host_has_own(values, &prior)) // no one value
        return;
    char *path = reader_path(values->path, prior.param->name);
    const char *cause = cause_of(drawing, values, index, path);
    if (!cause) {
        prior_clear(&prior);
        g_free(path);
        return;
    }
    struct drawn_parameter *parameter = g_new0(struct drawn_parameter, 1);
    parameter->path = path;
    parameter->prior = prior;
    parameter->values = param_values_ref(values);
    parameter->cause = g_strdup(cause);
    parameter->table = prior.usual && !values->withs[index] ? values->path : NULL;
    g_ptr_array_add(parameters, parameter);
}

static GPtrArray *list_parameters(const struct scenario_case *test_case,
                                  const struct scenario_schema *schema, bool rows)
{
    struct drawing drawing = {
        0, sections_of(test_case, schema, test_case->tree), NULL, NULL, diag_list_new(), {0}};
    GPtrArray *parameters = g_ptr_array_new_with_free_func(free_drawn_parameter);
    for (guint i = 0; i < drawing.sections->len; i++) {
        struct param_values *values = g_ptr_array_index(drawing.sections, i);
        for (int index = 0; values->table->params[index].name; index++)
            if (!rows)
                add_drawn_parameter(&drawing, values, index, parameters);
            else if (values->ensembles[index] && !is_set_by_user(values->origins[index]))
                add_row_parameter(values, index, parameters);
    }
    g_ptr_array_unref(drawing.sections);
    diag_list_free(drawing.diags);
    return parameters;
}

GPtrArray *draw_parameters(const struct scenario_case *test_case,
                           const struct scenario_schema *schema)
{
    return list_parameters(test_case, schema, false);
}

GPtrArray *draw_row_parameters(const struct scenario_case *test_case,
                               const struct scenario_schema *schema)
{
    return list_parameters(test_case, schema, true);
}

double draw_parameter_quantile(const struct drawn_parameter *parameter, int64_t draw)
{
    return parameter->table ? draw_shared_quantile(draw, parameter->path, parameter->table)
                            : draw_quantile(draw, parameter->cause);
}

static void add_input(GPtrArray *names, const char *name)
{
    if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
        g_ptr_array_add(names, g_strdup(name));
}

static void add_inputs_of_parameters(const GPtrArray *parameters, GPtrArray *names)
{
    for (guint i = 0; i < parameters->len; i++) {
        const struct drawn_parameter *parameter = g_ptr_array_index(parameters, i);
        add_input(names, parameter->cause);
        if (parameter->table)
            add_input(names, parameter->table);
    }
}

static void add_inputs_of_items(const struct scenario_case *test_case,
                                const struct scenario_schema *schema, GPtrArray *names)
{
    struct drawing drawing = {.sections = sections_of(test_case, schema, test_case->tree),
                              .diags = diag_list_new()};
    GPtrArray *items = items_of(schema, test_case->tree);
    GPtrArray *parameters = g_ptr_array_new_with_free_func(free_drawn_parameter);
    for (guint i = 0; i < items->len; i++) {
        const struct drawn_item *item = g_ptr_array_index(items, i);
        for (int index = 0; item->values->table->params[index].name; index++)
            if (item_has(item, index))
                add_drawn_parameter(&drawing, item->values, index, parameters);
    }
    add_inputs_of_parameters(parameters, names);
    g_ptr_array_unref(parameters);
    g_ptr_array_unref(items);
    g_ptr_array_unref(drawing.sections);
    diag_list_free(drawing.diags);
}

GPtrArray *draw_inputs(const struct scenario_case *test_case, const struct scenario_schema *schema)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    GPtrArray *parameters = draw_parameters(test_case, schema);
    add_inputs_of_parameters(parameters, names);
    g_ptr_array_unref(parameters);
    add_inputs_of_items(test_case, schema, names);
    return names;
}
