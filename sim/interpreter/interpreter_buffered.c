// SPDX-License-Identifier: GPL-3.0-or-later
// Buffered sends: a message is copied into the buffer that the program has attached, and sent from
// there by a request that no call waits for (MPI 1.1, 3.6). The room is found as libraries do, in
// the first gap that is large enough, and each message needs the library's overhead besides.
#include "sim/interpreter/interpreter_internal.h"

static const struct detached_request *detached_at(const struct interpreter *run, guint i)
{
    return &g_array_index(run->detached, struct detached_request, i);
}

void interpreter_detach(struct interpreter *run, struct mpi_request *request, int64_t offset,
                        int64_t bytes)
{
    struct detached_request detached = {request, offset, bytes};
    guint at = 0;
    while (at < run->detached->len && detached_at(run, at)->offset <= offset)
        at++;
    g_array_insert_val(run->detached, at, detached);
}

void interpreter_reap(struct interpreter *run, struct cpu_context *context)
{
    guint kept = 0;
    for (guint i = 0; i < run->detached->len; i++) {
        struct detached_request *at = &g_array_index(run->detached, struct detached_request, i);
        const void *arguments = at->request->operation ? at->request->arguments : NULL;
        if (!at->request->done) {
            g_array_index(run->detached, struct detached_request, kept++) = *at;
            continue;
        }
        mpi_request_free(context, at->request);
        if (arguments)
            interpreter_operation_over(run, arguments);
    }
    g_array_set_size(run->detached, kept);
}

bool interpreter_wait_for_detached(struct interpreter *run)
{
    for (guint i = 0; i < run->detached->len; i++)
        mpi_wait(run->process, detached_at(run, i)->request);
    return run->detached->len > 0;
}

// The offset of the first gap of so many bytes; -1 if there is none.
static int64_t find_room(const struct interpreter *run, int64_t bytes)
{
    int64_t offset = 0;
    for (guint i = 0; i < run->detached->len; i++) {
        const struct detached_request *at = detached_at(run, i);
        if (at->bytes == 0)
            continue;
        if (at->offset - offset >= bytes)
            return offset;
        offset = at->offset + at->bytes;
    }
    return run->buffer.bytes - offset >= bytes ? offset : -1;
}

static int64_t overhead_of(const struct interpreter *run)
{
    const struct mpi_library_config *library = run->process->library;
    return library ? library->bsend_overhead : 0;
}

static bool has_room(struct interpreter *run, struct cpu_context *context)
{
    interpreter_reap(run, context);
    run->buffer.room =
        run->buffer.attached ? find_room(run, run->step.size + overhead_of(run)) : -1;
    return run->buffer.room >= 0;
}

static void fail_for_room(struct interpreter *run)
{
    int64_t taken = 0, overhead = overhead_of(run);
    for (guint i = 0; i < run->detached->len; i++)
        taken += detached_at(run, i)->bytes;
    if (!run->buffer.attached)
        interpreter_fail(run, "no buffer is attached for buffered sends (buffer_attach: SIZE)");
    else
        interpreter_fail(run,
                         "the attached buffer of %" G_GINT64_FORMAT " B has no room for %" //
                         G_GINT64_FORMAT " B and %" G_GINT64_FORMAT " B of overhead: %"    //
                         G_GINT64_FORMAT " B are under way (MPI_ERR_BUFFER)",
                         run->buffer.bytes, run->step.size, overhead, taken);
}

// A persistent send does not wait for room.
enum interpreter_phase interpreter_find_room(struct interpreter *run, struct cpu_context *context)
{
    if (has_room(run, context))
        return PHASE_NEXT;
    interpreter_act(run, mpi_progress_always.send); // it tests all sends that are in the buffer
    if (!run->step.prebuilt)
        return PHASE_BUFFER;
    fail_for_room(run);
    return PHASE_DRAIN;
}

bool interpreter_room_again(struct interpreter *run, struct cpu_context *context)
{
    if (has_room(run, context))
        return true;
    fail_for_room(run);
    return false;
}

void interpreter_send_buffered(struct interpreter *run, struct cpu_context *context,
                               struct mpi_transfer *transfer)
{
    transfer->address = run->buffer.address + run->buffer.room;
    struct mpi_request *request = mpi_start(context, run->process, REQUEST_SEND, transfer);
    interpreter_detach(run, request, run->buffer.room, MAX(transfer->size + overhead_of(run), 1));
}

void interpreter_attach(struct interpreter *run)
{
    run->buffer = (struct attached_buffer){
        .attached = true, .address = run->step.address, .bytes = run->step.size};
}

enum interpreter_phase interpreter_detach_buffer(struct interpreter *run)
{
    run->buffer.attached = false;
    for (guint i = 0; i < run->detached->len; i++)
        if (detached_at(run, i)->bytes > 0)
            mpi_wait(run->process, detached_at(run, i)->request);
    return PHASE_WAIT;
}
