// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpi_tcp/matching.h"

void matching_copy(struct cpu_context *context, const struct mpi_process *process, int64_t bytes,
                   struct message_ref message)
{
    if (bytes > 0)
        mem_copy(context, &process->host->config.memory, bytes, COPY_WARM, message);
}

void matching_deliver(const struct mpi_request *request)
{
    ledger_deliver(request->process->sim->ledger, request->message, 0, request->status.length);
}

struct mpi_request *matching_arrived(struct cpu_context *context, struct mpi_process *process,
                                     const struct mpi_envelope *envelope,
                                     struct message_ref message, const struct matching_ops *ops,
                                     bool *good)
{
    struct mpi_request *request;
    *good = true;
    do {
        int scanned;
        request = mpi_matcher_find_posted(&process->matcher, envelope, &scanned);
        mpi_charge_match(context, process, scanned);
        if (!request)
            return NULL;
        if (mpi_request_truncates(request, envelope)) {
            *good = false;
            return NULL;
        }
        mpi_request_match(request, envelope, message);
        if (request->kind == MPI_PROBE)
            ops->finish(context, request);
    } while (request->kind == MPI_PROBE);
    return request;
}

struct mpi_unexpected *matching_keep(struct cpu_context *context, struct mpi_process *process,
                                     const struct mpi_envelope *envelope,
                                     struct message_ref message, const char *name)
{
    struct mpi_unexpected *kept = mpi_matcher_buffer(&process->matcher, envelope);
    struct trace_transition transition = {
        .where = process->name, .machine = "cbuf", .subject = envelope->sequence, .to = name};
    kept->message = message;
    trace_transition(process->sim->trace, cpu_lane(context->cpu), context->now, &transition);
    return kept;
}

// ---- Messages to oneself ----

static void self_deliver(struct cpu_context *context, struct mpi_request *receive,
                         const struct matching_ops *ops)
{
    matching_copy(context, receive->process, receive->status.length, receive->message);
    matching_deliver(receive);
    ops->finish(context, receive);
}

void matching_send_to_self(struct cpu_context *context, struct mpi_request *send,
                           const struct matching_ops *ops)
{
    struct mpi_process *process = send->process;
    struct mpi_envelope envelope = mpi_send_envelope(send);
    bool good;
    struct mpi_request *receive =
        matching_arrived(context, process, &envelope, send->message, ops, &good);
    if (!good)
        return;
    if (receive) {
        self_deliver(context, receive, ops);
        ops->finish(context, send);
        return;
    }
    struct mpi_unexpected *kept =
        matching_keep(context, process, &envelope, send->message, "unexpected_self");
    kept->whole = true;
    if (send->synchronous) {
        kept->self_send = send;
        ops->wait(context, send);
        return;
    }
    kept->buffered = send->size;
    matching_copy(context, process, send->size, send->message);
    ops->finish(context, send);
}

static void claim_self(struct cpu_context *context, struct mpi_request *receive,
                       struct mpi_unexpected *message, const struct matching_ops *ops)
{
    struct mpi_request *send = message->self_send;
    self_deliver(context, receive, ops);
    if (send)
        ops->finish(context, send);
}

// ---- Start of a receive ----

void matching_start(struct cpu_context *context, struct mpi_request *request,
                    const struct matching_ops *ops)
{
    struct mpi_process *process = request->process;
    struct mpi_matcher *matcher = &process->matcher;
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
        claim_self(context, request, message, ops);
    else
        ops->claim(context, request, message);
    mpi_matcher_remove_unexpected(matcher, message);
}
