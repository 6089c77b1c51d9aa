// SPDX-License-Identifier: GPL-3.0-or-later
// A trace sink that writes a timeline in Chrome's trace event format, for ui.perfetto.dev: one
// process per group of lanes, one thread per lane, one slice per span, one instant event per
// protocol transition, one flow arrow per message.
//
// Events are written as they occur, one JSON object per line; memory grows only with lanes and
// messages under way. Times are microseconds with six decimals, exact to the picosecond in runs of
// up to 1,000 simulated seconds.
//
// Viewers expect the slices of a thread to be disjoint. A lane whose spans overlap gets additional
// threads besides its first.
#ifndef NETSIM_OUTPUT_TIMELINE_H
#define NETSIM_OUTPUT_TIMELINE_H

#include "sim/core/trace.h"

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

struct timeline;

// Returns NULL and sets *error if the file can't be written.
struct timeline *timeline_open(const char *path, GError **error);

// Subsequent events belong to this series: its groups are named "SERIES: GROUP", and lanes of the
// previous series are gone. Call it before the first lane is made.
void timeline_series(struct timeline *timeline, const char *name);

// A timeline of one series, written to `part`, which another process joins into its own timeline.
// End it with timeline_close, which leaves `part` open and sets *error if not all of it could be
// written.
struct timeline *timeline_part(FILE *part, const char *name);

// Creates a file for such a part; inserts a part as the timeline's next series. Both set *error if
// the file could not be read or written, and return NULL or false.
FILE *timeline_new_part(const struct timeline *timeline, GError **error);
bool timeline_join(struct timeline *timeline, FILE *part, GError **error);

// The sink; owned by the timeline.
struct trace *timeline_trace(struct timeline *timeline);

// Completes the file and frees the timeline. Returns false and sets *error if not all of it could
// be written. Ignores NULL.
bool timeline_close(struct timeline *timeline, GError **error);

// Frees the timeline without leaving a file. Ignores NULL.
void timeline_drop(struct timeline *timeline);

#endif
