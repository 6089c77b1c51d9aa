// SPDX-License-Identifier: GPL-3.0-or-later
// The keys of a scenario outside the parameter tables, once: for the reader, its hints, and the
// JSON Schema.
#ifndef NETSIM_SCENARIO_KEYS_H
#define NETSIM_SCENARIO_KEYS_H

#include "sim/scenario/schema.h"

// Where a key may stand.
enum key_place {
    KEY_IN_SCENARIO = 1,
    KEY_IN_TESTBED = 2,
    KEY_IN_SERIES = 4, // in a series' `set`
};

struct scenario_key {
    const char *name;
    unsigned places;
    const char *doc;
    // Its JSON Schema, new reference.
    json_t *(*describe)(const struct scenario_schema *schema);
};

extern const struct scenario_key scenario_keys[]; // ends with a NULL name

// The names of the keys of a series.
extern const char *const series_keys[];

// The keys that may stand at `path` ("" is the top) in sections of the schema: parameters and
// sections below. A NULL-terminated list of strings that the list owns; empty if no section is or
// lies there.
GPtrArray *keys_of_section(const struct scenario_schema *schema, const char *path);

// The names of all keys that may stand at the top in `place`: sections may stand anywhere.
GPtrArray *keys_at_top(const struct scenario_schema *schema, enum key_place place);

// Complains about the keys of a map that are not among `known`, one of the two lists above; a key
// that stands elsewhere in a scenario is sent there.
bool keys_check(const struct node *map, const char *path, const GPtrArray *known,
                const struct scenario_schema *schema, struct diag_list *diags);

// Whether a dotted path (--set, a series' set) can exist, as far as it leads outside of lists;
// complains with near paths if not.
bool keys_path_exists(const struct scenario_schema *schema, const char *path,
                      struct source_mark mark, struct diag_list *diags);

#endif
