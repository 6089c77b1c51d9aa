// SPDX-License-Identifier: GPL-3.0-or-later
// A request's life in MVICH: its start, messages to self, and its end.
#include "models/via/mvich.h"

static const char *const state_names[] = {
    [MVICH_START] = "start",
    [MVICH_EAGER_SENT] = "eager_sent",
    [MVICH_WAIT_REPLY] = "wait_reply",
    [MVICH_PUSH] = "push",
    [MVICH_DATA_SENT] = "data_sent",
    [MVICH_POSTED] = "posted",
    [MVICH_RECEIVE_EAGER] = "receive_eager",
    [MVICH_RECEIVE_R3] = "receive_r3",
    [MVICH_RECEIVE_RPUT] = "receive_rput",
    [MVICH_WAIT_SELF] = "wait_self",
    [MVICH_DONE] = "done",
};

static const char *waits_for(enum mvich_state state)
{
    static const char *const texts[] = {
        [MVICH_START] = "its start",
        [MVICH_EAGER_SENT] = "the completion of its last vbuf",
        [MVICH_WAIT_REPLY] = "the receiver's RENDEZVOUS_REPLY",
        [MVICH_PUSH] = "credits for its data",
        [MVICH_DATA_SENT] = "the completion of its last packet",
        [MVICH_POSTED] = "a matching message",
        [MVICH_RECEIVE_EAGER] = "the rest of an eager message",
        [MVICH_RECEIVE_R3] = "R3 data",
        [MVICH_RECEIVE_RPUT] = "the sender's FINISH",
        [MVICH_WAIT_SELF] = "a matching receive",
        [MVICH_DONE] = "nothing",
    };
    return texts[state];
}

void mvich_enter(struct cpu_context *context, struct mpi_request *request, enum mvich_state state,
                 const char *detail)
{
    struct mvich_request *r = mvich_of(request);
    mpi_trace(context, request, state_names[r->state], state_names[state], detail);
    r->state = state;
    request->waits_for = waits_for(state);
}

void mvich_finish(struct cpu_context *context, struct mpi_request *request)
{
    struct mvich_request *r = mvich_of(request);
    if (r->dreg)
        mvich_dreg_release(context, mvich_process_of(request->process)->dreg, r->dreg);
    r->dreg = NULL;
    mvich_enter(context, request, MVICH_DONE, NULL);
    mpi_request_done(context, request);
}

void mvich_destroy(struct cpu_context *context, struct mpi_request *request)
{
    (void)context;
    g_assert(!mvich_of(request)->dreg);
}

struct mvich_unexpected *mvich_unexpected_new(struct mvich_process *mvich,
                                              const struct mpi_envelope *envelope,
                                              struct message_ref message)
{
    struct mpi_unexpected *entry = mpi_matcher_buffer(&mvich->process->matcher, envelope);
    struct mvich_unexpected *early = pool_take(&mvich->unexpected);
    *early = (struct mvich_unexpected){.protocol = MVICH_SELF};
    entry->message = message;
    entry->whole = true;
    entry->extra[0] = (uintptr_t)early;
    return early;
}

// ---- Messages to self ----

static void copy_self(struct cpu_context *context, struct mpi_process *process, int64_t bytes,
                      struct message_ref message)
{
    mem_copy(context, &process->host->config.memory, bytes, COPY_WARM, message);
}

// `send` is NULL if the message was copied aside, and its send is over.
static void self_deliver(struct cpu_context *context, struct mpi_request *send,
                         struct mpi_request *receive)
{
    struct mpi_process *process = receive->process;
    int64_t length = receive->status.length;
    mvich_of(receive)->protocol = MVICH_SELF;
    copy_self(context, process, length, receive->message);
    ledger_deliver(process->sim->ledger, receive->message, 0, length);
    mvich_finish(context, receive);
    if (send)
        mvich_finish(context, send);
}

// Short ones that nobody waits for are copied aside, so that a blocking send to self can end;
// others wait.
static void start_self(struct cpu_context *context, struct mpi_request *send)
{
    struct mvich_process *mvich = mvich_process_of(send->process);
    struct mpi_matcher *matcher = &send->process->matcher;
    struct mpi_envelope envelope = mpi_send_envelope(send);
    mvich_of(send)->protocol = MVICH_SELF;
    for (;;) {
        int scanned;
        struct mpi_request *receive = mpi_matcher_find_posted(matcher, &envelope, &scanned);
        mpi_charge_match(context, send->process, scanned);
        if (!receive)
            break;
        if (mpi_request_truncates(receive, &envelope))
            return;
        mpi_request_match(receive, &envelope, send->message);
        if (receive->kind == MPI_RECV) {
            self_deliver(context, send, receive);
            return;
        }
        mvich_finish(context, receive);
    }
    struct mvich_unexpected *early = mvich_unexpected_new(mvich, &envelope, send->message);
    if (send->size < mvich->config->rendezvous_threshold && !send->synchronous) {
        copy_self(context, send->process, send->size, send->message);
        early->buffered = true;
        mvich_finish(context, send);
        return;
    }
    early->sreq = send;
    mvich_enter(context, send, MVICH_WAIT_SELF, "self");
}

// ---- Start ----

static void claim_unexpected(struct cpu_context *context, struct mpi_request *request,
                             struct mvich_unexpected *early)
{
    switch (early->protocol) {
    case MVICH_SELF:
        self_deliver(context, early->sreq, request);
        break;
    case MVICH_EAGER:
        mvich_eager_pull(context, request, early);
        break;
    case MVICH_R3:
    case MVICH_RPUT:
        mvich_reply(context, request, early->connection, early->protocol, early->sreq);
        break;
    }
}

static void start_receive(struct cpu_context *context, struct mpi_request *request)
{
    struct mpi_matcher *matcher = &request->process->matcher;
    int scanned;
    struct mpi_unexpected *message = mpi_matcher_find_unexpected(matcher, request, &scanned);
    mpi_charge_match(context, request->process, scanned);
    if (!message) {
        mpi_matcher_post(matcher, request);
        mvich_enter(context, request, MVICH_POSTED, NULL);
        return;
    }
    if (mpi_request_truncates(request, &message->envelope))
        return;
    mpi_request_match(request, &message->envelope, message->message);
    if (request->kind == MPI_PROBE) {
        mvich_finish(context, request);
        return;
    }
    struct mvich_unexpected *early = (struct mvich_unexpected *)(uintptr_t)message->extra[0];
    mpi_matcher_remove_unexpected(matcher, message);
    claim_unexpected(context, request, early);
    pool_give(&mvich_process_of(request->process)->unexpected, early);
}

void mvich_start(struct cpu_context *context, struct mpi_request *request)
{
    struct mvich_process *mvich = mvich_process_of(request->process);
    *mvich_of(request) = (struct mvich_request){.state = MVICH_START};
    cpu_spend_message(context, cpu_cost(context->cpu, mvich->config->start), "MVICH",
                      request->message);
    if (request->kind != MPI_SEND)
        start_receive(context, request);
    else if (request->peer == request->process->rank)
        start_self(context, request);
    else
        mvich_send_start(context, request);
}
