// SPDX-License-Identifier: GPL-3.0-or-later
// Sends and receives as active messages: the thesis has no MPI over GRIM; this is the least that
// carries programs and barriers. A send is cut into messages whose arguments hold the envelope; the
// handler copies them to the receive that matches, or into a buffer. A synchronous send waits for a
// message back. A message to oneself is not carried.
#include "models/grim/endpoint/endpoint.h"

// ---- Sending ----

void grim_send_taken(struct cpu_context *context, struct grim_endpoint *endpoint,
                     const struct grim_message *message)
{
    for (struct mpi_request *at = endpoint->process->active; at; at = at->active_next)
        if (at->kind == REQUEST_SEND && at->machine.state == GRIM_REQUEST_TAKEN &&
            at->peer == message->source &&
            (at->number & GRIM_REQUEST_MASK) == message->argument[0]) {
            mpi_finish(context, at);
            return;
        }
    g_assert_not_reached();
}

// ---- Receiving ----

// All data are in the user's buffer.
static void received(struct cpu_context *context, struct mpi_request *request, uint32_t flags)
{
    grim_of(request)->confirms = flags >> GRIM_REQUEST_SHIFT & GRIM_REQUEST_MASK;
    if (flags & GRIM_SYNCHRONOUS)
        grim_inject(context, request, GRIM_REQUEST_CONFIRM);
    else
        mpi_finish(context, request);
}

// Finds the receive of a message's first part. Returns false after an error.
static bool match(struct cpu_context *context, struct grim_endpoint *endpoint,
                  const struct grim_message *message, struct grim_partial *partial)
{
    struct mpi_envelope envelope = grim_envelope_of(message);
    bool good;
    partial->request = mpi_arrived(context, endpoint->process, &envelope, message->message, &good);
    if (!good)
        return false;
    partial->left = envelope.length;
    partial->busy = true;
    if (partial->request) {
        grim_enter(context, partial->request, GRIM_REQUEST_PARTS);
        return true;
    }
    partial->unexpected = mpi_keep(context, endpoint->process, &envelope, message->message, NULL);
    partial->unexpected->whole = false;
    partial->unexpected->extra[0] = message->argument[3];
    return true;
}

static void part_to_user(struct cpu_context *context, struct grim_endpoint *endpoint,
                         const struct grim_message *message)
{
    mpi_copy(context, endpoint->process, message->bytes, COPY_COLD, message->message);
    ledger_deliver(endpoint->process->sim->ledger, message->message, message->offset,
                   message->length);
}

void grim_receive_part(struct cpu_context *context, struct grim_endpoint *endpoint,
                       const struct grim_message *message)
{
    struct grim_partial *partial = sparse_at(&endpoint->partial, message->source);
    if (!partial->busy && !match(context, endpoint, message, partial))
        return;
    struct mpi_unexpected *unexpected = partial->unexpected;
    partial->left -= message->bytes;
    if (partial->request) {
        part_to_user(context, endpoint, message);
    } else {
        mpi_copy(context, endpoint->process, message->bytes, COPY_COLD, message->message);
        unexpected->buffered += message->bytes;
    }
    if (partial->left > 0)
        return;
    struct mpi_request *request = partial->request;
    *partial = (struct grim_partial){0};
    if (unexpected)
        unexpected->whole = true;
    else if (request)
        received(context, request, message->argument[3]);
}

// Copies the arrived part of an unexpected message to the user's buffer; the rest goes there at
// once.
static void claim(struct cpu_context *context, struct mpi_request *request,
                  struct mpi_unexpected *unexpected)
{
    struct grim_endpoint *endpoint = grim_endpoint_of(request->process);
    uint32_t flags = (uint32_t)unexpected->extra[0];
    mpi_copy(context, endpoint->process, unexpected->buffered, COPY_WARM, unexpected->message);
    ledger_deliver(endpoint->process->sim->ledger, unexpected->message, 0, unexpected->buffered);
    if (unexpected->whole) {
        received(context, request, flags);
        return;
    }
    struct grim_partial *partial = sparse_at(&endpoint->partial, unexpected->envelope.source);
    partial->request = request;
    partial->unexpected = NULL;
    grim_enter(context, request, GRIM_REQUEST_PARTS);
}

const struct mpi_arrival_ops grim_arrival = {
    .posted = GRIM_REQUEST_POSTED, .done = GRIM_REQUEST_DONE, .claim = claim};
