// SPDX-License-Identifier: GPL-3.0-or-later
// Posted receives of a QP. A library posts many that differ in their place only, one for each peer,
// and most are never used: those posted in a row are kept as their first and a count, and a work
// request is made when a message takes it.
#include "models/iwarp/internal.h"

#include "sim/core/fifo.h"

int iwarp_receives_count(const struct iwarp_receives *receives)
{
    return (int)(receives->posted - receives->completed);
}

// The request of the receive that comes `index` after the run's first.
static struct iwarp_work_request request_at(const struct iwarp_run *run, uint32_t index)
{
    struct iwarp_work_request request = run->first;
    request.id += index;
    request.sgl[0].address += (int64_t)index * request.sgl[0].length;
    return request;
}

// True if the receive is the next of the run. `work` is the receive as it was posted.
static bool continues_run(const struct iwarp_run *run, const struct iwarp_work *work)
{
    const struct iwarp_work_request *request = &work->request;
    const struct iwarp_work_request next = request_at(run, run->count);
    return work->number == run->number + run->count && request->id == next.id &&
           request->owner == next.owner && request->silent == next.silent &&
           request->sge_count == 1 && next.sge_count == 1 &&
           request->sgl[0].stag == next.sgl[0].stag &&
           request->sgl[0].address == next.sgl[0].address &&
           request->sgl[0].length == next.sgl[0].length;
}

void iwarp_receives_post(const struct cpu_context *context, struct iwarp_qp *qp,
                         const struct iwarp_work_request *request)
{
    struct iwarp_receives *receives = &qp->receives;
    struct iwarp_work work;
    iwarp_work_init(context, &work, qp, request);
    receives->posted++;
    if (receives->head && continues_run(receives->tail, &work)) {
        receives->tail->count++;
        return;
    }
    struct iwarp_run *run = pool_take(&qp->rnic->runs);
    *run = (struct iwarp_run){
        .first = *request, .number = work.number, .msn = receives->posted, .count = 1};
    run->first.content = NULL;
    FIFO_APPEND(receives->head, receives->tail, run, next);
}

// Writes the receive of that message number, which no message has taken, as it was posted.
static void unfold(struct iwarp_qp *qp, uint32_t msn, struct iwarp_work *work)
{
    const struct iwarp_run *run = qp->receives.head;
    while (msn - run->msn >= run->count)
        run = run->next;
    const struct iwarp_work_request request = request_at(run, msn - run->msn);
    iwarp_work_fill(work, qp, &request);
    work->machine.state = IWARP_WORK_POSTED;
    work->number = run->number + (msn - run->msn);
    work->msn = msn;
}

struct iwarp_work *iwarp_receives_take(struct iwarp_qp *qp, uint32_t msn)
{
    struct iwarp_receives *receives = &qp->receives;
    struct iwarp_work **at = &receives->taken;
    while (*at && (int32_t)((*at)->msn - msn) < 0)
        at = &(*at)->next;
    if (*at && (*at)->msn == msn)
        return (*at)->machine.state == IWARP_WORK_POSTED ? *at : NULL;
    if (msn - receives->completed - 1 >= (uint32_t)iwarp_receives_count(receives))
        return NULL;
    struct iwarp_work *work = pool_take(&qp->rnic->works);
    unfold(qp, msn, work);
    work->next = *at;
    *at = work;
    return work;
}

// Counts the oldest receive as completed; its run goes with the last of it.
static void pass_oldest(struct iwarp_qp *qp)
{
    struct iwarp_receives *receives = &qp->receives;
    struct iwarp_run *run = receives->head;
    receives->completed++;
    if (receives->completed - run->msn + 1 < run->count)
        return;
    receives->head = run->next;
    pool_give(&qp->rnic->runs, run);
}

// Removes the oldest receive from those that messages have taken; NULL: none has taken it.
static struct iwarp_work *pop_oldest(struct iwarp_receives *receives)
{
    struct iwarp_work *work = receives->taken;
    if (!work || work->msn != receives->completed + 1)
        return NULL;
    receives->taken = work->next;
    return work;
}

void iwarp_receives_complete(struct cpu_context *context, struct iwarp_qp *qp)
{
    struct iwarp_receives *receives = &qp->receives;
    while (receives->taken && receives->taken->machine.state == IWARP_WORK_PLACED) {
        struct iwarp_work *work = pop_oldest(receives);
        if (!work)
            return;
        pass_oldest(qp);
        iwarp_work_complete(context, work, IWARP_SUCCESS);
    }
}

void iwarp_receives_flush(struct cpu_context *context, struct iwarp_qp *qp)
{
    struct iwarp_receives *receives = &qp->receives;
    while (iwarp_receives_count(receives) > 0) {
        struct iwarp_work untaken, *work = pop_oldest(receives);
        if (!work)
            unfold(qp, receives->completed + 1, &untaken);
        pass_oldest(qp);
        if (work)
            iwarp_work_complete(context, work, IWARP_FLUSHED);
        else
            iwarp_work_report(context, &untaken, IWARP_FLUSHED);
    }
}

void iwarp_receives_forget(struct iwarp_qp *qp)
{
    struct iwarp_receives *receives = &qp->receives;
    while (iwarp_receives_count(receives) > 0) {
        struct iwarp_work *work = pop_oldest(receives);
        if (work)
            iwarp_work_free(work);
        pass_oldest(qp);
    }
}
