// SPDX-License-Identifier: GPL-3.0-or-later
// The RNIC: the library in the process.
#include "models/iwarp/internal.h"

struct iwarp_rnic *iwarp_rnic_open(struct cpu_context *context, const struct iwarp_config *config,
                                   const struct iwarp_user *user)
{
    struct iwarp_rnic *rnic = g_new0(struct iwarp_rnic, 1);
    struct sim *sim = user->sim;
    rnic->config = config;
    rnic->user = *user;
    rnic->qps = g_ptr_array_new();
    rnic->cqs = g_ptr_array_new();
    rnic->regions = g_array_new(FALSE, TRUE, sizeof(struct iwarp_region));
    rnic->domains = g_array_new(FALSE, TRUE, sizeof(uint32_t));
    rnic->selected = g_array_new(FALSE, FALSE, sizeof(struct inet_selected));
    rnic->unread = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    inet_watch_init(&rnic->watch);
    pool_init(&rnic->works, sizeof(struct iwarp_work));
    pool_init(&rnic->entries, sizeof(struct iwarp_entry));
    pool_init(&rnic->runs, sizeof(struct iwarp_run));
    rnic->count.segments_sent = sim_counter(sim, "iwarp.segments_sent");
    rnic->count.segments_received = sim_counter(sim, "iwarp.segments_received");
    rnic->count.terminated = sim_counter(sim, "iwarp.terminates");
    rnic->count.thread_blocks = sim_counter(sim, "iwarp.thread_blocks");
    rnic->count.empty_polls = sim_counter(sim, "iwarp.empty_polls");
    iwarp_thread_init(rnic);
    cpu_spend(context, config->object, &iwarp_stage);
    return rnic;
}

enum iwarp_result iwarp_rnic_close(struct cpu_context *context, struct iwarp_rnic *rnic)
{
    struct iwarp_rnic_attributes attributes;
    iwarp_rnic_query(rnic, &attributes);
    if (rnic->closed || attributes.qps > 0 || attributes.cqs > 0)
        return IWARP_INVALID;
    rnic->closed = true;
    cpu_spend(context, rnic->config->object, &iwarp_stage);
    return IWARP_OK;
}

void iwarp_rnic_free(struct iwarp_rnic *rnic)
{
    if (!rnic)
        return;
    // A run may end while the thread is to be woken.
    engine_cancel(rnic->user.sim->engine, &rnic->thread.wake);
    for (guint i = 0; i < rnic->qps->len; i++)
        g_free(g_ptr_array_index(rnic->qps, i));
    for (guint i = 0; i < rnic->cqs->len; i++)
        g_free(g_ptr_array_index(rnic->cqs, i));
    g_ptr_array_unref(rnic->qps);
    g_ptr_array_unref(rnic->cqs);
    g_array_unref(rnic->regions);
    g_array_unref(rnic->domains);
    g_array_unref(rnic->selected);
    g_array_unref(rnic->unread);
    inet_watch_clear(&rnic->watch);
    pool_clear(&rnic->works);
    pool_clear(&rnic->entries);
    pool_clear(&rnic->runs);
    g_free(rnic);
}

void iwarp_rnic_query(const struct iwarp_rnic *rnic, struct iwarp_rnic_attributes *attributes)
{
    *attributes = (struct iwarp_rnic_attributes){
        .queued = rnic->queue.count,
        .segments_sent = rnic->count.sent,
        .segments_received = rnic->count.received,
        .terminates = rnic->count.terminates,
    };
    for (guint i = 0; i < rnic->qps->len; i++)
        attributes->qps += !((const struct iwarp_qp *)g_ptr_array_index(rnic->qps, i))->destroyed;
    for (guint i = 0; i < rnic->cqs->len; i++)
        attributes->cqs += !((const struct iwarp_cq *)g_ptr_array_index(rnic->cqs, i))->destroyed;
    for (guint i = 0; i < rnic->regions->len; i++) {
        const struct iwarp_region *region = &g_array_index(rnic->regions, struct iwarp_region, i);
        attributes->regions += region->stag != 0;
        attributes->registered += region->stag != 0 ? region->length : 0;
    }
}

// ---- Reports ----

static const char *const results[] = {
    [-IWARP_OK] = "done",
    [-IWARP_AGAIN] = "would block",
    [-IWARP_FULL] = "the queue is full",
    [-IWARP_STATE] = "not in this state of the QP",
    [-IWARP_INVALID] = "invalid argument",
    [-IWARP_BAD_STAG] = "no memory of the protection domain has the steering tag",
    [-IWARP_OUT_OF_BOUNDS] = "out of the bounds of registered memory",
    [-IWARP_GONE] = "the connection is gone",
};

const char *iwarp_result_text(enum iwarp_result result)
{
    return results[-(int)result];
}

static json_t *describe_qp(const struct iwarp_qp *qp)
{
    return json_sprintf("QP %d: %s%s%s, %d requests for the thread, %d receives, %d reads",
                        qp->number, machine_state_name(&iwarp_qp_machine, &qp->machine),
                        qp->error ? ", " : "", qp->error ? qp->error : "", qp->queued,
                        iwarp_receives_count(&qp->receives), qp->reads.count);
}

json_t *iwarp_rnic_describe(const struct iwarp_rnic *rnic)
{
    json_t *lines = json_array();
    for (guint i = 0; i < rnic->qps->len; i++) {
        const struct iwarp_qp *qp = g_ptr_array_index(rnic->qps, i);
        if (!qp->destroyed)
            json_array_append_new(lines, describe_qp(qp));
    }
    if (rnic->thread_blocked && rnic->queue.head)
        json_array_append_new(
            lines, json_sprintf("the progress thread waits for room in the socket of QP %d, with "
                                "%d requests behind it",
                                rnic->queue.head->qp->number, rnic->queue.count - 1));
    return lines;
}
