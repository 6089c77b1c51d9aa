// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers and names in the forms that people and files expect. Independent of the locale.
#ifndef NETSIM_OUTPUT_TEXT_H
#define NETSIM_OUTPUT_TEXT_H

#include "sim/core/time.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

// The shortest decimal text that reads back as exactly this double: "74.01". The caller frees it.
char *text_exact(double value);

// "74.03 (68.12 .. 80.90)": a median and its band, with four digits of the largest. The caller
// frees it.
char *text_with_band(double median, double low, double high);

// "1,234,567". The caller frees it.
char *text_grouped(uint64_t value);

// Three digits and a prefix: "2.94 M", "17.0 k", "512". The caller frees it.
char *text_scaled(double value);

// Appends a time in microseconds with all six decimals: exact to the picosecond.
void text_append_us(GString *out, sim_time time);

// "fd0c34b1a90e77d2". The caller frees it.
char *text_fingerprint(uint64_t fingerprint);

// A metric's name without its unit, as words: "latency_us" is "latency". The caller frees it.
char *text_metric_label(const char *metric);

// Like text_metric_label, but for the axis of a picture, where "program" is the "program time". The
// caller frees it.
char *text_metric_axis(const char *metric);

// Whether a user's `name` means this metric: "repetition_p99_us", "repetition_p99", "repetition
// p99" and "p99" all do.
bool text_metric_is(const char *metric, const char *name);

// Whether one of the names, NULL-terminated, means it.
bool text_metric_is_among(const char *metric, const char *const *names);

// Whether two reasons differ in numbers alone, such as the time of a failure. NULL is like nothing.
bool text_alike(const char *one, const char *other);

// Columns that UTF-8 text occupies on a terminal.
int text_width(const char *text);

// Appends text, padded with blanks on its left or right to `width` columns.
void text_append_right(GString *out, const char *text, int width);
void text_append_left(GString *out, const char *text, int width);

// Appends text, broken at blanks into lines of at most `width` columns; lines after the first start
// with `indent` blanks.
void text_append_wrapped(GString *out, const char *text, int width, int indent);

// Appends a cell of a Markdown table, escaping what would end the cell. NULL: an empty cell.
void text_append_cell(GString *out, const char *text);

#endif
