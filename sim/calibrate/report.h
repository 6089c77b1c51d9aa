// SPDX-License-Identifier: GPL-3.0-or-later
// A calibration in words and tables, and as JSON.
#ifndef NETSIM_CALIBRATE_REPORT_H
#define NETSIM_CALIBRATE_REPORT_H

#include "sim/calibrate/analysis.h"

#include <stdio.h>

void calibrate_print(const struct fit *fit, const struct analysis *analysis,
                     const struct evaluation *evaluation, FILE *out);

// The parameters, targets and notes alone.
void calibrate_print_fit(const struct fit *fit, const struct analysis *analysis,
                         const struct evaluation *evaluation, FILE *out);

// {"method", "converged", "runs", "cost", "start_cost", "condition" (null: infinite), "parameters":
// [{"path", "value", "start", "current", "lo", "hi", "error_percent"}], "targets": [{"target",
// "claim", "expected", "simulated", "off" (tolerances), "sensitivity": {path: change for 1 %}}],
// "correlation": [[…]] | null, "notes": [text]}. New reference.
json_t *calibrate_json(const struct fit *fit, const struct analysis *analysis,
                       const struct evaluation *evaluation);

#endif
