// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a sweep's report on values: means, best and worst, effects.
#ifndef NETSIM_OUTCOME_OUTCOME_METRICS_H
#define NETSIM_OUTCOME_OUTCOME_METRICS_H

#include "sim/outcome/outcome.h"

#include <jansson.h>

// The list "metrics" of the report (outcome_report.h) for an outcome of replications. Returns a new
// reference.
json_t *outcome_metrics_json(const struct outcome *outcome);

// ---- Points, for code that writes reports ----

int outcome_value_count(const struct outcome *outcome, int axis);

// The index of a point's value on an axis.
int outcome_value_of(const struct outcome *outcome, int point, int axis);

// {"point": number, "values": {"AXIS": "VALUE"}} of a point; a run of a sweep over several seeds
// (unless in an outcome of replications) also has its "seed". Returns a new reference.
json_t *outcome_point_json(const struct outcome *outcome, int point);

// The distance between the numbers of two points of an outcome of replications that are neighbours
// on an axis.
int outcome_stride(const struct outcome *outcome, int axis);

#endif
