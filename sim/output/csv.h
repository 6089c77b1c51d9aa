// SPDX-License-Identifier: GPL-3.0-or-later
// A result as CSV in long form: one value per row.
#ifndef NETSIM_OUTPUT_CSV_H
#define NETSIM_OUTPUT_CSV_H

#include "sim/measure/result.h"

// The unit in a counter's row, which distinguishes it from a measured value.
#define CSV_COUNT "count"

// "scenario,series,rank,size,metric,unit,value" and one row per value, in the order of series and
// measurement; after the values of a series, one row per counter. rank is "all" for a value of all
// ranks together; size is empty for a value that belongs to no size. Quoting follows RFC 4180,
// lines end in LF, and a value reads back as exactly the same double. Free with g_string_free.
// metrics: only values of these (text_metric_is), NULL-terminated, and no counters; NULL: all.
GString *csv_text(const struct result *result, const char *const *metrics);

// "scenario,series,rank,size,repetition,time_us" and one row per repetition, counted from 1, if the
// times are kept (workload.samples): for each rank that measures, in the order of series and
// measurement. sim/benchmark/samples.h defines the times. Returns NULL if no series has any. Free
// with g_string_free.
GString *csv_samples(const struct result *result);

#endif
