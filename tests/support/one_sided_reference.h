// SPDX-License-Identifier: GPL-3.0-or-later
// The results of one-sided transfers, active messages, fences and mutexes that any library must
// give, and the faults of a run's log by that:
//
// A put, an accumulate, a get and an active message are whole once. A get may be done after its
// data are. Messages to a rank before a fence of it are whole when the fence is done. A rank's
// mutex has one holder at a time, and only the holder unlocks it. A poll or a wait for
// notifications for N is done after the messages for all such before it, and N more, are whole;
// messages that no request of the log has are answers of handlers, which may go to any rank.
#ifndef NETSIM_TESTS_SUPPORT_ONE_SIDED_REFERENCE_H
#define NETSIM_TESTS_SUPPORT_ONE_SIDED_REFERENCE_H

#include "tests/support/call_log.h"

struct one_sided {
    const struct call_log *log;
    bool whole;     // the run has completed: all have ended
    bool gets_wait; // a get is done when its data are there; else when it is sent
    bool in_order;  // puts and accumulates of a rank to a rank are whole in their order
    GString *complaints;
};

// Adds to `complaints`.
void one_sided_check(struct one_sided *check);

#endif
