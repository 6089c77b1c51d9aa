// SPDX-License-Identifier: GPL-3.0-or-later
// MPI_ANY_TAG demands the order of the sends, which streams do not keep among one another (thesis
// 004, 3.2.6, figure 3.5). Remedies: the number in the envelope, by which packets that arrive
// too soon are held back with their data; or all envelopes on one stream, so that data may overtake
// theirs and then lie in allocated memory.
#include "models/mpich2/sctp/channel.h"

#include "sim/core/fifo.h"

// ---- Packets and their data ----

// Completes the packet for the device if it has it and all of its data are here, and frees it then.
static void incoming_check(struct cpu_context *context, struct ch3_sctp_process *sctp,
                           const struct ch3_sctp_vc *vc, struct ch3_sctp_incoming *incoming)
{
    if (!incoming->accepted || incoming->got < incoming->bytes)
        return;
    if (incoming->bytes > 0)
        ch3_data_arrived(context, &sctp->ch3, vc->peer, &incoming->receive);
    pool_give(&sctp->incoming, incoming);
}

void ch3_sctp_data(struct cpu_context *context, struct ch3_sctp_process *sctp,
                   struct ch3_sctp_stream *stream, int64_t bytes)
{
    struct ch3_sctp_incoming *incoming = stream->receiving;
    g_assert(incoming && incoming->got + bytes <= incoming->bytes);
    mpi_copy(context, sctp->process, bytes, COPY_WARM, incoming->pkt.message);
    incoming->got += bytes;
    if (!incoming->accepted)
        incoming->kept += bytes;
    if (incoming->got == incoming->bytes)
        stream->receiving = incoming->next;
    incoming_check(context, sctp, stream->vc, incoming);
}

static void accept_packet(struct cpu_context *context, struct ch3_sctp_process *sctp,
                          const struct ch3_sctp_vc *vc, struct ch3_sctp_incoming *incoming)
{
    incoming->accepted = true;
    if (!ch3_packet_arrived(context, &sctp->ch3, vc->peer, &incoming->pkt, &incoming->receive))
        return; // the run has failed
    // From allocated memory to its place.
    mpi_copy(context, sctp->process, incoming->kept, COPY_WARM, incoming->pkt.message);
    incoming->kept = 0;
    incoming_check(context, sctp, vc, incoming);
}

static void hold_packet(struct cpu_context *context, struct ch3_sctp_process *sctp,
                        struct ch3_sctp_vc *vc, struct ch3_sctp_incoming *incoming)
{
    struct ch3_sctp_incoming **at = &vc->held;
    while (*at && (int32_t)((*at)->pkt.sequence - incoming->pkt.sequence) < 0)
        at = &(*at)->held;
    incoming->held = *at;
    *at = incoming;
    (*sctp->count.held)++;
    cpu_trace_event(context,
                    (struct machine_owner){.where = sctp->process->name,
                                           .subject = incoming->pkt.sequence,
                                           .machine = "any_tag"},
                    NULL, "held back", sctp->process->peers[vc->peer]->name);
}

// Passes those whose turn it is to the device.
static void release_held(struct cpu_context *context, struct ch3_sctp_process *sctp,
                         struct ch3_sctp_vc *vc)
{
    while (vc->held && vc->held->pkt.sequence == vc->sequence) {
        struct ch3_sctp_incoming *incoming = vc->held;
        vc->held = incoming->held;
        vc->sequence++;
        accept_packet(context, sctp, vc, incoming);
    }
}

// Counts messages that arrive after one that was sent later.
static void note_order(const struct ch3_sctp_process *sctp, struct ch3_sctp_vc *vc,
                       uint32_t sequence)
{
    if ((int32_t)(sequence - vc->sequence) < 0)
        (*sctp->count.violations)++;
    else
        vc->sequence = sequence + 1;
}

void ch3_sctp_offer(struct cpu_context *context, struct ch3_sctp_process *sctp,
                    struct ch3_sctp_vc *vc, struct ch3_sctp_incoming *incoming)
{
    bool numbered = ch3_pkt_matches((enum ch3_pkt_type)incoming->pkt.type);
    uint32_t sequence = incoming->pkt.sequence;
    if (!numbered) {
        accept_packet(context, sctp, vc, incoming);
    } else if (sctp->config->any_tag != CH3_SCTP_BY_SEQUENCE) {
        note_order(sctp, vc, sequence);
        accept_packet(context, sctp, vc, incoming);
    } else if (sequence != vc->sequence) {
        hold_packet(context, sctp, vc, incoming);
    } else {
        vc->sequence++;
        accept_packet(context, sctp, vc, incoming);
        release_held(context, sctp, vc);
    }
}

// ---- Data before their envelope ----

void ch3_sctp_early_keep(struct cpu_context *context, struct ch3_sctp_process *sctp,
                         struct ch3_sctp_stream *stream, struct message_ref message, int64_t bytes)
{
    struct ch3_sctp_early *early = pool_take(&sctp->early);
    *early = (struct ch3_sctp_early){.message = message, .bytes = bytes};
    FIFO_APPEND(stream->early, stream->early_tail, early, next);
    (*sctp->count.early)++;
    cpu_spend_for(context, sctp->ch3.config->allocate, &ch3_sctp_stage, message);
    mpi_copy(context, sctp->process, bytes, COPY_WARM, message);
}

void ch3_sctp_early_take(struct cpu_context *context, struct ch3_sctp_process *sctp,
                         struct ch3_sctp_stream *stream, struct ch3_sctp_incoming *incoming)
{
    int64_t left = incoming->bytes;
    while (stream->early && stream->receiving == incoming && left > 0) {
        struct ch3_sctp_early *early = stream->early;
        g_assert(message_same(early->message, incoming->pkt.message));
        stream->early = early->next;
        left -= early->bytes;
        ch3_sctp_data(context, sctp, stream, early->bytes);
        pool_give(&sctp->early, early);
    }
}
