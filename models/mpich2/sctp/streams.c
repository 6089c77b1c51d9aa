// SPDX-License-Identifier: GPL-3.0-or-later
// Streams of a VC: their states, and which one a packet takes (thesis 004, 3.2.2; the rows are its
// function hook).
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

void ch3_sctp_stream_enter(struct cpu_context *context, struct ch3_sctp_process *sctp,
                           struct ch3_sctp_stream *stream, enum ch3_sctp_stream_state state)
{
    static const char *const names[] = {"UNCONNECTED", "CONNECTING", "CONNECTED"};
    struct trace *trace = sctp->process->sim->trace;
    if (trace) {
        struct trace_transition transition = {
            .where = sctp->process->name,
            .machine = "stream",
            .subject = stream->number,
            .from = names[stream->state],
            .to = names[state],
            .detail = sctp->process->peers[stream->vc->peer]->name,
        };
        trace_transition(trace, cpu_lane(context->cpu), context->now, &transition);
    }
    stream->state = (uint8_t)state;
}
