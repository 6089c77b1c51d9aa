// SPDX-License-Identifier: GPL-3.0-or-later
// The receiver's side of a connection: which packet is the next, and what is answered to each.
#include "models/myrinet_gm/gm/gm_internal.h"

enum gm_verdict gm_connection_check(struct gm_connection *connection,
                                    const struct gm_header *header)
{
    int session = (int16_t)(uint16_t)(header->session - connection->in_session);
    if (session < 0)
        return GM_STALE;
    if (session > 0) {
        // The sender has begun anew, with 0: nothing of the old session is under way any more.
        connection->in_session = header->session;
        connection->expected = 0;
        connection->gap_told = false;
    }
    int ahead = (int16_t)(uint16_t)(header->sequence - connection->expected);
    return ahead == 0 ? GM_ACCEPTED : ahead < 0 ? GM_DUPLICATE : GM_GAP;
}

// The answer waits in its place until SEND takes it; a later one replaces it, but an ACK that
// acknowledges nothing new does not replace a NACK.
static void answer(struct gm_connection *connection, enum gm_packet_kind kind, uint16_t attempt)
{
    struct gm_header *control = &connection->control;
    if (connection->control_pending && kind == GM_PACKET_ACK && control->kind != GM_PACKET_ACK &&
        control->session == connection->in_session && control->sequence == connection->expected)
        return;
    control->kind = kind;
    control->source_host = connection->card->host->index;
    control->session = connection->in_session;
    control->sequence = connection->expected;
    control->attempt = attempt;
    if (!connection->control_pending)
        gm_send_control(connection);
}

void gm_connection_reply(struct gm_connection *connection, enum gm_verdict verdict,
                         const struct gm_header *header)
{
    const struct gm_counters *counters = &connection->card->counters;
    switch (verdict) {
    case GM_ACCEPTED:
        connection->expected++;
        connection->gap_told = false;
        answer(connection, GM_PACKET_ACK, 0);
        break;
    case GM_DUPLICATE:
        (*counters->duplicates)++;
        answer(connection, GM_PACKET_ACK, 0); // the last one may be lost
        break;
    case GM_GAP:
        (*counters->gaps)++;
        if (!connection->gap_told)
            answer(connection, GM_PACKET_NACK_GAP, 0);
        connection->gap_told = true;
        break;
    case GM_REFUSED:
        connection->gap_told = true; // what follows needs no answer of its own
        answer(connection, GM_PACKET_NACK_REFUSED, header->attempt);
        break;
    case GM_CLOSED:
        connection->gap_told = true;
        answer(connection, GM_PACKET_NACK_CLOSED, header->attempt);
        break;
    case GM_REJECTED:
        connection->gap_told = true;
        answer(connection, GM_PACKET_NACK_REJECTED, header->attempt);
        break;
    case GM_STALE:
        break;
    }
}

struct gm_incoming *gm_connection_incoming(struct gm_connection *connection,
                                           const struct gm_header *header)
{
    struct gm_incoming **at = &connection->incoming;
    for (; *at; at = &(*at)->next)
        if ((*at)->source_port == header->source_port &&
            (*at)->target_port == header->target_port && (*at)->priority == header->priority)
            return *at;
    *at = g_new0(struct gm_incoming, 1);
    (*at)->source_port = header->source_port;
    (*at)->target_port = header->target_port;
    (*at)->priority = header->priority;
    return *at;
}
