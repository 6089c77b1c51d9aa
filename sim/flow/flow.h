// SPDX-License-Identifier: GPL-3.0-or-later
// The second fidelity: a case runs on packets, or on flows, by its key `fidelity`. On flows,
// messages have the stack's costs and share links as fluids do; MPI's rules are those of sim/mpi
// (flow_device.h), or by the key `flow` SimGrid's SMPI (plugin.h), on a curve of the stack
// (curve.h). The operations are netsim's own: programs, benchmarks and recordings, with the
// collectives of their library unfolded (sim/flatten/flatten.h).
//
// Flows have no loss, no full queues and no credits: the result lists what the run can't show
// (series_result.note).
#ifndef NETSIM_FLOW_FLOW_H
#define NETSIM_FLOW_FLOW_H

#include "sim/run/run.h"

// Runs one case at its fidelity, as run_case of sim/run/run.h, with the same result. On flows,
// nothing but the result and its progress comes of the options, if SimGrid plays them: no trace,
// capture, observer or measured interval. Cases that flows can't run have been refused
// (sim/run/fidelity_check.h); without SimGrid the result has the command that installs it.
struct series_result *flow_or_packets(const struct registry *registry,
                                      const struct scenario_case *test_case, int series,
                                      uint64_t seed, const struct run_options *options);

// Returns the version of the plugin's SimGrid; NULL: there is no plugin, and *why (g_free) has the
// command that installs it.
char *flow_simgrid_version(char **why);

#endif
