// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/via/vip/native.h"

#include "models/via/vip/process.h"
#include "sim/mpi/startup.h"

#define C struct native_config

static const struct param native_params[] = {
    PARAM(C, poll, PARAM_BOOL, .fallback = "true",
          .doc = "look for completions in a loop instead of sleeping",
          .source = "assumed: as latency tests of M-VIA do"),
    PARAM(C, descriptors, PARAM_COUNT, .fallback = "16", .least = "1", .most = "4096",
          .doc = "receive descriptors posted ahead, and send descriptors, for each peer",
          .source = "assumed"),
    PARAM(C, buffer, PARAM_SIZE, .fallback = "4 MiB", .least = "1 B",
          .doc = "registered send and receive buffer, each",
          .source = "largest message of the Pallas benchmarks"),
    {0},
};

const struct param_table native_table = {
    .name = "mvia_native",
    .doc = "programs on bare M-VIA",
    .size = sizeof(struct native_config),
    .params = native_params,
};

struct native_peer {
    struct vip_vi *vi;
    struct vip_descriptor *send, *receive; // config.descriptors each
    int64_t sends_taken;                   // descriptors in use
    int64_t next_send;
};

// A request: bytes still to be posted (send), and still to complete.
struct native_request {
    int64_t to_post, to_complete;
    bool begun; // a receive that has seen its first part
};

static struct native_request *native_of(struct mpi_request *request)
{
    return (struct native_request *)(void *)request->device;
}

// ---- Startup ----

static enum mpi_progress prepare(struct cpu_context *context, struct mpi_process *process, int peer)
{
    struct native_process *native = process->device;
    int64_t bytes = native->config->buffer;
    (void)peer;
    native->ptag = vip_create_ptag(native->nic);
    if (!vip_process_register(context, process, native->nic, native->ptag, bytes,
                              &native->send_buffer, &native->send_handle) ||
        !vip_process_register(context, process, native->nic, native->ptag, bytes,
                              &native->receive_buffer, &native->receive_handle))
        sim_fail(process->sim, SIM_FAILED, "out_of_pinned_memory",
                 json_pack("{s:i, s:s}", "rank", process->rank, "setting", "mvia_native.buffer"),
                 "rank %d can't pin two buffers of %" G_GINT64_FORMAT " B (mvia_native.buffer)",
                 process->rank, bytes);
    return MPI_PROGRESS_NOTHING;
}

static void post_receive(struct cpu_context *context, struct native_process *native,
                         struct native_peer *peer, struct vip_descriptor *descriptor)
{
    int64_t largest = vip_config(native->nic)->largest_transfer;
    descriptor->address = native->receive_buffer;
    descriptor->handle = native->receive_handle;
    descriptor->length = MIN(largest, native->config->buffer);
    vip_post_recv(context, peer->vi, descriptor);
}

static enum mpi_progress add_peer(struct cpu_context *context, struct mpi_process *process,
                                  int rank)
{
    struct native_process *native = process->device;
    const struct native_process *remote = process->peers[rank]->device;
    struct native_peer *peer = &native->peers[rank];
    int64_t count = native->config->descriptors;
    peer->vi = vip_create_vi(context, native->nic, native->ptag, NULL, NULL);
    peer->send = g_new(struct vip_descriptor, count);
    peer->receive = g_new(struct vip_descriptor, count);
    for (int64_t i = 0; i < count; i++) {
        vip_descriptor_init(&peer->send[i]);
        vip_descriptor_init(&peer->receive[i]);
        post_receive(context, native, peer, &peer->receive[i]);
    }
    vip_process_connect(context, process, peer->vi, rank, remote->nic);
    return MPI_PROGRESS_NOTHING;
}

static enum mpi_progress wait_connection(struct cpu_context *context, struct mpi_process *process,
                                         int peer)
{
    struct native_process *native = process->device;
    return vip_process_connected(context, native->peers[peer].vi);
}

static const struct mpi_startup_step startup[] = {
    {"prepare", .run = prepare},
    {"connect_request", .per_peer = true, .run = add_peer},
    {"connect_wait", .per_peer = true, .run = wait_connection},
    {.name = "up"},
};

// ---- Requests ----

static void post_sends(struct cpu_context *context, struct mpi_request *request)
{
    struct native_process *native = request->process->device;
    struct native_peer *peer = &native->peers[request->peer];
    struct native_request *r = native_of(request);
    int64_t largest = vip_config(native->nic)->largest_transfer,
            count = native->config->descriptors;
    while (r->to_post > 0 && peer->sends_taken < count) {
        struct vip_descriptor *descriptor = &peer->send[peer->next_send++ % count];
        int64_t posted = request->size == 0 ? 0 : request->size - r->to_post;
        descriptor->operation = VIP_SEND;
        descriptor->length = request->size == 0 ? 0 : MIN(largest, r->to_post);
        descriptor->address = native->send_buffer + posted;
        descriptor->handle = native->send_handle;
        descriptor->message = request->message;
        descriptor->message_offset = posted;
        descriptor->final = true;
        r->to_post -= MAX(1, descriptor->length);
        peer->sends_taken++;
        if (!vip_post_send(context, peer->vi, descriptor))
            sim_fail(native->process->sim, SIM_FAILED, "connection_broken", NULL,
                     "rank %d can't send to rank %d: VI %u is %s", native->process->rank,
                     request->peer, peer->vi->number, vip_vi_state_name(peer->vi->state));
    }
}

static void native_start(struct cpu_context *context, struct mpi_request *request)
{
    struct native_process *native = request->process->device;
    // A message of no bytes is one descriptor too: it counts as one byte to come.
    *native_of(request) =
        (struct native_request){MAX(1, request->size), MAX(1, request->size), false};
    if (request->size > native->config->buffer) {
        sim_fail(
            native->process->sim, SIM_FAILED, "buffer_too_small",
            json_pack("{s:i, s:s}", "rank", native->process->rank, "setting", "mvia_native.buffer"),
            "a message of %" G_GINT64_FORMAT " B does not fit mvia_native.buffer", request->size);
        return;
    }
    request->waits_for = request->kind == MPI_SEND ? "completion of its descriptors" : "a message";
    if (request->kind == MPI_SEND)
        post_sends(context, request);
}

static bool advance_send(struct cpu_context *context, struct mpi_request *request)
{
    struct native_process *native = request->process->device;
    struct native_peer *peer = &native->peers[request->peer];
    struct vip_descriptor *descriptor = vip_send_done(context, peer->vi);
    if (!descriptor)
        return false;
    peer->sends_taken--;
    native_of(request)->to_complete -= MAX(1, descriptor->length);
    post_sends(context, request);
    if (native_of(request)->to_complete == 0)
        mpi_request_done(context, request);
    return true;
}

static bool advance_receive(struct cpu_context *context, struct mpi_request *request)
{
    struct native_process *native = request->process->device;
    struct native_peer *peer = &native->peers[request->peer];
    struct native_request *r = native_of(request);
    struct vip_descriptor *descriptor = vip_recv_done(context, peer->vi);
    if (!descriptor)
        return false;
    if (!r->begun) {
        struct mpi_envelope envelope = {.source = request->peer, .length = request->size};
        mpi_request_match(request, &envelope, descriptor->message);
        r->begun = true;
    }
    r->to_complete -= MAX(1, descriptor->length);
    post_receive(context, native, peer, descriptor);
    if (r->to_complete <= 0)
        mpi_request_done(context, request);
    return true;
}

static enum mpi_progress native_advance(struct cpu_context *context, struct mpi_process *process,
                                        bool blocking)
{
    struct native_process *native = process->device;
    struct mpi_request *oldest = NULL;
    for (struct mpi_request *request = process->active; request; request = request->active_next)
        oldest = request;
    if (!oldest)
        return MPI_PROGRESS_NOTHING;
    bool any =
        oldest->kind == MPI_SEND ? advance_send(context, oldest) : advance_receive(context, oldest);
    if (any)
        return MPI_PROGRESS_EVENT;
    if (!blocking)
        return MPI_PROGRESS_NOTHING;
    struct vip_vi *vi = native->peers[oldest->peer].vi;
    bool poll = native->config->poll;
    vip_wait(context, vi, poll);
    return MPI_PROGRESS_BLOCKED;
}

// One region at a time is enough for measuring what it costs.
static bool native_register(struct cpu_context *context, struct mpi_process *process,
                            int64_t address, int64_t size)
{
    struct native_process *native = process->device;
    if (native->program_registered)
        return false;
    native->program_registered = vip_register_mem(context, native->nic, address, size, native->ptag,
                                                  &native->program_handle);
    return native->program_registered;
}

static bool native_deregister(struct cpu_context *context, struct mpi_process *process,
                              int64_t address, int64_t size)
{
    struct native_process *native = process->device;
    (void)address, (void)size;
    if (!native->program_registered)
        return false;
    vip_deregister_mem(context, native->nic, native->program_handle);
    native->program_registered = false;
    return true;
}

const struct mpi_device_ops native_ops = {
    .name = "M-VIA",
    .request_size = sizeof(struct native_request),
    .startup = startup,
    .start = native_start,
    .advance = native_advance,
    .register_memory = native_register,
    .deregister_memory = native_deregister,
};

void native_init(struct native_process *native, struct mpi_process *process,
                 const struct native_config *config, struct vip_nic *nic)
{
    native->process = process;
    native->config = config;
    native->nic = nic;
    native->peers = g_new0(struct native_peer, process->ranks);
}

void native_clear(struct native_process *native)
{
    for (int peer = 0; peer < native->process->ranks; peer++) {
        g_free(native->peers[peer].send);
        g_free(native->peers[peer].receive);
    }
    g_free(native->peers);
}
