// SPDX-License-Identifier: GPL-3.0-or-later
// The second fidelity: a case runs on packets, or on flows, by its key `fidelity`. On flows, the
// stack's protocol is a curve (curve.h), messages share links as fluids do, and MPI's rules are
// SimGrid's SMPI (plugin.h). Its operations are netsim's own: programs, benchmarks and recordings,
// with the collectives of their library unfolded (sim/workload/flatten.h).
//
// Flows know no loss, no queue that is full, no credit and no window: what the run can't show is in
// its result (series_result.fidelity_note).
#ifndef NETSIM_FLOW_FLOW_H
#define NETSIM_FLOW_FLOW_H

#include "sim/workload/run.h"

// Runs one case at its fidelity, as run_case of sim/workload/run.h, with the same result.
struct series_result *flow_or_packets(const struct registry *registry,
                                      const struct scenario_case *test_case, int series,
                                      uint64_t seed, const struct run_options *options);

// Adds an error if a case asks for flows and can't have them: the plugin is not there (says what
// to type), its stack is no MPI library, its program has operations that flows lack, or it has
// faults.
void flow_check(const struct scenario_case *test_case, struct diag_list *diags);

// The version of SimGrid that the plugin has; NULL: there is no plugin, and *why (g_free) says what
// to type.
char *flow_simgrid_version(char **why);

#endif
