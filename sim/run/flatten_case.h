// SPDX-License-Identifier: GPL-3.0-or-later
// The flattened program of a case.
#ifndef NETSIM_RUN_FLATTEN_CASE_H
#define NETSIM_RUN_FLATTEN_CASE_H

#include "sim/flatten/flatten.h"
#include "sim/model/model.h"

// Flattens the program or benchmark of a case with `workload` (NULL: the case's own), by the rules
// of its stack's library. Both must outlive it. The caller frees it with flatten_free.
struct flatten *flatten_case(const struct registry *registry, const struct scenario_case *test_case,
                             const struct workload *workload);

#endif
