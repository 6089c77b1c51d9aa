// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/mpi/arrival.h"

static const struct mpi_arrival_ops *ops_of(const struct mpi_process *process)
{
    return process->ops->arrival;
}

void mpi_copy(struct cpu_context *context, const struct mpi_process *process, int64_t bytes,
              enum copy_source source, struct message_ref message)
{
    if (bytes > 0)
        mem_copy(context, &process->host->config.memory, bytes, source, message);
}

void mpi_deliver(const struct mpi_request *request)
{
    ledger_deliver(request->process->sim->ledger, request->message, 0, request->status.length);
}

struct mpi_request *mpi_arrived(struct cpu_context *context, struct mpi_process *process,
                                const struct mpi_envelope *envelope, struct message_ref message,
                                bool *good)
{
    *good = true;
    for (;;) {
        int scanned;
        struct mpi_request *request =
            mpi_matcher_find_posted(&process->matcher, envelope, &scanned);
        mpi_charge_match(context, process, scanned);
        if (!request)
            return NULL;
        *good = !mpi_request_truncates(request, envelope);
        if (!*good)
            return NULL;
        mpi_request_match(request, envelope, message);
        if (request->kind != MPI_PROBE)
            return request;
        // A probe only learns of the message; the search goes on.
        ops_of(process)->finish(context, request);
    }
}

struct mpi_unexpected *mpi_keep(struct cpu_context *context, struct mpi_process *process,
                                const struct mpi_envelope *envelope, struct message_ref message,
                                const char *name)
{
    struct mpi_unexpected *kept = mpi_matcher_buffer(&process->matcher, envelope);
    kept->message = message;
    if (!ops_of(process)->machine)
        return kept;
    struct trace_transition transition = {.where = process->name,
                                          .machine = ops_of(process)->machine,
                                          .subject = envelope->sequence,
                                          .to = name};
    trace_transition(process->sim->trace, cpu_lane(context->cpu), context->now, &transition);
    return kept;
}

// ---- Messages to oneself ----

bool mpi_buffers_plain(const struct mpi_request *send)
{
    return !send->synchronous;
}

// `send`: NULL if it is done.
static void self_deliver(struct cpu_context *context, struct mpi_request *receive,
                         struct mpi_request *send)
{
    const struct mpi_process *process = receive->process;
    mpi_copy(context, process, receive->status.length, COPY_WARM, receive->message);
    mpi_deliver(receive);
    ops_of(process)->finish(context, receive);
    if (send)
        ops_of(process)->finish(context, send);
}

void mpi_self_send(struct cpu_context *context, struct mpi_request *send)
{
    struct mpi_process *process = send->process;
    const struct mpi_arrival_ops *ops = ops_of(process);
    struct mpi_envelope envelope = mpi_send_envelope(send);
    bool good;
    struct mpi_request *receive = mpi_arrived(context, process, &envelope, send->message, &good);
    if (!good)
        return;
    if (receive) {
        self_deliver(context, receive, send);
        return;
    }
    struct mpi_unexpected *kept = mpi_keep(context, process, &envelope, send->message, ops->self);
    kept->whole = true;
    if (!ops->buffers_self || !ops->buffers_self(send)) {
        kept->self_send = send;
        ops->wait(context, send);
        return;
    }
    kept->buffered = send->size;
    mpi_copy(context, process, send->size, COPY_WARM, send->message);
    ops->finish(context, send);
}

// ---- Start of a receive ----

void mpi_receive_start(struct cpu_context *context, struct mpi_request *request)
{
    struct mpi_process *process = request->process;
    struct mpi_matcher *matcher = &process->matcher;
    const struct mpi_arrival_ops *ops = ops_of(process);
    int scanned;
    struct mpi_unexpected *message = mpi_matcher_find_unexpected(matcher, request, &scanned);
    mpi_charge_match(context, process, scanned);
    if (!message) {
        mpi_matcher_post(matcher, request);
        ops->wait(context, request);
        return;
    }
    if (mpi_request_truncates(request, &message->envelope))
        return;
    mpi_request_match(request, &message->envelope, message->message);
    if (request->kind == MPI_PROBE) {
        ops->finish(context, request);
        return;
    }
    if (message->envelope.source == process->rank)
        self_deliver(context, request, message->self_send);
    else
        ops->claim(context, request, message);
    mpi_matcher_remove_unexpected(matcher, message);
}
