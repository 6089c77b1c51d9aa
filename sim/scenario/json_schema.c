// SPDX-License-Identifier: GPL-3.0-or-later
// The keys of a scenario, and the JSON Schema (draft 2020-12) that editors complete and check
// scenarios with.
#include "sim/scenario/json_schema.h"
#include "sim/config/param_map.h"
#include "sim/config/quantity.h"
#include "sim/scenario/draw.h"
#include "sim/scenario/host_settings.h"
#include "sim/scenario/keys.h"
#include "sim/scenario/rule.h"
#include "sim/scenario/scenario.h"
#include "sim/scenario/topology_read.h"
#include "sim/scenario/workload.h"

#include <string.h>

#define DRAFT "https://json-schema.org/draft/2020-12/schema"

static json_t *text_schema(void)
{
    return json_pack("{s:s}", "type", "string");
}

static json_t *count_schema(json_int_t least)
{
    return json_pack("{s:s, s:I}", "type", "integer", "minimum", least);
}

static json_t *list_of(json_t *item)
{
    return json_pack("{s:s, s:o}", "type", "array", "items", item);
}

// One, or a list of such.
static json_t *one_or_list(json_t *item)
{
    return json_pack("{s:[O, {s:s, s:o}]}", "anyOf", item, "type", "array", "items", item);
}

static json_t *object_schema(json_t *properties)
{
    return json_pack("{s:s, s:o, s:b}", "type", "object", "properties", properties,
                     "additionalProperties", 0);
}

// Adds the members of another object, which it frees.
static void update_new(json_t *object, json_t *members)
{
    json_object_update(object, members);
    json_decref(members);
}

static json_t *definition(const char *path)
{
    char *pointer = g_strdup_printf("#/$defs/%s", path);
    json_t *reference = json_pack("{s:s}", "$ref", pointer);
    g_free(pointer);
    return reference;
}

// ---- The keys ----

static json_t *describe_version(const struct scenario_schema *schema)
{
    (void)schema;
    return json_pack("{s:i}", "const", SCENARIO_SCHEMA);
}

static json_t *describe_text(const struct scenario_schema *schema)
{
    (void)schema;
    return text_schema();
}

static json_t *describe_seed(const struct scenario_schema *schema)
{
    (void)schema;
    return count_schema(1);
}

static json_t *describe_draw(const struct scenario_schema *schema)
{
    (void)schema;
    return json_pack("{s:s, s:i, s:i}", "type", "integer", "minimum", 1, "maximum", DRAW_MOST);
}

static json_t *describe_draw_mix(const struct scenario_schema *schema)
{
    (void)schema;
    return json_pack("{s:s, s:s}", "type", "string", "pattern", "^(none|[0-9]+ of .+)$");
}

static json_t *describe_stack(const struct scenario_schema *schema)
{
    json_t *list = json_array();
    for (const struct stack_schema *stack = schema->stacks; stack->name; stack++)
        json_array_append_new(
            list, json_pack("{s:s, s:s*}", "const", stack->name, "description", stack->doc));
    return json_pack("{s:o}", "oneOf", list);
}

static json_t *models_schema(const struct scenario_schema *schema)
{
    json_t *names = json_array();
    for (const char *const *nic = schema->nics; *nic; nic++)
        json_array_append_new(names, json_string(*nic));
    return json_pack("{s:o}", "enum", names);
}

// A NIC model, or the name of a card that hosts list.
static json_t *describe_nic(const struct scenario_schema *schema)
{
    return json_pack("{s:[o, {s:s, s:s}]}", "anyOf", models_schema(schema), "type", "string",
                     "description", "the name of a card that the hosts list under `nics`");
}

// One of some names, the first of which is the default.
static json_t *describe_choice(const char *const *choices)
{
    json_t *names = json_array();
    for (const char *const *name = choices; *name; name++)
        json_array_append_new(names, json_string(*name));
    return json_pack("{s:o, s:s}", "enum", names, "default", choices[0]);
}

static json_t *describe_fidelity(const struct scenario_schema *schema)
{
    (void)schema;
    return describe_choice(fidelity_names);
}

static json_t *describe_flow(const struct scenario_schema *schema)
{
    (void)schema;
    return describe_choice(flow_player_names);
}

// One rule, or a list of them.
static json_t *describe_what_if(const struct scenario_schema *schema)
{
    const char *const *rules = rules_of_physics(schema);
    json_t *names = json_array();
    for (const char *const *name = rules; *name; name++)
        json_array_append_new(names, json_string(*name));
    g_free((gpointer)rules);
    return one_or_list(json_pack("{s:o}", "enum", names));
}

static json_t *describe_sweep(const struct scenario_schema *schema)
{
    (void)schema;
    return param_map_schema(&sweep_table);
}

static json_t *describe_link(const struct scenario_schema *schema)
{
    (void)schema;
    return definition("link");
}

static json_t *describe_switch(const struct scenario_schema *schema)
{
    (void)schema;
    return definition("switch");
}

// An item whose keys are those of one table and of the parameters at `path` (NULL: none).
static json_t *item_schema(const struct param_table *table, const struct param_table *parameters,
                           const char *path)
{
    json_t *item = param_table_schema(table), *required = json_array();
    json_t *properties = json_object_get(item, "properties");
    for (const struct param *param = table->params; param->name; param++)
        if (!param->fallback && !param->optional)
            json_array_append_new(required, json_string(param->name));
    json_object_set_new(item, "required", required);
    for (const struct param *param = parameters ? parameters->params : NULL; param && param->name;
         param++) {
        char *pointer = g_strdup_printf("%s/properties/%s", path, param->name);
        json_object_set_new(properties, param->name, definition(pointer));
        g_free(pointer);
    }
    return list_of(item);
}

static json_t *describe_hosts(const struct scenario_schema *schema)
{
    json_t *hosts = item_schema(&topology_host_table, NULL, NULL);
    json_t *cards = item_schema(&topology_card_table, NULL, NULL);
    json_object_set_new(json_object_get(json_object_get(cards, "items"), "properties"), "nic",
                        models_schema(schema));
    const struct param *row =
        &topology_host_table.params[param_index(&topology_host_table, TOPOLOGY_NICS_KEY)];
    json_object_set_new(cards, "description", json_string(row->doc));
    json_object_set_new(json_object_get(json_object_get(hosts, "items"), "properties"),
                        TOPOLOGY_NICS_KEY, cards);
    json_object_set_new(json_object_get(json_object_get(hosts, "items"), "properties"),
                        HOST_SETTINGS_KEY, host_settings_schema(schema));
    return hosts;
}

static json_t *describe_buses(const struct scenario_schema *schema)
{
    return item_schema(&topology_bus_item_table, schema->bus_table, "host.bus");
}

static json_t *describe_switches(const struct scenario_schema *schema)
{
    return item_schema(&topology_switch_item_table, schema->switch_table, "switch");
}

static json_t *describe_links(const struct scenario_schema *schema)
{
    return item_schema(&topology_link_item_table, schema->link_table, "link");
}

static json_t *describe_routes(const struct scenario_schema *schema)
{
    (void)schema;
    json_t *words = json_array();
    for (const char *const *word = topology_routings; *word; word++)
        json_array_append_new(words, json_string(*word));
    return json_pack("{s:[o, {s:o}]}", "anyOf", item_schema(&topology_route_table, NULL, NULL),
                     "enum", words);
}

static json_t *benchmark_schema(const struct scenario_schema *schema)
{
    json_t *list = json_array();
    for (const struct benchmark_schema *one = schema->benchmarks; one->name; one++)
        json_array_append_new(
            list, json_pack("{s:s, s:s*}", "const", one->name, "description", one->doc));
    return json_pack("{s:o}", "oneOf", list);
}

// A size, a range of sizes, or a plain 0.
static json_t *size_schema(void)
{
    char *size = quantity_pattern(QUANTITY_SIZE);
    size[strlen(size) - 1] = '\0'; // without ^ and $
    char *range = g_strdup_printf("^(0|%s)[ \\t]*(\\.\\.[ \\t]*(%s)([ \\t]+step[ \\t]+(%s))?)?$",
                                  size + 1, size + 1, size + 1);
    json_t *schema = json_pack("{s:[{s:s, s:s}, {s:i}]}", "anyOf", "type", "string", "pattern",
                               range, "const", 0);
    g_free(range);
    g_free(size);
    return schema;
}

// Adds the keys that benchmarks have of their own: where several have the same, any of theirs.
static void add_benchmark_keys(json_t *properties, const struct scenario_schema *schema)
{
    for (const struct benchmark_schema *one = schema->benchmarks; one->name; one++) {
        json_t *table = one->parameters ? param_table_schema(one->parameters) : NULL, *key;
        const char *name;
        json_object_foreach(json_object_get(table, "properties"), name, key)
        {
            json_t *there = json_object_get(properties, name);
            if (!there)
                json_object_set(properties, name, key);
            else if (!json_equal(there, key))
                json_object_set_new(properties, name, json_pack("{s:[O, O]}", "anyOf", there, key));
        }
        json_decref(table);
    }
}

static json_t *byte_sizes_schema(void)
{
    json_t *sizes = one_or_list(size_schema());
    json_object_set_new(sizes, "default", json_string(WORKLOAD_SIZES));
    return sizes;
}

// The plain numbers of a benchmark that counts something else than bytes.
static json_t *count_sizes_schema(void)
{
    return one_or_list(json_pack("{s:[o, {s:s, s:s}]}", "anyOf", count_schema(0), "type", "string",
                                 "pattern",
                                 "^[0-9]+([ \t]*\\.\\.[ \t]*[0-9]+([ \t]+step[ \t]+[0-9]+)?)?$"));
}

// The schema of `sizes`, which depends on the benchmark. New reference.
static json_t *sizes_by_benchmark(const struct scenario_schema *schema)
{
    json_t *counting = json_array();
    for (const struct benchmark_schema *one = schema->benchmarks; one->name; one++)
        if (one->counts && !one->sizeless)
            json_array_append_new(counting, json_string(one->name));
    json_t *condition = json_pack("{s:{s:{s:o}}, s:[s]}", "properties", "benchmark", "enum",
                                  counting, "required", "benchmark");
    return json_pack("[{s:o, s:{s:{s:o}}, s:{s:{s:o}}}]", "if", condition, "then", "properties",
                     "sizes", count_sizes_schema(), "else", "properties", "sizes",
                     byte_sizes_schema());
}

static bool any_counts(const struct scenario_schema *schema)
{
    for (const struct benchmark_schema *one = schema->benchmarks; one->name; one++)
        if (one->counts && !one->sizeless)
            return true;
    return false;
}

static json_t *describe_workload(const struct scenario_schema *schema)
{
    json_t *workload = param_map_schema(&workload_table),
           *replay = param_table_schema(&replay_table);
    json_t *properties = json_object_get(workload, "properties");
    update_new(json_object_get(properties, "benchmark"), benchmark_schema(schema));
    if (any_counts(schema))
        json_object_set_new(workload, "allOf", sizes_by_benchmark(schema));
    else
        update_new(json_object_get(properties, "sizes"), byte_sizes_schema());
    json_object_update_missing(properties, json_object_get(replay, "properties"));
    json_decref(replay);
    add_benchmark_keys(properties, schema);
    return workload;
}

// The dotted paths that a series may set: whole sections, or single parameters.
static json_t *set_schema(const struct scenario_schema *schema)
{
    json_t *properties = json_object();
    for (const struct scenario_section *section = schema->sections; section->path; section++) {
        json_object_set_new(properties, section->path, definition(section->path));
        for (const struct param *param = section->table->params; param->name; param++) {
            char *path = g_strdup_printf("%s.%s", section->path, param->name);
            char *pointer = g_strdup_printf("%s/properties/%s", section->path, param->name);
            json_object_set_new(properties, path, definition(pointer));
            g_free(pointer);
            g_free(path);
        }
    }
    GString *others = g_string_new("^(");
    for (const struct scenario_key *key = scenario_keys; key->name; key++)
        if (key->places & KEY_IN_SERIES)
            g_string_append_printf(others, "%s%s", others->len > 2 ? "|" : "", key->name);
    GPtrArray *sections = keys_of_section(schema, "");
    for (guint i = 0; i + 1 < sections->len; i++)
        g_string_append_printf(others, "|%s$", (char *)g_ptr_array_index(sections, i));
    g_ptr_array_free(sections, TRUE);
    g_string_append(others, ")");
    json_t *json = json_pack("{s:s, s:o, s:{s:b}, s:b}", "type", "object", "properties", properties,
                             "patternProperties", others->str, 1, "additionalProperties", 0);
    g_string_free(others, TRUE);
    return json;
}

static json_t *describe_series(const struct scenario_schema *schema)
{
    json_t *item = object_schema(json_pack("{s:o, s:o, s:o}", "name", text_schema(), "stack",
                                           describe_stack(schema), "set", set_schema(schema)));
    json_object_set_new(item, "required", json_pack("[s]", "stack"));
    json_t *list = list_of(item);
    json_object_set_new(list, "minItems", json_integer(1));
    return list;
}

static json_t *describe_ensemble(const struct scenario_schema *schema)
{
    (void)schema;
    return one_or_list(text_schema());
}

// The JSON Schema of each key's value, new reference.
static json_t *(*const key_schemas[SCENARIO_KEYS])(const struct scenario_schema *schema) = {
    [SCENARIO_KEY_SCHEMA] = describe_version,    [SCENARIO_KEY_NAME] = describe_text,
    [SCENARIO_KEY_DESCRIPTION] = describe_text,  [SCENARIO_KEY_TESTBED] = describe_text,
    [SCENARIO_KEY_SEED] = describe_seed,         [SCENARIO_KEY_DRAW] = describe_draw,
    [SCENARIO_KEY_DRAW_MIX] = describe_draw_mix, [SCENARIO_KEY_ENSEMBLE] = describe_ensemble,
    [SCENARIO_KEY_WORKLOAD] = describe_workload, [SCENARIO_KEY_STACK] = describe_stack,
    [SCENARIO_KEY_SERIES] = describe_series,     [SCENARIO_KEY_SWEEP] = describe_sweep,
    [SCENARIO_KEY_HOSTS] = describe_hosts,       [SCENARIO_KEY_BUSES] = describe_buses,
    [SCENARIO_KEY_SWITCHES] = describe_switches, [SCENARIO_KEY_LINKS] = describe_links,
    [SCENARIO_KEY_ROUTES] = describe_routes,     [SCENARIO_KEY_LINK] = describe_link,
    [SCENARIO_KEY_SWITCH] = describe_switch,     [SCENARIO_KEY_NIC] = describe_nic,
    [SCENARIO_KEY_WHAT_IF] = describe_what_if,   [SCENARIO_KEY_FIDELITY] = describe_fidelity,
    [SCENARIO_KEY_FLOW] = describe_flow,
};

// ---- The whole ----

// The object at `path` of the tree of sections: its own table's keys, and the sections below it.
static json_t *section_tree(const struct scenario_schema *schema, const char *path)
{
    json_t *properties = json_object();
    for (const struct scenario_section *section = schema->sections; section->path; section++) {
        if (strcmp(section->path, path) != 0)
            continue;
        for (const struct param *param = section->table->params; param->name; param++) {
            char *pointer = g_strdup_printf("%s/properties/%s", path, param->name);
            json_object_set_new(properties, param->name, definition(pointer));
            g_free(pointer);
        }
    }
    GPtrArray *keys = keys_of_section(schema, path);
    for (guint i = 0; i + 1 < keys->len; i++) {
        const char *key = g_ptr_array_index(keys, i);
        char *below = *path ? g_strdup_printf("%s.%s", path, key) : g_strdup(key);
        if (!json_object_get(properties, key))
            json_object_set_new(properties, key, section_tree(schema, below));
        g_free(below);
    }
    g_ptr_array_free(keys, TRUE);
    json_object_set_new(properties, "include", one_or_list(text_schema()));
    return *path ? object_schema(properties) : properties;
}

json_t *scenario_json_schema(const struct scenario_schema *schema)
{
    json_t *definitions = json_object(), *properties = section_tree(schema, "");
    for (const struct scenario_section *section = schema->sections; section->path; section++)
        json_object_set_new(definitions, section->path, param_table_schema(section->table));
    json_object_set_new(definitions, "link", param_table_schema(schema->link_table));
    json_object_set_new(definitions, "switch", param_table_schema(schema->switch_table));
    json_object_set_new(definitions, "operations", operation_list_schema(schema->operations));
    for (const struct scenario_key *key = scenario_keys; key->name; key++) {
        json_t *description = key_schemas[key - scenario_keys](schema);
        json_object_set_new(description, "description", json_string(key->doc));
        json_object_set_new(properties, key->name, description);
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:[s], s:b, s:o}", "$schema", DRAFT, "title",
                     "netsim scenario or testbed", "type", "object", "properties", properties,
                     "required", "schema", "additionalProperties", 0, "$defs", definitions);
}
