// SPDX-License-Identifier: GPL-3.0-or-later
// The Portals 3.2 library: a process's network interface (NI) with its portal table (PT), match
// entries (ME), memory descriptors (MD) and event queues (EQ), and the API calls on them.
#ifndef NETSIM_MODELS_PORTALS_LIBRARY_H
#define NETSIM_MODELS_PORTALS_LIBRARY_H

#include "models/portals/nal.h"
#include "sim/config/param.h"
#include "sim/mpi/process.h"
#include "sim/workload/job.h"

struct portals_config {
    int64_t header; // B
};

extern const struct param_table portals_table; // section "portals"

// The device of processes that use Portals (stack->device): runs the operations of operations.h.
// process_size is portals_process_size; the first member of the stack's own process, if it has
// more, is the interface.
extern const struct mpi_device_ops portals_ops;

// Makes the interface of a process whose device begins with it (stack->process_init). `nal_process`
// is the NAL's part of the process. The nid is the host's index. Undone by portals_ni_clear.
void portals_ni_init(struct portals_ni *ni, struct mpi_process *process,
                     const struct portals_config *config, const struct portals_nal *nal,
                     void *nal_process);
void portals_ni_clear(struct portals_ni *ni);

// For the NAL.
void *portals_nal_process(const struct portals_ni *ni);
struct mpi_process *portals_process(const struct portals_ni *ni);
const struct portals_config *portals_ni_config(const struct portals_ni *ni);
struct portals_id portals_ni_id(const struct portals_ni *ni);

// What the request whose transfer this is waits for, from now on, as the NAL knows it ("CTS for
// message 7 from node1"). The library sets the wait of an operation that waits for this transfer.
void portals_transfer_waits(struct portals_transfer *transfer, const struct wait *wait);

#endif
