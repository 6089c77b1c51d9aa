// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters as tables: name, unit, default, range, meaning, source. One table drives the YAML
// reader, --set, sweeps, `netsim describe`, the JSON Schema and the parameter reference. There is
// no second list.
#ifndef NETSIM_CONFIG_PARAM_H
#define NETSIM_CONFIG_PARAM_H

#include "sim/config/node.h"
#include "sim/core/cost.h"
#include "sim/core/diag.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// The kind of a parameter determines the type of its field.
enum param_kind {
    PARAM_COUNT,       // int64_t
    PARAM_BITS,        // uint64_t: 64 bits, as a whole number or in hexadecimal, "0x1f"
    PARAM_REAL,        // double
    PARAM_PROBABILITY, // double in 0 .. 1
    PARAM_DURATION,    // sim_time, ps
    PARAM_COST,        // struct cost: a duration, or cycles of the processor that runs it
    PARAM_SIZE,        // int64_t, bytes
    PARAM_BIT_RATE,    // int64_t, bits per second
    PARAM_BYTE_RATE,   // int64_t, bytes per second
    PARAM_FREQUENCY,   // int64_t, Hz
    PARAM_FLOP_RATE,   // int64_t, operations per second
    PARAM_BOOL,        // bool
    PARAM_CHOICE,      // int: index into choices
    PARAM_STRING,      // const char *, interned
    PARAM_COUNTS,      // struct param_counts: a list of counts, "[3, 17]"
    PARAM_WINDOWS,     // struct param_windows: a list of time spans, "[{from: 1 ms, to: 2 ms}]";
                       // `to: never` is TIME_NEVER
    PARAM_NAMES, // const char *const *, NULL-terminated, interned: one name or a list of names
    // Only in maps that param_map_read reads (sim/config/param_map.h); param_read passes them over:
    PARAM_NODE, // what the row's `node` reads
    PARAM_MAP,  // the struct of the row's `table`
    PARAM_LIST, // GPtrArray * of such structs
};

struct param_counts {
    int64_t *values; // ascending; owned by the values of the table
    int count;
};

struct param_window {
    sim_time from, to;
};

struct param_windows {
    struct param_window *values; // ascending, disjoint
    int count;
};

struct param {
    const char *name;
    enum param_kind kind;
    size_t offset;        // of the field in the table's struct
    const char *fallback; // default, as text with unit ("2.5 us"); NULL: must be given
    // Defaults by profile: for each choice of the table's first parameter, a PARAM_CHOICE, in their
    // order; the first is `fallback` (PARAM_BY_PROFILE). NULL: every profile has the same.
    const char *const *by_profile;
    const char *least, *most;   // range, as text; NULL: 0 (for numbers) or no bound
    const char *const *choices; // PARAM_CHOICE: names, NULL-terminated
    const char *doc;            // one line
    const char *source;         // of the default: "IEEE 802.3", "thesis 000, 5.2", "fitted: ..."
    // Claims (references/claims/) that the default was chosen to meet: ids, or prefixes of ids up
    // to a dot, separated by blanks. They are then no evidence, and `netsim validate` reports it.
    // NULL: none.
    const char *chosen_for;
    // How uncertain the default is (sim/config/prior.h): "500 cycles .. 2000 cycles", "within
    // 1.5", "anywhere 0 .. 1"; NULL: as is usual for a prior of its kind. `with` names another
    // parameter by its path: the two share a cause and are drawn together. NULL: alone.
    const char *prior, *with;
    const char *noun; // what is expected, in messages: "the id of a claim"; NULL: the kind's
    // The rest is for maps (param_map.h).
    bool optional;                   // without a default it may be missing all the same
    const struct param_node *node;   // PARAM_NODE
    const struct param_table *table; // PARAM_MAP, PARAM_LIST
};

struct param_map;
struct param_values;
struct reader_renamed;
typedef void param_check_fn(const void *values, const struct param_values *report);

struct param_table {
    const char *name;           // "mvia"
    const char *doc;            // one line
    size_t size;                // of the struct
    const struct param *params; // ends with a NULL name
    // Checks relations between parameters and complains with param_complain. NULL: none.
    param_check_fn *check;
    const struct reader_renamed *renamed; // parameters that had other names; NULL: none
    int prior_kind;                       // enum prior_kind, of values without a prior of their own
    // The rest is for maps (param_map.h); functions may be NULL.
    const char *noun;           // the map, in messages: "a figure"; NULL: "a map"
    bool in_order;              // rows build on those before: the first mistake ends the reading
    void (*init)(void *values); // the values of optional rows, in a zeroed struct
    bool (*finish)(const struct param_map *map); // after the rows; false after a complaint
    void (*clear)(void *values);                 // frees what init and finish have allocated
};

// A parameter table and its place in a scenario.
struct scenario_section {
    const char *path; // "host.memory", "mvia", "lam_via"
    const struct param_table *table;
};

// PARAM(struct mvia_config, fast_trap, PARAM_COST, ...) fills name and offset from the field.
#define PARAM(type, field, kind_, ...)                                                             \
    {                                                                                              \
        .name = #field, .kind = kind_, .offset = offsetof(type, field), __VA_ARGS__                \
    }

// The default, and those of the other profiles: PARAM_BY_PROFILE("1 s", "3 s", "3 s").
#define PARAM_BY_PROFILE(first, ...)                                                               \
    .fallback = (first), .by_profile = (const char *const[])                                       \
    {                                                                                              \
        (first), __VA_ARGS__                                                                       \
    }

// Like PARAM, for a parameter of another name than its field.
#define PARAM_AS(type, name_, field, kind_, ...)                                                   \
    {                                                                                              \
        .name = (name_), .kind = kind_, .offset = offsetof(type, field), __VA_ARGS__               \
    }

// Like PARAM, for a field of the member struct `part` of the type.
#define PARAM_IN(type, part, field, kind_, ...)                                                    \
    {                                                                                              \
        .name = #field, .kind = kind_, .offset = offsetof(type, part.field), __VA_ARGS__           \
    }

// A table's values, each with its origin. In a file a value may also carry its own source, the
// claims it was chosen for, its uncertainty and what it is drawn with: `copy_hot: {value: 500 MB/s,
// source: "prior: …", chosen_for: [via.goal.performance], range: 400 MB/s .. 600 MB/s, with:
// host.memory.copy_cached}`.
struct param_values {
    const struct param_table *table;
    const char *path;             // of the table in the scenario: "host.memory"; owned
    void *values;                 // the table's struct
    struct source_mark *origins;  // by index in table->params; file "default" for defaults
    const char **sources;         // by index; the table's for defaults; NULL: none given
    const char **chosen_for;      // like sources
    const char **priors, **withs; // like sources: as in struct param
    const char **ensembles;  // like sources: the file that has its value in each draw; NULL: none
    struct diag_list *diags; // only while reading
    int references;
};

// A table: its struct, its rows, .name, .doc and optionally .check.
#define PARAM_TABLE(type, rows, ...)                                                               \
    {                                                                                              \
        .size = sizeof(type), .params = (rows), __VA_ARGS__                                        \
    }

// Reads a map (NULL: all defaults) by the table. Adds unknown keys and wrong types, units and
// ranges to diags, with hints. Always returns values (defaults where reading failed). The caller
// frees them with param_values_free.
struct param_values *param_read(const struct param_table *table, const struct node *map,
                                const char *path, struct diag_list *diags);
void param_values_free(struct param_values *values);

// Adds an owner of the same values. Each owner calls param_values_free.
struct param_values *param_values_ref(struct param_values *values);

// For readers of maps that hold more than one table: param_read without the check of unknown keys
// and, unless `complete`, without requiring parameters that have no default. *good, if not NULL, is
// set to whether reading succeeded.
struct param_values *param_read_part(const struct param_table *table, const struct node *map,
                                     const char *path, bool complete, bool *good,
                                     struct diag_list *diags);

// Complains about the keys of a map that are no parameters of the table.
bool param_keys(const struct param_table *table, const struct node *map, const char *path,
                struct diag_list *diags);

// Appends the names of a table's parameters to a list of strings, without copying them.
void param_table_names(const struct param_table *table, GPtrArray *names);

// Returns the index of parameter `name` in its table, or -1 if there is none.
int param_index(const struct param_table *table, const char *name);

// Whether the parameter has its default: nothing set it.
bool param_is_default(const struct param_values *values, const char *name);

// For check functions: adds an error at the origin of parameter `name`.
void param_complain(const struct param_values *values, const char *name, const char *hint,
                    const char *format, ...) G_GNUC_PRINTF(4, 5);

// The place to complain about parameter `name`: where it was set, or else where another of its
// table was set, on the command line or in a file.
struct source_mark param_place(const struct param_values *values, const char *name);

// A parameter's value as text with unit; the caller frees it.
char *param_value_text(const struct param_values *values, const struct param *param);

// {"name": {"value": "64 KiB", "origin": "file:line:column" | "default" | "--set", "source": …,
// "chosen_for": [id, …]}, …}, new reference. The last two only where they are given.
json_t *param_values_json(const struct param_values *values);

// The JSON Schema of one table (an object schema), new reference.
json_t *param_table_schema(const struct param_table *table);

// The default of a parameter if the table's first one, of which all profiles are choices, has the
// choice `profile`.
const char *param_fallback(const struct param *param, int profile);

// Name of a kind's unit for documentation: "bytes (B, KiB, …)".
const char *param_kind_units(enum param_kind kind);

#endif
