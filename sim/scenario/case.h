// SPDX-License-Identifier: GPL-3.0-or-later
// A resolved case: one series of a scenario with every parameter, its topology and its workload.
#ifndef NETSIM_SCENARIO_CASE_H
#define NETSIM_SCENARIO_CASE_H

#include "sim/scenario/schema.h"
#include "sim/scenario/topology.h"
#include "sim/scenario/workload.h"

struct scenario_case {
    char *name; // of the series
    struct source_mark mark;
    const struct stack_schema *stack;
    const char *nic;     // NIC model: of all hosts, or where they list theirs that of the first
    GPtrArray *sections; // struct param_values *, one for each section of the schema
    struct topology topology;
    struct workload workload;
    struct node *tree; // the merged tree, for the manifest
};

// The values of the section at `path` ("lam_via"), as the table's struct; aborts if the schema has
// none.
const void *scenario_section_values(const struct scenario_case *test_case, const char *path);

// The same of a section of hosts ("host.memory"), as the host of that index has it.
const void *scenario_host_values(const struct scenario_case *test_case, int host, const char *path);

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

// Whether a benchmark that runs on any number of ranks runs on the fewest, because nothing says how
// many: on fewer than there are hosts.
bool case_ranks_are_fewest(const struct scenario_case *test_case);

// Makes a case of a merged tree, which it takes over. What was read is there also after errors.
struct scenario_case *case_read(const char *name, struct source_mark mark, struct node *tree,
                                const struct scenario_schema *schema, struct diag_list *diags);
void case_free(struct scenario_case *test_case);

#endif
