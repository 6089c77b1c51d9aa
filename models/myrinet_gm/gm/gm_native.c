// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/myrinet_gm/gm/gm_native.h"

#include "sim/core/pool.h"

#include <glib.h>

#define C struct gm_native_config

static const struct param native_params[] = {
    PARAM(C, poll, PARAM_BOOL, .fallback = "true",
          .doc = "look for events in a loop; false: sleep, and be woken by the card's interrupt",
          .source = "assumed: as gm_allsize does"),
    PARAM(C, poll_turn, PARAM_DURATION, .fallback = "200 ns", .least = "1 ns",
          .doc = "one turn of the loop around gm_receive", .source = "prior: tens of instructions"),
    PARAM(C, buffer, PARAM_SIZE, .fallback = "4 MiB", .least = "1 B", .most = "1 GiB",
          .doc = "registered send buffer, and the largest receive buffer",
          .source = "largest message of the Pallas benchmarks"),
    PARAM(C, receive_buffers, PARAM_COUNT, .fallback = "8", .least = "1", .most = "254",
          .doc = "receive buffers of each size class that GM is given",
          .source = "assumed; thesis 001, 3.3: two suffice as a rule"),
    {0},
};

const struct param_table gm_native_table = {
    .name = "gm_native",
    .doc = "programs on bare GM",
    .size = sizeof(struct gm_native_config),
    .params = native_params,
};

// A message that came before its receive.
struct early {
    struct gm_event event;
    struct early *next;
};

struct native_peer {
    struct early *early, *early_tail;
};

int gm_native_classes(const struct gm_native_config *config)
{
    return gm_min_size_for_length(config->buffer) + 1;
}

// ---- Startup: before the run ----

static void prepare(struct gm_native_process *native)
{
    const struct gm_native_config *config = native->config;
    int classes = gm_native_classes(config);
    int64_t largest = (int64_t)1 << (classes - 1);
    native->send_buffer = mpi_process_allocate(native->process, config->buffer);
    native->receive_buffer = mpi_process_allocate(native->process, largest);
    gm_dma_memory(native->port, native->send_buffer, config->buffer);
    gm_dma_memory(native->port, native->receive_buffer, largest);
    for (int size = 0; size < classes; size++)
        for (int64_t i = 0; i < config->receive_buffers; i++)
            gm_provide_at_start(native->port, native->receive_buffer, size, 0);
}

// ---- Sending ----

static void sent_callback(struct cpu_context *context, struct gm_port *port, void *callback_context,
                          enum gm_status status);

static bool try_send(struct cpu_context *context, struct mpi_request *request)
{
    struct gm_native_process *native = request->process->device;
    const struct mpi_process *peer = request->process->peers[request->peer];
    struct gm_message message = {
        .address = native->send_buffer,
        .length = request->size,
        .size = gm_min_size_for_length(request->size),
        .target_host = peer->host->index,
        .target_port = GM_NATIVE_PORT,
        .message = request->message,
        .callback = sent_callback,
        .callback_context = request,
    };
    if (gm_send_tokens(native->port) == 0) {
        request->waits_for = "a send token, which comes back with a callback";
        return false;
    }
    request->waits_for = "an ACK of the target's card";
    return gm_send_with_callback(context, native->port, &message);
}

static const char *status_text(enum gm_status status)
{
    switch (status) {
    case GM_SUCCESS:
        return "GM_SUCCESS";
    case GM_SEND_TIMED_OUT:
        return "GM_SEND_TIMED_OUT";
    case GM_SEND_REJECTED:
        return "GM_SEND_REJECTED";
    case GM_SEND_PORT_CLOSED:
        return "GM_SEND_TARGET_PORT_CLOSED";
    }
    return NULL;
}

static void sent_callback(struct cpu_context *context, struct gm_port *port, void *callback_context,
                          enum gm_status status)
{
    struct mpi_request *request = callback_context;
    struct gm_native_process *native = request->process->device;
    (void)port;
    if (status != GM_SUCCESS) {
        sim_fail(request->process->sim, SIM_FAILED, "gm_send_failed",
                 json_pack("{s:i, s:i, s:s}", "rank", request->process->rank, "peer", request->peer,
                           "status", status_text(status)),
                 "rank %d: sending %" G_GINT64_FORMAT " B to rank %d ended with %s (a longer "
                 "gm.send_timeout, or more gm_native.receive_buffers there, would avoid it)",
                 request->process->rank, request->size, request->peer, status_text(status));
        return;
    }
    mpi_trace(context, request, "sent", "done", NULL);
    mpi_request_done(context, request);
    struct mpi_request *waiting = native->waiting.head;
    if (waiting && try_send(context, waiting))
        mpi_queue_pop(&native->waiting);
}

// ---- Receiving ----

// The request takes the message; its buffer goes back to GM.
static void take(struct cpu_context *context, struct mpi_request *request,
                 const struct gm_event *event)
{
    struct gm_native_process *native = request->process->device;
    struct mpi_envelope envelope = {.source = request->peer, .length = event->length};
    if (mpi_request_truncates(request, &envelope))
        return;
    mpi_request_match(request, &envelope, event->message);
    if (event->kind == GM_FAST_RECV_EVENT)
        mem_copy(context, &request->process->host->config.memory, event->length, COPY_COLD,
                 event->message);
    ledger_deliver(request->process->sim->ledger, event->message, event->offset, event->length);
    gm_provide_receive_buffer(context, native->port, event->buffer, event->size, 0);
    mpi_trace(context, request, "posted", "done", NULL);
    mpi_request_done(context, request);
}

static struct mpi_request *oldest_receive(const struct mpi_process *process, int peer)
{
    struct mpi_request *oldest = NULL;
    for (struct mpi_request *at = process->active; at; at = at->active_next)
        if (at->kind == MPI_RECV && at->peer == peer)
            oldest = at;
    return oldest;
}

static void arrived(struct cpu_context *context, struct gm_native_process *native,
                    const struct gm_event *event)
{
    int rank = native->rank_of_host[event->source_host];
    struct native_peer *peer = &native->peers[rank];
    struct mpi_request *request = oldest_receive(native->process, rank);
    if (request) {
        take(context, request, event);
        return;
    }
    struct early *early = pool_take(&native->early_pool);
    early->event = *event;
    early->next = NULL;
    if (peer->early)
        peer->early_tail->next = early;
    else
        peer->early = early;
    peer->early_tail = early;
}

static void start_receive(struct cpu_context *context, struct mpi_request *request)
{
    struct gm_native_process *native = request->process->device;
    struct native_peer *peer = &native->peers[request->peer];
    struct early *early = peer->early;
    request->waits_for = "a message";
    if (!early)
        return;
    peer->early = early->next;
    take(context, request, &early->event);
    pool_give(&native->early_pool, early);
}

// ---- The device ----

static void native_start(struct cpu_context *context, struct mpi_request *request)
{
    struct gm_native_process *native = request->process->device;
    mpi_trace(context, request, "start", request->kind == MPI_SEND ? "sent" : "posted", NULL);
    if (request->peer < 0 || request->peer == request->process->rank) {
        sim_fail(native->process->sim, SIM_FAILED, "unsupported",
                 json_pack("{s:i}", "rank", native->process->rank),
                 "rank %d: bare GM has no messages from any source or to self",
                 native->process->rank);
        return;
    }
    if (request->size > native->config->buffer) {
        sim_fail(
            native->process->sim, SIM_FAILED, "buffer_too_small",
            json_pack("{s:i, s:s}", "rank", native->process->rank, "setting", "gm_native.buffer"),
            "a message of %" G_GINT64_FORMAT " B does not fit gm_native.buffer", request->size);
        return;
    }
    if (request->kind != MPI_SEND)
        start_receive(context, request);
    else if (native->waiting.head || !try_send(context, request))
        mpi_queue_append(&native->waiting, request);
}

static enum mpi_progress native_advance(struct cpu_context *context, struct mpi_process *process,
                                        bool blocking)
{
    struct gm_native_process *native = process->device;
    const struct gm_native_config *config = native->config;
    struct gm_event event;
    switch (gm_receive(context, native->port, &event)) {
    case GM_RECV_EVENT:
    case GM_FAST_RECV_EVENT:
        arrived(context, native, &event);
        return MPI_PROGRESS_EVENT;
    case GM_SENT_EVENT:
    case GM_ALARM_EVENT:
        gm_unknown(context, native->port, &event);
        return MPI_PROGRESS_EVENT;
    case GM_NO_EVENT:
        break;
    }
    if (!blocking)
        return MPI_PROGRESS_NOTHING;
    if (config->poll)
        gm_poll(context, native->port, config->poll_turn);
    else
        gm_block(context, native->port);
    return MPI_PROGRESS_BLOCKED;
}

static bool native_register(struct cpu_context *context, struct mpi_process *process,
                            int64_t address, int64_t size)
{
    struct gm_native_process *native = process->device;
    return gm_register_memory(context, native->port, address, size);
}

static bool native_deregister(struct cpu_context *context, struct mpi_process *process,
                              int64_t address, int64_t size)
{
    struct gm_native_process *native = process->device;
    return gm_deregister_memory(context, native->port, address, size);
}

static json_t *native_describe(const struct mpi_process *process)
{
    const struct gm_native_process *native = process->device;
    return gm_describe(native->port);
}

const struct mpi_device_ops gm_native_ops = {
    .name = "GM",
    .start = native_start,
    .advance = native_advance,
    .register_memory = native_register,
    .deregister_memory = native_deregister,
    .describe_process = native_describe,
};

// ---- Life ----

void gm_native_init(struct gm_native_process *native, struct mpi_process *process,
                    const struct gm_native_config *config, struct gm_fabric *fabric, int hosts)
{
    native->process = process;
    native->config = config;
    native->peers = g_new0(struct native_peer, process->ranks);
    native->rank_of_host = g_new0(int, hosts);
    for (int rank = 0; rank < process->ranks; rank++)
        native->rank_of_host[process->peers[rank]->host->index] = rank;
    pool_init(&native->early_pool, sizeof(struct early));
    native->port =
        gm_open(fabric, process->host->index, GM_NATIVE_PORT, process->name, &process->task);
    if (native->port) // else SRAM was short, and the run ends
        prepare(native);
}

void gm_native_clear(struct gm_native_process *native)
{
    pool_clear(&native->early_pool);
    g_free(native->peers);
    g_free(native->rank_of_host);
}
