// SPDX-License-Identifier: GPL-3.0-or-later
// Posting work requests to the queues of a QP (thesis 004, table 3.1).
#include "models/iwarp/internal.h"

// Whether the scatter-gather list names registered memory.
static enum iwarp_result check_list(const struct iwarp_qp *qp,
                                    const struct iwarp_work_request *request)
{
    int64_t length = 0;
    if (request->sge_count < 0 || request->sge_count > IWARP_MOST_SGES)
        return IWARP_INVALID;
    for (int i = 0; i < request->sge_count; i++) {
        const struct iwarp_sge *sge = &request->sgl[i];
        const struct iwarp_region *region =
            iwarp_region_of(qp->rnic, sge->stag, qp->attributes.domain);
        if (!region)
            return IWARP_BAD_STAG;
        if (sge->length < 0 || !iwarp_region_holds(region, sge->address, sge->length))
            return IWARP_OUT_OF_BOUNDS;
        length += sge->length;
    }
    return length <= UINT32_MAX && request->content_length <= IWARP_CONTENT_BYTES &&
                   request->content_length <= length
               ? IWARP_OK
               : IWARP_INVALID;
}

static enum iwarp_result check(struct cpu_context *context, const struct iwarp_qp *qp,
                               const struct iwarp_work_request *request, int queued, bool state)
{
    cpu_spend_for(context, qp->rnic->config->post, &iwarp_stage, request->message);
    if (!state || qp->destroyed)
        return IWARP_STATE;
    if (queued >= qp->rnic->config->queue_depth)
        return IWARP_FULL;
    return check_list(qp, request);
}

enum iwarp_result iwarp_qp_post_sq(struct cpu_context *context, struct iwarp_qp *qp,
                                   const struct iwarp_work_request *request)
{
    enum iwarp_result result =
        check(context, qp, request, qp->queued, qp->machine.state == IWARP_QP_RTS);
    if (result != IWARP_OK)
        return result;
    bool good = request->operation == IWARP_SEND ||
                (request->operation == IWARP_WRITE && request->content_length == 0) ||
                (request->operation == IWARP_TERMINATE && request->sge_count == 0);
    if (!good)
        return IWARP_INVALID;
    iwarp_thread_post(context, iwarp_work_new(context, qp, request));
    return IWARP_OK;
}

// Receives may be posted before the QP is connected.
static enum iwarp_result post_receive(struct cpu_context *context, struct iwarp_qp *qp,
                                      const struct iwarp_work_request *request)
{
    bool state = qp->machine.state == IWARP_QP_IDLE || qp->machine.state == IWARP_QP_CONNECTING ||
                 qp->machine.state == IWARP_QP_RTS;
    enum iwarp_result result =
        check(context, qp, request, iwarp_receives_count(&qp->receives), state);
    if (result != IWARP_OK)
        return result;
    iwarp_receives_post(context, qp, request);
    return IWARP_OK;
}

static int reads_of(const struct iwarp_qp *qp)
{
    int count = qp->reads.count;
    for (const struct iwarp_work *work = qp->rnic->requests.head; work; work = work->next)
        count += work->qp == qp;
    return count;
}

static enum iwarp_result post_read(struct cpu_context *context, struct iwarp_qp *qp,
                                   const struct iwarp_work_request *request)
{
    enum iwarp_result result =
        check(context, qp, request, reads_of(qp), qp->machine.state == IWARP_QP_RTS);
    if (result != IWARP_OK)
        return result;
    if (request->sge_count != 1 || request->content_length > 0)
        return IWARP_INVALID;
    iwarp_works_append(&qp->rnic->requests, iwarp_work_new(context, qp, request));
    return IWARP_OK;
}

enum iwarp_result iwarp_qp_post_rq(struct cpu_context *context, struct iwarp_qp *qp,
                                   const struct iwarp_work_request *request)
{
    if (request->operation == IWARP_RECEIVE)
        return post_receive(context, qp, request);
    return request->operation == IWARP_READ ? post_read(context, qp, request) : IWARP_INVALID;
}
