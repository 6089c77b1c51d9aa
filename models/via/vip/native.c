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

const struct param_table native_table = PARAM_TABLE(
    struct native_config, native_params, .name = "mvia_native", .doc = "programs on bare M-VIA");

struct native_peer {
    struct vip_vi *vi;
    struct vip_descriptor *send, *receive; // config.descriptors each
    int64_t sends_taken;                   // descriptors in use
    int64_t next_send;
};

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
        mpi_fail(process, "out_of_pinned_memory",
                 json_pack("{s:s}", "setting", "mvia_native.buffer"),
                 " can't pin two buffers of %" G_GINT64_FORMAT " B (mvia_native.buffer)", bytes);
    return PROGRESS_NOTHING;
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
    return PROGRESS_NOTHING;
}

static enum mpi_progress wait_connection(struct cpu_context *context, struct mpi_process *process,
                                         int peer)
{
    struct native_process *native = process->device;
    return vip_process_connected(context, native->peers[peer].vi);
}

static const struct mpi_startup_step startup[] = {
    {.run = prepare},
    {.per_peer = true, .run = add_peer},
    {.per_peer = true, .run = wait_connection},
    {0},
};

// ---- Requests ----

static bool post(struct cpu_context *context, struct mpi_request *request, int64_t offset,
                 int64_t *taken)
{
    struct native_process *native = request->process->device;
    struct native_peer *peer = &native->peers[request->peer];
    int64_t count = native->config->descriptors;
    if (peer->sends_taken == count)
        return false;
    struct vip_descriptor *descriptor = &peer->send[peer->next_send++ % count];
    *taken = MIN(vip_config(native->nic)->largest_transfer, request->size - offset);
    descriptor->operation = VIP_SEND;
    descriptor->length = *taken;
    descriptor->address = native->send_buffer + offset;
    descriptor->handle = native->send_handle;
    descriptor->message = request->message;
    descriptor->message_offset = offset;
    descriptor->final = true;
    peer->sends_taken++;
    if (!vip_post_send(context, peer->vi, descriptor))
        sim_fail(native->process->sim, SIM_FAILED, "connection_broken", NULL,
                 "rank %d can't send to rank %d: VI %u is %s", native->process->rank, request->peer,
                 peer->vi->number, vip_vi_state_name(peer->vi));
    return true;
}

static bool poll(struct cpu_context *context, struct mpi_process *process)
{
    struct native_process *native = process->device;
    struct mpi_request *oldest = mpi_bare_oldest(process);
    struct native_peer *peer = oldest ? &native->peers[oldest->peer] : NULL;
    struct vip_descriptor *descriptor = !peer ? NULL
                                        : oldest->kind == REQUEST_SEND
                                            ? vip_send_done(context, peer->vi)
                                            : vip_recv_done(context, peer->vi);
    if (!descriptor)
        return false;
    if (oldest->kind == REQUEST_SEND) {
        peer->sends_taken--;
        mpi_bare_sent(context, oldest, descriptor->length);
    } else if (mpi_bare_begin(oldest, descriptor->message, oldest->size)) {
        int64_t length = descriptor->length;
        post_receive(context, native, peer, descriptor);
        mpi_bare_received(context, oldest, length);
    }
    return true;
}

static void sleep_or_poll(struct cpu_context *context, struct mpi_process *process)
{
    struct native_process *native = process->device;
    vip_wait(context, native->peers[mpi_bare_oldest(process)->peer].vi, native->config->poll);
}

static const struct mpi_bare_ops bare = {
    .provider = "bare M-VIA",
    .setting = "mvia_native.buffer",
    .state = offsetof(struct native_process, bare),
    .post = post,
    .poll = poll,
    .sleep = sleep_or_poll,
};

static const struct machine_state native_vip_states[] =
    BARE_STATES("completion of its descriptors", WAIT_OTHER, "completion of its descriptors",
                WAIT_OTHER, "a message");

static const struct machine_kind native_vip_machine = BARE_MACHINE("bare M-VIA", native_vip_states);

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
    BARE_DEVICE(&bare, &native_vip_machine),
    .startup = startup,
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
    mpi_bare_init(process, config->buffer);
}

void native_clear(struct native_process *native)
{
    for (int peer = 0; peer < native->process->ranks; peer++) {
        g_free(native->peers[peer].send);
        g_free(native->peers[peer].receive);
    }
    g_free(native->peers);
    mpi_bare_clear(native->process);
}
