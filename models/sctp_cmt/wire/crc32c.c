// SPDX-License-Identifier: GPL-3.0-or-later
// CRC32c (RFC 9260, appendix A): the Castagnoli polynomial, bits reflected.
//
// A register is a polynomial over GF(2) modulo the CRC's. To append n zero bytes is to multiply it
// by x^(8n), which takes log n squarings; so payload that is not stored costs next to nothing.
#include "models/sctp_cmt/wire/codec.h"

#define POLYNOMIAL 0x82F63B78u // 0x1EDC6F41 with its bits reflected
#define ONE 0x80000000u        // the polynomial 1: the highest power of x is the lowest bit
#define X8 (ONE >> 8)          // x^8

static uint32_t times_x(uint32_t a)
{
    return (a >> 1) ^ (a & 1 ? POLYNOMIAL : 0);
}

static uint32_t times(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (; b; b <<= 1) {
        if (b & ONE)
            product ^= a;
        a = times_x(a);
    }
    return product;
}

uint32_t sctp_crc32c(uint32_t crc, const uint8_t *bytes, size_t length)
{
    crc = ~crc;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = times_x(crc);
    }
    return ~crc;
}

uint32_t sctp_crc32c_zeros(uint32_t crc, uint64_t length)
{
    uint32_t power = X8;
    crc = ~crc;
    for (; length; length >>= 1) {
        if (length & 1)
            crc = times(crc, power);
        power = times(power, power);
    }
    return ~crc;
}
