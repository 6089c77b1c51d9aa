// SPDX-License-Identifier: GPL-3.0-or-later
// Derived datatypes: data that lie in pieces are packed into a contiguous buffer of the library's
// before they are sent, and unpacked after they have been received. Both cost a copy of the data,
// and what the library spends on each piece (mpi_library_config.pack_piece).
//
// Not modelled: libraries that give the pieces to the network, and those that pack parts of a long
// message while others are under way.
#ifndef NETSIM_MPI_PACKING_H
#define NETSIM_MPI_PACKING_H

#include "sim/mpi/process.h"

// A buffer for packed data.
struct mpi_pack {
    int64_t address, bytes;
    bool taken;
};

// Gives the request a buffer of the library's, and packs a send's data into it.
void mpi_pack(struct cpu_context *context, struct mpi_request *request);

// Unpacks a receive's data, and frees the buffer.
void mpi_unpack(struct cpu_context *context, struct mpi_request *request);

void mpi_packs_clear(struct mpi_process *process);

#endif
