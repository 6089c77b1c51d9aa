// SPDX-License-Identifier: GPL-3.0-or-later
// Packets of the simplified RMPP (thesis 002, 5.2.3 and table 5.1), as short messages of the card
// carry them (intercept_sm.body). Their sizes on the wire are in struct p3_sizes.
#ifndef NETSIM_MODELS_INTERCEPT_P3_PACKETS_H
#define NETSIM_MODELS_INTERCEPT_P3_PACKETS_H

#include "models/intercept/nic/nic.h"
#include "models/portals/nal.h"

enum p3_kind {
    P3_RTS,       // asks to send; Portals header and first data
    P3_CTS,       // n data packets may come; mlen bytes are wanted
    P3_NEXT_CTS,  // n more
    P3_DATA,      // data packet of a number
    P3_STOP_DATA, // the same, last of a grant
    P3_LAST_DATA, // the same, last of the message
    P3_MSGEND,    // all received, or no more wanted
    P3_MSGERROR,  // abort
    P3_KINDS
};

// Number of a message that resets the peer's counter. Cplant's value; thesis 002 names it only.
#define BOOTMSGNUM 0

struct p3_packet {
    uint8_t kind;    // enum p3_kind
    uint32_t len;    // B: headers and data
    uint64_t number; // msgNum: with peer and direction, the message
    union {
        struct portals_header portals; // RTS
        struct {
            uint32_t n;
            int64_t mlen; // CTS only
        } cts;            // and NEXT_CTS
        uint32_t data;    // number of a data packet in its message, from 0
        int32_t error;    // MSGERROR
    };
};

static_assert(sizeof(struct portals_header) == 80, "nothing is wasted for alignment");
static_assert(sizeof(struct p3_packet) <= INTERCEPT_BODY_BYTES, "a packet fits into a body");

static inline struct p3_packet *p3_packet(struct intercept_sm *sm)
{
    return (struct p3_packet *)(void *)sm->body;
}

static inline const struct p3_packet *p3_packet_of(const struct intercept_sm *sm)
{
    return (const struct p3_packet *)(const void *)sm->body;
}

// "RTS" ... "MSGERROR"; "?" for what is none. Static.
const char *p3_kind_name(unsigned kind);

// Writes a packet's first bytes for captures (struct vnic_ops, frame).
void p3_frame(const struct intercept_sm *message, struct intercept_frame *frame);

// Describes it for traces (struct vnic_ops, words).
void p3_words(const struct intercept_sm *message, struct trace_words *words);

#endif
