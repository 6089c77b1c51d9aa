// SPDX-License-Identifier: GPL-3.0-or-later
// A segment as it stands on the wire: TCP (RFC 793) with its checksum.
#ifndef NETSIM_MODELS_TCP_CAPTURE_H
#define NETSIM_MODELS_TCP_CAPTURE_H

#include "models/tcp/segment.h"

// Writes the header of a segment into `room` bytes, all of which are 0, or nothing if it does not
// fit. Payload is 0.
void tcp_segment_bytes(const struct tcp_segment *segment, const struct inet_addresses *addresses,
                       uint8_t *bytes, uint32_t room);

// Describes the segment for traces: "TCP SYN, ACK".
void tcp_segment_words(const struct tcp_segment *segment, struct trace_words *words);

#endif
