// SPDX-License-Identifier: GPL-3.0-or-later
// Lines on repetitions of a benchmark that are unlike the others of their size, as a mean does not
// show them.
#ifndef NETSIM_OUTPUT_STANDOUTS_H
#define NETSIM_OUTPUT_STANDOUTS_H

#include "sim/measure/result.h"

// "LAM TCP, 16 B: repetition 1 of 5 took 32.5 ms, 163 times the median: for 32.3 ms it waited for a
// timer (delayed ACK)\n", and likewise where the first repetition differs from the others. The few
// that change their mean most have lines, the others are counted. Appends nothing if nothing stands
// out.
void standouts_append(GString *out, const struct result *result);

#endif
