// SPDX-License-Identifier: GPL-3.0-or-later
// One-sided operations as packets (MPICH2 1.0.5, ch3u_rma_sync.c and ch3u_handle_recv_pkt.c): PUT
// and ACCUMULATE with their data, GET, which GET_RESP answers with the data.
#include "models/mpich2/ch3/rma.h"

static struct ch3_window *window_of(const struct ch3_process *ch3, const struct ch3_pkt *pkt)
{
    return ch3_window_of(ch3, pkt->tag);
}

static void mark(struct cpu_context *context, struct ch3_process *ch3, const struct ch3_pkt *pkt)
{
    if (pkt->flags & CH3_LAST_OF_EPOCH)
        ch3_rma_marked(context, ch3, window_of(ch3, pkt));
}

bool ch3_rma_get_arrived(struct cpu_context *context, struct ch3_process *ch3, int peer,
                         const struct ch3_pkt *pkt, struct ch3_receive *receive)
{
    struct ch3_pkt response = *pkt;
    (void)receive;
    response.type = CH3_PKT_GET_RESP;
    ch3_send(context, ch3, peer, &response, pkt->length, NULL);
    return true;
}

// The data of the others go to a window.
bool ch3_rma_arrived(struct cpu_context *context, struct ch3_process *ch3, int peer,
                     const struct ch3_pkt *pkt, struct ch3_receive *receive)
{
    (void)context, (void)ch3, (void)peer, (void)pkt, (void)receive;
    return true;
}

void ch3_rma_data(struct cpu_context *context, struct ch3_process *ch3, int peer,
                  struct ch3_receive *receive)
{
    const struct ch3_pkt *pkt = &receive->pkt;
    (void)peer;
    if (pkt->type == CH3_PKT_ACCUMULATE)
        mpi_charge_reduce(context, ch3->process, pkt->length);
    ledger_deliver(ch3->process->sim->ledger, pkt->message, 0, pkt->length);
    mpi_message_arrived(context, ch3->process, pkt->message);
    if (pkt->type == CH3_PKT_GET_RESP)
        ch3_rma_over(context, ch3, window_of(ch3, pkt));
    else
        mark(context, ch3, pkt);
}

// A put ends for its origin when it has been written, a get for its target when its data have.
void ch3_rma_written(struct cpu_context *context, struct ch3_process *ch3,
                     const struct ch3_pkt *pkt)
{
    if (pkt->type == CH3_PKT_GET_RESP)
        mark(context, ch3, pkt);
    else if (pkt->type != CH3_PKT_GET)
        ch3_rma_over(context, ch3, window_of(ch3, pkt));
}
