// SPDX-License-Identifier: GPL-3.0-or-later
// A resolved case: one series of a scenario with every parameter, its topology and its workload.
#ifndef NETSIM_SCENARIO_CASE_H
#define NETSIM_SCENARIO_CASE_H

#include "sim/net/topology.h"
#include "sim/scenario/schema.h"
#include "sim/scenario/workload.h"

// The carrier of a run's messages: packets, or flows that share links as fluids do
// (sim/flow/flow.h).
enum fidelity { FIDELITY_PACKET, FIDELITY_FLOW };

// Their names, as the key `fidelity` has them; NULL-terminated.
extern const char *const fidelity_names[];

// The player of flows: a device of sim/mpi, or SimGrid in a child process.
enum flow_player { FLOW_BY_DEVICE, FLOW_BY_SIMGRID };

// Their names, as the key `flow` has them; NULL-terminated.
extern const char *const flow_player_names[];

struct scenario_case {
    char *name; // of the series
    struct source_mark mark;
    enum fidelity fidelity;
    enum flow_player flow;
    struct source_mark fidelity_mark; // of its key; line 0: not given
    const struct stack_schema *stack;
    const char *nic;     // NIC model of all hosts; if hosts list their cards, that of the first
    GPtrArray *sections; // struct param_values *, one per section of the schema
    struct topology topology;
    struct workload workload;
    struct node *tree; // the merged tree, for the manifest
};

// Whether SimGrid plays the case, of which there is nothing to trace.
static inline bool scenario_case_on_simgrid(const struct scenario_case *test_case)
{
    return test_case->fidelity == FIDELITY_FLOW && test_case->flow == FLOW_BY_SIMGRID;
}

// Returns the values of the section at `path` ("lam_via"), as the table's struct. Aborts if the
// schema has no such section.
const void *scenario_section_values(const struct scenario_case *test_case, const char *path);

// Like scenario_section_values, but with the origins of the values.
const struct param_values *scenario_section(const struct scenario_case *test_case,
                                            const char *path);

// The values of a section of hosts ("host.memory"), of the host with that index; with their
// origins.
const struct param_values *scenario_host_section(const struct scenario_case *test_case, int host,
                                                 const char *path);
const void *scenario_host_values(const struct scenario_case *test_case, int host, const char *path);

// The choice by which the case's stack leaves the section at `path` unread; NULL: it reads it, or
// does not list it.
const struct section_choice *scenario_case_leaves_out(const struct scenario_case *test_case,
                                                      const char *path);

// Returns true if the case reads the section at `path`: it belongs to the case's stack or to no
// stack, and not to another card or choice.
bool scenario_case_reads(const struct scenario_case *test_case,
                         const struct scenario_schema *schema, const char *path);

// For checks: adds an error at the origin of parameter `name` of a section.
void scenario_complain(const struct scenario_case *test_case, struct diag_list *diags,
                       const char *path, const char *name, const char *hint, const char *format,
                       ...) G_GNUC_PRINTF(6, 7);

// For checks: adds an error that concerns several parameters, by their full names ("iwarp.segment",
// NULL-terminated, the likeliest first), at the one that was set closest to the user: on the
// command line, in the scenario, in a file that it includes. `hint` and message must name the
// parameters that they speak of; where others of them were set is added.
void scenario_conflict(const struct scenario_case *test_case, struct diag_list *diags,
                       const char *const *names, const char *hint, const char *format, ...)
    G_GNUC_PRINTF(5, 6);

// The resolved case as JSON (topology, workload, every parameter with value and origin), new
// reference.
json_t *scenario_case_json(const struct scenario_case *test_case);

// Returns true if a benchmark for any number of ranks runs on its minimum because the scenario
// gives no number, and that is fewer than the hosts.
bool case_ranks_are_fewest(const struct scenario_case *test_case);

// Makes a case from a merged tree and takes ownership of the tree. what_if: rules of physics
// (rule.h) are set aside. Returns the readable parts even after errors. The caller frees it with
// case_free.
struct scenario_case *case_read(const char *name, struct source_mark mark, struct node *tree,
                                const struct scenario_schema *schema, struct recording_shelf *shelf,
                                bool what_if, struct diag_list *diags);
void case_free(struct scenario_case *test_case);

#endif
