// SPDX-License-Identifier: GPL-3.0-or-later
// Receiving in the VIA RPI (thesis 000, 4.5.3, 4.7.4, 4.7.5): from a completed receive descriptor
// to the request it belongs to.
#include "models/via/lam_via/rpi.h"

static void copy_out(struct cpu_context *context, struct rpi_process *rpi, int64_t bytes,
                     struct message_ref message)
{
    const struct host *host = rpi->process->host;
    mem_copy(context, &host->config.memory, bytes, host_received_source(host, context->cpu),
             message);
}

void rpi_receive_complete(struct cpu_context *context, struct mpi_request *request)
{
    struct rpi_request *r = rpi_of(request);
    if (r->acknowledge) {
        r->acknowledge = false;
        rpi_send_ack(context, request);
        return;
    }
    rpi_finish(context, request);
}

static void deliver_and_complete(struct cpu_context *context, struct rpi_process *rpi,
                                 struct mpi_request *request)
{
    copy_out(context, rpi, request->status.length, request->message);
    mpi_deliver(request);
    rpi_receive_complete(context, request);
}

// ---- Expected messages ----

void rpi_expect_body(struct cpu_context *context, struct mpi_request *request,
                     struct rpi_process_peer *peer)
{
    rpi_of(request)->class = RPI_SHORT;
    // The body follows its envelope at once: before the bodies of all long messages in progress.
    mpi_queue_prepend(&peer->cp_current_recv_req, request);
    mpi_enter(context, request, RPI_WAIT_BODY, "short");
}

void rpi_send_owed_acks(struct cpu_context *context, struct rpi_process_peer *peer)
{
    struct rpi_process *rpi = peer->owner;
    bool held_up = false; // after one that waits, the others wait too
    for (struct mpi_request *at = peer->cp_current_recv_req.head; at; at = at->next) {
        struct rpi_request *r = rpi_of(at);
        if (r->class != RPI_LONG || !r->acknowledge)
            continue;
        if (!r->cq_packbufhand && !held_up)
            r->cq_packbufhand = pin_cache_acquire(context, rpi->pins, at->address, at->size);
        held_up |= !r->cq_packbufhand;
        if (held_up) {
            if (at->machine.state != RPI_WAIT_PIN)
                mpi_enter(context, at, RPI_WAIT_PIN, NULL);
            continue;
        }
        r->acknowledge = false;
        rpi->owed_acks--;
        rpi_send_ack(context, at);
    }
}

void rpi_receive_syn(struct cpu_context *context, struct mpi_request *request,
                     struct rpi_process_peer *peer)
{
    struct rpi_request *r = rpi_of(request);
    r->class = RPI_LONG;
    r->cq_peer = peer;
    r->acknowledge = true;
    peer->owner->owed_acks++;
    // Bodies of long messages arrive in the order of their SYNs.
    mpi_queue_append(&peer->cp_current_recv_req, request);
    rpi_send_owed_acks(context, peer);
}

static void receive_expected(struct cpu_context *context, struct rpi_process_peer *peer,
                             struct mpi_request *request, const struct rpi_envelope *envelope)
{
    struct rpi_request *r = rpi_of(request);
    r->cq_peer = peer;
    r->source_request = envelope->ve_src_request;
    r->acknowledge = (envelope->ce_flags & RPI_C2CSSEND) != 0;
    if (envelope->ce_flags & RPI_C2CTINY) {
        r->class = RPI_TINY;
        deliver_and_complete(context, peer->owner, request);
    } else if (envelope->ce_flags & RPI_C2CSHORT) {
        rpi_expect_body(context, request, peer);
    } else {
        rpi_receive_syn(context, request, peer);
    }
}

// ---- Unexpected messages ----

static void receive_unexpected(struct cpu_context *context, struct rpi_process_peer *peer,
                               const struct rpi_envelope *envelope,
                               const struct mpi_envelope *match)
{
    struct rpi_process *rpi = peer->owner;
    const char *name = envelope->ce_flags & RPI_C2CTINY    ? "unexpected_tiny"
                       : envelope->ce_flags & RPI_C2CSHORT ? "unexpected_short"
                                                           : "unexpected_long";
    struct mpi_unexpected *message =
        mpi_keep(context, rpi->process, match, envelope->message, name);
    message->extra[0] = (uintptr_t)envelope->ve_src_request;
    message->extra[1] = (uint64_t)envelope->ce_flags;
    message->whole = !(envelope->ce_flags & RPI_C2CSHORT);
    if (envelope->ce_flags & RPI_C2CTINY) {
        copy_out(context, rpi, match->length, envelope->message);
        message->buffered = match->length;
    } else if (envelope->ce_flags & RPI_C2CSHORT) {
        message->buffered = match->length;
        peer->cp_bmsg = message;
    }
}

// ---- Envelopes and bodies ----

static void receive_envelope(struct cpu_context *context, struct rpi_process_peer *peer,
                             const struct rpi_envelope *envelope)
{
    struct mpi_process *process = peer->owner->process;
    if (envelope->ce_flags & RPI_C2CACK) {
        struct mpi_request *request = envelope->ve_src_request;
        rpi_of(request)->cq_recv_advance_fn(context, request, envelope);
        return;
    }
    struct mpi_envelope match = {
        .source = envelope->ce_rank,
        .tag = envelope->ce_tag,
        .context = envelope->ce_cid,
        .length = envelope->ce_len,
        .sequence = (uint32_t)envelope->ce_seq,
    };
    bool good;
    struct mpi_request *request = mpi_arrived(context, process, &match, envelope->message, &good);
    if (request)
        receive_expected(context, peer, request, envelope);
    else if (good)
        receive_unexpected(context, peer, envelope, &match);
}

static void receive_unexpected_body(struct cpu_context *context, struct rpi_process_peer *peer)
{
    struct mpi_unexpected *message = peer->cp_bmsg;
    copy_out(context, peer->owner, message->buffered, message->message);
    message->whole = true;
    peer->cp_bmsg = NULL;
}

// Returns true if the body lay in the RDMA area.
static bool receive_body(struct cpu_context *context, struct rpi_process_peer *peer)
{
    if (peer->cp_bmsg) {
        receive_unexpected_body(context, peer);
        return true;
    }
    struct mpi_request *request = mpi_queue_pop(&peer->cp_current_recv_req);
    struct rpi_request *r = rpi_of(request);
    if (r->class == RPI_SHORT) {
        deliver_and_complete(context, peer->owner, request);
        return true;
    }
    // Long: every byte is in its place already. The completion of the ACK, without which the peer
    // would not have sent, was seen before: a driver checks the sends first.
    g_assert(request->machine.state == RPI_WAIT_BODY);
    rpi_finish(context, request);
    return false;
}

// ---- Out of step: M-VIA does not repeat a lost frame, and the next one is taken for it ----

static bool body_in_step(const struct rpi_process_peer *peer, const struct vip_descriptor *body,
                         bool restart)
{
    struct mpi_request *request = peer->cp_current_recv_req.head;
    if (!peer->cp_bmsg && !request)
        return false;
    struct message_ref next = peer->cp_bmsg ? peer->cp_bmsg->message : request->message;
    if (!message_same(next, body->message))
        return false;
    bool in_area = peer->cp_bmsg || rpi_of(request)->class == RPI_SHORT;
    return !in_area || rpi_area_in_step(peer, body->length, restart, body->message);
}

static void out_of_step(const struct rpi_process_peer *peer, const char *what)
{
    mpi_fail(peer->owner->process, "out_of_step",
             json_pack("{s:i, s:i}", "peer", peer->rank, "vi", (int)peer->cp_vi_hand->number),
             " takes %s from rank %d for another one, because what came before it was lost; "
             "M-VIA does not send it again",
             what, peer->rank);
}

void rpi_receive_event(struct cpu_context *context, struct rpi_process *rpi, struct vip_vi *vi)
{
    struct vip_descriptor *descriptor = vip_recv_done(context, vi);
    g_assert(descriptor);
    struct rpi_immediate immediate = rpi_immediate_unpack(descriptor->immediate);
    g_assert(immediate.dest_node == rpi->node);
    struct rpi_process_peer *peer = &rpi->procs[immediate.src_node];
    int64_t length = descriptor->length;
    bool in_area = true;
    cpu_spend_for(context, rpi->config->receive, &rpi_stage, descriptor->message);
    bool in_step = immediate.env
                       ? rpi_area_in_step(peer, length, immediate.restart, descriptor->message)
                       : body_in_step(peer, descriptor, immediate.restart);
    if (!in_step) {
        out_of_step(peer, immediate.env ? "an envelope" : "a body");
        return;
    }
    if (immediate.env) {
        struct rpi_envelope envelope;
        memcpy(&envelope, descriptor->content.bytes, sizeof envelope);
        receive_envelope(context, peer, &envelope);
    } else {
        in_area = receive_body(context, peer);
    }
    if (in_area)
        rpi_area_read(peer, length, immediate.restart);
    vip_post_recv(context, vi, descriptor);
}
