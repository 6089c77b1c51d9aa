// SPDX-License-Identifier: GPL-3.0-or-later
// A result as text for people: one aligned table, the reasons of failures, and a summary of the
// run.
#ifndef NETSIM_OUTPUT_TABLE_H
#define NETSIM_OUTPUT_TABLE_H

#include "sim/measure/result.h"

#include <stdbool.h>
#include <stdio.h>

struct table_options {
    bool colour;           // ANSI colours
    bool summary;          // the lines that summarize the run
    const char *directory; // the results' directory, for these lines; or NULL
    // Only these metrics (text_metric_is), NULL-terminated. NULL: all, but of the repetitions'
    // metrics, if they are kept, only median and 99th percentile.
    const char *const *metrics;
    bool links, all_links; // tables of the busiest links, or of all
    int width; // columns that lines may have; of a table of sizes, what does not fit stands below.
               // 0: any number
    const char *captures; // the captures' directory, for the lines that summarize; or NULL
};

// Prints sizes against series and metrics, then the values that belong to no size or to one rank,
// then the failures, then the summary.
void table_print(const struct result *result, const struct table_options *options, FILE *out);

// Whether a metric is printed.
bool table_shows(const char *const *metrics, const char *metric);

// The columns that text on a file may have: those of the terminal that it is, or else $COLUMNS, or
// else TABLE_WIDTH.
#define TABLE_WIDTH 80
int table_width(FILE *file);

// Whether output to `file` should be coloured: if it is a terminal, and NO_COLOR is not set.
bool table_wants_colour(FILE *file);

#endif
