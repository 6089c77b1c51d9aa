// SPDX-License-Identifier: GPL-3.0-or-later
// The stack "intercept_vdma": a process that drives the VDMA handler itself, as SCS's VDMATransfer
// did (thesis 002, 2.2.2 and 6.1).
#ifndef NETSIM_MODELS_INTERCEPT_VDMA_RAW_H
#define NETSIM_MODELS_INTERCEPT_VDMA_RAW_H

#include "models/intercept/vdma/handler.h"
#include "sim/benchmark/benchmark.h"
#include "sim/model/stack.h"
#include "sim/mpi/process.h"

struct vdma_state {
    const struct vdma_handler_config *config;
    struct vdma_handler **handlers; // by host
    int hosts;
};

struct vdma_process {
    struct mpi_process *process;
    const struct vdma_state *state;
    struct vdma_handler *handler; // of its host's card
    struct mpi_queue ended;       // requests that the handler has ended
    int connecting;               // connections that INIT_VDMA waits for
    bool initialised;             // INIT_VDMA has been called
    bool asleep;
};

extern const struct mpi_device_ops vdma_raw_ops;
extern const struct vdma_client vdma_raw_client;
extern const struct stack vdma_stack;
extern const struct benchmark vdma_benchmarks[]; // ends with a NULL schema.name

extern const struct machine_kind vdma_request_machine;

#endif
