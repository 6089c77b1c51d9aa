// SPDX-License-Identifier: GPL-3.0-or-later
// A request's start in MVICH, and messages to self.
#include "models/via/mvich/mvich.h"

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

// Short ones that are not synchronous are copied aside, so that a blocking send to self can end.
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
