// SPDX-License-Identifier: GPL-3.0-or-later
// The recorder of `--log-states`: protocol transitions as text, one per line, for people and for
// tests:
//
//     # series VIA RPI
//     12.500000 rank 0 request[3] built -> started tiny
//
// that is: time in microseconds, place, machine[subject], old state ("-" if there is none), new
// state, detail.
#ifndef NETSIM_OUTPUT_STATE_LOG_H
#define NETSIM_OUTPUT_STATE_LOG_H

#include "sim/output/recorder.h"

// Appends a transition in the form of such a line, without its time.
void state_log_append(GString *out, const struct trace_transition *transition);

#endif
