// SPDX-License-Identifier: GPL-3.0-or-later
// Programs on bare M-VIA, such as its own PingPong test: buffers registered once, receive
// descriptors posted ahead, send/receive without any library on top. Receives are not matched: each
// takes the next message from its peer.
#ifndef NETSIM_MODELS_VIA_VIP_NATIVE_H
#define NETSIM_MODELS_VIA_VIP_NATIVE_H

#include "models/via/vip/vip.h"
#include "sim/mpi/bare.h"

struct native_config {
    bool poll;
    int64_t descriptors;
    int64_t buffer; // bytes
};

extern const struct param_table native_table;
extern const struct mpi_device_ops native_ops;

struct native_peer;

struct native_process {
    struct mpi_bare bare;
    struct mpi_process *process;
    const struct native_config *config;
    struct vip_nic *nic;
    struct native_peer *peers; // by rank
    uint32_t ptag;
    int64_t send_buffer, receive_buffer;
    struct vip_mem_handle send_handle, receive_handle;
    struct vip_mem_handle program_handle; // of the memory that the program has registered, if any
    bool program_registered;
};

// Sets up a process that has opened its host's card. Free with native_clear; the card stays open.
void native_init(struct native_process *native, struct mpi_process *process,
                 const struct native_config *config, struct vip_nic *nic);
void native_clear(struct native_process *native);

#endif
