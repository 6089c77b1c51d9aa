// SPDX-License-Identifier: GPL-3.0-or-later
// Messages that are longer than the calls of a stack's library can name.
#ifndef NETSIM_RUN_LENGTH_CHECK_H
#define NETSIM_RUN_LENGTH_CHECK_H

#include "sim/scenario/case.h"

// Adds an error at the first constant length of the workload above the device's `longest`
// (mpi_device_ops). A length that is computed or read from a recording fails the run instead.
void length_check(const struct scenario_case *test_case, struct diag_list *diags);

#endif
