// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the readers of checks; for check*.c only.
#ifndef NETSIM_VALIDATE_CHECK_INTERNAL_H
#define NETSIM_VALIDATE_CHECK_INTERNAL_H

#include "sim/config/quantity.h"
#include "sim/validate/check.h"

// The check that is being read.
struct reading {
    struct check *check;
    const struct node *map;
    const char *path; // of the map
    struct curve defaults;
    struct diag_list *diags;
};

// Each complains at the node and returns false if the value can't be read.

// A number with its unit, which must be that of the metric, or "%".
bool check_read_number(const struct reading *reading, const struct node *node, const char *unit,
                       double *value, bool *percent);

// A size with its unit; or a plain number, which demands that the series counts something other
// than bytes (checked when it is judged). 0 is either. Changes `text`.
bool check_read_size(const struct reading *reading, const struct node *node, char *text,
                     int64_t *size);

// "1 B .. 4 KiB", or a list of such ranges: struct size_range.
bool check_read_range(const struct reading *reading, const struct node *node, GArray *ranges);
bool check_read_ranges(const struct reading *reading, const struct node *node, GArray *ranges);

#endif
