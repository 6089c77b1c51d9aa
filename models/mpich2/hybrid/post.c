// SPDX-License-Identifier: GPL-3.0-or-later
// Work requests of a VC: the queue of its operations, from which they are posted to its QP.
#include "models/mpich2/hybrid/hybrid.h"

void ch3_hybrid_post_receive(struct cpu_context *context, struct ch3_hybrid_vc *vc, int slot)
{
    const struct ch3_hybrid_config *config = vc->hybrid->config;
    int64_t size = config->buffer / config->receives;
    const struct iwarp_work_request request = {
        .id = (uint64_t)slot,
        .operation = IWARP_RECEIVE,
        .sgl = {{vc->stag, vc->buffer + slot * size, size}},
        .sge_count = 1,
    };
    iwarp_qp_post_rq(context, vc->qp, &request);
}

static enum iwarp_result post_move(struct cpu_context *context, struct ch3_hybrid_op *op)
{
    const struct iwarp_work_request request = {
        .owner = op,
        .operation = op->operation,
        .sgl = {{op->own_stag, op->own_address, op->pkt.length}},
        .sge_count = 1,
        .remote_stag = op->peer_stag,
        .remote_address = op->peer_address,
        .message = op->pkt.message,
    };
    return op->operation == IWARP_READ ? iwarp_qp_post_rq(context, op->vc->qp, &request)
                                       : iwarp_qp_post_sq(context, op->vc->qp, &request);
}

static enum iwarp_result post_envelope(struct cpu_context *context, struct ch3_hybrid_op *op)
{
    const struct ch3_process *ch3 = &op->vc->hybrid->sctp.ch3;
    const struct ch3_hybrid_envelope envelope = {op->pkt, op->asked};
    bool asks = op->pkt.type == CH3_PKT_GET;
    const struct iwarp_work_request request = {
        .owner = op,
        .operation = IWARP_SEND,
        .sgl = {{op->vc->stag, op->vc->buffer, asks ? (int64_t)sizeof envelope : CH3_PKT_BYTES}},
        .sge_count = 1,
        .content = &envelope,
        .content_length = asks ? sizeof envelope : CH3_PKT_BYTES,
    };
    if (!op->built)
        cpu_spend_for(context, ch3->config->send, &ch3_stage, op->pkt.message);
    op->built = true;
    enum iwarp_result result = iwarp_qp_post_sq(context, op->vc->qp, &request);
    *op->vc->hybrid->count.envelopes += result == IWARP_OK;
    return result;
}

void ch3_hybrid_pump(struct cpu_context *context, struct ch3_hybrid_vc *vc)
{
    while (vc->head && vc->machine.state == CH3_HYBRID_UP) {
        struct ch3_hybrid_op *op = vc->head;
        enum iwarp_result result =
            op->operation == IWARP_SEND ? post_envelope(context, op) : post_move(context, op);
        if (result == IWARP_FULL)
            return;
        if (result != IWARP_OK) {
            mpi_fail(ch3_hybrid_mpi(vc->hybrid), "iwarp", NULL,
                     " posts a work request for rank %d: %s", vc->peer, iwarp_result_text(result));
            return;
        }
        vc->head = op->next;
    }
}

void ch3_hybrid_queue(struct cpu_context *context, struct ch3_hybrid_op *op)
{
    FIFO_APPEND(op->vc->head, op->vc->tail, op, next);
    ch3_hybrid_pump(context, op->vc);
}

void ch3_hybrid_queue_first(struct cpu_context *context, struct ch3_hybrid_op *op)
{
    struct ch3_hybrid_vc *vc = op->vc;
    struct ch3_hybrid_op **at = &vc->head;
    while (*at && (*at)->operation == IWARP_SEND && (*at)->pkt.type != CH3_PKT_GET)
        at = &(*at)->next;
    if (!*at)
        vc->tail = op;
    op->next = *at;
    *at = op;
    ch3_hybrid_pump(context, vc);
}

struct ch3_hybrid_op *ch3_hybrid_op_new(struct ch3_hybrid_vc *vc, const struct ch3_pkt *pkt)
{
    struct ch3_hybrid_op *op = pool_take(&vc->hybrid->ops);
    *op = (struct ch3_hybrid_op){.vc = vc, .pkt = *pkt};
    vc->hybrid->ops_open++;
    return op;
}

void ch3_hybrid_op_over(struct cpu_context *context, struct ch3_hybrid_op *op)
{
    if (op->temporary)
        iwarp_memory_deregister(context, op->vc->hybrid->rnic, op->own_stag);
    op->vc->hybrid->ops_open--;
    pool_give(&op->vc->hybrid->ops, op);
}
