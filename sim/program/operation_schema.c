// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON Schema of operations, for editors.
#include "sim/config/param_kind.h"
#include "sim/program/operations.h"

static json_t *value_schema(void)
{
    return json_pack("{s:[{s:s}, {s:s}]}", "anyOf", "type", "string", "type", "integer");
}

static json_t *values_schema(int least, int most)
{
    return json_pack("{s:s, s:o, s:i, s:i}", "type", "array", "items", value_schema(), "minItems",
                     least, "maxItems", most);
}

static json_t *strided_schema(void)
{
    return json_pack("{s:s, s:{s:o, s:o, s:o}, s:[s, s], s:b}", "type", "object", "properties",
                     "counts", values_schema(2, DATA_LAYOUT_LEVELS + 1), "strides",
                     values_schema(1, DATA_LAYOUT_LEVELS), "peer_strides",
                     values_schema(1, DATA_LAYOUT_LEVELS), "required", "counts", "strides",
                     "additionalProperties", 0);
}

static json_t *segments_schema(void)
{
    return json_pack("{s:s, s:i, s:{s:s, s:{s:o, s:o}, s:[s, s], s:b}}", "type", "array",
                     "minItems", 1, "items", "type", "object", "properties", "bytes",
                     value_schema(), "count", value_schema(), "required", "bytes", "count",
                     "additionalProperties", 0);
}

static json_t *form_schema(const struct operation_key *key)
{
    switch (key->form) {
    case OPERATION_VALUE:
        if (key->per_peer)
            return json_pack("{s:[o, {s:s, s:o, s:i}]}", "anyOf", value_schema(), "type", "array",
                             "items", value_schema(), "minItems", 1);
        return operation_key_computes(key) ? value_schema()
                                           : param_types[key->param.kind].schema(&key->param);
    case OPERATION_RANK:
        return value_schema();
    case OPERATION_AWAITED_ALL:
        return json_pack("{s:[{s:s}, {s:s, s:{s:s}}]}", "anyOf", "const", "all", "type", "array",
                         "items", "type", "string");
    case OPERATION_BODY:
        return json_pack("{s:s}", "$ref", "#/$defs/operations");
    case OPERATION_STRIDED:
        return strided_schema();
    case OPERATION_SEGMENTS:
        return segments_schema();
    case OPERATION_NAME:
    case OPERATION_REQUEST:
    case OPERATION_AWAITED:
    case OPERATION_COUNTER:
    case OPERATION_COMMUNICATOR:
        break;
    }
    return json_pack("{s:s}", "type", "string");
}

static json_t *key_schema(const struct operation_key *key)
{
    json_t *schema = form_schema(key);
    if (key->param.doc)
        json_object_set_new(schema, "description", json_string(key->param.doc));
    return schema;
}

static json_t *map_schema(const struct operation_kind *kind)
{
    json_t *properties = json_object(), *required = json_array(), *choices = json_array();
    for (const struct operation_key *key = kind->keys; key && key->param.name; key++) {
        json_object_set_new(properties, key->param.name, key_schema(key));
        if (!key->param.fallback)
            json_array_append_new(required, json_string(key->param.name));
        if (operation_key_is_data(kind, key))
            json_array_append_new(choices, json_pack("{s:[s]}", "required", key->param.name));
    }
    json_t *map = json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties,
                            "required", required, "additionalProperties", 0);
    if (json_array_size(choices) > 0)
        json_object_set(map, "oneOf", choices);
    json_decref(choices);
    return map;
}

static json_t *kind_schema(const struct operation_kind *kind)
{
    json_t *map = map_schema(kind);
    const struct operation_key *first = operation_plain_key(kind);
    json_t *schema =
        !kind->plain ? map
                     : json_pack("{s:[o, o]}", "anyOf", map,
                                 first ? key_schema(first) : json_pack("{s:s}", "type", "null"));
    if (kind->doc)
        json_object_set_new(schema, "description", json_string(kind->doc));
    return schema;
}

// Several tables may have an operation of one name: then each may be meant.
static void add_kinds(json_t *properties, json_t *words, const struct operation_kind *kind)
{
    for (; kind->name; kind++) {
        if (kind->internal)
            continue;
        json_t *there = json_object_get(properties, kind->name), *schema = kind_schema(kind);
        json_object_set_new(properties, kind->name,
                            there ? json_pack("{s:[O, o]}", "anyOf", there, schema) : schema);
        if (kind->plain && !operation_plain_key(kind))
            json_array_append_new(words, json_string(kind->name));
    }
}

json_t *operation_list_schema(const struct operation_kind *const *tables)
{
    json_t *properties = json_object(), *words = json_array();
    add_kinds(properties, words, operation_table);
    for (; tables && *tables; tables++)
        add_kinds(properties, words, *tables);
    return json_pack("{s:s, s:{s:[{s:o}, {s:s, s:o, s:i, s:i, s:b}]}}", "type", "array", "items",
                     "anyOf", "enum", words, "type", "object", "properties", properties,
                     "minProperties", 1, "maxProperties", 1, "additionalProperties", 0);
}
