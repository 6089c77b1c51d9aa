// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the printers of a sweep's report (outcome_report_text.c, draws_text.c): its members,
// and how rows, points and values are written. Texts are freed by the caller.
#ifndef NETSIM_OUTCOME_REPORT_WORDS_H
#define NETSIM_OUTCOME_REPORT_WORDS_H

#include <jansson.h>
#include <stdbool.h>

#define REPORT_MOST_IN_LINE 16 // values of an axis
#define REPORT_MOST_ROWS 40    // values of an axis, or sizes, each with a row

// A member that is a text ("" without one) or a whole number.
const char *report_member(const json_t *object, const char *name);
int report_number(const json_t *object, const char *name);

// An axis by its name; whether all of its values give the same results, at every point, or an
// earlier value gives those of this one.
const json_t *report_axis_named(const json_t *report, const char *name);
bool report_is_idle(const json_t *axis);
bool report_repeats_value(const json_t *axis, const char *value);

// All values, or of more than a line can hold the first ones and the last.
char *report_joined(const json_t *texts);

// "tiny=1 KiB  seed=2": the axes that have more than one value and, unless `all`, change something.
char *report_point_text(const json_t *report, const json_t *point, bool all);

// "4 KiB", "rank 2", "all together".
char *report_row_name(const json_t *report, const json_t *row);

// Whether a point's results are those of another one, at earlier values.
bool report_repeats_point(const json_t *report, const json_t *point);

// Whether a row has the same value at the best and at the worst point.
bool report_is_flat(const json_t *row);

#endif
