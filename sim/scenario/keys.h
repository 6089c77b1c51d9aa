// SPDX-License-Identifier: GPL-3.0-or-later
// The single list of a scenario's keys outside the parameter tables, for the reader, its hints, and
// the JSON Schema.
#ifndef NETSIM_SCENARIO_KEYS_H
#define NETSIM_SCENARIO_KEYS_H

#include "sim/scenario/schema.h"

// Places where a key is allowed.
enum key_place {
    KEY_IN_SCENARIO = 1,
    KEY_IN_TESTBED = 2,
    KEY_IN_SERIES = 4, // in a series' `set`
};

struct scenario_key {
    const char *name;
    unsigned places;
    const char *doc;
};

enum scenario_key_index {
    SCENARIO_KEY_SCHEMA,
    SCENARIO_KEY_NAME,
    SCENARIO_KEY_DESCRIPTION,
    SCENARIO_KEY_TESTBED,
    SCENARIO_KEY_SEED,
    SCENARIO_KEY_DRAW,
    SCENARIO_KEY_DRAW_MIX,
    SCENARIO_KEY_ENSEMBLE,
    SCENARIO_KEY_WORKLOAD,
    SCENARIO_KEY_STACK,
    SCENARIO_KEY_SERIES,
    SCENARIO_KEY_SWEEP,
    SCENARIO_KEY_HOSTS,
    SCENARIO_KEY_BUSES,
    SCENARIO_KEY_SWITCHES,
    SCENARIO_KEY_LINKS,
    SCENARIO_KEY_ROUTES,
    SCENARIO_KEY_LINK,
    SCENARIO_KEY_SWITCH,
    SCENARIO_KEY_NIC,
    SCENARIO_KEY_WHAT_IF,
    SCENARIO_KEY_FIDELITY,
    SCENARIO_KEY_FLOW,
    SCENARIO_KEYS, // their number
};

// By index; ends with a NULL name.
extern const struct scenario_key scenario_keys[];

// The names of the keys of a series.
extern const char *const series_keys[];

// Returns the keys allowed at `path` ("" is the top) in sections of the schema: parameters and
// sections below. The list is NULL-terminated and owns its strings; it is empty if no section is at
// or below the path.
GPtrArray *keys_of_section(const struct scenario_schema *schema, const char *path);

// Returns the names of all keys allowed at the top of `place`. Sections are allowed anywhere.
GPtrArray *keys_at_top(const struct scenario_schema *schema, enum key_place place);

// Complains about the keys of a map that are not among `known`, one of the two lists above. The
// hint for a key that belongs elsewhere in a scenario names that place.
bool keys_check(const struct node *map, const char *path, const GPtrArray *known,
                const struct scenario_schema *schema, struct diag_list *diags);

// Returns true if a dotted path (--set, a series' set) can exist, up to its first list; otherwise
// complains and suggests near paths.
bool keys_path_exists(const struct scenario_schema *schema, const char *path,
                      struct source_mark mark, struct diag_list *diags);

#endif
