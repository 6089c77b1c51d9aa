// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/inet/capture.h"

#define TIME_TO_LIVE 64
#define DONT_FRAGMENT 0x4000 // the path's MTU is discovered (RFC 1191)
#define MOST_OF_A_BYTE 254   // 255 is the broadcast address

uint8_t *inet_put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
    return at + 2;
}

uint8_t *inet_put32(uint8_t *at, uint32_t value)
{
    return inet_put16(inet_put16(at, value >> 16), value & 0xffff);
}

uint32_t inet_sum(uint32_t sum, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i += 2)
        sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

uint32_t inet_address(int hosts, int host, int card)
{
    int bits = hosts <= MOST_OF_A_BYTE ? 8 : 16;
    return 0x0a000000U + ((uint32_t)card << bits) + (uint32_t)host + 1;
}

uint32_t inet_pseudo_sum(const struct inet_addresses *addresses, uint8_t protocol, uint32_t length)
{
    uint8_t bytes[12];
    inet_put16(inet_put16(inet_put32(inet_put32(bytes, addresses->from), addresses->to), protocol),
               length);
    return inet_sum(0, bytes, sizeof bytes);
}

void inet_write_header(uint8_t *bytes, const struct inet_addresses *addresses, uint8_t protocol,
                       uint16_t identification, uint32_t length)
{
    uint8_t *at = bytes;
    *at++ = 0x45; // version 4, five words
    *at++ = 0;
    at = inet_put16(at, length);
    at = inet_put16(at, identification);
    at = inet_put16(at, DONT_FRAGMENT);
    *at++ = TIME_TO_LIVE;
    *at++ = protocol;
    uint8_t *checksum = at;
    at = inet_put16(at, 0);
    inet_put32(inet_put32(at, addresses->from), addresses->to);
    inet_put16(checksum, ~inet_sum(0, bytes, IP_HEADER) & 0xffff);
}
