// SPDX-License-Identifier: GPL-3.0-or-later
// One-sided operations over iWARP (thesis 004, 3.4.4, figures 3.10 to 3.12).
#include "models/mpich2/hybrid/hybrid.h"

#include <string.h>

#define WRITTEN 1 // pkt.receiver of CH3_PKT_RMA_DONE: the data were written to the target

static struct ch3_hybrid_process *rma_of(const struct ch3_process *ch3)
{
    return ch3_hybrid_of(ch3->process);
}

// ---- Windows ----

static void created(struct cpu_context *context, struct ch3_process *ch3, struct ch3_window *window)
{
    struct ch3_hybrid_process *hybrid = rma_of(ch3);
    hybrid->windows++;
    uint32_t stag =
        iwarp_memory_register(context, hybrid->rnic, hybrid->domain, window->address, window->size);
    window->registered = GUINT_TO_POINTER(stag);
}

static void freed(struct cpu_context *context, struct ch3_process *ch3, struct ch3_window *window)
{
    struct ch3_hybrid_process *hybrid = rma_of(ch3);
    uint32_t stag = GPOINTER_TO_UINT(window->registered);
    hybrid->windows--;
    if (stag != 0)
        iwarp_memory_deregister(context, hybrid->rnic, stag);
}

// The tag of the window that holds the memory, or 0.
static uint32_t window_tag(const struct ch3_process *ch3, int64_t address, int64_t size)
{
    for (guint i = 0; i < ch3->rma->windows->len; i++) {
        const struct ch3_window *window = g_ptr_array_index(ch3->rma->windows, i);
        if (window->open && address >= window->address &&
            address + size <= window->address + window->size)
            return GPOINTER_TO_UINT(window->registered);
    }
    return 0;
}

// The tag of the operation's memory at its origin: that of a window, or one for a time.
static void own_memory(struct cpu_context *context, struct ch3_hybrid_op *op, int64_t size)
{
    const struct ch3_hybrid_process *hybrid = op->vc->hybrid;
    op->own_stag = window_tag(&hybrid->sctp.ch3, op->own_address, size);
    if (op->own_stag != 0)
        return;
    op->temporary = true;
    op->own_stag =
        iwarp_memory_register(context, hybrid->rnic, hybrid->domain, op->own_address, size);
}

// ---- At the origin ----

// A number for the get, by which its answer finds it.
static uint32_t number_get(struct ch3_hybrid_process *hybrid, struct ch3_hybrid_op *op)
{
    for (guint i = 0; i < hybrid->asked->len; i++)
        if (!g_ptr_array_index(hybrid->asked, i)) {
            g_ptr_array_index(hybrid->asked, i) = op;
            return i;
        }
    g_ptr_array_add(hybrid->asked, op);
    return hybrid->asked->len - 1;
}

static void fill_operation(struct cpu_context *context, struct ch3_hybrid_op *op,
                           const struct ch3_rma_op *asked)
{
    struct ch3_hybrid_process *hybrid = op->vc->hybrid;
    const struct mpi_process *process = ch3_hybrid_mpi(hybrid);
    const struct ch3_window *theirs =
        ch3_window_of(ch3_of(process->peers[asked->peer]), asked->window->number);
    op->own_address = asked->address;
    op->peer_address = theirs->address + asked->offset;
    op->peer_stag = GPOINTER_TO_UINT(theirs->registered);
    own_memory(context, op, asked->size);
    if (asked->kind == CH3_PUT) {
        op->operation = IWARP_WRITE;
        op->pkt.type = CH3_PKT_RMA_DONE;
        op->pkt.receiver = WRITTEN;
    } else if (hybrid->config->get == CH3_HYBRID_BY_READ) {
        op->operation = IWARP_READ;
        op->pkt.type = CH3_PKT_RMA_DONE;
    } else {
        op->operation = IWARP_SEND;
        op->pkt.type = CH3_PKT_GET;
        op->pkt.sequence = (uint32_t)asked->offset;
        op->pkt.sender = number_get(hybrid, op);
        op->pkt.receiver = op->own_stag;
        op->asked = op->own_address;
    }
}

// Whether the epoch, whose first operation to the peer this is, has an accumulate to it.
static bool accumulates(const struct ch3_rma_op *op)
{
    int peer = op->peer;
    for (; op; op = op->next)
        if (op->peer == peer && op->kind == CH3_ACCUMULATE)
            return true;
    return false;
}

static void issue(struct cpu_context *context, struct ch3_process *ch3, struct ch3_rma_op *asked,
                  bool last)
{
    struct ch3_hybrid_vc *vc = &rma_of(ch3)->vcs[asked->peer];
    if (asked->ordinal == 1)
        vc->packets = accumulates(asked);
    if (vc->packets) {
        ch3_rma_send(context, ch3, asked, last);
        return;
    }
    const struct ch3_pkt pkt = {
        .flags = last ? CH3_LAST_OF_EPOCH : 0,
        .context = (uint16_t)asked->ordinal, // of the last one: how many there are
        .tag = asked->window->number,
        .length = (uint32_t)asked->size,
        .message = asked->message,
    };
    if (asked->ordinal > UINT16_MAX) {
        mpi_fail(ch3->process, "window_error", NULL,
                 ": more than %d operations of an epoch to rank %d", UINT16_MAX, asked->peer);
        return;
    }
    if (asked->kind == CH3_GET && rma_of(ch3)->config->get == CH3_HYBRID_BY_WRITE &&
        asked->offset > UINT32_MAX) {
        mpi_fail(ch3->process, "window_error", json_pack("{s:s}", "setting", "ch3_hybrid.get"),
                 ": the envelope of a get holds 32 bits of the offset, which is %" G_GINT64_FORMAT
                 " B at rank %d (ch3_hybrid.get: read has no such envelope)",
                 asked->offset, asked->peer);
        return;
    }
    struct ch3_hybrid_op *op = ch3_hybrid_op_new(vc, &pkt);
    fill_operation(context, op, asked);
    ch3_rma_op_free(ch3, asked);
    ch3_hybrid_connect(context, vc);
    ch3_hybrid_queue(context, op);
}

const struct ch3_rma_ops ch3_hybrid_rma = {.created = created, .freed = freed, .issue = issue};

// ---- Envelopes that arrive ----

// A get by write, at its target: writes, and then answers.
static void serve_get(struct cpu_context *context, struct ch3_hybrid_vc *vc,
                      const struct ch3_hybrid_envelope *question)
{
    const struct ch3_window *window = ch3_window_of(&vc->hybrid->sctp.ch3, question->pkt.tag);
    struct ch3_hybrid_op *op = ch3_hybrid_op_new(vc, &question->pkt);
    op->operation = IWARP_WRITE;
    op->own_address = window->address + question->pkt.sequence;
    op->own_stag = GPOINTER_TO_UINT(window->registered);
    op->peer_stag = question->pkt.receiver;
    op->peer_address = question->address;
    op->served = true;
    op->pkt.type = CH3_PKT_GET_RESP;
    ch3_hybrid_queue(context, op);
}

static void answered(struct cpu_context *context, struct ch3_hybrid_vc *vc,
                     const struct ch3_pkt *pkt)
{
    struct ch3_process *ch3 = &vc->hybrid->sctp.ch3;
    struct ch3_hybrid_op *op = g_ptr_array_index(vc->hybrid->asked, pkt->sender);
    struct ch3_window *window = ch3_window_of(ch3, pkt->tag);
    g_ptr_array_index(vc->hybrid->asked, pkt->sender) = NULL;
    if (op->arrived)
        mpi_message_arrived(context, ch3->process, op->pkt.message);
    ch3_hybrid_op_over(context, op);
    ch3_rma_over(context, ch3, window);
}

// An operation of the peer on a window of this process has ended; with the flag CH3_LAST_OF_EPOCH
// it is the last to be issued.
static void target_operation_ended(struct cpu_context *context, struct ch3_hybrid_vc *vc,
                                   const struct ch3_pkt *pkt)
{
    struct ch3_process *ch3 = &vc->hybrid->sctp.ch3;
    struct ch3_hybrid_epoch *epoch = NULL;
    for (guint i = 0; i < vc->epochs->len; i++)
        if (g_array_index(vc->epochs, struct ch3_hybrid_epoch, i).window == pkt->tag)
            epoch = &g_array_index(vc->epochs, struct ch3_hybrid_epoch, i);
    if (!epoch) {
        const struct ch3_hybrid_epoch fresh = {.window = pkt->tag};
        g_array_append_val(vc->epochs, fresh);
        epoch = &g_array_index(vc->epochs, struct ch3_hybrid_epoch, vc->epochs->len - 1);
    }
    epoch->ended++;
    if (pkt->flags & CH3_LAST_OF_EPOCH)
        epoch->total = pkt->context;
    if (epoch->ended != epoch->total)
        return;
    epoch->ended = epoch->total = 0;
    ch3_rma_marked(context, ch3, ch3_window_of(ch3, pkt->tag));
}

// An envelope of a transfer.
static void take_notice(struct cpu_context *context, struct ch3_hybrid_vc *vc,
                        const struct ch3_pkt *pkt)
{
    if (pkt->type == CH3_PKT_GET_RESP)
        answered(context, vc, pkt);
    else
        target_operation_ended(context, vc, pkt);
}

// True if the data of the envelope's write have arrived; forgets them.
static bool take_landed(struct ch3_hybrid_vc *vc, const struct ch3_pkt *pkt)
{
    for (guint i = 0; i < vc->landed->len; i++)
        if (message_same(g_array_index(vc->landed, struct message_ref, i), pkt->message)) {
            g_array_remove_index_fast(vc->landed, i);
            return true;
        }
    return false;
}

// The first of the held envelopes that may go now, or -1. Answers keep their order.
static int releasable(struct ch3_hybrid_vc *vc)
{
    bool answers = false;
    for (guint i = 0; i < vc->held->len; i++) {
        const struct ch3_pkt *pkt = &g_array_index(vc->held, struct ch3_pkt, i);
        bool answer = pkt->type == CH3_PKT_GET_RESP;
        if (!(answer && answers) && take_landed(vc, pkt))
            return (int)i;
        answers = answers || answer;
    }
    return -1;
}

bool ch3_hybrid_release(struct cpu_context *context, struct ch3_hybrid_process *hybrid)
{
    for (int rank = 0; hybrid->held > 0 && rank < ch3_hybrid_mpi(hybrid)->ranks; rank++) {
        struct ch3_hybrid_vc *vc = &hybrid->vcs[rank];
        int index = releasable(vc);
        if (index < 0)
            continue;
        const struct ch3_pkt pkt = g_array_index(vc->held, struct ch3_pkt, index);
        g_array_remove_index(vc->held, (guint)index);
        hybrid->held--;
        if (hybrid->config->hold)
            take_notice(context, vc, &pkt);
        return true;
    }
    return false;
}

static bool answer_is_held(const struct ch3_hybrid_vc *vc)
{
    for (guint i = 0; i < vc->held->len; i++)
        if (g_array_index(vc->held, struct ch3_pkt, i).type == CH3_PKT_GET_RESP)
            return true;
    return false;
}

// An envelope that has overtaken its data is kept until they land.
static void handle_notice(struct cpu_context *context, struct ch3_hybrid_vc *vc,
                          const struct ch3_pkt *pkt)
{
    struct ch3_hybrid_process *hybrid = vc->hybrid;
    bool answer = pkt->type == CH3_PKT_GET_RESP;
    bool behind = answer && answer_is_held(vc);
    bool early = (answer || pkt->receiver == WRITTEN) && (behind || !take_landed(vc, pkt));
    if (early) {
        ++*hybrid->count.early;
        g_array_append_val(vc->held, *pkt);
        hybrid->held++;
    }
    if (!early || !hybrid->config->hold)
        take_notice(context, vc, pkt);
}

static void envelope_arrived(struct cpu_context *context, struct ch3_hybrid_vc *vc,
                             const struct iwarp_completion *completion)
{
    struct ch3_process *ch3 = &vc->hybrid->sctp.ch3;
    struct ch3_hybrid_envelope envelope = {0};
    memcpy(&envelope, completion->content, completion->content_length);
    const struct ch3_pkt *pkt = &envelope.pkt;
    ch3_hybrid_post_receive(context, vc, (int)completion->id);
    cpu_spend_for(context, ch3->config->receive, &ch3_stage, pkt->message);
    if (pkt->type == CH3_PKT_GET)
        serve_get(context, vc, &envelope);
    else
        handle_notice(context, vc, pkt);
}

// ---- Completions ----

// The envelope is sent: a put or a get by read ends for its origin, a served get for its
// target. A get by write goes on.
static void envelope_sent(struct cpu_context *context, struct ch3_hybrid_op *op)
{
    struct ch3_hybrid_vc *vc = op->vc;
    struct ch3_process *ch3 = &vc->hybrid->sctp.ch3;
    const struct ch3_pkt pkt = op->pkt;
    bool served = op->served;
    if (pkt.type == CH3_PKT_GET)
        return;
    ch3_hybrid_op_over(context, op);
    if (served)
        target_operation_ended(context, vc, &pkt);
    else
        ch3_rma_over(context, ch3, ch3_window_of(ch3, pkt.tag));
}

void ch3_hybrid_complete(struct cpu_context *context, const struct iwarp_completion *completion)
{
    struct ch3_hybrid_vc *vc = iwarp_qp_owner(completion->qp);
    struct ch3_hybrid_op *op = completion->owner;
    if (completion->status != IWARP_SUCCESS) {
        const char *error = iwarp_qp_error(completion->qp);
        if (error)
            mpi_fail(ch3_hybrid_mpi(vc->hybrid), "qp_error", json_pack("{s:i}", "peer", vc->peer),
                     " loses its queue pair with rank %d: %s", vc->peer, error);
        return;
    }
    if (completion->operation == IWARP_RECEIVE)
        envelope_arrived(context, vc, completion);
    else if (completion->operation == IWARP_SEND)
        envelope_sent(context, op);
    else {
        op->operation = IWARP_SEND;
        ch3_hybrid_queue_first(context, op);
    }
    ch3_hybrid_pump(context, vc);
}
