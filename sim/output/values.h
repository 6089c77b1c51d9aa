// SPDX-License-Identifier: GPL-3.0-or-later
// The recorder of `--values`: values over time (trace_value) as CSV:
//
//     series,host,name,quantity,unit,time_us,value
//     whole,node0,tcp 1 to node1,cwnd,B,0,2896
//
// A row per change: from then on the quantity has this value. Rows are in the order of series, of
// the quantities as they were announced, and of time. A quantity with more than VALUES_MOST changes
// is thinned (values_thin), so that memory and file stay bounded however long a run is.
#ifndef NETSIM_OUTPUT_VALUES_H
#define NETSIM_OUTPUT_VALUES_H

#include "sim/output/recorder.h"

#include <glib.h>
#include <stdbool.h>

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

// Whether a text is such a file, going by its first line.
bool values_has_columns(const char *text);

#endif
