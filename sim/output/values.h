// SPDX-License-Identifier: GPL-3.0-or-later
// A trace sink that keeps values over time (trace_value) and writes them as CSV:
//
//     series,host,name,quantity,unit,time_us,value
//     whole,node0,tcp 1 to node1,cwnd,B,0,2896
//
// A row per change: from then on the quantity has this value. Rows are in the order of series, of
// the quantities as they were announced, and of time. A quantity with more than VALUES_MOST changes
// is thinned (values_thin), so that memory and file stay bounded however long a run is.
#ifndef NETSIM_OUTPUT_VALUES_H
#define NETSIM_OUTPUT_VALUES_H

#include "sim/core/trace.h"

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#define VALUES_COLUMNS "series,host,name,quantity,unit,time_us,value"
#define VALUES_MOST 16384 // of one quantity in one series

struct value_point {
    sim_time when;
    int64_t value;
};

// Thins points (struct value_point, by time) to at most `most` (>= 4): time is cut into equal
// spans, of which each keeps its first, least, greatest and last point. So no extreme gets lost,
// and what is kept has the times it had.
void values_thin(GArray *points, guint most);

struct values;

// Returns NULL and sets *error if the file can't be written.
struct values *values_open(const char *path, GError **error);

// Subsequent values belong to this series.
void values_series(struct values *values, const char *name);

// Values of one series, written to `part` without the header, which another process joins into its
// own. End it with values_close, which leaves `part` open and sets *error if not all of it could be
// written.
struct values *values_part(FILE *part, const char *name);

// Creates a file for such a part; inserts a part as the next series. Both set *error if the file
// could not be read or written, and return NULL or false.
FILE *values_new_part(const struct values *values, GError **error);
bool values_join(struct values *values, FILE *part, GError **error);

// The sink; owned by the values.
struct trace *values_trace(struct values *values);

// Completes the file and frees the values. Returns false and sets *error if not all of it could be
// written. Ignores NULL.
bool values_close(struct values *values, GError **error);

// Frees the values without leaving a file. Ignores NULL.
void values_drop(struct values *values);

// Whether a text is such a file, going by its first line.
bool values_has_columns(const char *text);

#endif
