// SPDX-License-Identifier: GPL-3.0-or-later
// A result as CSV in long form: one value a row.
#ifndef NETSIM_OUTPUT_CSV_H
#define NETSIM_OUTPUT_CSV_H

#include "sim/workload/result.h"

// The unit of a counter, which tells its row from that of a measured value.
#define CSV_COUNT "count"

// "scenario,series,rank,size,metric,unit,value" and a row for each value, in the order of series
// and measuring; after those of a series, a row for each of its counters. rank is "all" for a value
// of all ranks together, size is empty for one that belongs to no size. Quoted as RFC 4180 says,
// lines end in LF; a value reads back as exactly the same double. Free with g_string_free.
GString *csv_text(const struct result *result);

// "scenario,series,rank,size,repetition,time_us" and a row for the time of each repetition, counted
// from 1, if they are kept (workload.samples): of each rank that measures, in the order of series
// and measuring; what the times are is said in sim/workload/samples.h. NULL if none of the series
// has any. Free with g_string_free.
GString *csv_samples(const struct result *result);

// Appends one field, in quotes if it must be. Spreadsheets take what begins with = + - @ for a
// formula: such a text gets an apostrophe in front, as they show it, unless it is a number; and so
// that nothing is confused with it, one that begins so after apostrophes gets one more.
void csv_append_field(GString *out, const char *text);

// What csv_append_field was given, of a field without its quotes: a place in `field`.
const char *csv_field_text(const char *field);

#endif
