// SPDX-License-Identifier: GPL-3.0-or-later
// Programs on bare M-VIA, as its own PingPong test is one: buffers registered once, receive
// descriptors posted ahead, send/receive without any library on top. There is no matching: a
// receive takes what comes next from its peer.
#ifndef NETSIM_MODELS_VIA_VIP_NATIVE_H
#define NETSIM_MODELS_VIA_VIP_NATIVE_H

#include "models/via/vip/vip.h"
#include "sim/mpi/process.h"

struct native_config {
    bool poll;           // Done in a loop; else the Wait functions
    int64_t descriptors; // receive descriptors posted ahead, and send descriptors, for each peer
    int64_t buffer;      // registered send and receive buffer, each
};

extern const struct param_table native_table;
extern const struct mpi_device_ops native_ops;

struct native_stack;

// Puts the processes on their hosts' agents. Free with native_stack_free.
struct native_stack *native_stack_new(const struct native_config *config,
                                      struct mpi_process *const *processes,
                                      struct vip_agent *const *agents,
                                      const struct mvia_config *mvia, int ranks);
void native_stack_free(struct native_stack *stack);

#endif
