// SPDX-License-Identifier: GPL-3.0-or-later
// The stacks that random MPI programs are tried on (trial.h): sizes, settings and machines.
#ifndef NETSIM_TESTS_SUPPORT_TRIAL_STACKS_H
#define NETSIM_TESTS_SUPPORT_TRIAL_STACKS_H

#include "tests/support/trial.h"

extern const struct trial_stack trial_lam_tcp, trial_mpich_p4, trial_ch3_sock, trial_ch3_sctp,
    trial_openmpi_tcp, trial_lam_via, trial_mvich, trial_armci, trial_grim, trial_gm;

// A suite with a case for each of them (trial_run): what main returns.
int trial_suite(const char *name, bool faults);

#endif
