// SPDX-License-Identifier: GPL-3.0-or-later
// The configuration compiler: a scenario file becomes, for each of its series, a checked and fully
// resolved case. It needs no simulator: what exists (stacks, benchmarks, parameter tables) is told
// to it by a schema.
//
// Order of precedence, lowest first: defaults of the tables, testbed file, scenario file, the
// series' own `set`, --set.
#ifndef NETSIM_CONFIG_SCENARIO_H
#define NETSIM_CONFIG_SCENARIO_H

#include "sim/config/node.h"
#include "sim/config/param.h"
#include "sim/config/program.h"
#include "sim/config/sweep.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define SCENARIO_SCHEMA 1

// ---- What exists, as the registry tells it ----

// A parameter table and its place in a scenario.
struct scenario_section {
    const char *path; // "host.memory", "mvia", "lam_via"
    const struct param_table *table;
};

// Checks a case for what spans sections; complains with scenario_complain or diag_add. Called only
// for cases without errors so far.
struct scenario_case;
typedef void scenario_check_fn(const struct scenario_case *test_case, struct diag_list *diags);

// What a simulated process of a stack takes of the simulator's memory, bytes: by itself; for each
// process of the job, itself among them, from the start; and for each that it talks to, besides.
struct stack_footprint {
    int64_t process, pair, peer;
};

struct stack_schema {
    const char *name; // "lam_via"
    const char *doc;
    const char *const *benchmarks; // it can run, NULL-terminated; "program" means free programs
    const char *const *nics;       // NIC models it can drive, NULL-terminated; NULL: any
    // Paths of the model sections that it reads, NULL-terminated. A section that only other stacks
    // name may lack parameters that have no default; one that no stack names is always needed.
    const char *const *sections;
    // Operations of free programs that it has (op_library in program.h): a NULL-terminated list of
    // names; NULL: those of every MPI library.
    const char *const *operations;
    bool one_process_per_host;
    bool every_card; // a host has one for each of its links; false: it uses that of the first
    scenario_check_fn *check; // NULL: nothing more
    // NULL: not worth mentioning.
    struct stack_footprint (*footprint)(const struct scenario_case *test_case);
};

struct benchmark_schema {
    const char *name; // "pmb.pingpong"
    const char *doc;
    int least_ranks, most_ranks; // most_ranks 0: no bound
    const char *metrics;         // "latency_us, bandwidth_MB_per_s"
    bool sizeless;               // it has no message size
    // What its sizes are numbers of ("messages"), and then plain numbers; NULL: bytes. They stand
    // in the same places: `sizes` of the workload, the column `size` of tables and CSV.
    const char *counts;
    // Its messages overlap, so that a single repetition has no time of its own.
    bool overlapping;
    const char *sizes; // the usual ones, "1 .. 8192"; NULL: what Pallas measures, if in bytes
    // Keys of the workload that are its own, beside sizes, repetitions and ranks; NULL: none.
    const struct param_table *parameters;
};

struct scenario_schema {
    const struct scenario_section *sections; // ends with a NULL path
    const struct param_table *link_table;    // for `link:` and each item of `links:`
    // For `switch:` and each item of `switches:`. Its parameter `ports`, if it has one, bounds the
    // links of a switch; 0: no bound.
    const struct param_table *switch_table;
    const struct stack_schema *stacks; // ends with a NULL name
    const struct benchmark_schema *benchmarks;
    const char *const *nics;  // all NIC models, NULL-terminated
    scenario_check_fn *check; // of every case; NULL: nothing more
};

// ---- A resolved case ----

struct topology_node {
    const char *name; // in the topology's `names`
    struct source_mark mark;
};

struct topology_switch {
    const char *name;
    struct source_mark mark;
    struct param_values *values; // of switch_table
};

struct topology_link {
    int a, b; // index: hosts first (0 .. host_count-1), then switches
    struct source_mark mark;
    struct param_values *values; // of link_table
};

struct topology_route {
    int from, to;  // hosts
    GArray *via;   // int: switch node indices (same numbering as links), in order
    GArray *links; // int: index of each hop's link if the file names it, else -1; length via + 1
    struct source_mark mark;
};

// How routes that are not given are found. By default: up*/down* if a switch cuts through, for only
// then can a cycle of routes block, and shortest otherwise.
enum topology_routing {
    TOPOLOGY_ROUTES_DEFAULT,
    TOPOLOGY_ROUTES_UP_DOWN,
    TOPOLOGY_ROUTES_SHORTEST
};

struct topology {
    enum topology_routing routing;
    GStringChunk *names; // of hosts and switches
    GArray *hosts;       // struct topology_node
    GPtrArray *switches; // struct topology_switch *
    GPtrArray *links;    // struct topology_link *
    GPtrArray *routes;   // struct topology_route *; empty: computed
};

struct workload {
    const struct benchmark_schema *benchmark; // NULL: a free program
    struct program *program;                  // NULL: a benchmark
    int ranks;
    GArray *placement; // int: the hosts of the ranks, see placement_host; never empty in a case
    GArray *sizes;     // int64_t: message sizes of a benchmark, or what it counts
    struct param_values *parameters; // of the benchmark's own table; NULL: it has none
    int64_t repetitions;             // 0: auto
    bool samples;                    // the times of single repetitions are kept
    struct source_mark mark;
};

struct scenario_case {
    char *name; // of the series
    struct source_mark mark;
    const struct stack_schema *stack;
    const char *nic;     // name of the NIC model
    GPtrArray *sections; // struct param_values *, one for each section of the schema
    struct topology topology;
    struct workload workload;
    struct node *tree; // the merged tree, for the manifest
};

struct scenario {
    char *name;
    char *description;
    char *file;
    uint64_t seed;
    GPtrArray *cases;    // struct scenario_case *
    struct sweep *sweep; // NULL: the file has none
};

struct scenario_options {
    const char *const *sets; // "path=value", NULL-terminated; NULL: none
    const char *data_dir; // its scenarios/ is looked into after the file's own directory; or NULL
    uint64_t seed;        // 0: the scenario's, or 1
    // Names of the series that become cases, NULL-terminated; the others are not looked at, beyond
    // their names. NULL: all.
    const char *const *series;
    bool allow_unused; // what is set and decides nothing (unused.h) is no mistake
};

// Compiles a file. NULL after an error; diags says all that is wrong. Free with scenario_free.
struct scenario *scenario_load(const char *file, const struct scenario_schema *schema,
                               const struct scenario_options *options, struct diag_list *diags);

// The same from memory, for tests and the fuzzer; includes and testbeds are resolved in `directory`
// (NULL: refused).
struct scenario *scenario_parse(const char *text, size_t length, const char *name,
                                const char *directory, const struct scenario_schema *schema,
                                const struct scenario_options *options, struct diag_list *diags);
void scenario_free(struct scenario *scenario);

// The values of the section at `path` ("lam_via"), as the table's struct; aborts if the schema has
// none.
const void *scenario_section_values(const struct scenario_case *test_case, const char *path);

// The card that a section is of: what its path is called, or ends in ("grim_lanai4"). NULL: of
// none.
const char *scenario_section_card(const struct scenario_schema *schema, const char *path);

// Whether the case reads the section at `path`: it is of its stack or of nobody's, and of no other
// card.
bool scenario_case_reads(const struct scenario_case *test_case,
                         const struct scenario_schema *schema, const char *path);

// For checks: an error at the place where parameter `name` of a section was given.
void scenario_complain(const struct scenario_case *test_case, struct diag_list *diags,
                       const char *path, const char *name, const char *hint, const char *format,
                       ...) G_GNUC_PRINTF(6, 7);

// The resolved case as JSON (topology, workload, every parameter with value and origin), new
// reference.
json_t *scenario_case_json(const struct scenario_case *test_case);

// A JSON Schema of scenario and testbed files for editors, new reference.
json_t *scenario_json_schema(const struct scenario_schema *schema);

#endif
