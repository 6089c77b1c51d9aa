// SPDX-License-Identifier: GPL-3.0-or-later
// Points and curves of an outcome, for code that writes reports.
#ifndef NETSIM_OUTCOME_OUTCOME_POINT_H
#define NETSIM_OUTCOME_OUTCOME_POINT_H

#include "sim/outcome/outcome.h"

#include <jansson.h>

int outcome_value_count(const struct outcome *outcome, int axis);

// The index of a point's value on an axis.
int outcome_value_of(const struct outcome *outcome, int point, int axis);

// {"point": number, "values": {"AXIS": "VALUE"}} of a point; a run of a sweep over several seeds
// (unless in an outcome of replications) also has its "seed". Returns a new reference.
json_t *outcome_point_json(const struct outcome *outcome, int point);

// The distance between the numbers of two points of an outcome of replications that are neighbours
// on an axis.
int outcome_stride(const struct outcome *outcome, int axis);

// The members size_bytes and rank of a curve. New references.
json_t *outcome_size_json(const struct outcome_curve *curve);
json_t *outcome_rank_json(const struct outcome_curve *curve);

bool outcome_lower_is_better(const char *metric);

#endif
