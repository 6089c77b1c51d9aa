// SPDX-License-Identifier: GPL-3.0-or-later
// Encodes and decodes SCTP packets in wire format: for captures, packet scripts and faults. The
// bytes are the SCTP packet's, from the common header on. User data are 0 but for the content of
// messages.
#ifndef NETSIM_MODELS_SCTP_WIRE_CODEC_H
#define NETSIM_MODELS_SCTP_WIRE_CODEC_H

#include "models/sctp_cmt/wire/packet.h"

// Writes at most `room` bytes, which the caller has zeroed, and returns how many. The checksum is
// right for the whole packet even if less of it fits, unless the packet has bad_checksum.
uint32_t sctp_encode(const struct sctp_packet *packet, uint8_t *bytes, uint32_t room);

// Like sctp_encode, but for one chunk with its header, unpadded.
uint32_t sctp_chunk_encode(const struct sctp_chunk *chunk, uint8_t *bytes, uint32_t room);

// Appends the chunks that the bytes hold to an empty packet and sets its fields. Whatever is
// malformed is marked in the chunk (enum sctp_chunk_fault) and ends the packet; a wrong checksum
// sets bad_checksum.
void sctp_decode(const uint8_t *bytes, uint32_t length, struct packet *packet);

// CRC32c (RFC 9260, appendix A) with the register preset and complemented; goes on from `crc`, 0 at
// the start.
uint32_t sctp_crc32c(uint32_t crc, const uint8_t *bytes, size_t length);

// Continues over `length` zero bytes, in time O(log length).
uint32_t sctp_crc32c_zeros(uint32_t crc, uint64_t length);

#endif
