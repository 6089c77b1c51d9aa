// SPDX-License-Identifier: GPL-3.0-or-later
// The end of virtual connections (MPICH2 1.0.5, MPIDI_CH3U_VC_SendClose,
// MPIDI_CH3_PktHandler_Close):
//
//   state         MPI_Finalize               CLOSE arrives              CLOSE_ACK arrives
//   ACTIVE        CLOSE, LOCAL_CLOSE         REMOTE_CLOSE
//   LOCAL_CLOSE                              CLOSE_ACK, CLOSE_ACKED     CLOSE_ACK, INACTIVE
//   REMOTE_CLOSE  CLOSE_ACK, CLOSE_ACKED
//   CLOSE_ACKED                                                         INACTIVE
#include "models/mpich2/ch3/ch3.h"

static void send_close(struct cpu_context *context, struct ch3_process *ch3, int peer,
                       enum ch3_pkt_type type)
{
    ch3_send(context, ch3, peer, &(struct ch3_pkt){.type = (uint8_t)type}, 0, NULL);
}

static void vc_ended(struct cpu_context *context, struct ch3_process *ch3, int peer)
{
    ch3_vc_enter(ch3, peer, CH3_VC_INACTIVE);
    ch3->closes--;
    if (ch3->channel->disconnect)
        ch3->channel->disconnect(context, ch3, peer);
}

bool ch3_close_arrived(struct cpu_context *context, struct ch3_process *ch3, int peer,
                       const struct ch3_pkt *pkt, struct ch3_receive *receive)
{
    bool closing = ch3_vc_at(ch3, peer)->machine.state == CH3_VC_LOCAL_CLOSE;
    (void)receive;
    if (closing)
        send_close(context, ch3, peer, CH3_PKT_CLOSE_ACK);
    if (pkt->type == CH3_PKT_CLOSE_ACK)
        vc_ended(context, ch3, peer);
    else
        ch3_vc_enter(ch3, peer, closing ? CH3_VC_CLOSE_ACKED : CH3_VC_REMOTE_CLOSE);
    return true;
}

enum mpi_progress ch3_finalize(struct cpu_context *context, struct mpi_process *process)
{
    struct ch3_process *ch3 = ch3_of(process);
    while (ch3->closing < process->ranks) {
        int peer = ch3->closing++;
        const struct ch3_vc *vc = sparse_peek(&ch3->vcs, peer);
        if (!vc || vc->machine.state == CH3_VC_INACTIVE)
            continue;
        bool first = vc->machine.state == CH3_VC_ACTIVE;
        ch3->closes++;
        ch3_vc_enter(ch3, peer, first ? CH3_VC_LOCAL_CLOSE : CH3_VC_CLOSE_ACKED);
        send_close(context, ch3, peer, first ? CH3_PKT_CLOSE : CH3_PKT_CLOSE_ACK);
        return PROGRESS_EVENT;
    }
    return ch3->closes > 0 ? mpi_progress(context, process, true) : PROGRESS_NOTHING;
}

json_t *ch3_describe_process(const struct mpi_process *process)
{
    const struct ch3_process *ch3 = ch3_of(process);
    const struct ch3_channel *channel = ch3->channel;
    json_t *json = channel->describe_process ? channel->describe_process(ch3) : NULL;
    if (ch3->closes == 0)
        return json;
    json_t *waits = json_array();
    for (int peer = 0; peer < process->ranks; peer++) {
        const struct ch3_vc *vc = sparse_peek(&ch3->vcs, peer);
        if (vc &&
            (vc->machine.state == CH3_VC_LOCAL_CLOSE || vc->machine.state == CH3_VC_CLOSE_ACKED))
            json_array_append_new(waits,
                                  json_sprintf("MPI_Finalize waits for CLOSE from rank %d", peer));
    }
    if (!json)
        json = json_object();
    json_object_set_new(json, "closing", waits);
    return json;
}
