// SPDX-License-Identifier: GPL-3.0-or-later
// The schema that the registry gives to the scenario compiler: parameter sections, cards, stacks
// and benchmarks, without the code that runs them.
#ifndef NETSIM_SCENARIO_SCHEMA_H
#define NETSIM_SCENARIO_SCHEMA_H

#include "sim/config/param.h"
#include "sim/net/card_rates.h"

#include <stdbool.h>
#include <stdint.h>

// Checks relations between sections of a case; complains with scenario_complain or diag_add. Called
// only for cases without errors so far.
struct scenario_case;
struct operation_kind;
struct scenario_rule;
typedef void scenario_check_fn(const struct scenario_case *test_case, struct diag_list *diags);

// The simulator's memory for a simulated process of a stack, in bytes: for itself; per process of
// the job (itself included), from the start; and additionally per peer that it communicates with.
// And events of the engine that a message takes, with its first packet, each further packet, on
// average over sizes, and a connection; 0: as over Ethernet.
struct stack_footprint {
    int64_t process, pair, peer;
    double message_events, packet_events, connection_events;
};

// Which of a host's cards a stack uses, among those that it drives and, if the case's `nic` names a
// listed card, that have this name.
enum stack_cards {
    STACK_CARDS_FIRST,    // the card of the first link
    STACK_CARDS_BY_ROUTE, // for each other host the first card with a route to it
    STACK_CARDS_ALL,
};

// A section that a stack reads with one value of a choice only.
struct section_choice {
    const char *section;  // "tcp"
    const char *of, *key; // the section and the name of the choice: "native_iwarp", "transport"
    const char *value;    // "tcp"
};

struct stack_schema {
    const char *name; // "lam_via"
    const char *doc;
    const char *const *benchmarks; // that it can run, NULL-terminated; "program": free programs
    const char *const *nics;       // NIC models that it can drive, NULL-terminated; NULL: any
    // Paths of the model sections that it reads, NULL-terminated. A section that only other stacks
    // name may lack parameters that have no default; one that no stack names is always needed.
    const char *const *sections;
    const struct section_choice *choices; // ends with a NULL section; NULL: it always reads all
    // Its operations of free programs (op_library in program.h): a NULL-terminated list of names.
    // NULL: those of every MPI library.
    const char *const *operations;
    const struct operation_kind *own; // its model's table, set by the registry
    bool one_process_per_host;
    enum stack_cards cards;
    scenario_check_fn *check; // NULL: nothing more
    scenario_check_fn *warn; // adds warnings of a case that is right and may still fail; NULL: none
    // NULL: negligible.
    struct stack_footprint (*footprint)(const struct scenario_case *test_case);
};

// Units of time as the axis of a benchmark (`counts`).
#define COUNTS_SECONDS "second"
#define COUNTS_MS "ms"

// The peers of a rank of a benchmark.
enum benchmark_peers {
    BENCHMARK_PEERS_FEW,    // as in a tree or a ring, the same in each repetition
    BENCHMARK_PEERS_CHANGE, // as many, but others in each repetition
    BENCHMARK_PEERS_ALL,
};

struct benchmark_schema {
    const char *name; // "pmb.pingpong"
    const char *doc;
    int least_ranks, most_ranks; // most_ranks 0: no bound
    // Without `ranks` it runs on a rank per host, within the bounds; else on least_ranks.
    bool rank_per_host;
    const char *metrics; // "latency_us, bandwidth_MB_per_s"
    bool sizeless;       // it has no message size
    // The axis of its values, where that is not message sizes in bytes: what its sizes are numbers
    // of ("messages", COUNTS_SECONDS); NULL: bytes. They use the same key and column: `sizes` of
    // the workload, `size` of CSV; tables and plots have the axis's name.
    const char *counts;
    // It runs for a time and reports over time: it takes neither sizes nor repetitions. `counts`
    // is then a unit of time.
    bool over_time;
    // Then: bytes of a write that the workload does not set. NULL: its table has a default.
    int64_t (*write_size)(const struct scenario_case *test_case);
    // Its messages overlap, so that a single repetition has no time of its own.
    bool overlapping;
    enum benchmark_peers peers;
    const char *sizes;   // default, "1 .. 8192"; NULL: those of Pallas, if in bytes
    int64_t repetitions; // default; 0: as the Pallas MPI Benchmarks
    // Automatic repetitions for a size, by the values of its own table. NULL: `repetitions`.
    int64_t (*repetitions_for)(const void *parameters, int64_t size);
    // Returns on what numbers of ranks it runs, if not on this: "a power of two". NULL: it does.
    // The caller frees it. A NULL function: it runs on all within the bounds.
    char *(*refusal)(const void *parameters, int ranks);
    // Its own keys of the workload, besides sizes, repetitions and ranks; NULL: none.
    const struct param_table *parameters;
};

struct scenario_schema {
    const struct scenario_section *sections; // ends with a NULL path
    const struct param_table *link_table;    // for `link:` and each item of `links:`
    // For `switch:` and each item of `switches:`. Its parameter `ports`, if it has one, bounds the
    // links of a switch; 0: no bound.
    const struct param_table *switch_table;
    // For each item of `buses:`, laid over the section host.bus. NULL: hosts have no buses.
    const struct param_table *bus_table;
    const struct stack_schema *stacks; // ends with a NULL name
    const struct benchmark_schema *benchmarks;
    // The tables of the models' own operations, NULL-terminated. NULL: none.
    const struct operation_kind *const *operations;
    const char *const *nics; // all NIC models, NULL-terminated
    // The link rates of each of them, in their order; NULL: not known. A NULL list: of none.
    const struct card_rates *const *nic_rates;
    // The kind of bus that each of them plugs into, likewise.
    const char *const *nic_buses;
    // Tables of rules (rule.h), each of which ends with a NULL name, NULL-terminated. NULL: none.
    const struct scenario_rule *const *rules;
    scenario_check_fn *check; // of every case; NULL: nothing more
};

// The link rates of a NIC model, or NULL if they are not known.
const struct card_rates *scenario_card_rates(const struct scenario_schema *schema, const char *nic);

// The kind of bus that a NIC model plugs into ("pci"), or NULL if it is not known.
const char *scenario_card_bus(const struct scenario_schema *schema, const char *nic);

// Returns true if the section at `path` is of this stack, or of no stack.
bool scenario_section_is_of(const struct scenario_schema *schema, const char *path,
                            const struct stack_schema *stack);

// Returns the card of a section: its path, or the end of its path ("grim_lanai4"). Returns NULL if
// it belongs to no card.
const char *scenario_section_card(const struct scenario_schema *schema, const char *path);

#endif
