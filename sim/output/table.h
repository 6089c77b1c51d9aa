// SPDX-License-Identifier: GPL-3.0-or-later
// A result as text for people: one aligned table, why what failed has failed, and one line on what
// ran.
#ifndef NETSIM_OUTPUT_TABLE_H
#define NETSIM_OUTPUT_TABLE_H

#include "sim/workload/result.h"

#include <stdbool.h>
#include <stdio.h>

struct table_options {
    bool colour;           // ANSI colours
    bool summary;          // the line on what ran
    const char *directory; // where the results are, for that line; or NULL
};

// Prints sizes against series and metrics, then the values that belong to no size or to one rank,
// then the failures, then the summary.
void table_print(const struct result *result, const struct table_options *options, FILE *out);

// Whether output to `file` should be coloured: a terminal, and NO_COLOR is not set.
bool table_wants_colour(FILE *file);

#endif
