// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/config/param.h"

#include "sim/config/param_kind.h"
#include "sim/config/prior.h"
#include "sim/config/reader.h"
#include "sim/core/intern.h"

#include <string.h>

#define ORIGIN_DEFAULT "default"

static const struct param_type *type_of(const struct param *param)
{
    return &param_types[param->kind];
}

// Whether param_read reads it; the caller reads other rows.
static bool is_value(const struct param *param)
{
    return type_of(param)->read != NULL;
}

static int param_count(const struct param_table *table)
{
    int count = 0;
    while (table->params[count].name)
        count++;
    return count;
}

static void *field_of(const struct param_values *values, const struct param *param)
{
    return (char *)values->values + param->offset;
}

int param_index(const struct param_table *table, const char *name)
{
    for (int i = 0; table->params[i].name; i++)
        if (strcmp(table->params[i].name, name) == 0)
            return i;
    return -1;
}

void param_table_names(const struct param_table *table, GPtrArray *names)
{
    for (const struct param *param = table->params; param->name; param++)
        g_ptr_array_add(names, (char *)param->name);
}

// ---- Values ----

static struct param_values *values_new(const struct param_table *table, const char *path,
                                       struct diag_list *diags)
{
    struct param_values *values = g_new0(struct param_values, 1);
    int count = param_count(table);
    values->table = table;
    values->path = g_strdup(path);
    values->values = g_malloc0(table->size);
    values->origins = g_new0(struct source_mark, count);
    values->sources = g_new0(const char *, count);
    values->chosen_for = g_new0(const char *, count);
    values->priors = g_new0(const char *, count);
    values->withs = g_new0(const char *, count);
    values->ensembles = g_new0(const char *, count);
    values->diags = diags;
    values->references = 1;
    return values;
}

struct param_values *param_values_ref(struct param_values *values)
{
    values->references++;
    return values;
}

void param_values_free(struct param_values *values)
{
    if (!values || --values->references > 0)
        return;
    for (const struct param *param = values->table->params; param->name; param++)
        if (type_of(param)->clear)
            type_of(param)->clear(field_of(values, param));
    g_free((char *)values->path);
    g_free(values->sources);
    g_free(values->chosen_for);
    g_free(values->priors);
    g_free(values->withs);
    g_free(values->ensembles);
    g_free(values->origins);
    g_free(values->values);
    g_free(values);
}

// ---- Reading ----

static bool read_value(struct param_values *values, int index, const struct node *node,
                       const char *path)
{
    const struct param *param = &values->table->params[index];
    struct param_reading reading = {param,         node, path, field_of(values, param),
                                    values->diags, NULL};
    values->origins[index] = node->mark;
    return type_of(param)->read(&reading);
}

const char *param_fallback(const struct param *param, int profile)
{
    return param->by_profile ? param->by_profile[profile] : param->fallback;
}

// The parameters are read in order: the profile is there already.
static const char *fallback_of(const struct param_values *values, const struct param *param)
{
    const struct param *first = values->table->params;
    if (!param->by_profile)
        return param->fallback;
    g_assert(first->kind == PARAM_CHOICE);
    return param_fallback(param, *(const int *)field_of(values, first));
}

// The default's uncertainty. That of a default by profile is of the first one; another one has
// none.
static void read_default_prior(struct param_values *values, int index, const char *path)
{
    const struct param *param = &values->table->params[index];
    struct prior prior;
    char *fault = NULL;
    values->withs[index] = param->with;
    values->priors[index] = NULL;
    if (!param->prior || !param->fallback ||
        strcmp(fallback_of(values, param), param->fallback) != 0)
        return;
    if (prior_parse(param->prior, param, field_of(values, param), &prior, &fault)) {
        values->priors[index] = param->prior;
        prior_clear(&prior);
    } else {
        diag_add(values->diags, values->origins[index], path, NULL, "%s", fault);
    }
    g_free(fault);
}

// Puts the default in; a table whose default does not fit it shows as a diagnostic in file
// "default".
static void read_default(struct param_values *values, int index)
{
    const struct param *param = &values->table->params[index];
    values->origins[index] = (struct source_mark){.file = ORIGIN_DEFAULT};
    values->sources[index] = param->source;
    values->chosen_for[index] = param->chosen_for;
    if (type_of(param)->clear) // remains of a failed reading
        type_of(param)->clear(field_of(values, param));
    const char *fallback = fallback_of(values, param);
    if (!fallback)
        return;
    struct node *node = type_of(param)->list ? node_parse(fallback, strlen(fallback),
                                                          ORIGIN_DEFAULT, NULL, values->diags)
                                             : node_new_scalar(values->origins[index], fallback);
    char *path = reader_path(values->path, param->name);
    struct source_mark origin = values->origins[index];
    if (node)
        read_value(values, index, node, path);
    values->origins[index] = origin;
    read_default_prior(values, index, path);
    g_free(path);
    node_free(node);
}

// Whether it is {value: …, source: …}, with other keys or without.
static bool is_sourced(const struct node *node)
{
    return node->kind == NODE_MAP && node_get(node, "value");
}

// The claims that a value was chosen for, one or a list, as struct param has them.
static bool read_chosen_for(struct param_values *values, int index, const struct node *node,
                            const char *path)
{
    GString *ids = g_string_new(NULL);
    bool several = node->kind == NODE_LIST, good = true;
    for (guint i = 0; i < (several ? node->children->len : 1); i++) {
        const struct node *one = several ? g_ptr_array_index(node->children, i) : node;
        const char *id = reader_text(one, path, "the id of a claim", values->diags);
        good &= id != NULL;
        if (id)
            g_string_append_printf(ids, "%s%s", ids->len > 0 ? " " : "", id);
    }
    values->chosen_for[index] = ids->len > 0 ? intern_text(ids->str) : NULL;
    g_string_free(ids, TRUE);
    return good;
}

// The uncertainty of a value that has been read.
static bool read_prior(struct param_values *values, int index, const struct node *node,
                       const char *path)
{
    const struct param *param = &values->table->params[index];
    const struct node *with = node_get(node, "with");
    bool good;
    const char *text = prior_read(node, path, values->diags, &good);
    values->priors[index] = NULL;
    values->withs[index] =
        with ? intern_text(reader_text(with, path, "the path of a parameter", values->diags))
             : NULL;
    if (!text)
        return good;
    struct prior prior;
    char *fault;
    if (!prior_parse(text, param, field_of(values, param), &prior, &fault)) {
        diag_add(values->diags, node->mark, path, NULL, "%s", fault);
        g_free(fault);
        return false;
    }
    prior_clear(&prior);
    values->priors[index] = text;
    return true;
}

static void read_ensemble(struct param_values *values, int index, const struct node *node)
{
    const struct node *file = node_get(node, "ensemble");
    values->ensembles[index] = file ? intern_text(file->text) : NULL;
}

static bool read_sourced(struct param_values *values, int index, const struct node *node,
                         const char *path)
{
    static const char *const keys[] = {"value",    "source", "chosen_for", "range",    "within",
                                       "anywhere", "or",     "with",       "ensemble", NULL};
    if (!reader_keys(node, path, keys, values->diags))
        return false;
    read_ensemble(values, index, node);
    const struct node *source = node_get(node, "source");
    const char *text = NULL;
    if (!source && values->ensembles[index])
        return read_value(values, index, node_get(node, "value"), path);
    if (!source)
        diag_add(values->diags, node->mark, path, "write source: TEXT beside the value",
                 "the key source is missing");
    else
        text = reader_text(source, path, "the source as text", values->diags);
    bool good = read_value(values, index, node_get(node, "value"), path);
    values->sources[index] = intern_text(text);
    const struct node *claims = node_get(node, "chosen_for");
    if (claims)
        good &= read_chosen_for(values, index, claims, path);
    good = good && read_prior(values, index, node, path);
    return good && text;
}

static bool read_given(struct param_values *values, int index, const struct node *node)
{
    char *path = reader_path(values->path, values->table->params[index].name);
    bool good = (is_sourced(node) ? read_sourced : read_value)(values, index, node, path);
    g_free(path);
    return good;
}

// Whether it is {ensemble: FILE}: no value is given, and the default has draws.
static bool is_marked_default(const struct node *node)
{
    return node && node->kind == NODE_MAP && node->children->len == 1 && node_get(node, "ensemble");
}

// Reads every parameter of the table that the map holds; defaults for all others.
static bool read_all(struct param_values *values, const struct node *map, bool complete)
{
    bool good = true;
    for (int i = 0; values->table->params[i].name; i++) {
        const struct param *param = &values->table->params[i];
        const struct node *node = is_value(param) ? node_get(map, param->name) : NULL;
        if (is_marked_default(node)) {
            read_ensemble(values, i, node);
            node = NULL;
        }
        if (node && read_given(values, i, node))
            continue;
        good &= !node;
        if (!node && !param->fallback && !param->optional && complete) {
            char *path = reader_path(values->path, param->name);
            diag_add(values->diags, map ? map->mark : (struct source_mark){0}, path, param->doc,
                     "must be given");
            g_free(path);
            good = false;
        }
        read_default(values, i);
    }
    return good;
}

struct param_values *param_read_part(const struct param_table *table, const struct node *map,
                                     const char *path, bool complete, bool *good,
                                     struct diag_list *diags)
{
    struct param_values *values = values_new(table, path, diags);
    bool is_map = node_is_null(map) || reader_is(map, NODE_MAP, path, "a map of parameters", diags);
    bool well = read_all(values, is_map ? map : NULL, complete && is_map) && is_map;
    bool missing = false;
    for (int i = 0; table->params[i].name; i++)
        missing |= !table->params[i].fallback && !node_get(map, table->params[i].name);
    guint before = diags->found;
    if (well && !missing && table->check)
        table->check(values->values, values);
    well &= diags->found == before;
    if (good)
        *good = well;
    values->diags = NULL;
    return values;
}

bool param_keys(const struct param_table *table, const struct node *map, const char *path,
                struct diag_list *diags)
{
    GPtrArray *names = g_ptr_array_new();
    param_table_names(table, names);
    g_ptr_array_add(names, NULL);
    bool good =
        reader_keys_or(map, path, (const char *const *)names->pdata, NULL, table->renamed, diags);
    g_ptr_array_free(names, TRUE);
    return good;
}

struct param_values *param_read(const struct param_table *table, const struct node *map,
                                const char *path, struct diag_list *diags)
{
    if (map && map->kind == NODE_MAP)
        param_keys(table, map, path, diags);
    return param_read_part(table, map, path, true, NULL, diags);
}

static bool is_default(struct source_mark mark)
{
    return g_strcmp0(mark.file, ORIGIN_DEFAULT) == 0;
}

bool param_is_default(const struct param_values *values, const char *name)
{
    return is_default(values->origins[param_index(values->table, name)]);
}

// Where to complain about a parameter: where it was given, or else where a parameter in conflict
// with its default was given, on the command line or in a file.
static struct source_mark place_of(const struct param_values *values, int index)
{
    struct source_mark place = values->origins[index];
    if (!is_default(place))
        return place;
    for (int i = 0; values->table->params[i].name; i++) {
        struct source_mark origin = values->origins[i];
        if (!is_default(origin) && (is_default(place) || origin.line == 0))
            place = origin;
    }
    return place;
}

struct source_mark param_place(const struct param_values *values, const char *name)
{
    int index = param_index(values->table, name);
    return index < 0 ? (struct source_mark){0} : place_of(values, index);
}

void param_complain(const struct param_values *values, const char *name, const char *hint,
                    const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    char *path = reader_path(values->path, name);
    diag_add(values->diags, param_place(values, name), path, hint, "%s", message);
    g_free(path);
    g_free(message);
}

// ---- Showing ----

char *param_value_text(const struct param_values *values, const struct param *param)
{
    return type_of(param)->text(param, field_of(values, param));
}

// null for a parameter that has no default and was not needed.
static json_t *value_json(const struct param_values *values, const struct param *param)
{
    const void *field = field_of(values, param);
    if (!param->fallback && is_default(values->origins[param - values->table->params]))
        return json_null();
    if (type_of(param)->json)
        return type_of(param)->json(field);
    char *text = param_value_text(values, param);
    json_t *json = text ? json_string(text) : json_null();
    g_free(text);
    return json;
}

// "file:line:column", or the file alone: "default", "--set a.b=1".
static json_t *origin_json(struct source_mark mark)
{
    char *file = g_utf8_make_valid(mark.file ? mark.file : "", -1);
    json_t *json =
        mark.line ? json_sprintf("%s:%d:%d", file, mark.line, mark.column) : json_string(file);
    g_free(file);
    return json;
}

// ["a.b", "c.d"] of "a.b c.d".
static json_t *chosen_for_json(const char *ids)
{
    json_t *list = json_array();
    char **words = g_strsplit(ids, " ", -1);
    for (char **word = words; *word; word++)
        json_array_append_new(list, json_string(*word));
    g_strfreev(words);
    return list;
}

// "prior": "within 1.6", and of a usual one "prior_of": "kernel"; "with": the other's path. Or
// "ensemble": the file's name.
static void add_prior(json_t *entry, const struct param_values *values, int index)
{
    struct prior prior;
    if (values->ensembles[index]) {
        char *name = g_path_get_basename(values->ensembles[index]);
        json_object_set_new(entry, "ensemble", json_string(name));
        g_free(name);
    }
    if (!prior_of(values, index, &prior))
        return;
    json_object_set_new(entry, "prior", json_string(prior.text));
    if (prior.usual)
        json_object_set_new(entry, "prior_of", json_string(prior.usual->name));
    if (values->withs[index])
        json_object_set_new(entry, "with", json_string(values->withs[index]));
    prior_clear(&prior);
}

json_t *param_values_json(const struct param_values *values)
{
    json_t *json = json_object();
    for (int i = 0; values->table->params[i].name; i++) {
        const struct param *param = &values->table->params[i];
        json_t *entry = json_object();
        json_object_set_new_nocheck(entry, "value", value_json(values, param));
        json_object_set_new_nocheck(entry, "origin", origin_json(values->origins[i]));
        if (values->sources[i])
            json_object_set_new(entry, "source", json_string(values->sources[i]));
        if (values->chosen_for[i])
            json_object_set_new(entry, "chosen_for", chosen_for_json(values->chosen_for[i]));
        add_prior(entry, values, i);
        json_object_set_new(json, param->name, entry);
    }
    return json;
}

const char *param_kind_units(enum param_kind kind)
{
    const struct param_type *type = &param_types[kind];
    return type->units ? type->units : quantity_units(type->quantity);
}

// ---- JSON Schema ----

static json_t *description(const struct param *param)
{
    const char *least = NULL, *most = NULL;
    if (type_of(param)->number)
        param_bounds(param, &least, &most);
    GString *text = g_string_new(param->doc);
    g_string_append_printf(text, " [%s", param_kind_units(param->kind));
    if (most)
        g_string_append_printf(text, "; %s .. %s", least, most);
    if (param->source)
        g_string_append_printf(text, "; default from: %s", param->source);
    g_string_append_c(text, ']');
    json_t *json = json_string(text->str);
    g_string_free(text, TRUE);
    return json;
}

// The keys of a value with its source.
static json_t *beside_schema(json_t *value)
{
    json_t *one_or_more = json_pack("{s:[{s:s}, {s:s, s:{s:s}}]}", "anyOf", "type", "string",
                                    "type", "array", "items", "type", "string");
    // "512 KiB: 0.25": a value with its probability
    json_t *other = json_pack("{s:[O, {s:s, s:s}]}", "anyOf", value, "type", "string", "pattern",
                              ": *[0-9.]+$");
    json_t *others =
        json_pack("{s:[O, {s:s, s:o}, {s:s, s:{s:s}}]}", "anyOf", value, "type", "array", "items",
                  other, "type", "object", "additionalProperties", "type", "number");
    return json_pack("{s:O, s:{s:s}, s:o, s:{s:s}, s:{s:s}, s:{s:s, s:i}, s:o, s:{s:s}}", "value",
                     value, "source", "type", "string", "chosen_for", one_or_more, "range", "type",
                     "string", "anywhere", "type", "string", "within", "type", "number",
                     "exclusiveMinimum", 1, "or", others, "with", "type", "string");
}

// A value, or the value with its source.
static json_t *param_schema(const struct param_values *defaults, const struct param *param)
{
    json_t *value = type_of(param)->schema(param);
    json_t *sourced =
        json_pack("{s:s, s:o, s:[s, s], s:b}", "type", "object", "properties", beside_schema(value),
                  "required", "value", "source", "additionalProperties", 0);
    json_t *schema =
        json_pack("{s:o, s:[o, o]}", "description", description(param), "anyOf", value, sourced);
    if (param->fallback)
        json_object_set_new(schema, "default", value_json(defaults, param));
    return schema;
}

json_t *param_table_schema(const struct param_table *table)
{
    struct diag_list *diags = diag_list_new();
    struct param_values *defaults = param_read_part(table, NULL, table->name, false, NULL, diags);
    json_t *properties = json_object();
    for (const struct param *param = table->params; param->name; param++)
        if (is_value(param))
            json_object_set_new(properties, param->name, param_schema(defaults, param));
    param_values_free(defaults);
    diag_list_free(diags);
    return json_pack("{s:s, s:s*, s:o, s:b}", "type", "object", "description", table->doc,
                     "properties", properties, "additionalProperties", 0);
}
