// SPDX-License-Identifier: GPL-3.0-or-later
// A request's life in the VIA RPI (thesis 000, 4.5): build and start, and its end.
#include "models/via/lam_via/rpi.h"

static const struct machine_state rpi_request_states[] = {
    [RPI_START] = {"start",
                   {"its start", WAIT_OTHER},
                   HELD_HERE,
                   .next = MACHINE_TO(RPI_WAIT_PIN, RPI_WAIT_DESCRIPTOR, RPI_ENVELOPE_SENT,
                                      RPI_SYN_SENT, RPI_WAIT_ACK, RPI_POSTED, RPI_WAIT_BODY,
                                      RPI_ACK_SENT, RPI_DONE)},
    [RPI_WAIT_PIN] = {"wait_pin",
                      {"memory to pin its buffer", WAIT_MEMORY},
                      HELD_HERE,
                      .next = MACHINE_TO(RPI_WAIT_DESCRIPTOR, RPI_ENVELOPE_SENT, RPI_SYN_SENT,
                                         RPI_ACK_SENT)},
    [RPI_WAIT_DESCRIPTOR] = {"wait_descriptor",
                             {"a free send descriptor", WAIT_DESCRIPTOR},
                             HELD_HERE,
                             .next = MACHINE_TO(RPI_ENVELOPE_SENT, RPI_BODY_SENT, RPI_SYN_SENT,
                                                RPI_ACK_SENT)},
    [RPI_ENVELOPE_SENT] = {"envelope_sent",
                           {"the completion of its envelope", WAIT_OTHER},
                           HELD_HERE,
                           .next = MACHINE_TO(RPI_BODY_SENT, RPI_WAIT_ACK, RPI_DONE)},
    [RPI_BODY_SENT] = {"body_sent",
                       {"the completion of its body", WAIT_OTHER},
                       HELD_HERE,
                       .next =
                           MACHINE_TO(RPI_BODY_SENT, RPI_WAIT_DESCRIPTOR, RPI_WAIT_ACK, RPI_DONE)},
    [RPI_SYN_SENT] = {"syn_sent",
                      {"the completion of its SYN", WAIT_OTHER},
                      HELD_HERE,
                      .next = MACHINE_TO(RPI_WAIT_ACK)},
    [RPI_WAIT_ACK] = {"wait_ack",
                      {"the receiver's ACK", WAIT_ACK},
                      HELD_BY_PEER,
                      .next =
                          MACHINE_TO(RPI_WAIT_DESCRIPTOR, RPI_BODY_SENT, RPI_WAIT_TURN, RPI_DONE)},
    [RPI_WAIT_TURN] = {"wait_turn",
                       {"the bodies of earlier messages to leave", WAIT_OTHER},
                       HELD_HERE,
                       .next = MACHINE_TO(RPI_WAIT_DESCRIPTOR, RPI_BODY_SENT)},
    [RPI_POSTED] = {"posted",
                    {"a matching message", WAIT_OTHER},
                    HELD_BY_PEER,
                    .next = MACHINE_TO(RPI_WAIT_PIN, RPI_WAIT_DESCRIPTOR, RPI_WAIT_BODY,
                                       RPI_ACK_SENT, RPI_DONE)},
    [RPI_WAIT_BODY] = {"wait_body",
                       {"the body", WAIT_OTHER},
                       HELD_BY_PEER,
                       .next = MACHINE_TO(RPI_WAIT_DESCRIPTOR, RPI_ACK_SENT, RPI_DONE)},
    [RPI_ACK_SENT] = {"ack_sent",
                      {"the completion of its ACK", WAIT_OTHER},
                      HELD_HERE,
                      .next = MACHINE_TO(RPI_WAIT_BODY, RPI_DONE)},
    [RPI_DONE] = {"done", {"nothing", WAIT_OTHER}, HELD_HERE},
};

const struct machine_kind rpi_request_machine = {
    .name = "request",
    .logged = "send, recv, probe",
    .title = "Request of LAM's VIA RPI",
    .source = "thesis 000, 4.5.3 and figures 4.3 (tiny), 4.4 (short), 4.5 (long)",
    .states = rpi_request_states,
    .count = G_N_ELEMENTS(rpi_request_states),
};

void rpi_finish(struct cpu_context *context, struct mpi_request *request)
{
    struct rpi_request *r = rpi_of(request);
    struct rpi_process *rpi = rpi_process_of(request->process);
    if (r->cq_packbufhand) {
        pin_cache_release(context, rpi->pins, r->cq_packbufhand);
        r->cq_packbufhand = NULL;
        rpi->retry = true;
    }
    r->isadv = false;
    rpi->done++;
    mpi_finish(context, request);
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

// The three ways in which a receive can find its message among the unexpected ones (thesis
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
