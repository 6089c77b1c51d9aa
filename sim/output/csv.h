// SPDX-License-Identifier: GPL-3.0-or-later
// A result as CSV in long form: one value a row.
#ifndef NETSIM_OUTPUT_CSV_H
#define NETSIM_OUTPUT_CSV_H

#include "sim/workload/result.h"

// "scenario,series,rank,size,metric,unit,value" and a row for each value, in the order of series
// and measuring. rank is "all" for a value of all ranks together, size is empty for one that
// belongs to no size. Quoted as RFC 4180 says, lines end in LF; a value reads back as exactly the
// same double. Free with g_string_free.
GString *csv_text(const struct result *result);

// Appends one field, in quotes if it must be.
void csv_append_field(GString *out, const char *text);

#endif
