// SPDX-License-Identifier: GPL-3.0-or-later
// Virtual connections: their states, and a packet to the other end.
#include "models/mpich2/ch3/ch3.h"

static const struct machine_state vc_states[] = {
    [CH3_VC_INACTIVE] = {"INACTIVE", .next = MACHINE_TO(CH3_VC_ACTIVE)},
    [CH3_VC_ACTIVE] = {"ACTIVE", .next = MACHINE_TO(CH3_VC_LOCAL_CLOSE, CH3_VC_REMOTE_CLOSE)},
    [CH3_VC_LOCAL_CLOSE] = {"LOCAL_CLOSE", .next = MACHINE_TO(CH3_VC_CLOSE_ACKED, CH3_VC_INACTIVE)},
    [CH3_VC_REMOTE_CLOSE] = {"REMOTE_CLOSE", .next = MACHINE_TO(CH3_VC_CLOSE_ACKED)},
    [CH3_VC_CLOSE_ACKED] = {"CLOSE_ACKED", .next = MACHINE_TO(CH3_VC_INACTIVE)},
};

const struct machine_kind ch3_vc_machine = {
    .name = "ch3 vc",
    .logged = "",
    .title = "Virtual connection of MPICH2's device CH3",
    .source = "MPICH2 1.0.5, MPIDI_VC_STATE_*: MPIDI_CH3U_VC_SendClose, MPIDI_CH3_PktHandler_Close",
    .states = vc_states,
    .count = G_N_ELEMENTS(vc_states),
};

struct ch3_vc *ch3_vc_at(struct ch3_process *ch3, int peer)
{
    return sparse_at(&ch3->vcs, peer);
}

void ch3_vc_enter(struct ch3_process *ch3, int peer, enum ch3_vc_state state)
{
    struct ch3_vc *vc = ch3_vc_at(ch3, peer);
    const struct machine_owner owner = {.where = ch3->process->name, .subject = peer};
    machine_enter(&ch3_vc_machine, &vc->machine, state, owner, NULL, NULL, 0, 0);
}

void ch3_vc_use(struct ch3_process *ch3, int peer)
{
    const struct ch3_vc *vc = ch3_vc_at(ch3, peer);
    if (vc->machine.state == CH3_VC_INACTIVE)
        ch3_vc_enter(ch3, peer, CH3_VC_ACTIVE);
}

void ch3_send(struct cpu_context *context, struct ch3_process *ch3, int peer,
              const struct ch3_pkt *pkt, int64_t bytes, struct mpi_request *request)
{
    struct ch3_send *send = pool_take(&ch3->sends);
    *send = (struct ch3_send){.peer = peer, .pkt = *pkt, .bytes = bytes, .request = request};
    ch3_vc_use(ch3, peer);
    cpu_spend_for(context, ch3->config->send, &ch3_stage, pkt->message);
    ch3->channel->send(context, ch3, send);
}
