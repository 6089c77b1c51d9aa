// SPDX-License-Identifier: GPL-3.0-or-later
// Sending in the VIA RPI (thesis 000, 4.4, 4.5.3, 4.7.3): the send advance functions of the three
// classes, the callbacks at send completion, and the queue of requests that wait for descriptors or
// pinned memory.
#include "models/via/lam_via/rpi.h"

uint32_t rpi_immediate_pack(struct rpi_immediate immediate)
{
    return (uint32_t)immediate.src_node << 17 | (uint32_t)immediate.dest_node << 2 |
           (uint32_t)immediate.env << 1 | (uint32_t)immediate.restart;
}

struct rpi_immediate rpi_immediate_unpack(uint32_t word)
{
    return (struct rpi_immediate){
        .src_node = word >> 17 & RPI_LARGEST_NODE,
        .dest_node = word >> 2 & RPI_LARGEST_NODE,
        .env = word >> 1 & 1,
        .restart = word & 1,
    };
}

// ---- Posting ----

// LAM makes them in lsra_addprocs, the simulator when the first is used.
static void make_send_descs(struct rpi_process_peer *peer, int sdescs)
{
    peer->cp_send_desc = g_new(struct vip_descriptor, sdescs);
    peer->cp_pending_sends = g_new(struct mpi_request *, sdescs);
    for (int i = 0; i < sdescs; i++)
        vip_descriptor_init(&peer->cp_send_desc[i]);
}

static struct vip_descriptor *take_descriptor(struct rpi_process_peer *peer)
{
    int sdescs = (int)peer->owner->config->sdescs;
    if (!peer->cp_send_desc)
        make_send_descs(peer, sdescs);
    struct vip_descriptor *descriptor = &peer->cp_send_desc[peer->cp_first_free_send_desc];
    peer->cp_first_free_send_desc = (peer->cp_first_free_send_desc + 1) % sdescs;
    peer->cp_free_send_desc_cnt--;
    return descriptor;
}

static void post(struct cpu_context *context, struct mpi_request *request,
                 struct vip_descriptor *descriptor)
{
    struct rpi_process_peer *peer = rpi_of(request)->cq_peer;
    guint capacity = (guint)peer->owner->config->sdescs;
    descriptor->operation = VIP_RDMA_WRITE;
    descriptor->message = request->message;
    peer->cp_pending_sends[peer->pending_tail++ % capacity] = request;
    cpu_spend_for(context, peer->owner->config->send, &rpi_stage, request->message);
    if (!vip_post_send(context, peer->cp_vi_hand, descriptor))
        mpi_fail(request->process, "connection_broken", json_pack("{s:i}", "peer", peer->rank),
                 " can't send to rank %d: VI %u is %s", peer->rank, peer->cp_vi_hand->number,
                 vip_vi_state_name(peer->cp_vi_hand));
}

// Points a descriptor at the next `bytes` of the peer's RDMA area, with immediate data that
// describe them.
static void into_area(struct vip_descriptor *descriptor, struct rpi_process_peer *peer,
                      int64_t bytes, bool env)
{
    struct rpi_immediate immediate = {
        .src_node = peer->owner->node,
        .dest_node = peer->node,
        .env = env,
    };
    descriptor->length = bytes;
    descriptor->remote_address = rpi_area_write(peer, bytes, &immediate.restart);
    descriptor->remote_handle = peer->cp_remote_rdma_area_hand;
    descriptor->immediate_flag = true;
    descriptor->immediate = rpi_immediate_pack(immediate);
    descriptor->final = false;
}

// Sends an envelope from the request's envelope buffer, followed by `data` bytes of the message.
static void post_envelope(struct cpu_context *context, struct mpi_request *request,
                          const struct rpi_envelope *envelope, int64_t data)
{
    struct rpi_request *r = rpi_of(request);
    struct rpi_process *rpi = r->cq_peer->owner;
    if (!r->cq_envbuf)
        r->cq_envbuf = rpi_buffer_take(context, rpi);
    if (!r->cq_envbuf)
        return;
    mem_copy(context, &request->process->host->config.memory, data, COPY_WARM, request->message);
    struct vip_descriptor *descriptor = take_descriptor(r->cq_peer);
    into_area(descriptor, r->cq_peer, rpi->config->envelope + data, true);
    descriptor->address = r->cq_envbuf->address;
    descriptor->handle = r->cq_envbuf->handle;
    descriptor->lead = rpi->config->envelope;
    descriptor->message_offset = 0;
    descriptor->message_length =
        request->kind == REQUEST_SEND ? request->size : request->status.length;
    G_STATIC_ASSERT(sizeof *envelope <= VIP_CONTENT_BYTES);
    memcpy(descriptor->content.bytes, envelope, sizeof *envelope);
    post(context, request, descriptor);
}

static struct rpi_envelope send_envelope(struct mpi_request *request, int flags)
{
    struct mpi_envelope envelope = mpi_send_envelope(request);
    return (struct rpi_envelope){
        .ce_len = (int32_t)envelope.length,
        .ce_tag = envelope.tag,
        .ce_flags = flags | (request->synchronous ? RPI_C2CSSEND : 0),
        .ce_rank = envelope.source,
        .ce_cid = envelope.context,
        .ce_seq = (int32_t)envelope.sequence,
        .ve_src_request = request,
        .message = request->message,
    };
}

// ---- The send queue (4.5.3): requests without a descriptor or pinned memory, oldest first ----

static bool is_ack(const struct mpi_request *request)
{
    return request->kind == REQUEST_RECV;
}

static void queue_push(struct rpi_send_queue *queue, struct mpi_request *request)
{
    rpi_of(request)->send_next = NULL;
    if (queue->head)
        rpi_of(queue->tail)->send_next = request;
    else
        queue->head = request;
    queue->tail = request;
}

static void queue_join(struct rpi_send_queue *queue, const struct rpi_send_queue *more)
{
    if (!more->head)
        return;
    if (queue->head)
        rpi_of(queue->tail)->send_next = more->head;
    else
        queue->head = more->head;
    queue->tail = more->tail;
}

static void stand_in(struct cpu_context *context, struct rpi_send_queue *queue,
                     struct mpi_request *request, enum rpi_state why)
{
    struct rpi_request *r = rpi_of(request);
    r->queued = true;
    queue_push(queue, request);
    if (r->ordered)
        r->cq_peer->waiting_sends++;
    if (is_ack(request))
        r->cq_peer->waiting_acks++;
    // The descriptors that a body waits for are those of its own pieces, as long as there are any.
    if (r->pieces_out > 0)
        why = RPI_BODY_SENT;
    if (request->machine.state != why)
        mpi_enter(context, request, why, NULL);
}

static void enqueue(struct cpu_context *context, struct mpi_request *request, enum rpi_state why)
{
    struct rpi_process *rpi = rpi_of(request)->cq_peer->owner;
    bool again = rpi->looking && rpi_of(request)->yields;
    stand_in(context, again ? &rpi->again : &rpi->send_queue, request, why);
}

// ---- Ends ----

// All of an eager message has left: done, unless the receiver has to acknowledge it.
static void eager_sent(struct cpu_context *context, struct mpi_request *request)
{
    if (request->synchronous && rpi_of(request)->cq_recv_advance_fn)
        mpi_enter(context, request, RPI_WAIT_ACK, "synchronous");
    else
        rpi_finish(context, request);
}

void rpi_synchronous_acknowledged(struct cpu_context *context, struct mpi_request *request,
                                  const struct rpi_envelope *envelope)
{
    struct rpi_request *r = rpi_of(request);
    (void)envelope;
    // The ACK can be seen before the completion of the last descriptor; then that one ends the
    // request.
    r->cq_recv_advance_fn = NULL;
    if (request->machine.state == RPI_WAIT_ACK)
        rpi_finish(context, request);
}

// ---- Tiny (4.4.1): envelope and data copied into one buffer, one RDMA write ----

static void tiny_send(struct cpu_context *context, struct mpi_request *request)
{
    struct rpi_envelope envelope = send_envelope(request, RPI_C2CTINY);
    rpi_of(request)->cq_callback_fn = eager_sent;
    mpi_enter(context, request, RPI_ENVELOPE_SENT, "tiny");
    post_envelope(context, request, &envelope, request->size);
}

// ---- Short (4.4.2): the envelope, then at once the body out of the user's buffer ----

static void short_envelope_sent(struct cpu_context *context, struct mpi_request *request)
{
    rpi_of(request)->cq_callback_fn = eager_sent;
    mpi_enter(context, request, RPI_BODY_SENT, NULL);
}

static void short_send(struct cpu_context *context, struct mpi_request *request)
{
    struct rpi_request *r = rpi_of(request);
    struct rpi_envelope envelope = send_envelope(request, RPI_C2CSHORT);
    r->cq_callback_fn = short_envelope_sent;
    mpi_enter(context, request, RPI_ENVELOPE_SENT, "short");
    post_envelope(context, request, &envelope, 0);
    struct vip_descriptor *descriptor = take_descriptor(r->cq_peer);
    into_area(descriptor, r->cq_peer, request->size, false);
    descriptor->address = request->address;
    descriptor->handle = r->cq_packbufhand->handle;
    descriptor->lead = 0;
    descriptor->message_offset = 0;
    post(context, request, descriptor);
}

// ---- Long (4.4.3): SYN, ACK with the target, then the body in pieces, lam_via.pieces at a time.
// The receiver knows bodies by their order alone (4.7.4), so the next one starts after the last
// piece. ----

static void long_send_pieces(struct cpu_context *context, struct mpi_request *request);

// All of the peer's first body is posted.
static void next_body(struct cpu_context *context, struct rpi_process_peer *peer)
{
    mpi_queue_pop(&peer->bodies);
    if (peer->bodies.head)
        rpi_send_try(context, peer->bodies.head);
}

// Pieces complete in the order in which they were posted (4.7.3). A body that has more of them
// is in the send queue already, unless it waits for the completion of the last piece.
static void long_piece_sent(struct cpu_context *context, struct mpi_request *request)
{
    struct rpi_request *r = rpi_of(request);
    r->pieces_out--;
    if (r->cq_packsize > 0 && !r->queued)
        rpi_send_try(context, request);
    else if (r->cq_packsize == 0 && r->pieces_out == 0)
        rpi_finish(context, request);
}

static void post_piece(struct cpu_context *context, struct mpi_request *request)
{
    struct rpi_request *r = rpi_of(request);
    struct vip_descriptor *descriptor = take_descriptor(r->cq_peer);
    int64_t piece = MIN(r->cq_packsize, vip_config(r->cq_peer->owner->nic)->largest_transfer);
    bool first = r->cq_packbuf == 0, last = piece == r->cq_packsize;
    struct rpi_immediate immediate = {
        .src_node = r->cq_peer->owner->node,
        .dest_node = r->cq_peer->node,
    };
    descriptor->length = piece;
    descriptor->address = request->address + r->cq_packbuf;
    descriptor->handle = r->cq_packbufhand->handle;
    descriptor->remote_address = r->target_address + r->cq_packbuf;
    descriptor->remote_handle = r->target_handle;
    descriptor->immediate_flag = last;
    descriptor->immediate = rpi_immediate_pack(immediate);
    descriptor->lead = 0;
    descriptor->message_offset = r->cq_packbuf;
    descriptor->final = true;
    r->cq_packbuf += piece;
    r->cq_packsize -= piece;
    r->pieces_out++;
    if (first || last || request->machine.state != RPI_BODY_SENT)
        mpi_enter(context, request, RPI_BODY_SENT,
                  last    ? "last piece"
                  : first ? "first piece"
                          : NULL);
    post(context, request, descriptor);
}

static void long_send_pieces(struct cpu_context *context, struct mpi_request *request)
{
    struct rpi_request *r = rpi_of(request);
    bool all = r->cq_peer->owner->config->pieces == RPI_PIECES_AS_DESCRIPTORS_GO;
    do
        post_piece(context, request);
    while (all && r->cq_packsize > 0 && r->cq_peer->cp_free_send_desc_cnt > 0);
    if (r->cq_packsize == 0)
        next_body(context, r->cq_peer);
    else if (all)
        enqueue(context, request, RPI_WAIT_DESCRIPTOR);
}

static void syn_sent(struct cpu_context *context, struct mpi_request *request)
{
    mpi_enter(context, request, RPI_WAIT_ACK, NULL);
}

static void long_send_syn(struct cpu_context *context, struct mpi_request *request)
{
    struct rpi_request *r = rpi_of(request);
    struct rpi_envelope envelope = send_envelope(request, RPI_C2CLONG);
    r->cq_callback_fn = syn_sent;
    r->cq_recv_advance_fn = rpi_long_acknowledged;
    mpi_enter(context, request, RPI_SYN_SENT, "long");
    post_envelope(context, request, &envelope, 0);
}

void rpi_long_acknowledged(struct cpu_context *context, struct mpi_request *request,
                           const struct rpi_envelope *envelope)
{
    struct rpi_request *r = rpi_of(request);
    r->target_address = envelope->ve_target_buf;
    r->target_handle = envelope->ve_target_buf_hand;
    r->cq_packbuf = 0;
    r->cq_packsize = request->size;
    r->cq_send_advance_fn = long_send_pieces;
    r->cq_callback_fn = long_piece_sent;
    r->descriptors = 1;
    r->ordered = false;
    r->yields = true;
    mpi_queue_append(&r->cq_peer->bodies, request);
    if (r->cq_peer->bodies.head == request)
        rpi_send_try(context, request);
    else
        mpi_enter(context, request, RPI_WAIT_TURN, NULL);
}

// ---- Acknowledgements: an envelope with C2CACK that gives the sender its request back ----

static void ack_sent(struct cpu_context *context, struct mpi_request *request)
{
    struct rpi_request *r = rpi_of(request);
    if (r->class == RPI_LONG)
        mpi_enter(context, request, RPI_WAIT_BODY, "long");
    else
        rpi_finish(context, request);
}

static void ack_send(struct cpu_context *context, struct mpi_request *request)
{
    struct rpi_request *r = rpi_of(request);
    struct rpi_envelope envelope = {
        .ce_flags = RPI_C2CACK,
        .ce_rank = request->process->rank,
        .ve_src_request = r->source_request,
        .message = request->message,
    };
    if (r->cq_packbufhand && r->class == RPI_LONG) {
        envelope.ve_target_buf = request->address;
        envelope.ve_target_buf_hand = r->cq_packbufhand->handle;
    }
    r->cq_callback_fn = ack_sent;
    mpi_enter(context, request, RPI_ACK_SENT, r->class == RPI_LONG ? "target" : "synchronous");
    post_envelope(context, request, &envelope, 0);
}

void rpi_send_ack(struct cpu_context *context, struct mpi_request *request)
{
    struct rpi_request *r = rpi_of(request);
    r->cq_send_advance_fn = ack_send;
    r->descriptors = 1;
    r->ordered = false;
    rpi_send_try(context, request);
}

// ---- The lack of a step, and leaving the send queue ----

static bool needs_pin(const struct mpi_request *request, const struct rpi_request *r)
{
    return request->kind == REQUEST_SEND && r->class != RPI_TINY && !r->cq_packbufhand;
}

// Returns what the request's next step lacks, or RPI_START if it can go.
static enum rpi_state lacks(struct cpu_context *context, struct mpi_request *request)
{
    struct rpi_request *r = rpi_of(request);
    if (needs_pin(request, r)) {
        r->cq_packbufhand =
            pin_cache_acquire(context, r->cq_peer->owner->pins, request->address, request->size);
        if (!r->cq_packbufhand)
            return RPI_WAIT_PIN;
    }
    return r->cq_peer->cp_free_send_desc_cnt < r->descriptors ? RPI_WAIT_DESCRIPTOR : RPI_START;
}

void rpi_send_try(struct cpu_context *context, struct mpi_request *request)
{
    struct rpi_request *r = rpi_of(request);
    struct rpi_process *rpi = r->cq_peer->owner;
    if (r->yields && (rpi->send_queue.head || rpi->looking)) {
        enqueue(context, request, RPI_WAIT_DESCRIPTOR);
        rpi->retry = true;
        return;
    }
    enum rpi_state lack = lacks(context, request);
    // ACKs keep their order as envelopes do: bodies arrive in that of their ACKs.
    bool behind = (r->ordered && r->cq_peer->waiting_sends > 0) ||
                  (is_ack(request) && r->cq_peer->waiting_acks > 0);
    if (lack == RPI_START && behind)
        lack = RPI_WAIT_DESCRIPTOR;
    if (lack != RPI_START)
        enqueue(context, request, lack);
    else
        r->cq_send_advance_fn(context, request);
}

void rpi_send_start(struct cpu_context *context, struct mpi_request *request)
{
    static const struct {
        rpi_send_advance_fn *advance;
        int descriptors;
    } classes[] = {
        [RPI_TINY] = {tiny_send, 1},
        [RPI_SHORT] = {short_send, 2},
        [RPI_LONG] = {long_send_syn, 1},
    };
    struct rpi_request *r = rpi_of(request);
    struct rpi_process *rpi = rpi_process_of(request->process);
    r->class = request->size <= rpi->config->tiny          ? RPI_TINY
               : request->size <= rpi->config->short_limit ? RPI_SHORT
                                                           : RPI_LONG;
    r->cq_peer = rpi_peer_of(rpi, request->peer);
    r->cq_send_advance_fn = classes[r->class].advance;
    r->descriptors = classes[r->class].descriptors;
    r->ordered = true;
    if (request->synchronous)
        r->cq_recv_advance_fn = rpi_synchronous_acknowledged;
    rpi_send_try(context, request);
}

// Starts what can be started now, in order; envelopes to one peer keep theirs. Returns true if
// anything was started.
bool rpi_send_queue_run(struct cpu_context *context, struct rpi_process *rpi)
{
    struct mpi_request *at = rpi->send_queue.head;
    bool any = false;
    rpi->send_queue = rpi->again = (struct rpi_send_queue){0};
    rpi->looking = true;
    // A peer with nothing in the queue has nothing to forget.
    for (struct mpi_request *each = at; each; each = rpi_of(each)->send_next) {
        struct rpi_process_peer *peer = rpi_of(each)->cq_peer;
        peer->held_up = peer->descriptors_due = false;
        peer->waiting_sends = peer->waiting_acks = 0;
    }
    while (at) {
        struct rpi_request *r = rpi_of(at);
        struct mpi_request *next = r->send_next;
        bool behind =
            (r->ordered && r->cq_peer->held_up) || (r->yields && r->cq_peer->descriptors_due);
        enum rpi_state lack = behind ? (enum rpi_state)at->machine.state : lacks(context, at);
        if (lack == RPI_START) {
            r->queued = false;
            r->cq_send_advance_fn(context, at);
            any = true;
        } else {
            r->cq_peer->held_up |= r->ordered;
            r->cq_peer->descriptors_due |= !behind && lack == RPI_WAIT_DESCRIPTOR;
            stand_in(context, &rpi->send_queue, at, lack);
        }
        at = next;
    }
    rpi->looking = false;
    queue_join(&rpi->send_queue, &rpi->again);
    return any;
}

// A send descriptor has completed: its request is the first of the peer's pending sends, because
// M-VIA keeps the order.
void rpi_send_event(struct cpu_context *context, struct rpi_process *rpi, struct vip_vi *vi)
{
    struct rpi_process_peer *peer = vi->owner;
    struct vip_descriptor *descriptor = vip_send_done(context, vi);
    guint capacity = (guint)rpi->config->sdescs;
    struct mpi_request *request = peer->cp_pending_sends[peer->pending_head++ % capacity];
    g_assert(descriptor);
    peer->cp_free_send_desc_cnt++;
    rpi->retry |= rpi->send_queue.head != NULL;
    cpu_spend_for(context, rpi->config->callback, &rpi_stage, descriptor->message);
    rpi_of(request)->cq_callback_fn(context, request);
}
