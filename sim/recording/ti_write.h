// SPDX-License-Identifier: GPL-3.0-or-later
// Writes calls as a rank of one of SimGrid's time-independent traces, which smpirun -replay
// (version 3.32) and recording_read take.
//
// The format has less than a call: calls that it would alter are refused. A request has no name
// there, and is identified by its source, destination and tag. A wait for some of the open requests
// is written as waits for one after the other.
#ifndef NETSIM_RECORDING_TI_WRITE_H
#define NETSIM_RECORDING_TI_WRITE_H

#include "sim/recording/recording.h"

#include <stdio.h>

struct ti_writer;

// Begins the trace of a rank, on a stream that must outlive it and whose errors the caller checks.
// The caller frees it with ti_writer_free.
struct ti_writer *ti_writer_new(FILE *out, int rank, int ranks);
void ti_writer_free(struct ti_writer *writer); // NULL is ignored

// Writes a call, whose work is in flops. Returns false if the format cannot express it, with *why
// (static); the trace is then of no use.
bool ti_writer_put(struct ti_writer *writer, const struct recorded_call *call, const char **why);

// Writes the end. Returns false if a request is still open, with *why and, in *line, the line of
// the call that started it.
bool ti_writer_end(struct ti_writer *writer, const char **why, int *line);

#endif
