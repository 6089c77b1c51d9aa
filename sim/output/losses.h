// SPDX-License-Identifier: GPL-3.0-or-later
// One line on what went wrong in a series that may look well: packets dropped and where,
// retransmissions, expired timers.
#ifndef NETSIM_OUTPUT_LOSSES_H
#define NETSIM_OUTPUT_LOSSES_H

#include "sim/measure/result.h"

// "LAM TCP: 5 dropped (3 lost on link a->b, 2 queue full at b->c), 4 sent again, 1 time-out; before
// the measurement: 2 dropped\n". Appends nothing if nothing was dropped, sent again or timed out
// and no loss was configured.
void losses_append(GString *out, const struct series_result *series);

#endif
