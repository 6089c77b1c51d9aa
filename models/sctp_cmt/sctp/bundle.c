// SPDX-License-Identifier: GPL-3.0-or-later
// Packets and the chunks that are bundled in them (RFC 9260, 6.10).
#include "models/sctp_cmt/sctp/bundle.h"

#define MOST_CHUNKS 256 // in a packet

static bool chunk_stands_alone(const struct sctp_chunk *chunk)
{
    return chunk->type == SCTP_INIT || chunk->type == SCTP_INIT_ACK ||
           chunk->type == SCTP_SHUTDOWN_COMPLETE;
}

static void add_chunk(struct sctp_bundle *bundle, struct sctp_chunk *chunk)
{
    if (!bundle->packet)
        bundle->packet = sctp_path_packet(bundle->path);
    sctp_packet_add(bundle->packet, chunk);
    bundle->chunks++;
}

bool sctp_bundle_fits(const struct sctp_bundle *bundle, int64_t bytes)
{
    int64_t mtu = bundle->path->mtu;
    if (!bundle->packet)
        return bytes <= mtu - IP_HEADER - SCTP_COMMON_HEADER;
    return bundle->chunks < MOST_CHUNKS && bytes <= sctp_packet_room(bundle->packet, mtu);
}

void sctp_bundle_send(struct sctp_bundle *bundle)
{
    struct packet *packet = bundle->packet;
    if (bundle->has_data)
        sctp_t3_check(bundle->context, bundle->path);
    bundle->packet = NULL;
    bundle->chunks = 0;
    bundle->has_data = false;
    if (packet)
        sctp_packet_send(bundle->context, bundle->association, bundle->path, packet);
}

// A due SACK precedes other chunks (RFC 9260, 6.2), except those that open an association: it
// follows COOKIE-ACK (5.1).
static void add_sack(struct sctp_bundle *bundle)
{
    const struct sctp_chunk *control = bundle->path->control_head;
    if (bundle->association->machine.state < SCTP_ESTABLISHED ||
        (control && (chunk_stands_alone(control) || control->type == SCTP_COOKIE_ECHO ||
                     control->type == SCTP_COOKIE_ACK || control->type == SCTP_ABORT)))
        return;
    struct sctp_chunk *sack = sctp_sack_take(bundle->context, bundle->association, false);
    if (sack)
        add_chunk(bundle, sack);
}

void sctp_bundle_control(struct sctp_bundle *bundle)
{
    struct sctp_path *path = bundle->path;
    add_sack(bundle);
    while (path->control_head) {
        struct sctp_chunk *chunk = path->control_head;
        bool alone = chunk_stands_alone(chunk), opens = chunk->type == SCTP_COOKIE_ACK;
        if (bundle->packet && (alone || !sctp_bundle_fits(bundle, sctp_padded(chunk->length))))
            sctp_bundle_send(bundle);
        path->control_head = chunk->next;
        add_chunk(bundle, chunk);
        if (opens)
            add_sack(bundle);
        if (alone)
            sctp_bundle_send(bundle);
    }
}

static void add_data(struct sctp_bundle *bundle, const struct sctp_outgoing *of)
{
    struct sctp_chunk *chunk =
        sctp_chunk_new(&bundle->association->host->pools, SCTP_DATA, of->flags);
    chunk->length = (uint16_t)(SCTP_DATA_HEADER + of->bytes);
    chunk->data = (struct sctp_data){
        .tsn = of->tsn,
        .stream = of->stream,
        .ssn = of->ssn,
        .protocol = of->protocol,
        .bytes = of->bytes,
        .offset = of->offset,
        .message = of->message,
    };
    sctp_message_ref(of->message);
    add_chunk(bundle, chunk);
}

// Times one chunk per round trip, never a retransmitted one (Karn's algorithm).
static void time_round_trip(struct sctp_path *path, const struct sctp_outgoing *chunk)
{
    if (path->rto.timing || chunk->transmissions > 1)
        return;
    path->rto.timing = true;
    path->rto.timed = chunk->tsn;
    path->rto.timed_at = chunk->sent_at;
}

void sctp_bundle_data(struct sctp_bundle *bundle, struct sctp_outgoing *chunk)
{
    struct sctp_association *association = bundle->association;
    struct sctp_path *path = bundle->path;
    add_data(bundle, chunk);
    bundle->has_data = true;
    chunk->sent_at = inet_ticks(association->host->inet, bundle->context->now);
    chunk->transmissions = (uint8_t)MIN(chunk->transmissions + 1, UINT8_MAX);
    if (chunk->transmissions > 1) {
        (*association->host->count.retransmissions)++;
        trace_repeat(association->host->sim->trace, "SCTP chunk", association->host->host->name,
                     bundle->context->now);
    }
    time_round_trip(path, chunk);
    sctp_flight_enter(association, chunk);
    path->data_sent = chunk->sent_at;
    path->last_sent = bundle->context->now;
    path->chunks_sent++;
    path->bytes_sent += chunk->bytes;
}
