// SPDX-License-Identifier: GPL-3.0-or-later
// Headers in wire format: IPv4 (RFC 791), the Internet checksum (RFC 1071), and helpers for the
// headers of transports.
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

// Write a number in network byte order. Return the position after it.
uint8_t *inet_put16(uint8_t *at, uint32_t value);
uint8_t *inet_put32(uint8_t *at, uint32_t value);

// Adds an even number of bytes to `sum` as in RFC 1071. The header carries the complement.
uint32_t inet_sum(uint32_t sum, const uint8_t *bytes, size_t length);

// The sum of the pseudo-header of RFC 793 for a transport's `length` bytes.
uint32_t inet_pseudo_sum(const struct inet_addresses *addresses, uint8_t protocol, uint32_t length);

// Writes the IP header of a packet of `length` bytes, the header included.
void inet_write_header(uint8_t *bytes, const struct inet_addresses *addresses, uint8_t protocol,
                       uint16_t identification, uint32_t length);

#endif
