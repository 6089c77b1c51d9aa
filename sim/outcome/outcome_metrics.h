// SPDX-License-Identifier: GPL-3.0-or-later
// What the report of a sweep says of its values: means, best and worst, effects.
#ifndef NETSIM_OUTCOME_OUTCOME_METRICS_H
#define NETSIM_OUTCOME_OUTCOME_METRICS_H

#include "sim/outcome/outcome.h"

#include <jansson.h>

// The list "metrics" of the report (outcome_report.h) of an outcome of replications. New reference.
json_t *outcome_metrics_json(const struct outcome *outcome);

// ---- Points, for those who write reports ----

int outcome_value_count(const struct outcome *outcome, int axis);

// Which value of an axis a point has.
int outcome_value_of(const struct outcome *outcome, int point, int axis);

// {"point": number, "values": {"AXIS": "VALUE"}} of a point; of a run of a sweep of several seeds
// (that is not an outcome of replications) also its "seed". New reference.
json_t *outcome_point_json(const struct outcome *outcome, int point);

// By how much the number of a point of an outcome of replications grows from one value of an axis
// to the next.
int outcome_stride(const struct outcome *outcome, int axis);

#endif
