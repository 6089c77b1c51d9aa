// SPDX-License-Identifier: GPL-3.0-or-later
// Programs on bare GM, as its own test programs are: the process gives GM receive buffers of every
// size class at the start, and sends and receives without a library. There is no matching: a
// receive takes the next message from its peer. Data stay in the buffer that GM has put them into.
//
// Not modelled: more than one port per process, directed sends from programs, probes.
#ifndef NETSIM_MODELS_MYRINET_GM_GM_GM_NATIVE_H
#define NETSIM_MODELS_MYRINET_GM_GM_GM_NATIVE_H

#include "models/myrinet_gm/gm/gm.h"
#include "sim/mpi/bare.h"

#define GM_NATIVE_PORT 2 // 0 is the driver's, 1 the mapper's, 3 IP's

struct gm_native_config {
    bool poll;
    sim_time poll_turn;      // ps
    int64_t buffer;          // bytes
    int64_t receive_buffers; // per size class
};

extern const struct param_table gm_native_table;
extern const struct mpi_device_ops gm_native_ops;

struct gm_native_process {
    struct mpi_bare bare;
    struct mpi_process *process;
    const struct gm_native_config *config;
    struct gm_port *port;
    int *rank_of_host;
    int64_t send_buffer, receive_buffer;
};

// Opens a port for the process on its host's card. The caller frees it with gm_native_clear, before
// the fabric.
void gm_native_init(struct gm_native_process *native, struct mpi_process *process,
                    const struct gm_native_config *config, struct gm_fabric *fabric, int hosts);
void gm_native_clear(struct gm_native_process *native);

// Returns the number of size classes that get receive buffers.
int gm_native_classes(const struct gm_native_config *config);

#endif
