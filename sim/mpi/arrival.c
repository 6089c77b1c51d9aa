// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/mpi/arrival.h"

static const struct mpi_arrival_ops *device_ops_of(const struct mpi_process *process)
{
    return process->ops->arrival;
}

static const struct machine_state plain_states[] = {
    [PLAIN_START] = {"start",
                     {"its start", WAIT_OTHER},
                     HELD_HERE,
                     MACHINE_TO(PLAIN_POSTED, PLAIN_DONE)},
    [PLAIN_POSTED] = {"posted",
                      {"a matching message", WAIT_OTHER},
                      HELD_BY_PEER,
                      MACHINE_TO(PLAIN_DONE)},
    [PLAIN_DONE] = {"done", {"nothing", WAIT_OTHER}, HELD_HERE, 0},
};

const struct machine_kind mpi_plain_machine = {
    .name = "request",
    .logged = "send, recv, probe",
    .title = "Request of a library without states of its own",
    .source = "MPI 1.1, 3.7",
    .states = plain_states,
    .count = G_N_ELEMENTS(plain_states),
};

void mpi_finish(struct cpu_context *context, struct mpi_request *request)
{
    mpi_enter(context, request, device_ops_of(request->process)->done, NULL);
    mpi_request_done(context, request);
}

static void arrival_finish(struct cpu_context *context, struct mpi_request *request)
{
    const struct mpi_arrival_ops *ops = device_ops_of(request->process);
    (ops->finish ? ops->finish : mpi_finish)(context, request);
}

static void wait(struct cpu_context *context, struct mpi_request *request)
{
    const struct mpi_arrival_ops *ops = device_ops_of(request->process);
    if (ops->wait)
        ops->wait(context, request);
    else
        mpi_enter(context, request, request->kind == REQUEST_SEND ? ops->waits_self : ops->posted,
                  NULL);
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
        if (request->kind != REQUEST_PROBE)
            return request;
        // A probe only reports the message; the search continues.
        arrival_finish(context, request);
    }
}

// MPI leaves the outcome open; here the run fails and names the rank at fault.
static void fail_ready(const struct mpi_process *process, const struct mpi_envelope *envelope)
{
    mpi_fail(process, "not_ready", json_pack("{s:i}", "peer", envelope->source),
             " gets %" G_GINT64_FORMAT " B with tag %d by a ready send of rank %d, and has posted "
             "no receive for it (MPI_Rsend wants one before it starts)",
             envelope->length, envelope->tag, envelope->source);
}

struct mpi_unexpected *mpi_keep(struct cpu_context *context, struct mpi_process *process,
                                const struct mpi_envelope *envelope, struct message_ref message,
                                const char *name)
{
    struct mpi_unexpected *kept = mpi_matcher_buffer(&process->matcher, envelope);
    kept->message = message;
    if (ledger_marked(process->sim->ledger, message))
        fail_ready(process, envelope);
    if (!device_ops_of(process)->machine)
        return kept;
    cpu_trace_event(context,
                    (struct machine_owner){.where = process->name,
                                           .subject = envelope->sequence,
                                           .machine = device_ops_of(process)->machine},
                    NULL, name, NULL);
    return kept;
}

void mpi_arrived_whole(struct cpu_context *context, struct mpi_process *process,
                       const struct mpi_envelope *envelope, struct message_ref message)
{
    bool good;
    struct mpi_request *request = mpi_arrived(context, process, envelope, message, &good);
    if (request)
        arrival_finish(context, request);
    else if (good)
        mpi_keep(context, process, envelope, message, NULL)->whole = true;
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
    arrival_finish(context, receive);
    if (send)
        arrival_finish(context, send);
}

void mpi_self_send(struct cpu_context *context, struct mpi_request *send)
{
    struct mpi_process *process = send->process;
    const struct mpi_arrival_ops *ops = device_ops_of(process);
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
        wait(context, send);
        return;
    }
    kept->buffered = send->size;
    mpi_copy(context, process, send->size, COPY_WARM, send->message);
    arrival_finish(context, send);
}

// ---- Start of a receive ----

void mpi_receive_start(struct cpu_context *context, struct mpi_request *request)
{
    struct mpi_process *process = request->process;
    struct mpi_matcher *matcher = &process->matcher;
    const struct mpi_arrival_ops *ops = device_ops_of(process);
    int scanned;
    struct mpi_unexpected *message = mpi_matcher_find_unexpected(matcher, request, &scanned);
    mpi_charge_match(context, process, scanned);
    if (!message) {
        mpi_matcher_post(matcher, request);
        wait(context, request);
        return;
    }
    if (mpi_request_truncates(request, &message->envelope))
        return;
    mpi_request_match(request, &message->envelope, message->message);
    if (request->kind == REQUEST_PROBE) {
        arrival_finish(context, request);
        return;
    }
    if (message->envelope.source == process->rank)
        self_deliver(context, request, message->self_send);
    else if (ops->claim)
        ops->claim(context, request, message);
    else
        arrival_finish(context, request);
    mpi_matcher_remove_unexpected(matcher, message);
}

void mpi_matched_start(struct cpu_context *context, struct mpi_request *request)
{
    if (request->kind != REQUEST_SEND)
        mpi_receive_start(context, request);
    else if (request->peer == request->process->rank)
        mpi_self_send(context, request);
    else
        device_ops_of(request->process)->send(context, request);
}
