// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the readers of checks; for check*.c only.
#ifndef NETSIM_VALIDATE_CHECK_INTERNAL_H
#define NETSIM_VALIDATE_CHECK_INTERNAL_H

#include "sim/config/param_map.h"
#include "sim/config/quantity.h"
#include "sim/validate/check.h"

// Each reads for a row of a check and complains at the node, and returns false, if the value can't
// be read.

// A number with its unit, which must be that of the metric, or "%".
bool check_read_number(const struct param_reading *reading, const struct node *node,
                       const char *unit, double *value, bool *percent);

// A size with its unit; or a plain number, which demands that the series counts something other
// than bytes (checked when it is judged). 0 is either.
bool check_read_size(const struct param_reading *reading, const struct node *node, int64_t *size);

// "1 B .. 4 KiB", or a list of such ranges: struct size_range, appended to the row's field.
bool check_read_range(const struct param_reading *reading);
bool check_read_ranges(const struct param_reading *reading);

#endif
