// SPDX-License-Identifier: GPL-3.0-or-later
// A request's life in MVICH: its start, messages to self, and its end.
#include "models/via/mvich/mvich.h"

static const struct machine_state mvich_request_states[] = {
    [MVICH_START] = {"start",
                     {"its start", WAIT_OTHER},
                     HELD_HERE,
                     .next = MACHINE_TO(MVICH_EAGER_SENT, MVICH_WAIT_REPLY, MVICH_POSTED,
                                        MVICH_RECEIVE_EAGER, MVICH_RECEIVE_R3, MVICH_RECEIVE_RPUT,
                                        MVICH_WAIT_SELF, MVICH_DONE)},
    [MVICH_EAGER_SENT] = {"eager_sent",
                          {"the completion of its last vbuf", WAIT_OTHER},
                          HELD_HERE,
                          .next = MACHINE_TO(MVICH_DONE)},
    [MVICH_WAIT_REPLY] = {"wait_reply",
                          {"the receiver's RENDEZVOUS_REPLY", WAIT_ACK},
                          HELD_BY_PEER,
                          .next = MACHINE_TO(MVICH_PUSH)},
    [MVICH_PUSH] = {"push",
                    {"credits for its data", WAIT_CREDIT},
                    HELD_BY_PEER,
                    .next = MACHINE_TO(MVICH_DATA_SENT)},
    [MVICH_DATA_SENT] = {"data_sent",
                         {"the completion of its last packet", WAIT_OTHER},
                         HELD_HERE,
                         .next = MACHINE_TO(MVICH_DONE)},
    [MVICH_POSTED] = {"posted",
                      {"a matching message", WAIT_OTHER},
                      HELD_BY_PEER,
                      .next = MACHINE_TO(MVICH_RECEIVE_EAGER, MVICH_RECEIVE_R3, MVICH_RECEIVE_RPUT,
                                         MVICH_DONE)},
    [MVICH_RECEIVE_EAGER] = {"receive_eager",
                             {"the rest of an eager message", WAIT_OTHER},
                             HELD_BY_PEER,
                             .next = MACHINE_TO(MVICH_DONE)},
    [MVICH_RECEIVE_R3] = {"receive_r3",
                          {"R3 data", WAIT_OTHER},
                          HELD_BY_PEER,
                          .next = MACHINE_TO(MVICH_DONE)},
    [MVICH_RECEIVE_RPUT] = {"receive_rput",
                            {"the sender's FINISH", WAIT_OTHER},
                            HELD_BY_PEER,
                            .next = MACHINE_TO(MVICH_DONE)},
    [MVICH_WAIT_SELF] = {"wait_self",
                         {"a matching receive", WAIT_OTHER},
                         HELD_HERE,
                         .next = MACHINE_TO(MVICH_DONE)},
    [MVICH_DONE] = {"done", {"nothing", WAIT_OTHER}, HELD_HERE},
};

const struct machine_kind mvich_request_machine = {
    .name = "request",
    .logged = "send, recv, probe",
    .title = "Request of MVICH",
    .source = "MVICH's protocols EAGER, R3 and RPUT",
    .states = mvich_request_states,
    .count = G_N_ELEMENTS(mvich_request_states),
};

void mvich_finish(struct cpu_context *context, struct mpi_request *request)
{
    struct mvich_request *r = mvich_of(request);
    if (r->dreg)
        mvich_dreg_release(context, mvich_process_of(request->process)->dreg, r->dreg);
    r->dreg = NULL;
    mpi_finish(context, request);
}

void mvich_destroy(struct cpu_context *context, struct mpi_request *request)
{
    (void)context;
    g_assert(!mvich_of(request)->dreg);
}

// ---- Start ----

static void wait(struct cpu_context *context, struct mpi_request *request)
{
    bool self = request->kind == REQUEST_SEND;
    mpi_enter(context, request, self ? MVICH_WAIT_SELF : MVICH_POSTED, self ? "self" : NULL);
}

static void claim_unexpected(struct cpu_context *context, struct mpi_request *request,
                             struct mpi_unexpected *message)
{
    struct mvich_unexpected *early = (struct mvich_unexpected *)(uintptr_t)message->extra[0];
    if (early->protocol == MVICH_EAGER)
        mvich_eager_pull(context, request, early);
    else
        mvich_reply(context, request, early->connection, early->protocol, early->sreq);
    pool_give(&mvich_process_of(request->process)->unexpected, early);
}

// Short ones that nobody waits for are copied aside, so that a blocking send to self can end.
static bool buffers_self(const struct mpi_request *send)
{
    const struct mvich_process *mvich = mvich_process_of(send->process);
    return send->size < mvich->config->rendezvous_threshold && !send->synchronous;
}

const struct mpi_arrival_ops mvich_arrival = {
    .send = mvich_send_start,
    .finish = mvich_finish,
    .done = MVICH_DONE,
    .wait = wait,
    .claim = claim_unexpected,
    .buffers_self = buffers_self,
    .machine = "unexpected",
    .self = "self",
};

void mvich_start(struct cpu_context *context, struct mpi_request *request)
{
    struct mvich_process *mvich = mvich_process_of(request->process);
    cpu_spend_for(context, mvich->config->start, &mvich_stage, request->message);
    if (request->kind == REQUEST_SEND && request->peer == request->process->rank)
        mvich_of(request)->protocol = MVICH_SELF;
    mpi_matched_start(context, request);
}
