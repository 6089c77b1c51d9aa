// SPDX-License-Identifier: GPL-3.0-or-later
// A trace sink that writes protocol transitions as text, one per line, for people and for tests:
//
//     # series VIA RPI
//     12.500000 rank 0 request[3] built -> started tiny
//
// that is: time in microseconds, place, machine[subject], old state ("-" if there is none), new
// state, detail.
#ifndef NETSIM_OUTPUT_STATE_LOG_H
#define NETSIM_OUTPUT_STATE_LOG_H

#include "sim/core/trace.h"

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

struct state_log;

// Returns NULL and sets *error if the file can't be written.
struct state_log *state_log_open(const char *path, GError **error);

// Subsequent transitions belong to this series.
void state_log_series(struct state_log *log, const char *name);

// Appends a transition in the form of such a line, without its time.
void state_log_append(GString *out, const struct trace_transition *transition);

// A log of one series, written to `part`, which another process joins into its own log. End it with
// state_log_close, which leaves `part` open and sets *error if not all of it could be written.
struct state_log *state_log_part(FILE *part, const char *name);

// Creates a file for such a part; inserts a part as the log's next series. Both set *error if the
// file could not be read or written, and return NULL or false.
FILE *state_log_new_part(const struct state_log *log, GError **error);
bool state_log_join(struct state_log *log, FILE *part, GError **error);

// The sink; owned by the log.
struct trace *state_log_trace(struct state_log *log);

// Completes the file and frees the log. Returns false and sets *error if not all of it could be
// written. Ignores NULL.
bool state_log_close(struct state_log *log, GError **error);

// Frees the log without leaving a file. Ignores NULL.
void state_log_drop(struct state_log *log);

#endif
