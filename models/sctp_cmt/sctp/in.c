// SPDX-License-Identifier: GPL-3.0-or-later
// The receiving half of an association: create and free.
#include "models/sctp_cmt/sctp/association.h"

void sctp_in_init(struct sctp_association *association, uint32_t peer_first_tsn, int streams)
{
    const struct sctp_config *config = association->host->config;
    struct sctp_in *in = &association->in;
    uint32_t size = 64;
    while (size < config->map)
        size *= 2;
    *in = (struct sctp_in){
        .cum_tsn = peer_first_tsn - 1,
        .highest = peer_first_tsn - 1,
        .map_size = size,
        .map_base = peer_first_tsn - 1,
        .streams = g_new0(struct sctp_stream_in, streams),
        .stream_count = streams,
        .offered = association->settings.receive_buffer,
        .sack_timer = in->sack_timer,
        .hold_charge = config->hold_charge,
        .queued = in->queued,
        .overhead = in->overhead,
    };
}

void sctp_in_clear(struct sctp_association *association)
{
    struct sctp_in *in = &association->in;
    struct sctp_pools *pools = &association->host->pools;
    inet_timer_cancel(&in->sack_timer);
    sctp_in_discard(association);
    for (int i = 0; i < in->stream_count; i++)
        g_free(in->streams[i].waiting);
    while (in->complaints) {
        struct sctp_chunk *complaint = in->complaints;
        in->complaints = complaint->next;
        sctp_chunk_free(pools, complaint);
    }
    g_free(in->streams);
    g_free(in->holds);
    g_free(in->map);
    *in = (struct sctp_in){
        .sack_timer = in->sack_timer, // it may still wait for the softirq
        .queued = in->queued,         // the reader's, also after a restart
        .overhead = in->overhead,
    };
}
