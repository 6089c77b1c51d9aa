// SPDX-License-Identifier: GPL-3.0-or-later
// Waits of a user's send: the send rule of the BSD stack of 2007 (sctp_lower_sosend, from
// skip_out_eof on), and Nagle's algorithm (RFC 9260, 6.1).
//
// The BSD stack's third condition is left out: sctp_lower_sosend clears ifp_had_enobuf as it
// begins, and decides anew at its end, so that only a write that blocks halfway can meet with it.
#include "models/sctp_cmt/sctp/association.h"

#define IPV6_HEADER 40

// ---- Nagle ----

// Bytes to be sent: chunks that are made, and messages as a chunk each.
static int64_t unsent_chunks(const struct sctp_association *association)
{
    const struct sctp_out *out = &association->out;
    int64_t unsent = out->waiting_bytes + SCTP_DATA_HEADER * out->waiting;
    for (uint32_t tsn = out->unsent; tsn != out->next; tsn++)
        unsent += sctp_outgoing_bytes(sctp_out_at(out, tsn));
    return unsent;
}

// The BSD stack of 2007: what the send buffer holds besides the flight. A chunk counts its header
// twice, in total_output_queue_size and in chunks_on_out_queue; a message that is no chunk yet has
// none.
static int64_t unsent_s2007(const struct sctp_association *association)
{
    const struct sctp_out *out = &association->out;
    int64_t chunks = (int64_t)(uint32_t)(out->next - out->cum_tsn - 1) - out->outstanding;
    return out->buffer.used - out->flight_data + 2 * SCTP_DATA_HEADER * chunks;
}

static const struct nagle_rule {
    int64_t (*unsent)(const struct sctp_association *association);
    int64_t headers; // the MTU without them is a packet's worth
} nagle_rules[] = {
    [SCTP_NAGLE_RFC] = {unsent_chunks, IP_HEADER + SCTP_COMMON_HEADER},
    // SCTP_MIN_OVERHEAD of a kernel with INET6, whatever the addresses.
    [SCTP_NAGLE_S2007] = {unsent_s2007, IPV6_HEADER + SCTP_COMMON_HEADER},
};

bool sctp_nagle_holds(const struct sctp_association *association)
{
    const struct nagle_rule *rule = &nagle_rules[association->host->config->nagle_rule];
    if (association->settings.no_delay || association->out.flight == 0)
        return false;
    return rule->unsent(association) < sctp_least_mtu(association) - rule->headers;
}

// ---- Sends ----

bool sctp_send_only_queues(const struct sctp_association *association, int64_t **counter)
{
    const struct sctp_config *config = association->host->config;
    const struct sctp_path *primary = association->primary;
    const struct sctp_out *out = &association->out;
    *counter = NULL;
    if (config->send_rule == SCTP_SEND_ALWAYS)
        return false;
    if (primary->flight > primary->mtu * config->burst)
        *counter = association->host->count.queued_for_burst;
    else if (primary->flight > primary->cc.cwnd)
        *counter = association->host->count.queued_for_cwnd;
    return *counter || (out->peer_rwnd == 0 && out->flight > 0);
}
