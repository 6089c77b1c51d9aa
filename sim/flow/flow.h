// SPDX-License-Identifier: GPL-3.0-or-later
// The second fidelity: a case runs on packets, or on flows, by its key `fidelity`. On flows, the
// stack's protocol is a curve (curve.h), messages share links as fluids do, and MPI's rules are
// SimGrid's SMPI (plugin.h). Its operations are netsim's own: programs, benchmarks and recordings,
// with the collectives of their library unfolded (sim/flatten/flatten.h).
//
// Flows know no loss, no queue that is full, no credit and no window: what the run can't show is in
// its result (series_result.note).
#ifndef NETSIM_FLOW_FLOW_H
#define NETSIM_FLOW_FLOW_H

#include "sim/run/run.h"

// Runs one case at its fidelity, as run_case of sim/run/run.h, with the same result. On flows,
// nothing but the result and its progress comes of the options: no trace, capture, observer or
// measured interval. What flows can't run has been refused (sim/run/fidelity_check.h); without
// SimGrid the result says what to type.
struct series_result *flow_or_packets(const struct registry *registry,
                                      const struct scenario_case *test_case, int series,
                                      uint64_t seed, const struct run_options *options);

// The version of SimGrid that the plugin has; NULL: there is no plugin, and *why (g_free) says what
// to type.
char *flow_simgrid_version(char **why);

#endif
