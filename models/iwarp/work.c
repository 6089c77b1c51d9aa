// SPDX-License-Identifier: GPL-3.0-or-later
// Work requests: their states, their completions, and the queue of the thread.
#include "models/iwarp/internal.h"

#include "sim/core/fifo.h"

#include <string.h>

static const char *const operation_names[] = {
    [IWARP_SEND] = "send",           [IWARP_WRITE] = "write",
    [IWARP_READ] = "read",           [IWARP_RECEIVE] = "receive",
    [IWARP_TERMINATE] = "terminate", [IWARP_READ_RESPONSE] = "read response",
};

// A read is queued until its request is sent, and posted then. Each is done at once when its QP
// ends.
static const struct machine_state work_states[] = {
    [IWARP_WORK_NEW] = {.next = MACHINE_TO(IWARP_WORK_QUEUED, IWARP_WORK_POSTED)},
    [IWARP_WORK_QUEUED] = {"queued", .next = MACHINE_TO(IWARP_WORK_SENDING, IWARP_WORK_POSTED,
                                                        IWARP_WORK_DONE)},
    [IWARP_WORK_SENDING] = {"sending", .next = MACHINE_TO(IWARP_WORK_DONE)},
    [IWARP_WORK_POSTED] = {"posted", .next = MACHINE_TO(IWARP_WORK_PLACED, IWARP_WORK_DONE)},
    [IWARP_WORK_PLACED] = {"placed", .next = MACHINE_TO(IWARP_WORK_DONE)},
    [IWARP_WORK_DONE] = {.name = "done"},
};

const struct machine_kind iwarp_work_machine = {
    .name = "iwarp request",
    .title = "Work request of iWARP",
    .source = "thesis 004, 3.3.4 and 3.3.6",
    .states = work_states,
    .count = G_N_ELEMENTS(work_states),
};

const char *iwarp_operation_name(enum iwarp_operation operation)
{
    return operation_names[operation];
}

void iwarp_work_enter(const struct cpu_context *context, struct iwarp_work *work,
                      enum iwarp_work_state state)
{
    const struct machine_owner owner = {.where = work->qp->rnic->user.name,
                                        .subject = work->number};
    if (work->machine.state != state)
        cpu_machine_enter(context, &iwarp_work_machine, &work->machine, state, owner,
                          operation_names[work->request.operation]);
}

void iwarp_work_fill(struct iwarp_work *work, struct iwarp_qp *qp,
                     const struct iwarp_work_request *request)
{
    *work = (struct iwarp_work){.qp = qp, .request = *request};
    if (request->content_length > 0)
        memcpy(work->content, request->content, request->content_length);
    work->request.content = work->content;
    for (int i = 0; i < request->sge_count; i++)
        work->length += request->sgl[i].length;
}

void iwarp_work_init(const struct cpu_context *context, struct iwarp_work *work,
                     struct iwarp_qp *qp, const struct iwarp_work_request *request)
{
    iwarp_work_fill(work, qp, request);
    work->number = ++qp->rnic->last_number;
    work->posted = context->now;
    iwarp_work_enter(context, work,
                     request->operation == IWARP_RECEIVE ? IWARP_WORK_POSTED : IWARP_WORK_QUEUED);
}

struct iwarp_work *iwarp_work_new(const struct cpu_context *context, struct iwarp_qp *qp,
                                  const struct iwarp_work_request *request)
{
    struct iwarp_work *work = pool_take(&qp->rnic->works);
    iwarp_work_init(context, work, qp, request);
    return work;
}

void iwarp_work_free(struct iwarp_work *work)
{
    pool_give(&work->qp->rnic->works, work);
}

void iwarp_works_append(struct iwarp_works *works, struct iwarp_work *work)
{
    FIFO_APPEND(works->head, works->tail, work, next);
    works->count++;
}

struct iwarp_work *iwarp_works_pop(struct iwarp_works *works)
{
    struct iwarp_work *work = works->head;
    if (work) {
        works->head = work->next;
        works->count--;
    }
    return work;
}

// Fills in the message of a receive.
static void describe_arrival(struct iwarp_completion *completion, const struct iwarp_work *work)
{
    completion->message = work->message;
    completion->offset = work->offset;
    completion->stands_in = work->stands_in;
    completion->content_length = work->content_length;
    memcpy(completion->content, work->content, work->content_length);
}

void iwarp_work_report(struct cpu_context *context, struct iwarp_work *work,
                       enum iwarp_status status)
{
    const struct iwarp_qp_attributes *attributes = &work->qp->attributes;
    enum iwarp_operation operation = work->request.operation;
    bool receives = operation == IWARP_RECEIVE, reads = operation == IWARP_READ;
    iwarp_work_enter(context, work, IWARP_WORK_DONE);
    if (!work->internal && !(work->request.silent && status == IWARP_SUCCESS)) {
        struct iwarp_completion completion = {
            .qp = work->qp,
            .operation = operation,
            .status = status,
            .id = work->request.id,
            .owner = work->request.owner,
            .bytes = status == IWARP_SUCCESS ? work->done : 0,
        };
        if (receives)
            describe_arrival(&completion, work);
        iwarp_cq_put(context, receives || reads ? attributes->receive_cq : attributes->send_cq,
                     &completion);
    }
}

void iwarp_work_complete(struct cpu_context *context, struct iwarp_work *work,
                         enum iwarp_status status)
{
    iwarp_work_report(context, work, status);
    iwarp_work_free(work);
}

// ---- The queue of the progress thread ----

void iwarp_thread_post(struct cpu_context *context, struct iwarp_work *work)
{
    struct iwarp_rnic *rnic = work->qp->rnic;
    if (rnic->thread_idle && !rnic->queue.head)
        cpu_spend_for(context, rnic->config->signal_thread, &stage_wake_up, work->request.message);
    work->posted = context->now;
    work->qp->queued++;
    iwarp_works_append(&rnic->queue, work);
    cpu_post_wake(context, &rnic->thread);
}

void iwarp_thread_release(struct cpu_context *context, const struct iwarp_qp *qp)
{
    const struct iwarp_rnic *rnic = qp->rnic;
    if (rnic->thread_blocked && rnic->queue.head->qp == qp)
        inet_wake(context, qp->thread);
}
