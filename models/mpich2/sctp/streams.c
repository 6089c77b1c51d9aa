// SPDX-License-Identifier: GPL-3.0-or-later
// Streams of a VC: their states, and the choice of the stream of a packet (thesis 004, 3.2.2; the
// rows are its function hook).
#include "models/mpich2/sctp/channel.h"

bool ch3_sctp_is_data(enum ch3_pkt_type type)
{
    return ch3_pkt_matches(type) || type == CH3_PKT_RNDV_SEND;
}

static uint32_t by_tag_context(int sender, const struct ch3_pkt *pkt)
{
    (void)sender;
    return (uint32_t)ABS((int64_t)pkt->tag + pkt->context);
}

static uint32_t by_nothing(int sender, const struct ch3_pkt *pkt)
{
    (void)sender, (void)pkt;
    return 0;
}

static uint32_t by_rank(int sender, const struct ch3_pkt *pkt)
{
    (void)pkt;
    return (uint32_t)sender;
}

static uint32_t by_sequence(int sender, const struct ch3_pkt *pkt)
{
    (void)sender;
    return pkt->sequence;
}

static uint32_t (*const maps[])(int sender, const struct ch3_pkt *pkt) = {
    [CH3_SCTP_TAG_CONTEXT] = by_tag_context,
    [CH3_SCTP_SINGLE] = by_nothing,
    [CH3_SCTP_RANK] = by_rank,
    [CH3_SCTP_SEQUENCE] = by_sequence,
};

int ch3_sctp_stream_of(const struct ch3_sctp_process *sctp, int sender, const struct ch3_pkt *pkt)
{
    const struct ch3_sctp_config *config = sctp->config;
    if (config->streams == 1 || !ch3_sctp_is_data((enum ch3_pkt_type)pkt->type))
        return CH3_SCTP_CONTROL;
    uint32_t data_streams = (uint32_t)MAX(1, config->streams - 2);
    return 1 + (int)(maps[config->stream_map](sender, pkt) % data_streams);
}

// ---- States ----

// The peer does not answer a connection packet: the stream is connected once it is written.
static const struct machine_state out_states[] = {
    [CH3_SCTP_UNCONNECTED] = {"UNCONNECTED", .next = MACHINE_TO(CH3_SCTP_CONNECTING)},
    [CH3_SCTP_CONNECTING] = {"CONNECTING", .next = MACHINE_TO(CH3_SCTP_CONNECTED)},
    [CH3_SCTP_CONNECTED] = {.name = "CONNECTED"},
};

const struct machine_kind ch3_sctp_out_machine = {
    .name = "stream",
    .title = "Stream of ch3:sctp, at its sender",
    .source = "thesis 004, 3.2.5",
    .states = out_states,
    .count = G_N_ELEMENTS(out_states),
};

static const struct machine_state in_states[] = {
    [CH3_SCTP_UNKNOWN] = {"UNKNOWN", .next = MACHINE_TO(CH3_SCTP_KNOWN)},
    [CH3_SCTP_KNOWN] = {.name = "KNOWN"},
};

const struct machine_kind ch3_sctp_in_machine = {
    .name = "stream in",
    .title = "Stream of ch3:sctp, at its receiver",
    .source = "thesis 004, 3.2.5",
    .states = in_states,
    .count = G_N_ELEMENTS(in_states),
};

static void enter_stream_state(struct cpu_context *context, const struct ch3_sctp_process *sctp,
                               const struct ch3_sctp_stream *stream,
                               const struct machine_kind *kind, struct machine *machine,
                               unsigned state)
{
    const struct mpi_process *process = sctp->process;
    const struct machine_owner owner = {.where = process->name, .subject = stream->number};
    cpu_machine_enter(context, kind, machine, state, owner, process->peers[stream->vc->peer]->name);
}

void ch3_sctp_out_enter(struct cpu_context *context, const struct ch3_sctp_process *sctp,
                        struct ch3_sctp_stream *stream, enum ch3_sctp_out_state state)
{
    enter_stream_state(context, sctp, stream, &ch3_sctp_out_machine, &stream->out, state);
}

void ch3_sctp_in_enter(struct cpu_context *context, const struct ch3_sctp_process *sctp,
                       struct ch3_sctp_stream *stream, enum ch3_sctp_in_state state)
{
    enter_stream_state(context, sctp, stream, &ch3_sctp_in_machine, &stream->in, state);
}
