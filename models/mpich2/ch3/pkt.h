// SPDX-License-Identifier: GPL-3.0-or-later
// The packets of MPICH2's CH3 device: headers that channels carry, some with data after them.
// (MPICH2 1.0.5, MPIDI_CH3_Pkt_t; thesis 004, 3.2.)
#ifndef NETSIM_MODELS_MPICH2_CH3_PKT_H
#define NETSIM_MODELS_MPICH2_CH3_PKT_H

#include "sim/core/ledger.h"

#include <stdbool.h>
#include <stdint.h>

enum ch3_pkt_type {
    CH3_PKT_EAGER_SEND,
    CH3_PKT_EAGER_SYNC_SEND,
    CH3_PKT_EAGER_SYNC_ACK,
    CH3_PKT_READY_SEND,
    CH3_PKT_RNDV_REQ_TO_SEND,
    CH3_PKT_RNDV_CLR_TO_SEND,
    CH3_PKT_RNDV_SEND,
    CH3_PKT_PUT,
    CH3_PKT_GET,
    CH3_PKT_GET_RESP,
    CH3_PKT_ACCUMULATE,
    CH3_PKT_RMA_DONE,  // the hybrid's envelope: an RDMA transfer has ended (thesis 004, 3.4)
    CH3_PKT_CLOSE,     // its `ack` is false
    CH3_PKT_CLOSE_ACK, // its `ack` is true
    CH3_PKT_TYPES,
};

enum ch3_pkt_flag {
    CH3_LAST_OF_EPOCH = 1, // the target counts the origin's operations down with it (3.4)
};

// A packet's content. Sockets carry it as the first bytes of the packet's length, which is a
// parameter (32 B on IA-32).
struct ch3_pkt {
    uint8_t type;  // enum ch3_pkt_type
    uint8_t flags; // enum ch3_pkt_flag
    uint16_t context;
    int32_t tag;       // of a window's operations: the window's number
    uint32_t length;   // bytes of the MPI message, or of the operation
    uint32_t sequence; // of the messages from the sender to the receiver (mpi_envelope)
    uint32_t sender;   // handle of the request at the process that began (ch3_handle)
    uint32_t receiver; // handle of the request at its peer, once it is known
    struct message_ref message;
};
#define CH3_PKT_BYTES 32
_Static_assert(sizeof(struct ch3_pkt) == CH3_PKT_BYTES, "as on IA-32");

// True of the packets that a receive matches, in the order that MPI demands.
static inline bool ch3_pkt_matches(enum ch3_pkt_type type)
{
    return type == CH3_PKT_EAGER_SEND || type == CH3_PKT_EAGER_SYNC_SEND ||
           type == CH3_PKT_READY_SEND || type == CH3_PKT_RNDV_REQ_TO_SEND;
}

// Bytes of data after the packet.
int64_t ch3_pkt_data(const struct ch3_pkt *pkt);

const char *ch3_pkt_name(enum ch3_pkt_type type); // "RNDV_REQ_TO_SEND"

#endif
