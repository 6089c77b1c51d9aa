// SPDX-License-Identifier: GPL-3.0-or-later
// The steps that every library over M-VIA takes when a job starts and ends: it opens its host's
// card and connects a VI to each other process.
#ifndef NETSIM_MODELS_VIA_VIP_PROCESS_H
#define NETSIM_MODELS_VIA_VIP_PROCESS_H

#include "models/via/vip/vip.h"
#include "sim/model/job.h"

// Opens the card of the process's host, with an agent of its own. Close with vip_process_close.
struct vip_nic *vip_process_open(const struct job *job, struct mpi_process *process);
void vip_process_close(struct vip_nic *nic);

// Allocates `bytes` of new memory of the process and registers it; sets *address and *handle.
// Returns false if that is more than may be pinned.
bool vip_process_register(struct cpu_context *context, struct mpi_process *process,
                          struct vip_nic *nic, uint32_t ptag, int64_t bytes, int64_t *address,
                          struct vip_mem_handle *handle);

// Asks the process of rank `peer`, which has opened `remote`, to connect its VI to this one.
void vip_process_connect(struct cpu_context *context, const struct mpi_process *process,
                         struct vip_vi *vi, int peer, const struct vip_nic *remote);

// A startup step: checks whether the VI is connected; if not, the process sleeps and is woken when
// it is.
enum mpi_progress vip_process_connected(struct cpu_context *context, struct vip_vi *vi);

// MPI_Finalize: closes the card only; the connections end with the job.
enum mpi_progress vip_process_finalize(struct cpu_context *context, struct mpi_process *process);

#endif
