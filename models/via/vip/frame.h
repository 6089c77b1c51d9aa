// SPDX-License-Identifier: GPL-3.0-or-later
// A VIA frame's header on Ethernet. Its layout on the wire is not published: the fields here are
// those that M-VIA needs, and the length is a parameter (mvia.header). Captures show the header in
// its default 32 bytes, numbers big-endian; a shorter header overlaps the payload, all of which is
// 0. wireshark/netsim.lua reads it.
//
//     0       bits 7..6: enum via_frame_type; 5..4: enum vip_operation; 1: answer; 0: immediate
//             data are valid
//     1..3    remote handle
//     4..5    source VI                6..7    destination VI
//     8..11   sequence number of the frame
//     12..15  bytes of the transfer    16..19  offset of this frame's bytes in it
//     20..21  bytes in this frame
//     22..27  remote address of the transfer's first byte
//     28..31  immediate data
//
// A frame of a connection's set-up or end has its discriminator in bytes 12..19, and nothing after
// it.
#ifndef NETSIM_MODELS_VIA_VIP_FRAME_H
#define NETSIM_MODELS_VIA_VIP_FRAME_H

#include "models/via/vip/vip.h"

#define VIA_ETHERTYPE 0x8886 // assumed

enum via_frame_type { VIA_CONNECT, VIA_DISCONNECT, VIA_DATA };

struct via_frame {
    uint8_t type;      // enum via_frame_type
    uint8_t operation; // enum vip_operation
    bool immediate_flag;
    bool answer; // of a VIA_CONNECT: its sender has seen the peer's request
    bool final;
    uint32_t source_vi, destination_vi;
    uint32_t sequence; // frames of the connection, from 0
    uint32_t immediate;
    uint32_t remote_handle;
    uint32_t total;   // bytes of the transfer
    uint32_t at;      // offset of this frame's first byte in the transfer
    uint32_t payload; // bytes in this frame
    union {
        int64_t remote_address; // VIA_DATA
        uint64_t discriminator; // VIA_CONNECT
    };
    struct vip_content content; // first frame
};

#define VIA_HEADER_BYTES 32

// Writes the header, or its first `room` bytes, for captures.
void via_frame_bytes(const struct via_frame *frame, uint8_t *bytes, uint32_t room);

// Describes the frame in `room` bytes, for traces: "M-VIA RDMA write".
void via_frame_words(const struct via_frame *frame, char *words, size_t room);

#endif
