// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the processes and data servers of a run.
#ifndef NETSIM_MODELS_ARMCI_JOB_H
#define NETSIM_MODELS_ARMCI_JOB_H

#include "models/armci/armci.h"
#include "sim/core/pool.h"

struct armci_server;

struct armci_job { // all of a run
    struct sim *sim;
    struct gm_fabric *fabric;
    const struct armci_config *config;
    int ranks, hosts;
    struct mpi_process *const *processes; // by rank, each with its client
    struct armci_server **servers;        // by host; NULL: no rank runs there
    struct pool messages, headers, flags;
};

#endif
