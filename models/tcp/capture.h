// SPDX-License-Identifier: GPL-3.0-or-later
// A segment as it stands on the wire: IPv4 (RFC 791) and TCP (RFC 793) with their checksums.
#ifndef NETSIM_MODELS_TCP_CAPTURE_H
#define NETSIM_MODELS_TCP_CAPTURE_H

#include "models/tcp/segment.h"

// Writes the IP packet of a segment that goes from one station to another, at most `room` bytes,
// all of which are 0. Payload is 0; stations have the addresses 10.0.0.1, 10.0.0.2 and so on.
void tcp_segment_bytes(const struct tcp_segment *segment, int from, int to, uint8_t *bytes,
                       uint32_t room);

#endif
