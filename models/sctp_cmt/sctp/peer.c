// SPDX-License-Identifier: GPL-3.0-or-later
// The parameters of INIT and INIT-ACK (RFC 9260, 3.2.1, 3.3.2, 3.3.3).
#include "models/sctp_cmt/sctp/setup.h"

#define SKIP 0x8000   // the high bits of an unknown parameter's type: go on after it;
#define REPORT 0x4000 // report it to the sender

static void add_address(struct sctp_peer_facts *facts, int station)
{
    for (int i = 0; i < facts->station_count; i++)
        if (facts->stations[i] == station)
            return;
    if (station >= 0 && facts->station_count < SCTP_MOST_PATHS)
        facts->stations[facts->station_count++] = station;
}

// An address that no host has can't be a path, but a peer that restarts must not name it either.
static void add_ipv4(const struct sctp_host *host, struct sctp_peer_facts *facts, uint32_t address)
{
    int station = inet_address_station(host->cluster, address);
    if (station >= 0)
        add_address(facts, station);
    else if (facts->stranger_count < SCTP_MOST_PATHS)
        facts->strangers[facts->stranger_count++] = address;
}

static void report(struct sctp_host *host, struct sctp_peer_facts *facts,
                   const struct sctp_init *init, const struct sctp_tlv *tlv)
{
    if (!facts->unrecognized) // each parameter grows by a header of 4 bytes
        facts->unrecognized = sctp_bytes_new(&host->pools, 2 * init->parameters->length + 8);
    sctp_tlv_append(facts->unrecognized, SCTP_UNRECOGNIZED_PARAMETER, tlv->value - 4, tlv->length);
}

// Returns false if the parameters after it are ignored.
static bool take_parameter(struct sctp_host *host, struct sctp_peer_facts *facts,
                           const struct sctp_init *init, const struct sctp_tlv *tlv)
{
    switch (tlv->type) {
    case SCTP_IPV4_ADDRESS:
        if (tlv->value_length == 4)
            add_ipv4(host, facts, sctp_get32(tlv->value));
        else
            facts->malformed = true;
        return true;
    case SCTP_STATE_COOKIE:
        facts->cookie = tlv->value;
        facts->cookie_length = tlv->value_length;
        return true;
    case SCTP_COOKIE_PRESERVATIVE:
        if (tlv->value_length == 4)
            facts->preservative = sctp_get32(tlv->value);
        else
            facts->malformed = true;
        return true;
    case SCTP_HOST_NAME_ADDRESS:
        facts->host_name = *tlv;
        return true;
    case SCTP_IPV6_ADDRESS:
    case SCTP_UNRECOGNIZED_PARAMETER:
    case SCTP_SUPPORTED_ADDRESS_TYPES:
    case SCTP_ECN_CAPABLE:
    case SCTP_SUPPORTED_EXTENSIONS:
    case SCTP_FORWARD_TSN_SUPPORTED:
    case SCTP_ADAPTATION_INDICATION:
        return true;
    default: // its high bits encode what to do
        if (tlv->type & REPORT)
            report(host, facts, init, tlv);
        return tlv->type & SKIP;
    }
}

struct sctp_peer_facts sctp_peer_facts(struct sctp_host *host, const struct sctp_init *init,
                                       int source)
{
    struct sctp_peer_facts facts = {0};
    struct sctp_tlv tlv;
    uint32_t at = 0;
    while (sctp_tlv_next(init->parameters, &at, &tlv)) {
        if (!tlv.sound)
            facts.malformed = true;
        else if (!take_parameter(host, &facts, init, &tlv))
            break;
    }
    if (facts.station_count == SCTP_MOST_PATHS)
        facts.station_count--; // room for the source, which must be one of them
    add_address(&facts, source);
    return facts;
}
