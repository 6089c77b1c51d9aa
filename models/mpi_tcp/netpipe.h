// SPDX-License-Identifier: GPL-3.0-or-later
// Programs on bare sockets, as NetPIPE measures TCP: blocking writes until the socket has taken
// all, blocking reads until all has come. No envelopes, no matching: messages arrive in the order
// of the stream; one byte represents an empty message.
#ifndef NETSIM_MODELS_MPI_TCP_NETPIPE_H
#define NETSIM_MODELS_MPI_TCP_NETPIPE_H

#include "models/mpi_tcp/mesh.h"
#include "sim/mpi/bare.h"

struct netpipe_config {
    int64_t send_buffer, receive_buffer; // bytes
    bool no_delay;
    struct cost call;
};

extern const struct param_table netpipe_table;

struct netpipe_process {
    struct mesh mesh;
    const struct netpipe_config *config;
    struct mpi_bare bare;
};

extern const struct mpi_device_ops netpipe_ops;

#endif
