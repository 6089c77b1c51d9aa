// SPDX-License-Identifier: GPL-3.0-or-later
// The progress thread (thesis 004, 3.3.4): it takes work requests in the order of their posting,
// over all QPs, and sends one segment in a slice. A socket without room blocks it, and with it all
// QPs. It shares the process's processor, or has one of its own, like any thread.
//
// A process that spins does not really sleep: what it takes of a processor that it shares with its
// thread is not modelled.
#include "models/iwarp/internal.h"

static const struct stage hop_stage = {"thread switch", STAGE_WAKE_UP};

static void drop_head(struct cpu_context *context, struct iwarp_rnic *rnic,
                      enum iwarp_status status)
{
    struct iwarp_work *work = iwarp_works_pop(&rnic->queue);
    work->qp->queued--;
    iwarp_work_complete(context, work, status);
}

// Whether it may still be sent: once a terminate message is due, nothing else is.
static bool may_send(const struct iwarp_work *work)
{
    bool last_word = work->qp->machine.state == IWARP_QP_TERMINATE;
    return work->qp->machine.state == IWARP_QP_RTS ||
           (last_word && work->internal && work->request.operation == IWARP_TERMINATE);
}

static void sent_all(struct cpu_context *context, struct iwarp_rnic *rnic, struct iwarp_qp *qp)
{
    bool terminate = rnic->queue.head->request.operation == IWARP_TERMINATE;
    const char *error = iwarp_fault_text(rnic->queue.head->fault);
    drop_head(context, rnic, IWARP_SUCCESS);
    if (!terminate)
        return;
    iwarp_qp_fail(context, qp, qp->error ? qp->error : error);
    qp->transport->shutdown(context, qp->socket);
}

// Sends a segment of the oldest work request.
static enum cpu_next send_segment(struct cpu_context *context, struct iwarp_rnic *rnic)
{
    struct iwarp_work *work = rnic->queue.head;
    struct iwarp_qp *qp = work->qp;
    if (!may_send(work)) {
        drop_head(context, rnic, IWARP_FLUSHED);
        return CPU_AGAIN;
    }
    struct inet_socket *inet = qp->transport->inet(qp->socket);
    iwarp_work_enter(context, work, IWARP_WORK_SENDING);
    inet_call_as(inet, qp->thread);
    switch (iwarp_send_next(context, work)) {
    case IWARP_OK:
        if (iwarp_send_finished(work))
            sent_all(context, rnic, qp);
        return CPU_AGAIN;
    case IWARP_AGAIN:
        if (inet_wait(context, inet, INET_WRITABLE))
            return CPU_AGAIN;
        rnic->thread_blocked = true;
        ++*rnic->count.thread_blocks;
        return CPU_SLEEP;
    default:
        iwarp_qp_fail(context, qp, "the connection is gone");
        return CPU_AGAIN;
    }
}

static enum cpu_next thread_run(struct cpu_context *context, struct cpu_task *task)
{
    struct iwarp_rnic *rnic = container_of(task, struct iwarp_rnic, thread);
    const struct iwarp_work *head = rnic->queue.head;
    if (rnic->thread_blocked) {
        if (head->qp->thread->asleep)
            return CPU_SLEEP; // woken by a posting, which has to wait
        rnic->thread_blocked = false;
    }
    if (!head) {
        rnic->thread_idle = true;
        return CPU_SLEEP;
    }
    if (head->posted > context->now)
        return CPU_SLEEP; // its posting wakes the thread
    if (rnic->thread_idle) {
        rnic->thread_idle = false;
        cpu_spend(context, rnic->config->thread_hop, &hop_stage);
        return CPU_AGAIN;
    }
    return send_segment(context, rnic);
}

void iwarp_thread_init(struct iwarp_rnic *rnic)
{
    cpu_task_init(&rnic->thread, rnic->user.thread_core, CPU_USER, thread_run);
    rnic->thread_idle = true;
}
