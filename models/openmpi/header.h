// SPDX-License-Identifier: GPL-3.0-or-later
// Headers of fragments: that of the BTL with that of the PML after it, as one. The real ones name
// requests by their addresses; here the ledger's name of the message identifies them.
#ifndef NETSIM_MODELS_OPENMPI_HEADER_H
#define NETSIM_MODELS_OPENMPI_HEADER_H

#include "sim/core/ledger.h"

#include <stdint.h>

enum pml_kind {
    PML_MATCH,       // an eager message
    PML_RENDEZVOUS,  // RTS, with the first data or without
    PML_ACK,         // of an RTS: `offset`: from there on the receiver asks for PUTs
    PML_FRAGMENT,    // data from `offset` on
    PML_PUT_REQUEST, // the receiver asks for `bytes` from `offset` on
    PML_PUT,         // the BTL's: data to a place of the receiver
    PML_FIN,         // a PUT of `length` bytes is complete
};
#define PML_KINDS 7

#define PML_REGISTERED 1   // of an RTS: the data are registered, PUTs may begin at once
#define PML_ACKNOWLEDGES 2 // of a PUT request: it takes the ACK's place

// The first 32 bytes are in every header.
struct pml_header {
    uint8_t kind, flags;
    uint16_t context; // mpi_context_id
    int32_t tag;
    uint32_t sequence; // of the messages of two processes in a communicator
    uint32_t order;    // of all messages of two processes
    struct message_ref message;
    int64_t length; // of the message; of a PUT, and of what a FIN ends: of it
    int64_t offset;
    int64_t bytes; // of data, where these are not `length`
};
#define PML_SHORT_HEADER 32
#define PML_PUT_HEADER 40 // with the offset
_Static_assert(sizeof(struct pml_header) == 48, "a rendezvous header with that of the BTL");

#endif
