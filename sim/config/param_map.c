// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/config/param_map.h"

#include "sim/config/reader.h"
#include "sim/core/intern.h"

#include <string.h>

bool param_node_later(const struct param_reading *reading)
{
    (void)reading;
    return true;
}

static bool read_node_name(const struct param_reading *reading)
{
    *(const char **)reading->field = intern_text(reading->node->text);
    return reader_name(reading->node, reading->path, reading->diags);
}

const struct param_node param_node_name = {
    .read = read_node_name, .form = "a name", .schema = PARAM_SCHEMA_TEXT};

static bool read_node_text(const struct param_reading *reading)
{
    const char *noun = reading->param->noun ? reading->param->noun : "text";
    char *text = g_strdup(reader_text(reading->node, reading->path, noun, reading->diags));
    *(const char **)reading->field = text ? intern_text(g_strstrip(text)) : NULL;
    g_free(text);
    return *(const char **)reading->field != NULL;
}

const struct param_node param_node_text = {
    .read = read_node_text, .form = "text", .schema = PARAM_SCHEMA_TEXT};

static bool read_node_word(const struct param_reading *reading)
{
    const char *const *choices = reading->param->choices;
    int choice =
        reader_choice(reading->node, reading->path, reading->param->noun, choices, reading->diags);
    *(const char **)reading->field = choice >= 0 ? choices[choice] : NULL;
    return choice >= 0;
}

const struct param_node param_node_word = {.read = read_node_word, .form = "one of the names"};

bool param_refuse(const struct param_reading *reading, const struct node *node, const char *hint,
                  const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    diag_add(reading->diags, (node ? node : reading->node)->mark, reading->path, hint, "%s",
             message);
    g_free(message);
    return false;
}

// ---- Reading ----

static bool read_below(const struct param_reading *reading, const struct node *node,
                       const char *path, void *values)
{
    const struct param_table *table = reading->param->table;
    if (table->init)
        table->init(values);
    const struct param_map below = {
        table, node, path, values, reading->map, reading->map->context, reading->diags};
    return param_map_read(&below);
}

static bool read_list(const struct param_reading *reading)
{
    GPtrArray **list = reading->field;
    const char *noun = reading->param->noun;
    if (!*list)
        *list = g_ptr_array_new();
    if (!reader_is(reading->node, NODE_LIST, reading->path, noun ? noun : "a list", reading->diags))
        return false;
    bool good = true;
    const GPtrArray *items = reading->node->children;
    if (items->len == 0 && reading->param->least)
        good = param_refuse(reading, NULL, reading->param->doc, "the list is empty");
    for (guint i = 0; i < items->len; i++) {
        char *path = reader_path_item(reading->path, i);
        void *values = g_malloc0(reading->param->table->size);
        g_ptr_array_add(*list, values);
        good &= read_below(reading, g_ptr_array_index(items, i), path, values);
        g_free(path);
    }
    return good;
}

static bool read_row(const struct param_reading *reading)
{
    switch (reading->param->kind) {
    case PARAM_NODE:
        return reading->param->node->read(reading);
    case PARAM_MAP:
        return read_below(reading, reading->node, reading->path, reading->field);
    case PARAM_LIST:
        return read_list(reading);
    default:
        return param_types[reading->param->kind].read(reading);
    }
}

static bool map_default(const struct param_reading *reading)
{
    const struct param *row = reading->param;
    if (!row->fallback)
        return true;
    const struct source_mark mark = {.file = "default"};
    struct node *node =
        param_types[row->kind].list
            ? node_parse(row->fallback, strlen(row->fallback), mark.file, NULL, reading->diags)
            : node_new_scalar(mark, row->fallback);
    struct param_reading fallback = *reading;
    fallback.node = node;
    bool good = node && read_row(&fallback);
    node_free(node);
    return good;
}

// Complains about the keys that the map must have and does not.
static bool none_is_missing(const struct param_map *map)
{
    bool good = true;
    for (const struct param *row = map->table->params; row->name; row++) {
        if (row->fallback || row->optional || node_get(map->node, row->name))
            continue;
        char *path = reader_path(map->path, row->name);
        diag_add(map->diags, map->node->mark, path, row->doc, "must be given");
        g_free(path);
        good = false;
    }
    return good;
}

static bool read_rows(const struct param_map *map)
{
    bool good = none_is_missing(map);
    for (const struct param *row = map->table->params; row->name; row++) {
        if (!good && map->table->in_order)
            return false;
        char *path = reader_path(map->path, row->name);
        struct param_reading reading = {row,        node_get(map->node, row->name),
                                        path,       (char *)map->values + row->offset,
                                        map->diags, map};
        good &= (reading.node ? read_row : map_default)(&reading);
        g_free(path);
    }
    return good;
}

bool param_map_read_part(const struct param_map *map)
{
    bool good = read_rows(map);
    return (good || !map->table->in_order) && (!map->table->finish || map->table->finish(map)) &&
           good;
}

bool param_map_read(const struct param_map *map)
{
    const char *noun = map->table->noun ? map->table->noun : "a map";
    return reader_is(map->node, NODE_MAP, map->path, noun, map->diags) &&
           param_keys(map->table, map->node, map->path, map->diags) && param_map_read_part(map);
}

// ---- Freeing ----

static void clear_list(const struct param *row, GPtrArray **list)
{
    for (guint i = 0; *list && i < (*list)->len; i++) {
        param_map_clear(row->table, g_ptr_array_index(*list, i));
        g_free(g_ptr_array_index(*list, i));
    }
    g_clear_pointer(list, g_ptr_array_unref);
}

void param_map_clear(const struct param_table *table, void *values)
{
    if (table->clear)
        table->clear(values);
    for (const struct param *row = table->params; row->name; row++) {
        void *field = (char *)values + row->offset;
        if (row->kind == PARAM_MAP)
            param_map_clear(row->table, field);
        else if (row->kind == PARAM_LIST)
            clear_list(row, field);
        else if (row->kind == PARAM_NODE && row->node->clear)
            row->node->clear(field);
        else if (row->kind != PARAM_NODE && param_types[row->kind].clear)
            param_types[row->kind].clear(field);
    }
}

// ---- JSON Schema ----

static json_t *row_schema(const struct param *row)
{
    switch (row->kind) {
    case PARAM_NODE:
        if (row->choices)
            return param_types[PARAM_CHOICE].schema(row);
        if (row->node->make)
            return row->node->make();
        return row->node->schema ? json_loads(row->node->schema, 0, NULL) : json_object();
    case PARAM_MAP:
        return param_map_schema(row->table);
    case PARAM_LIST:
        return json_pack("{s:s, s:o}", "type", "array", "items", param_map_schema(row->table));
    default:
        return param_types[row->kind].schema(row);
    }
}

json_t *param_map_schema(const struct param_table *table)
{
    json_t *properties = json_object(), *required = json_array();
    for (const struct param *row = table->params; row->name; row++) {
        json_t *schema = row_schema(row);
        json_object_set_new(schema, "description", json_string(row->doc));
        json_object_set_new(properties, row->name, schema);
        if (!row->fallback && !row->optional)
            json_array_append_new(required, json_string(row->name));
    }
    return json_pack("{s:s, s:s*, s:o, s:o, s:b}", "type", "object", "description", table->doc,
                     "properties", properties, "required", required, "additionalProperties", 0);
}
