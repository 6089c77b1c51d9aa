// SPDX-License-Identifier: GPL-3.0-or-later
// How far flows were off packets where the project has compared both, by kind of program
// (docs/flows.md; references/claims/flow.yaml).
#ifndef NETSIM_FLOW_QUALITY_H
#define NETSIM_FLOW_QUALITY_H

#include "sim/flow/curve.h"
#include "sim/flow/flow_costs.h"

// Returns the basis of a run on flows: between which hosts its curve was measured, and how far
// flows were off for this kind of program, or that this was never compared. Interned.
const char *flow_basis(const struct scenario_case *test_case, const struct flow_curve *curve);

// Like flow_basis, of the device.
const char *flow_device_basis(const struct scenario_case *test_case,
                              const struct flow_costs *costs);

#endif
