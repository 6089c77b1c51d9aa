// SPDX-License-Identifier: GPL-3.0-or-later
// Refuses cases that cannot be run at their fidelity (sim/flow/flow.h) when the scenario is
// compiled.
#ifndef NETSIM_RUN_FIDELITY_CHECK_H
#define NETSIM_RUN_FIDELITY_CHECK_H

#include "sim/scenario/case.h"

// Adds an error at the place of whatever in the case flows do not have: a stack that is no MPI
// library, operations outside of MPI, benchmarks over time, single repetitions, faults of links;
// and for ranks, hosts and switches that routes and packets can't number.
void fidelity_check(const struct scenario_case *test_case, struct diag_list *diags);

#endif
