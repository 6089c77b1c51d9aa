// SPDX-License-Identifier: GPL-3.0-or-later
// Headers as they stand on the wire: IPv4 (RFC 791), the Internet checksum (RFC 1071), and what a
// transport needs to write its own.
#ifndef NETSIM_MODELS_INET_CAPTURE_H
#define NETSIM_MODELS_INET_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

#define IP_ETHERTYPE 0x0800
#define IP_HEADER 20

// IPv4 addresses of the two ends of a packet.
struct inet_addresses {
    uint32_t from, to;
};

// The address of the n-th card of a host (both from 0) in a cluster of `hosts` hosts: 10.0.CARD.N
// with N = host + 1, or 10.CARD.N if N does not fit into a byte in all of them.
uint32_t inet_address(int hosts, int host, int card);

// Append a number in network order; the place after it.
uint8_t *inet_put16(uint8_t *at, uint32_t value);
uint8_t *inet_put32(uint8_t *at, uint32_t value);

// `sum` and an even number of bytes, as RFC 1071 adds them up; the header has the complement.
uint32_t inet_sum(uint32_t sum, const uint8_t *bytes, size_t length);

// The sum of the pseudo-header of RFC 793 for a transport's `length` bytes.
uint32_t inet_pseudo_sum(const struct inet_addresses *addresses, uint8_t protocol, uint32_t length);

// Writes the IP header of a packet of `length` bytes with it.
void inet_write_header(uint8_t *bytes, const struct inet_addresses *addresses, uint8_t protocol,
                       uint16_t identification, uint32_t length);

#endif
