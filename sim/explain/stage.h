// SPDX-License-Identifier: GPL-3.0-or-later
// The class of a wait, by how devices say what a request waits for (struct mpi_request, waits_for).
#ifndef NETSIM_EXPLAIN_STAGE_H
#define NETSIM_EXPLAIN_STAGE_H

#include "sim/core/stage.h"

enum wait_class wait_of_text(const char *what);

#endif
