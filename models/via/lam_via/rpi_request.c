// SPDX-License-Identifier: GPL-3.0-or-later
// A request's start in the VIA RPI (thesis 000, 4.5): build and start, and destroy.
#include "models/via/lam_via/rpi.h"

void rpi_destroy(struct cpu_context *context, struct mpi_request *request)
{
    struct rpi_request *r = rpi_of(request);
    struct rpi_process *rpi = rpi_process_of(request->process);
    rpi->inside = false;
    if (r->cq_packbufhand)
        pin_cache_release(context, rpi->pins, r->cq_packbufhand);
    r->cq_packbufhand = NULL;
    rpi_buffer_give(rpi, r->cq_envbuf);
    r->cq_envbuf = NULL;
}

// ---- Start of a receive ----

// The three states in which a receive can find its message among the unexpected ones (thesis
// 000, 4.7.5); self is the fourth.
static void claim_unexpected(struct cpu_context *context, struct mpi_request *request,
                             struct mpi_unexpected *message)
{
    struct rpi_request *r = rpi_of(request);
    struct mpi_process *process = request->process;
    struct rpi_process *rpi = rpi_process_of(process);
    struct rpi_process_peer *peer = rpi_peer_of(rpi, message->envelope.source);
    int flags = (int)message->extra[1];
    r->cq_peer = peer;
    r->source_request = (struct mpi_request *)(uintptr_t)message->extra[0];
    r->acknowledge = (flags & RPI_C2CSSEND) != 0;
    if (flags & RPI_C2CLONG) {
        rpi_receive_syn(context, request, peer);
    } else if (message->whole) {
        mpi_copy(context, process, request->status.length, COPY_WARM, request->message);
        mpi_deliver(request);
        rpi_receive_complete(context, request);
    } else {
        // Between envelope and body: the buffer that was made for the body is not needed any more.
        g_assert(peer->cp_bmsg == message);
        peer->cp_bmsg = NULL;
        rpi_expect_body(context, request, peer);
    }
}

// A posted receive that may get a long message pins its buffer now (thesis 000, 4.5.2). If it
// can't, it is tried again when the SYN has come.
static void pin_early(struct cpu_context *context, struct mpi_request *request)
{
    struct rpi_request *r = rpi_of(request);
    struct rpi_process *rpi = rpi_process_of(request->process);
    if (request->kind == REQUEST_RECV && request->size > rpi->config->short_limit)
        r->cq_packbufhand = pin_cache_acquire(context, rpi->pins, request->address, request->size);
}

// A message to self waits as an unexpected one that names its send request (cm_req); the receive
// completes both.
static void wait(struct cpu_context *context, struct mpi_request *request)
{
    if (request->kind == REQUEST_SEND) {
        mpi_enter(context, request, RPI_WAIT_ACK, "self");
        return;
    }
    pin_early(context, request);
    mpi_enter(context, request, RPI_POSTED, NULL);
}

const struct mpi_arrival_ops rpi_arrival = {
    .send = rpi_send_start,
    .finish = rpi_finish,
    .done = RPI_DONE,
    .wait = wait,
    .claim = claim_unexpected,
    .machine = "cbuf",
    .self = "unexpected_self",
};

void rpi_start(struct cpu_context *context, struct mpi_request *request)
{
    struct rpi_process *rpi = rpi_process_of(request->process);
    rpi->inside = false;
    rpi_of(request)->isadv = true;
    cpu_spend_for(context, rpi->config->start, &rpi_stage, request->message);
    if (request->kind == REQUEST_SEND && request->peer == request->process->rank)
        rpi_of(request)->class = RPI_SELF;
    mpi_matched_start(context, request);
}
