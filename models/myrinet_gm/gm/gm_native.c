// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/myrinet_gm/gm/gm_native.h"

#include <glib.h>

#define C struct gm_native_config

static const struct param native_params[] = {
    PARAM(C, poll, PARAM_BOOL, .fallback = "true",
          .doc = "look for events in a loop; false: sleep, and be woken by the card's interrupt",
          .source = "assumed: as gm_allsize does"),
    PARAM(C, poll_turn, PARAM_DURATION, .fallback = "200 ns", .least = "1 ns",
          .doc = "one turn of the loop around gm_receive", .source = "prior: tens of instructions",
          .prior = "within 2"),
    PARAM(C, buffer, PARAM_SIZE, .fallback = "4 MiB", .least = "1 B", .most = "1 GiB",
          .doc = "registered send buffer, and the largest receive buffer",
          .source = "largest message of the Pallas benchmarks"),
    PARAM(C, receive_buffers, PARAM_COUNT, .fallback = "8", .least = "1", .most = "254",
          .doc = "receive buffers of each size class that GM is given",
          .source = "assumed; thesis 001, 3.3: two suffice as a rule"),
    {0},
};

const struct param_table gm_native_table = PARAM_TABLE(
    struct gm_native_config, native_params, .name = "gm_native", .doc = "programs on bare GM");

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

static bool post(struct cpu_context *context, struct mpi_request *request, int64_t offset,
                 int64_t *taken)
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
    (void)offset;
    *taken = request->size;
    return gm_send_tokens(native->port) > 0 &&
           gm_send_with_callback(context, native->port, &message);
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
    (void)port;
    if (status != GM_SUCCESS) {
        mpi_fail(request->process, "gm_send_failed",
                 json_pack("{s:i, s:s}", "peer", request->peer, "status", status_text(status)),
                 ": sending %" G_GINT64_FORMAT " B to rank %d ended with %s (a longer "
                 "gm.send_timeout, or more gm_native.receive_buffers there, would avoid it)",
                 request->size, request->peer, status_text(status));
        return;
    }
    mpi_bare_sent(context, request, request->size);
}

// ---- Receiving ----

// The request takes the message; its buffer goes back to GM.
static void take(struct cpu_context *context, struct mpi_request *request, const void *arrived)
{
    struct gm_native_process *native = request->process->device;
    const struct gm_event *event = arrived;
    if (!mpi_bare_begin(request, event->message, event->length))
        return;
    if (event->kind == GM_FAST_RECV_EVENT)
        mem_copy(context, &request->process->host->config.memory, event->length, COPY_COLD,
                 event->message);
    ledger_deliver(request->process->sim->ledger, event->message, event->offset, event->length);
    gm_provide_receive_buffer(context, native->port, event->buffer, event->size, 0);
    mpi_bare_received(context, request, event->length);
}

// ---- The device ----

static bool poll(struct cpu_context *context, struct mpi_process *process)
{
    struct gm_native_process *native = process->device;
    struct gm_event event;
    switch (gm_receive(context, native->port, &event)) {
    case GM_RECV_EVENT:
    case GM_FAST_RECV_EVENT:
        mpi_bare_arrived(context, process, native->rank_of_host[event.source_host], &event);
        return true;
    case GM_SENT_EVENT:
    case GM_ALARM_EVENT:
        gm_unknown(context, native->port, &event);
        return true;
    case GM_NO_EVENT:
        break;
    }
    return false;
}

static void sleep_or_poll(struct cpu_context *context, struct mpi_process *process)
{
    struct gm_native_process *native = process->device;
    if (native->config->poll)
        gm_poll(context, native->port, native->config->poll_turn);
    else
        gm_block(context, native->port);
}

static const struct mpi_bare_ops bare = {
    .provider = "bare GM",
    .setting = "gm_native.buffer",
    .state = offsetof(struct gm_native_process, bare),
    .early_size = sizeof(struct gm_event),
    .post = post,
    .poll = poll,
    .sleep = sleep_or_poll,
    .take = take,
};

static const struct machine_state gm_native_states[] =
    BARE_STATES("an ACK of the target's card", WAIT_ACK,
                "a send token, which comes back with a callback", WAIT_CREDIT, "a message");

static const struct machine_kind gm_native_machine = BARE_MACHINE("bare GM", gm_native_states);

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
    BARE_DEVICE(&bare, &gm_native_machine),
    .register_memory = native_register,
    .deregister_memory = native_deregister,
    .describe_process = native_describe,
};

// ---- Create and free ----

void gm_native_init(struct gm_native_process *native, struct mpi_process *process,
                    const struct gm_native_config *config, struct gm_fabric *fabric, int hosts)
{
    native->process = process;
    native->config = config;
    mpi_bare_init(process, config->buffer);
    native->rank_of_host = g_new0(int, hosts);
    for (int rank = 0; rank < process->ranks; rank++)
        native->rank_of_host[process->peers[rank]->host->index] = rank;
    native->port =
        gm_open(fabric, process->host->index, GM_NATIVE_PORT, process->name, &process->task);
    if (native->port) // else SRAM was short, and the run ends
        prepare(native);
}

void gm_native_clear(struct gm_native_process *native)
{
    mpi_bare_clear(native->process);
    g_free(native->rank_of_host);
}
