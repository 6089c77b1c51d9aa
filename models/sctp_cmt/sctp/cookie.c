// SPDX-License-Identifier: GPL-3.0-or-later
// State cookies: all that the server of a handshake knows, signed, kept by the client (RFC 9260,
// 5.1.3). So an INIT costs the server no memory, which resists floods of them.
#include "models/sctp_cmt/sctp/setup.h"

#include <string.h>

#define MAC_BYTES 20 // SHA-1
#define NUMBERS (15 + SCTP_MOST_PATHS)

// The cookie as numbers of 32 bits, in the order in which they stand after the MAC.
static void to_numbers(const struct sctp_cookie *cookie, uint32_t numbers[NUMBERS])
{
    const uint32_t all[] = {
        (uint32_t)((uint64_t)cookie->made >> 32),
        (uint32_t)cookie->made,
        (uint32_t)((uint64_t)cookie->life >> 32),
        (uint32_t)cookie->life,
        cookie->tag,
        cookie->peer_tag,
        cookie->tie_tag,
        cookie->peer_tie_tag,
        cookie->tsn,
        cookie->peer_tsn,
        cookie->peer_rwnd,
        (uint32_t)cookie->peer_streams_out << 16 | cookie->peer_streams_in,
        (uint32_t)cookie->port << 16 | cookie->peer_port,
        (uint32_t)cookie->station_count,
        0,
    };
    memcpy(numbers, all, sizeof all);
    for (int i = 0; i < SCTP_MOST_PATHS; i++)
        numbers[G_N_ELEMENTS(all) + (size_t)i] = (uint32_t)cookie->stations[i];
}

static struct sctp_cookie from_numbers(const uint32_t *numbers)
{
    struct sctp_cookie cookie = {
        .made = (sim_time)((uint64_t)numbers[0] << 32 | numbers[1]),
        .life = (sim_time)((uint64_t)numbers[2] << 32 | numbers[3]),
        .tag = numbers[4],
        .peer_tag = numbers[5],
        .tie_tag = numbers[6],
        .peer_tie_tag = numbers[7],
        .tsn = numbers[8],
        .peer_tsn = numbers[9],
        .peer_rwnd = numbers[10],
        .peer_streams_out = (uint16_t)(numbers[11] >> 16),
        .peer_streams_in = (uint16_t)numbers[11],
        .port = (uint16_t)(numbers[12] >> 16),
        .peer_port = (uint16_t)numbers[12],
        .station_count = (int)numbers[13],
    };
    for (int i = 0; i < SCTP_MOST_PATHS; i++)
        cookie.stations[i] = (int)numbers[15 + i];
    return cookie;
}

static void mac_of(const struct sctp_host *host, const uint8_t *bytes, uint32_t length,
                   uint8_t mac[MAC_BYTES])
{
    gsize size = MAC_BYTES;
    GHmac *hmac = g_hmac_new(G_CHECKSUM_SHA1, (const guchar *)&host->secret, sizeof host->secret);
    g_hmac_update(hmac, bytes, length);
    g_hmac_get_digest(hmac, mac, &size);
    g_hmac_unref(hmac);
}

struct sctp_bytes *sctp_cookie_make(struct sctp_host *host, const struct sctp_cookie *cookie)
{
    uint32_t least = MAC_BYTES + 4 * NUMBERS;
    uint32_t length = MAX(least, (uint32_t)host->config->cookie_bytes);
    struct sctp_bytes *bytes = sctp_bytes_new(&host->pools, length);
    uint32_t numbers[NUMBERS];
    to_numbers(cookie, numbers);
    memset(bytes->data, 0, length);
    uint8_t *at = bytes->data + MAC_BYTES;
    for (size_t i = 0; i < NUMBERS; i++)
        at = inet_put32(at, numbers[i]);
    bytes->length = length;
    mac_of(host, bytes->data + MAC_BYTES, length - MAC_BYTES, bytes->data);
    return bytes;
}

bool sctp_cookie_read(const struct sctp_host *host, const struct sctp_bytes *bytes,
                      struct sctp_cookie *cookie)
{
    uint32_t numbers[NUMBERS];
    uint8_t mac[MAC_BYTES];
    if (!bytes || bytes->length < MAC_BYTES + sizeof numbers)
        return false;
    mac_of(host, bytes->data + MAC_BYTES, bytes->length - MAC_BYTES, mac);
    if (memcmp(mac, bytes->data, MAC_BYTES) != 0)
        return false;
    for (size_t i = 0; i < NUMBERS; i++)
        numbers[i] = sctp_get32(bytes->data + MAC_BYTES + 4 * i);
    *cookie = from_numbers(numbers);
    return true;
}
