// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates the resources that a case needs before it is run: memory, within a factor of 1.5, and
// events, within a factor of 2 where nothing is lost and no window holds a stream back. Cases that
// can't be run are refused (limits.memory, limits.operations).
//
// Not counted: traces, and what piles up in queues during the run.
#ifndef NETSIM_RUN_ESTIMATE_H
#define NETSIM_RUN_ESTIMATE_H

#include "sim/scenario/case.h"

struct estimate {
    double memory;     // bytes
    double operations; // that the programs of all ranks do
    double events;     // of the engine
};

struct estimate estimate_of(const struct scenario_case *test_case);

// The cost of a run for an order of runs, for which a case can be asked whose unread sections are
// dropped, too: its events on packets. On flows it is about that, as costs are measured on packets,
// and a message takes SimGrid as long as hundreds of events.
double estimate_cost(const struct scenario_case *test_case);

// Bytes that a process may take here: the machine's memory, or less if it is limited.
int64_t estimate_memory_there(void);

// An error at the place of the number that makes the case too large.
void estimate_check(const struct scenario_case *test_case, struct diag_list *diags);

// "3.1 MB of memory, 5e+03 operations, 1e+05 events"; the caller frees it.
char *estimate_text(const struct estimate *estimate);

// A warning of an unusual need ("needs about 2.3 GB of memory"), or NULL; the caller frees it.
char *estimate_warning(const struct estimate *estimate);

#endif
