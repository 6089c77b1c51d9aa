// SPDX-License-Identifier: GPL-3.0-or-later
// A trace sink that writes a timeline in Chrome's trace event format, for ui.perfetto.dev: a
// process for each group of lanes, a thread for each lane, a slice for each span, an instant event
// for each protocol transition, one flow arrow for each message.
//
// Events are written as they come, one JSON object a line; memory grows with lanes and messages
// under way only. Times are microseconds with six decimals, exact to the picosecond in runs of up
// to 1,000 simulated seconds.
//
// Viewers want the slices of a thread to be disjoint. A lane whose spans overlap gets further
// threads beside its first.
#ifndef NETSIM_OUTPUT_TIMELINE_H
#define NETSIM_OUTPUT_TIMELINE_H

#include "sim/core/trace.h"

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

struct timeline;

// NULL and *error if the file can't be written.
struct timeline *timeline_open(const char *path, GError **error);

// What follows belongs to this series: its groups are named "SERIES: GROUP", and lanes of the
// series before are gone. Call it before the first lane is made.
void timeline_series(struct timeline *timeline, const char *name);

// A timeline of which `part` is all that is written: of one series, for another process to join.
// Ended with timeline_close, which leaves `part` open; *error if not all of it could be written.
struct timeline *timeline_part(FILE *part, const char *name);

// A new file for such a part, and the part put in: the series comes next in the timeline. False and
// *error if it could not be read or written.
FILE *timeline_new_part(const struct timeline *timeline, GError **error);
bool timeline_join(struct timeline *timeline, FILE *part, GError **error);

// The sink; owned by the timeline.
struct trace *timeline_trace(struct timeline *timeline);

// Ends and frees it. False and *error if not all of it could be written. NULL is ignored.
bool timeline_close(struct timeline *timeline, GError **error);

// Ends without a file. NULL is ignored.
void timeline_drop(struct timeline *timeline);

#endif
