// SPDX-License-Identifier: GPL-3.0-or-later
// Programs over GRIM on hosts with LANai 9 cards around one cut-through switch, and their protocol
// transitions as text (program_run.h describes their form).
#ifndef NETSIM_TESTS_SUPPORT_GRIM_RUN_H
#define NETSIM_TESTS_SUPPORT_GRIM_RUN_H

#include "tests/support/program_run.h"

// The program on the machine of tests/cases/grim.
struct program_run *grim_run(const struct test_program *program);
struct program_run *grim_run_observed(const struct test_program *program,
                                      struct mpi_observer *observer);

// Like grim_run, but fails the running case unless it completes with balanced books.
struct program_run *grim_run_good(const struct test_program *program);

// How long a rank's program took, us.
double grim_time(const struct program_run *run, int rank);

#endif
