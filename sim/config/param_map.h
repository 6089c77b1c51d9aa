// SPDX-License-Identifier: GPL-3.0-or-later
// Maps of files as tables: a map is read into a struct by the rows of a struct param_table, as the
// parameters of a model are, but into the caller's struct and without origins or sources of single
// values. Besides the kinds of parameters, a row may be a map of its own table (PARAM_MAP), a list
// of such (PARAM_LIST), or whatever a function of its own reads (PARAM_NODE). The same rows make
// the JSON Schema and what `netsim describe` shows of the map.
#ifndef NETSIM_CONFIG_PARAM_MAP_H
#define NETSIM_CONFIG_PARAM_MAP_H

#include "sim/config/param_kind.h"

// A map being read.
struct param_map {
    const struct param_table *table;
    const struct node *node;
    const char *path;
    void *values;                  // the table's struct
    const struct param_map *above; // the map that this one is in; NULL: none
    const void *context;           // the caller's; maps below have the same
    struct diag_list *diags;
};

// How a row of kind PARAM_NODE is read.
struct param_node {
    // Returns false after a complaint.
    bool (*read)(const struct param_reading *reading);
    void (*clear)(void *field); // NULL: nothing to free
    const char *form;           // for documentation: "[LEAST, MOST]"
    const char *schema;         // JSON Schema; NULL: anything
    json_t *(*make)(void);      // makes that, a new reference, in place of the text; NULL: none
};
// Defines one with these alone, by its name.
#define PARAM_FORM(node_, read_, form_)                                                            \
    static const struct param_node node_ = {.read = (read_), .form = (form_)};
#define PARAM_SCHEMA_TEXT "{\"type\": \"string\"}"
#define PARAM_SCHEMA_LIST "{\"type\": \"array\"}"

// A node that the table's `finish` reads.
bool param_node_later(const struct param_reading *reading);

// Each const char *, interned: a name as in reader_name; a text without blanks at its ends; one of
// the row's choices.
extern const struct param_node param_node_name, param_node_text, param_node_word;

// Reads a map by its table into map->values, which the caller has zeroed or given the values of
// optional rows. Complains about a node that is no map, unknown keys, missing ones and wrong
// values, and returns false then: at once if the table is `in_order`, else after all rows. In any
// case free the fields with param_map_clear.
bool param_map_read(const struct param_map *map);
void param_map_clear(const struct param_table *table, void *values);

// param_map_read without the check of unknown keys, for a map that holds those of other tables,
// too.
bool param_map_read_part(const struct param_map *map);

// For the readers of rows: complains at a node (NULL: the one that is read) and returns false.
bool param_refuse(const struct param_reading *reading, const struct node *node, const char *hint,
                  const char *format, ...) G_GNUC_PRINTF(4, 5);

// The JSON Schema of a map, new reference.
json_t *param_map_schema(const struct param_table *table);

#endif
