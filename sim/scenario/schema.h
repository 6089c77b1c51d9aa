// SPDX-License-Identifier: GPL-3.0-or-later
// What exists, as the registry tells it to the scenario compiler: parameter sections, cards, stacks
// and benchmarks, without the code that runs them.
#ifndef NETSIM_SCENARIO_SCHEMA_H
#define NETSIM_SCENARIO_SCHEMA_H

#include "sim/config/param.h"

#include <stdbool.h>
#include <stdint.h>

// Checks a case for what spans sections; complains with scenario_complain or diag_add. Called only
// for cases without errors so far.
struct scenario_case;
struct operation_kind;
typedef void scenario_check_fn(const struct scenario_case *test_case, struct diag_list *diags);

// What a simulated process of a stack takes of the simulator's memory, bytes: by itself; for each
// process of the job, itself among them, from the start; and for each that it talks to, besides.
struct stack_footprint {
    int64_t process, pair, peer;
};

// Which of a host's cards a stack uses, of those that it drives and, if the case's `nic` names one
// that hosts list, that are called so.
enum stack_cards {
    STACK_CARDS_FIRST,    // that of the first link
    STACK_CARDS_BY_ROUTE, // for each other host the first that leads there
    STACK_CARDS_ALL,
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
    const struct operation_kind *own; // its model's own; the registry says it
    bool one_process_per_host;
    enum stack_cards cards;
    scenario_check_fn *check; // NULL: nothing more
    // NULL: not worth mentioning.
    struct stack_footprint (*footprint)(const struct scenario_case *test_case);
};

// Whom a rank of a benchmark talks to.
enum benchmark_peers {
    BENCHMARK_PEERS_FEW,    // as many as a tree or a ring has, the same in each repetition
    BENCHMARK_PEERS_CHANGE, // as many, others in each repetition
    BENCHMARK_PEERS_ALL,
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
    enum benchmark_peers peers;
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
    // The tables of the models' own operations, NULL-terminated. NULL: there are none.
    const struct operation_kind *const *operations;
    const char *const *nics;  // all NIC models, NULL-terminated
    scenario_check_fn *check; // of every case; NULL: nothing more
};

// The card that a section is of: what its path is called, or ends in ("grim_lanai4"). NULL: of
// none.
const char *scenario_section_card(const struct scenario_schema *schema, const char *path);

#endif
