// SPDX-License-Identifier: GPL-3.0-or-later
// Portals over a network layer that is made up for tests: messages arrive at once and whole, and
// are handled by a kernel thread per process. The outcome of a run can be asked for.
#ifndef NETSIM_TESTS_SUPPORT_PORTALS_FAKE_H
#define NETSIM_TESTS_SUPPORT_PORTALS_FAKE_H

#include "sim/model/model.h"

#define PORTALS_FAKE_MOST 100000 // B: it does not carry more
#define PORTALS_FAKE_BAD 777     // a message of so many bytes fails in transit

extern const struct registry portals_fake_registry;

// A program ("{ranks: [0], do: [...]}, ...") on the hosts n0, n1, ..., as a scenario's text, with
// further sections ("portals: {...}\n", or ""). With "stack: portals_fake_user\n" among them the
// library is in the process, not in the kernel. The caller frees it.
char *portals_fake_scenario(int ranks, const char *program, const char *sections);

// Runs such a program and returns a line for each rank with the events in its queues, the messages
// it has not accepted, those of which bytes were declined and what a benchmark ("benchmark: ...")
// has measured, or, if the run does not complete, its
// reason as JSON. Returns NULL, and *complaints, if the program is wrong. The caller frees both.
char *portals_fake_run(int ranks, const char *program, const char *sections, char **complaints);

#endif
