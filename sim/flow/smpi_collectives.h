// SPDX-License-Identifier: GPL-3.0-or-later
// The algorithms of SMPI 3.32 that are the rules of a library's collectives (sim/mpi/library.h).
#ifndef NETSIM_FLOW_SMPI_COLLECTIVES_H
#define NETSIM_FLOW_SMPI_COLLECTIVES_H

#include "sim/mpi/library.h"

#include <glib.h>

struct smpi_collective {
    const char *name;      // of the collective: "bcast"
    const char *rule;      // the library's: "binomial"; of a choice by processes, its outcome
    const char *option;    // of SimGrid: "smpi/bcast"; NULL: SMPI has but one algorithm
    const char *algorithm; // its value; NULL: none is like the rule, and SMPI takes its own
    const char *note;      // how it differs from the rule; NULL: it does not
};

// Returns a GArray of struct smpi_collective, by the library's rules for a job of `ranks` ranks, in
// the order of enum mpi_collective. All text is static; g_array_unref frees it.
GArray *smpi_collectives(const struct mpi_library_config *library, int ranks);

#endif
