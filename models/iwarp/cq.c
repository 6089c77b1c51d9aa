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

// Whether the completion comes next after those of the entry: receives flushed at once.
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

// Another processor may have put the entry there at a time that is still to come for this one,
// which looks once more then.
static void take(struct cpu_context *context, struct iwarp_cq *cq,
                 struct iwarp_completion *completion)
{
    struct iwarp_entry *entry = cq->head;
    if (entry->when > context->now)
        cpu_spend_time(context, entry->when - context->now, &stage_poll);
    *completion = entry->completion;
    if (entry->more > 0) {
        entry->more--;
        entry->completion.id++;
        return;
    }
    cq->head = entry->next;
    pool_give(&cq->rnic->entries, entry);
}

enum iwarp_poll iwarp_cq_poll(struct cpu_context *context, struct iwarp_cq *cq,
                              struct iwarp_completion *completion)
{
    struct inet_process *process = cq->rnic->process;
    bool progress = false;
    if (process && process->switch_due) // the entry that it slept for is there
        inet_enter(context, process);
    cpu_spend(context, cq->rnic->config->poll, &iwarp_stage);
    if (!cq->head)
        progress = iwarp_rnic_advance(context, cq->rnic);
    if (cq->head) {
        take(context, cq, completion);
        return IWARP_POLL_ENTRY;
    }
    return progress ? IWARP_POLL_PROGRESS : IWARP_POLL_NOTHING;
}

// ---- Sleeping ----

// A socket that polls read from.
static struct inet_socket *readable_socket(const struct iwarp_qp *qp)
{
    return iwarp_qp_reads(qp) ? qp->transport->inet(qp->socket) : NULL;
}

bool iwarp_cq_await(struct iwarp_cq *cq, GArray *selected)
{
    const struct iwarp_rnic *rnic = cq->rnic;
    if (cq->head)
        return false;
    cq->awaited = true;
    for (guint i = 0; i < rnic->qps->len; i++) {
        const struct iwarp_qp *qp = g_ptr_array_index(rnic->qps, i);
        struct inet_selected one = {readable_socket(qp), INET_READABLE, 0};
        if (!one.socket)
            continue;
        inet_call_as(one.socket, qp->process);
        g_array_append_val(selected, one);
    }
    if (rnic->requests.head) { // a read request that found no room
        const struct iwarp_qp *qp = rnic->requests.head->qp;
        const struct inet_socket *sink = qp->transport->inet(qp->socket);
        for (guint i = 0; i < selected->len; i++) {
            struct inet_selected *known = &g_array_index(selected, struct inet_selected, i);
            if (known->socket == sink)
                known->wanted = (enum inet_readiness)(INET_READABLE | INET_WRITABLE);
        }
    }
    return true;
}

enum iwarp_result iwarp_cq_block(struct cpu_context *context, struct iwarp_cq *cq)
{
    GArray *selected = cq->rnic->selected;
    g_array_set_size(selected, 0);
    if (!iwarp_cq_await(cq, selected))
        return IWARP_OK;
    if (selected->len == 0) { // nothing that a socket could bring, but the thread
        if (cq->rnic->process)
            inet_sleep(context, cq->rnic->process, true);
        return IWARP_AGAIN;
    }
    struct inet_selected *first = &g_array_index(selected, struct inet_selected, 0);
    if (inet_select(context, first, (int)selected->len, true) == 0)
        return IWARP_AGAIN;
    cq->awaited = false;
    return IWARP_OK;
}
