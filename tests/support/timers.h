// SPDX-License-Identifier: GPL-3.0-or-later
// The timers of a run that have expired, by the names that users read.
#ifndef NETSIM_TESTS_SUPPORT_TIMERS_H
#define NETSIM_TESTS_SUPPORT_TIMERS_H

#include "sim/core/sim.h"

// Checks that "tcp time-outs: FIN" or the like has counted so many, and that one of the last timers
// was awaited under the name `wait` ("retransmission timer (FIN)"); NULL: not checked.
void expect_timer(struct sim *sim, const char *counter, long long count, const char *wait);

#endif
