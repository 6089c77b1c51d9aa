// SPDX-License-Identifier: GPL-3.0-or-later
// Programs over GRIM on hosts with LANai 9 cards around one cut-through switch, and their protocol
// transitions as text (program_run.h says how they are written).
#ifndef NETSIM_TESTS_SUPPORT_GRIM_RUN_H
#define NETSIM_TESTS_SUPPORT_GRIM_RUN_H

#include "tests/support/program_run.h"

// The program with the settings of the machine behind its own.
struct program_run *grim_run(const struct test_program *program);
struct program_run *grim_run_observed(const struct test_program *program,
                                      struct mpi_observer *observer);

// The same; fails the running case unless it completes with balanced books.
struct program_run *grim_run_good(const struct test_program *program);

// Fails the running case unless a rank's transitions of some machines are these.
#define GRIM_SAME(run, rank, machines, expected)                                                   \
    grim_same(__FILE__, __LINE__, run, rank, machines, expected)
void grim_same(const char *file, int line, const struct program_run *run, int rank,
               const char *machines, const char *expected);

// Fails the running case unless the program ends with this kind of reason, whose text contains
// `part`.
#define GRIM_FAILS(program, kind, part) grim_fails(__FILE__, __LINE__, program, kind, part)
void grim_fails(const char *file, int line, const struct test_program *program, const char *kind,
                const char *part);

// How long a rank's program took, us.
double grim_time(const struct program_run *run, int rank);

#endif
