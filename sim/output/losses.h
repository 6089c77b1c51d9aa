// SPDX-License-Identifier: GPL-3.0-or-later
// What went wrong on the way of a series that may look well, in a line: packets dropped and where,
// what was sent again, timers that ran out.
#ifndef NETSIM_OUTPUT_LOSSES_H
#define NETSIM_OUTPUT_LOSSES_H

#include "sim/workload/result.h"

// "LAM TCP: 5 dropped (3 lost on link a->b, 2 queue full at b->c), 4 sent again, 1 time-out; before
// the measurement: 2 dropped\n". Appends nothing if nothing went wrong and nothing was asked to.
void losses_append(GString *out, const struct series_result *series);

#endif
