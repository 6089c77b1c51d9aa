// SPDX-License-Identifier: GPL-3.0-or-later
// Polls: what the process itself does for its QPs (thesis 004, 3.3.4 and 3.3.6), and how it sleeps
// until there is something to do.
#include "models/iwarp/internal.h"

// ---- Progress ----

// Sends the oldest read request. Returns false if there is none, or no room for it.
static bool send_request(struct cpu_context *context, struct iwarp_rnic *rnic)
{
    struct iwarp_work *work = rnic->requests.head;
    if (!work)
        return false;
    struct iwarp_qp *qp = work->qp;
    inet_call_as(qp->transport->inet(qp->socket), qp->process);
    switch (iwarp_send_next(context, work)) {
    case IWARP_OK:
        iwarp_works_pop(&rnic->requests);
        work->done = 0; // of the response
        iwarp_work_enter(context, work, IWARP_WORK_POSTED);
        iwarp_works_append(&qp->reads, work);
        return true;
    case IWARP_AGAIN:
        return false;
    default:
        iwarp_qp_fail(context, qp, "the connection is gone");
        return true;
    }
}

bool iwarp_rnic_advance(struct cpu_context *context, struct iwarp_rnic *rnic)
{
    guint count = rnic->qps->len;
    if (send_request(context, rnic))
        return true;
    for (guint i = 0; i < count; i++) {
        guint index = (rnic->turn + i) % count;
        struct iwarp_qp *qp = g_ptr_array_index(rnic->qps, index);
        if (!iwarp_qp_reads(qp))
            continue;
        if (iwarp_receive(context, qp)) {
            rnic->turn = (index + 1) % count;
            return true;
        }
        ++*rnic->count.empty_reads;
    }
    return false;
}

// ---- Entries ----

// Another processor may have put the entry there at a time that is still to come for this one,
// which looks once more then.
static void take_entry(struct cpu_context *context, struct iwarp_cq *cq,
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
        inet_enter(context, process, INET_POLL);
    cpu_spend(context, cq->rnic->config->poll, &iwarp_stage);
    if (!cq->head)
        progress = iwarp_rnic_advance(context, cq->rnic);
    if (cq->head) {
        take_entry(context, cq, completion);
        return IWARP_POLL_ENTRY;
    }
    return progress ? IWARP_POLL_PROGRESS : IWARP_POLL_NOTHING;
}

// ---- Sleeping ----

bool iwarp_cq_await(struct iwarp_cq *cq, GArray *selected)
{
    const struct iwarp_rnic *rnic = cq->rnic;
    if (cq->head)
        return false;
    cq->awaited = true;
    for (guint i = 0; i < rnic->qps->len; i++) {
        const struct iwarp_qp *qp = g_ptr_array_index(rnic->qps, i);
        if (!iwarp_qp_reads(qp))
            continue;
        const struct inet_selected one = {qp->transport->inet(qp->socket), INET_READABLE, 0};
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
