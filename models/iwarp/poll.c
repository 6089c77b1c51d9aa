// SPDX-License-Identifier: GPL-3.0-or-later
// Polls: what the process itself does for its QPs (thesis 004, 3.3.4 and 3.3.6), and how it sleeps
// until there is something to do. All reading is done here, by the process's main thread: the
// progress thread only sends (thread.c). As in OSC-iWARP (r666: v_poll_cq in stubs.c, rdmap_poll in
// rdmap.c, mpa_poll_generic in mpa.c), each poll of a CQ begins with poll(2) over all sockets, also
// if the CQ has entries, and reads one segment of each that is readable before it takes an entry.
//
// Not modelled: that it reads also while the CQ has entries, so that messages can take receives
// faster than the entries let the program post new ones; that a read of a segment whose end has not
// arrived blocks (over SCTP it arrives whole; over TCP a later poll reads the rest).
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

// Adds the sockets of the QPs that read, on behalf of their processes.
static void add_readers(const struct iwarp_rnic *rnic, GArray *selected)
{
    for (guint i = 0; i < rnic->qps->len; i++) {
        const struct iwarp_qp *qp = g_ptr_array_index(rnic->qps, i);
        if (!iwarp_qp_reads(qp))
            continue;
        const struct inet_selected one = {qp->transport->inet(qp->socket), INET_READABLE, 0};
        inet_call_as(one.socket, qp->process);
        g_array_append_val(selected, one);
    }
}

// poll(2) over the sockets of all QPs, without waiting: which of them can be read.
static void poll_sockets(struct cpu_context *context, struct iwarp_rnic *rnic)
{
    const GArray *found = rnic->watch.readable;
    if (rnic->watch.count == 0)
        return;
    rnic->readable = inet_watch_poll(context, &rnic->watch, rnic->process);
    if (rnic->readable == 0)
        ++*rnic->count.empty_polls;
    g_array_set_size(rnic->unread, 0);
    g_array_append_vals(rnic->unread, found->data, found->len);
}

// The first bit that is set from `from` on, or, past the end, from 0 on. One must be set.
static guint next_bit(const GArray *bits, guint from)
{
    const guint width = 64, first = from / width < bits->len ? from / width : 0;
    uint64_t wanted = from / width < bits->len ? UINT64_MAX << from % width : UINT64_MAX;
    for (guint i = 0; i <= bits->len; i++) {
        guint word = (first + i) % bits->len;
        uint64_t found = g_array_index(bits, uint64_t, word) & wanted;
        if (found)
            return word * width + (guint)__builtin_ctzll(found);
        wanted = UINT64_MAX;
    }
    g_assert_not_reached();
}

// Reads from the next QP that the last poll(2) has found readable: one segment, in as many calls as
// its parts take.
static void serve_readable(struct cpu_context *context, struct iwarp_rnic *rnic)
{
    guint index = next_bit(rnic->unread, rnic->turn);
    struct iwarp_qp *qp = g_ptr_array_index(rnic->qps, index);
    if (iwarp_qp_reads(qp) && iwarp_receive(context, qp) && qp->in.begun)
        return;
    g_array_index(rnic->unread, uint64_t, index / 64) &= ~(UINT64_C(1) << index % 64);
    rnic->readable--;
    rnic->turn = (index + 1) % rnic->qps->len;
}

// The start of a poll. Returns true if it has sent a read request.
static bool begin_poll(struct cpu_context *context, struct iwarp_rnic *rnic)
{
    bool sent = send_request(context, rnic);
    poll_sockets(context, rnic);
    return sent;
}

bool iwarp_rnic_advance(struct cpu_context *context, struct iwarp_rnic *rnic)
{
    bool sent = rnic->readable == 0 && begin_poll(context, rnic);
    if (rnic->readable == 0)
        return sent;
    serve_readable(context, rnic);
    return true;
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
    struct iwarp_rnic *rnic = cq->rnic;
    const struct inet_process *process = rnic->process;
    if (process && process->switch_due) // the entry that it slept for is there
        inet_enter(context, rnic->process, INET_POLL);
    bool begins = rnic->readable == 0;
    if (begins)
        cpu_spend(context, rnic->config->poll, &iwarp_stage);
    bool sent = begins && begin_poll(context, rnic), read = !cq->head && rnic->readable > 0;
    if (read)
        serve_readable(context, rnic);
    if (cq->head) {
        rnic->readable = 0; // the next poll asks again
        take_entry(context, cq, completion);
        return IWARP_POLL_ENTRY;
    }
    return read || sent ? IWARP_POLL_PROGRESS : IWARP_POLL_NOTHING;
}

// ---- Sleeping ----

bool iwarp_cq_await(struct iwarp_cq *cq, GArray *selected)
{
    const struct iwarp_rnic *rnic = cq->rnic;
    if (cq->head)
        return false;
    cq->awaited = true;
    add_readers(rnic, selected);
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
