// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a sweep's report on values: means, best and worst, effects.
#ifndef NETSIM_OUTCOME_OUTCOME_METRICS_H
#define NETSIM_OUTCOME_OUTCOME_METRICS_H

#include "sim/outcome/outcome.h"

#include <jansson.h>

// The list "metrics" of the report (outcome_report.h) for an outcome of replications. Returns a new
// reference.
json_t *outcome_metrics_json(const struct outcome *outcome);

#endif
