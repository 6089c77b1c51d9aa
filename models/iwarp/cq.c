// SPDX-License-Identifier: GPL-3.0-or-later
// Completion queues (thesis 004, 3.3.5 and 3.3.6).
#include "models/iwarp/internal.h"

#include "sim/core/fifo.h"

struct iwarp_cq *iwarp_cq_create(struct cpu_context *context, struct iwarp_rnic *rnic)
{
    struct iwarp_cq *cq = g_new0(struct iwarp_cq, 1);
    cpu_spend(context, rnic->config->object, &iwarp_stage);
    cq->rnic = rnic;
    g_ptr_array_add(rnic->cqs, cq);
    return cq;
}

enum iwarp_result iwarp_cq_destroy(struct cpu_context *context, struct iwarp_cq *cq)
{
    cpu_spend(context, cq->rnic->config->object, &iwarp_stage);
    if (cq->users > 0 || cq->destroyed)
        return IWARP_INVALID;
    while (cq->head) {
        struct iwarp_entry *entry = cq->head;
        cq->head = entry->next;
        pool_give(&cq->rnic->entries, entry);
    }
    cq->destroyed = true;
    return IWARP_OK;
}

// True if the completion is the next of the entry: a receive that is flushed with those before it.
static bool continues_entry(const struct iwarp_entry *entry, const struct iwarp_completion *next,
                            sim_time now)
{
    const struct iwarp_completion *first = &entry->completion;
    return next->operation == IWARP_RECEIVE && next->status == IWARP_FLUSHED &&
           first->operation == IWARP_RECEIVE && first->status == IWARP_FLUSHED &&
           first->qp == next->qp && first->owner == next->owner && entry->when == now &&
           first->content_length == 0 && next->content_length == 0 &&
           first->message.generation == 0 && next->message.generation == 0 &&
           next->id == first->id + entry->more + 1;
}

void iwarp_cq_put(struct cpu_context *context, struct iwarp_cq *cq,
                  const struct iwarp_completion *completion)
{
    if (cq->head && continues_entry(cq->tail, completion, context->now)) {
        cq->tail->more++;
        return;
    }
    struct iwarp_entry *entry = pool_take(&cq->rnic->entries);
    *entry = (struct iwarp_entry){.when = context->now, .completion = *completion};
    FIFO_APPEND(cq->head, cq->tail, entry, next);
    if (!cq->awaited)
        return;
    cq->awaited = false;
    inet_wake(context, cq->rnic->process);
}
