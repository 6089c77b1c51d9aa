// SPDX-License-Identifier: GPL-3.0-or-later
// The configuration compiler: turns each series of a scenario file into a checked and fully
// resolved case. It is independent of the simulator: a schema lists the stacks, benchmarks and
// parameter tables.
//
// Order of precedence, lowest first: defaults of the tables, testbed file, scenario file, the
// series' own `set`, --set.
#ifndef NETSIM_SCENARIO_SCENARIO_H
#define NETSIM_SCENARIO_SCENARIO_H

#include "sim/scenario/case.h"
#include "sim/scenario/sweep.h"

#define SCENARIO_SCHEMA 1

struct scenario {
    char *name;
    char *description;
    char *file;
    uint64_t seed;
    int64_t draw;        // 0: every constant has its median
    GPtrArray *cases;    // struct scenario_case *
    struct sweep *sweep; // NULL: the file has none
};

struct scenario_options {
    const char *const *sets; // "path=value", NULL-terminated; NULL: none
    const char *data_dir;    // its scenarios/ is searched after the file's own directory; or NULL
    uint64_t seed;           // 0: the scenario's, or 1
    // Names of the series to compile, NULL-terminated. Of the others only the names are read. NULL:
    // all.
    const char *const *series;
    bool allow_unused; // settings without effect (unused.h) are no error
    bool what_if;      // rules of physics (rule.h) are set aside: a trial, which is no machine
};

// Compiles a file. Returns NULL after an error, with all faults in diags. The caller frees it with
// scenario_free.
struct scenario *scenario_load(const char *file, const struct scenario_schema *schema,
                               const struct scenario_options *options, struct diag_list *diags);

// Like scenario_load, but from memory, for tests and the fuzzer; includes and testbeds are resolved
// in `directory` (NULL: refused).
struct scenario *scenario_parse(const char *text, size_t length, const char *name,
                                const char *directory, const struct scenario_schema *schema,
                                const struct scenario_options *options, struct diag_list *diags);
void scenario_free(struct scenario *scenario);

// workload.steady of a case's draws: repetitions that are alike are left out of them, unless the
// file has a word on it. `medians` has its tree.
int scenario_steady_in_draws(const struct scenario_case *medians);

#endif
