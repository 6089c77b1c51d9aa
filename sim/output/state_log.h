// SPDX-License-Identifier: GPL-3.0-or-later
// A trace sink that writes protocol transitions as text, one a line, for people and for tests:
//
//     # series VIA RPI
//     12.500000 rank 0 request[3] built -> started tiny
//
// that is time in microseconds, where, machine[subject], state before ("-" if there is none), state
// after, detail.
#ifndef NETSIM_OUTPUT_STATE_LOG_H
#define NETSIM_OUTPUT_STATE_LOG_H

#include "sim/core/trace.h"

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

struct state_log;

// NULL and *error if the file can't be written.
struct state_log *state_log_open(const char *path, GError **error);

// What follows belongs to this series.
void state_log_series(struct state_log *log, const char *name);

// Appends a transition as it stands in such a line, without its time.
void state_log_append(GString *out, const struct trace_transition *transition);

// A log of which `part` is all that is written: of one series, for another process to join. Ended
// with state_log_close, which leaves `part` open; *error if not all of it could be written.
struct state_log *state_log_part(FILE *part, const char *name);

// A new file for such a part, and the part put in: the series comes next in the log. False and
// *error if it could not be read or written.
FILE *state_log_new_part(const struct state_log *log, GError **error);
bool state_log_join(struct state_log *log, FILE *part, GError **error);

// The sink; owned by the log.
struct trace *state_log_trace(struct state_log *log);

// Ends and frees it. False and *error if not all of it could be written. NULL is ignored.
bool state_log_close(struct state_log *log, GError **error);

// Ends without a file. NULL is ignored.
void state_log_drop(struct state_log *log);

#endif
