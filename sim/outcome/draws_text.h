// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a report (outcome_report.h) that a sweep in draws prints in its own form.
#ifndef NETSIM_OUTCOME_DRAWS_TEXT_H
#define NETSIM_OUTCOME_DRAWS_TEXT_H

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

// Whether the report is of a sweep in draws. Without draws the others append nothing.
bool draws_are_in(const json_t *report);

// Which draws and seeds each point has.
void draws_print_head(const json_t *report, GString *out);

// The bands of a metric's points, then the best and worst of each row.
void draws_print_metric(const json_t *report, const json_t *metric, GString *out);

// "-6.2 % (-8.1 .. -3.0) in 97 %" of an effect or a difference, in brackets if fewer than nearly
// all draws have its sign. The caller frees it.
char *draws_change_text(const json_t *change);

// The differences between series, and what the brackets mean.
void draws_print_differences(const json_t *report, GString *out);

#endif
