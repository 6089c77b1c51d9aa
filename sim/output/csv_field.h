// SPDX-License-Identifier: GPL-3.0-or-later
// Fields of CSV files.
#ifndef NETSIM_OUTPUT_CSV_FIELD_H
#define NETSIM_OUTPUT_CSV_FIELD_H

#include <glib.h>

// Appends one field, quoted if necessary. Spreadsheets take a text that begins with = + - @ for a
// formula: such a text gets an apostrophe in front, which spreadsheets hide, unless it is a number.
// To keep this reversible, a text of apostrophes followed by such a character gets one more
// apostrophe.
void csv_append_field(GString *out, const char *text);

// The inverse for a field without its quotes: the text that csv_append_field was given, as a
// pointer into `field`.
const char *csv_field_text(const char *field);

#endif
