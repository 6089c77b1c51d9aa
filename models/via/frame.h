// SPDX-License-Identifier: GPL-3.0-or-later
// A VIA frame's header on Ethernet. The layout on the wire is not published; its fields are those
// that M-VIA needs, its length is a parameter (mvia.header).
#ifndef NETSIM_MODELS_VIA_FRAME_H
#define NETSIM_MODELS_VIA_FRAME_H

#include "models/via/vip.h"

#define VIA_ETHERTYPE 0x8886 // assumed
#define ETHERNET_HEADER 14
#define ETHERNET_FCS 4

enum via_frame_type { VIA_CONNECT, VIA_DISCONNECT, VIA_DATA };

struct via_frame {
    uint8_t type;      // enum via_frame_type
    uint8_t operation; // enum vip_operation
    bool immediate_flag;
    bool answer; // of a VIA_CONNECT: the other's request has been seen
    bool final;
    uint32_t source_vi, destination_vi;
    uint32_t sequence; // frames of the connection, from 0
    uint32_t immediate;
    uint32_t remote_handle;
    uint32_t total;   // bytes of the transfer
    uint32_t at;      // first byte of this frame in it
    uint32_t payload; // bytes in this frame
    union {
        int64_t remote_address; // VIA_DATA
        uint64_t discriminator; // VIA_CONNECT
    };
    struct vip_content content; // first frame
};

#endif
