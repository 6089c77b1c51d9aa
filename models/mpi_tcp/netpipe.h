// SPDX-License-Identifier: GPL-3.0-or-later
// Programs on bare sockets, as NetPIPE measures TCP: blocking write until all is taken, blocking
// read until all is there. No envelopes, no matching: messages are those of the stream, in its
// order; one byte stands for a message of no bytes.
#ifndef NETSIM_MODELS_MPI_TCP_NETPIPE_H
#define NETSIM_MODELS_MPI_TCP_NETPIPE_H

#include "models/mpi_tcp/mesh.h"
#include "sim/mpi/bare.h"

struct netpipe_config {
    int64_t send_buffer, receive_buffer; // 0: the system's
    bool no_delay;
    struct cost call; // a turn of the loop around read or write
};

extern const struct param_table netpipe_table;

struct netpipe_process {
    struct mesh mesh;
    const struct netpipe_config *config;
    struct mpi_bare bare;
};

extern const struct mpi_device_ops netpipe_ops;

#endif
