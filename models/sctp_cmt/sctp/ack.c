// SPDX-License-Identifier: GPL-3.0-or-later
// When a receiver acknowledges, where to, and which window it offers (RFC 9260, 6.2, 6.7; the BSD
// stack of September 2007; for CMT's delayed acknowledgments: Iyengar, Amer, Stewart 2006).
#include "models/sctp_cmt/sctp/association.h"

#include <string.h>

#define LEAST_UPDATE 1500 // bytes; the BSD stack's SCTP_MIN_RWND
#define FULL_CHECK 8      // TSNs: the first byte of the BSD stack's map is full

static const struct machine_state receiver_states[] = {
    [SCTP_NO_GAP] = {"no gap", .next = MACHINE_TO(SCTP_GAP)},
    [SCTP_GAP] = {"gap", .next = MACHINE_TO(SCTP_NO_GAP)},
};

const struct machine_kind sctp_receiver_machine = {
    .name = "sctp receiver",
    .title = "SCTP receiver",
    .source = "RFC 9260, 6.7",
    .states = receiver_states,
    .count = G_N_ELEMENTS(receiver_states),
};

// ---- A SACK ----

static bool has_dac(const struct sctp_association *association)
{
    return association->host->config->cmt.on && association->host->config->cmt.dac;
}

// The number of packets that the SACK stands for, as its sender's system writes it.
static uint8_t dac_flags(const struct sctp_association *association)
{
    int packets = association->in.cmt_packets;
    if (!has_dac(association))
        return 0;
    bool bits = association->host->config->cmt.dac_form == SCTP_DAC_FLAG_BITS;
    return (uint8_t)(bits ? packets << 6 : packets);
}

// Gap blocks and duplicates, as many as fit into a packet: the SACK may ride in one to any path.
static void add_blocks(const struct sctp_association *association, struct sctp_chunk *chunk)
{
    const struct sctp_in *in = &association->in;
    struct sctp_sack *sack = &chunk->sack;
    int64_t room = sctp_least_mtu(association) - IP_HEADER - SCTP_COMMON_HEADER - SCTP_SACK_HEADER;
    int duplicates = (int)MIN(in->duplicate_count, room / 4);
    int gaps = sctp_map_gaps(in, NULL, (int)(room / 4) - duplicates);
    if (gaps + duplicates == 0)
        return;
    uint32_t bytes = 4 * (uint32_t)(gaps + duplicates);
    sack->blocks = sctp_bytes_new(&association->host->pools, bytes);
    sack->blocks->length = bytes;
    sctp_map_gaps(in, (struct sctp_gap *)(void *)sack->blocks->data, gaps);
    memcpy(sack->blocks->data + 4 * (size_t)gaps, in->duplicates, 4 * (size_t)duplicates);
    sack->gap_count = (uint16_t)gaps;
    sack->duplicate_count = (uint16_t)duplicates;
    chunk->length = (uint16_t)(SCTP_SACK_HEADER + bytes);
}

static bool usable(const struct sctp_path *path)
{
    return path->machine.state == SCTP_PATH_ACTIVE || path->machine.state == SCTP_PATH_PF;
}

// How many SACKs in a row may go to another path than the source of the DATA that came twice.
static int most_alternates(const struct sctp_association *association)
{
    switch ((enum sctp_sack_alternate)association->host->config->sack_alternate) {
    case SCTP_SACK_TO_SOURCE:
        return 0;
    case SCTP_SACK_IN_TURN:
        return 1;
    case SCTP_SACK_PATHS_AND_ONE:
        return association->path_count + 1;
    }
    return 0;
}

// To the source of the last DATA; if that came twice, the path of the SACKs may be broken (RFC
// 9260, 6.4), but it need not be the last source's.
struct sctp_path *sctp_sack_path(struct sctp_association *association)
{
    const struct sctp_in *in = &association->in;
    struct sctp_path *path = in->last ? in->last : association->primary;
    bool source_is_good = usable(path) && (in->duplicate_count == 0 ||
                                           in->alternates >= most_alternates(association));
    return source_is_good ? path : sctp_path_alternate(path);
}

static struct sctp_chunk *make(struct sctp_association *association)
{
    struct sctp_in *in = &association->in;
    struct sctp_chunk *chunk =
        sctp_chunk_new(&association->host->pools, SCTP_SACK, dac_flags(association));
    in->offered = sctp_rwnd(association);
    chunk->sack.cum_tsn = in->cum_tsn;
    chunk->sack.a_rwnd = (uint32_t)in->offered;
    add_blocks(association, chunk);
    return chunk;
}

// All that has come is acknowledged.
static void acknowledged(struct sctp_in *in)
{
    in->packets = in->cmt_packets = in->duplicate_count = 0;
    in->sack_now = false;
    inet_timer_cancel(&in->sack_timer);
}

struct sctp_chunk *sctp_sack_take(struct cpu_context *context, struct sctp_association *association,
                                  bool always)
{
    struct sctp_in *in = &association->in;
    (void)context;
    if (!always && !inet_timer_armed(in->sack_timer))
        return NULL;
    struct sctp_chunk *chunk = make(association);
    (*association->host->count.sacks_sent)++;
    acknowledged(in);
    return chunk;
}

static void queue_sack(struct cpu_context *context, struct sctp_association *association)
{
    struct sctp_in *in = &association->in;
    struct sctp_path *path = sctp_sack_path(association);
    in->alternates = path == in->last ? 0 : in->alternates + 1;
    sctp_control_queue(path, sctp_sack_take(context, association, true));
}

// ---- The delay ----

void sctp_sack_delay_expired(struct cpu_context *context, struct sctp_association *association)
{
    if (!sctp_in_takes_data(association))
        return;
    queue_sack(context, association);
    sctp_due(association, SCTP_DUE_OUTPUT);
}

static void delay(struct cpu_context *context, struct sctp_association *association)
{
    struct sctp_in *in = &association->in;
    const struct inet_config *config = association->host->inet->config;
    if (!inet_timer_armed(in->sack_timer))
        sctp_timer_arm(context, association, &in->sack_timer, SCTP_SACK_DELAY, association,
                       inet_time_in_ticks(config, association->settings.sack_delay));
}

// ---- The decision at the end of a packet with DATA ----

enum decision { AT_ONCE, LATER };

// Something other than a gap or the number of packets asks for a SACK.
static bool forced(const struct sctp_association *association)
{
    const struct sctp_in *in = &association->in;
    return in->sack_now || in->duplicate_count > 0 || association->settings.sack_delay == 0;
}

static bool enough(const struct sctp_association *association)
{
    return association->in.packets >= association->settings.sack_frequency;
}

// Something is missing, or was before this packet.
static bool gap_seen(const struct sctp_in *in)
{
    return sctp_in_gap(in) || in->gap_before;
}

static enum decision decide_rfc(struct sctp_association *association)
{
    struct sctp_in *in = &association->in;
    in->cmt_packets++;
    bool gap = gap_seen(in) && !has_dac(association);
    return forced(association) || enough(association) || gap ? AT_ONCE : LATER;
}

// As sctp_sack_check has it. It drops whole bytes of the map that are full.
static enum decision full_check(struct sctp_association *association)
{
    struct sctp_in *in = &association->in;
    uint32_t arrived = in->cum_tsn - in->map_base;
    if (arrived >= FULL_CHECK)
        in->map_base += sctp_in_gap(in) ? arrived / FULL_CHECK * FULL_CHECK : arrived;
    in->cmt_packets++;
    if (forced(association))
        return AT_ONCE;
    if (!enough(association) && !gap_seen(in))
        return LATER;
    // CMT's DAC: the first packet waits for the second one, whatever is missing.
    return has_dac(association) && !inet_timer_armed(in->sack_timer) ? LATER : AT_ONCE;
}

// As sctp_process_data has it: while all is in order, it checks little, and does not count
// packets for DAC.
static enum decision decide_s2007(struct sctp_association *association)
{
    const struct sctp_in *in = &association->in;
    if (gap_seen(in) || in->cum_tsn - in->map_base >= FULL_CHECK)
        return full_check(association);
    bool now = in->sack_now || association->settings.sack_delay == 0 || enough(association);
    return now ? AT_ONCE : LATER;
}

// RFC 9260, 9.2: SHUTDOWN acknowledges all up to its cum_tsn; a SACK goes along if more has
// arrived. The BSD stack always sends both.
static bool shutdown_answers(struct cpu_context *context, struct sctp_association *association)
{
    struct sctp_in *in = &association->in;
    if (association->machine.state != SCTP_SHUTDOWN_SENT)
        return false;
    sctp_shutdown_data_arrived(context, association);
    if (association->host->config->sack_rule == SCTP_SACK_S2007 || gap_seen(in))
        queue_sack(context, association);
    else
        acknowledged(in);
    return true;
}

static void note_gap(struct cpu_context *context, struct sctp_association *association)
{
    struct sctp_in *in = &association->in;
    if (sctp_in_gap(in) != in->machine.state)
        cpu_machine_enter(context, &sctp_receiver_machine, &in->machine, sctp_in_gap(in),
                          sctp_machine_owner(association), NULL);
}

void sctp_in_packet_done(struct cpu_context *context, struct sctp_association *association)
{
    struct sctp_in *in = &association->in;
    bool data = in->data_in_packet;
    in->data_in_packet = false;
    if (!data || !sctp_in_takes_data(association))
        return;
    if (in->new_in_packet && association->host->config->data_shows_life)
        sctp_association_alive(association);
    in->new_in_packet = false;
    in->packets++;
    note_gap(context, association);
    if (!shutdown_answers(context, association)) {
        bool s2007 = association->host->config->sack_rule == SCTP_SACK_S2007;
        if ((s2007 ? decide_s2007(association) : decide_rfc(association)) == AT_ONCE)
            queue_sack(context, association);
        else
            delay(context, association);
    }
    while (in->complaints) {
        struct sctp_chunk *complaint = in->complaints;
        in->complaints = complaint->next;
        complaint->next = NULL;
        sctp_control_queue(in->complain_to, complaint);
    }
}

// ---- The reader ----

// The window has opened by so much that the peer should know at once.
static bool window_update_due(const struct sctp_association *association)
{
    // The reader opens no window that what it reads did not close.
    if (!association->host->config->queue_counts)
        return false;
    int64_t share = association->settings.receive_buffer / association->host->config->window_share;
    return sctp_rwnd(association) - association->in.offered >= MAX(share, LEAST_UPDATE);
}

void sctp_in_read(struct cpu_context *context, struct sctp_association *association, int64_t bytes,
                  int64_t charge)
{
    sctp_rwnd_read(context, association, bytes, charge);
    if (association->in.data_in_packet || !sctp_in_takes_data(association) ||
        !window_update_due(association))
        return;
    queue_sack(context, association);
    sctp_due(association, SCTP_DUE_OUTPUT);
}
