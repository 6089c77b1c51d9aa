// SPDX-License-Identifier: GPL-3.0-or-later
// DATA and FORWARD-TSN (RFC 9260, 6.2, 6.5, 6.7; RFC 3758, 3.6): what is taken, what is a
// duplicate, what is dropped.
#include "models/sctp_cmt/sctp/association.h"

// ---- Faulty chunks ----

// RFC 9260, 6.5: the SACK that acknowledges the chunk goes first.
static void invalid_stream(struct sctp_association *association, struct sctp_path *from,
                           uint16_t stream)
{
    struct sctp_in *in = &association->in;
    uint8_t info[4];
    inet_put32(info, (uint32_t)stream << 16);
    struct sctp_chunk *error = sctp_cause_chunk(&association->host->pools, SCTP_ERROR,
                                                SCTP_INVALID_STREAM_IDENTIFIER, info, sizeof info);
    struct sctp_chunk **end = &in->complaints;
    while (*end)
        end = &(*end)->next;
    *end = error;
    in->complain_to = from;
}

// ---- Acceptance ----

static void duplicate(struct sctp_association *association, uint32_t tsn)
{
    struct sctp_in *in = &association->in;
    (*association->host->count.duplicates)++;
    // The BSD stack of 2007 forgot those up to cum_tsn.
    if (association->host->config->sack_rule == SCTP_SACK_RFC || sctp_tsn_before(in->cum_tsn, tsn))
        in->sack_now = true;
    if (in->duplicate_count < association->host->config->most_duplicates)
        in->duplicates[in->duplicate_count++] = tsn;
}

static bool arrived_before(const struct sctp_in *in, uint32_t tsn)
{
    return !sctp_tsn_before(in->cum_tsn, tsn) ||
           (!sctp_tsn_before(in->highest, tsn) && sctp_map_has(in, tsn));
}

// Is there room? In a full buffer, a chunk that fills a hole displaces those of higher TSNs.
static bool receive_make_room(struct sctp_association *association, uint32_t tsn)
{
    const struct sctp_in *in = &association->in;
    while (sctp_receive_room(association) <= 0 &&
           in->queued < association->settings.receive_buffer && sctp_tsn_before(tsn, in->highest))
        if (!sctp_renege(association, tsn))
            return false;
    return sctp_receive_room(association) > 0;
}

static bool dropped(struct sctp_association *association, uint32_t tsn)
{
    struct sctp_in *in = &association->in;
    const struct sctp_config *config = association->host->config;
    bool beyond = tsn - in->cum_tsn > config->map;
    if (!beyond && receive_make_room(association, tsn))
        return false;
    (*association->host->count.dropped_for_window)++;
    if (config->sack_rule == SCTP_SACK_RFC)
        in->sack_now = true;
    return true;
}

static void note_packet(struct sctp_in *in, struct sctp_path *from)
{
    if (!in->data_in_packet)
        in->gap_before = sctp_in_gap(in);
    in->data_in_packet = true;
    in->last = from;
}

void sctp_data_arrived(struct cpu_context *context, struct sctp_association *association,
                       struct sctp_path *from, const struct sctp_chunk *chunk)
{
    struct sctp_in *in = &association->in;
    const struct sctp_config *config = association->host->config;
    const struct sctp_data *data = &chunk->data;
    note_packet(in, from);
    if (association->reopened && !arrived_before(in, data->tsn))
        inet_timer_cancel(&association->reopened);
    if ((chunk->flags & SCTP_DATA_IMMEDIATE) && config->immediate_bit)
        in->sack_now = true;
    if (arrived_before(in, data->tsn)) {
        duplicate(association, data->tsn);
        return;
    }
    if (dropped(association, data->tsn))
        return;
    if (config->first_sack_at_once && !in->any)
        in->sack_now = true;
    in->any = in->new_in_packet = true;
    if (data->stream >= in->stream_count) {
        invalid_stream(association, from, data->stream);
    } else if (!sctp_reassemble(context, association, from, chunk)) {
        sctp_fail(association, SCTP_PROTOCOL_VIOLATION, NULL, 0, SCTP_RESET);
        return;
    }
    sctp_map_add(in, data->tsn);
    sctp_partial_delivery(context, association);
}

void sctp_forward_tsn_arrived(struct cpu_context *context, struct sctp_association *association,
                              const struct sctp_chunk *chunk)
{
    struct sctp_in *in = &association->in;
    note_packet(in, in->last);
    if (!sctp_tsn_before(in->cum_tsn, chunk->forward.cum_tsn)) {
        in->sack_now = true; // it is out of date, since a SACK was lost
        return;
    }
    sctp_reassembly_forward(context, association, chunk->forward.cum_tsn, chunk->forward.streams);
    sctp_map_forward(in, chunk->forward.cum_tsn);
    sctp_partial_delivery(context, association);
}
