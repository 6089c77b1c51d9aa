// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a program over ARMCI and keeps its transitions with their times, for tests that compare
// their order (program_run.h describes their form).
//
// Lines of components below ARMCI are kept as well. Sorted by time; what happened at one time stays
// in the order of the run.
#ifndef NETSIM_TESTS_SUPPORT_ARMCI_RUN_H
#define NETSIM_TESTS_SUPPORT_ARMCI_RUN_H

#include "tests/support/program_run.h"

// Ranks on hosts of two processors. An invalid program fails the running case and ends it.
struct program_run *armci_run(const struct test_program *program);
struct program_run *armci_run_observed(const struct test_program *program,
                                       struct mpi_observer *observer);

// Like armci_run, but fails the running case unless the run completes with balanced books.
struct program_run *armci_run_good(const struct test_program *program);

// Lines of a place that contain a text: how many; and when the nth of them was, from 1 (fails the
// running case and is -1 if there are not so many).
int armci_run_count(const struct program_run *run, const char *where, const char *part);
sim_time armci_run_when(const struct program_run *run, const char *where, const char *part,
                        int nth);

// All lines of a place that begin with `machine`, each ended by a line feed; the caller frees it.
char *armci_run_text(const struct program_run *run, const char *where, const char *machine);

#endif
