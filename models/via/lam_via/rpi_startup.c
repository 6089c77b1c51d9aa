// SPDX-License-Identifier: GPL-3.0-or-later
// Startup of the VIA RPI (thesis 000, 4.7.2): lsra_query, lsra_init, lsra_addprocs.
#include "models/via/lam_via/rpi.h"
#include "models/via/vip/process.h"

#define DESCRIPTOR_BYTES 64 // in memory, with control, address and data segment

// The asynchronous error handler that lsra_query registers. An empty receive queue costs the
// connection, and with it the program.
static void async_error(void *owner, struct vip_vi *vi, enum vip_error error,
                        struct message_ref message)
{
    struct rpi_process *rpi = owner;
    const struct rpi_process_peer *peer = vi->owner;
    (void)message;
    if (error != VIP_ERROR_RECEIVE_QUEUE_EMPTY) {
        mpi_fail(rpi->process, "protection_error",
                 json_pack("{s:i, s:i}", "peer", peer->rank, "vi", (int)vi->number),
                 ": a transfer from rank %d on VI %u fails the protection check", peer->rank,
                 vi->number);
        return;
    }
    mpi_fail(rpi->process, "connection_broken",
             json_pack("{s:i, s:i, s:s, s:I}", "peer", peer->rank, "vi", (int)vi->number, "setting",
                       "lam_via.rdescs", "value", (json_int_t)rpi->config->rdescs),
             " fell behind: a message from rank %d found the receive queue of VI %u empty, "
             "which breaks the "
             "connection; more than %" G_GINT64_FORMAT
             " receive descriptors (lam_via.rdescs) would have held it",
             peer->rank, vi->number, rpi->config->rdescs);
}

static enum mpi_progress query(struct cpu_context *context, struct mpi_process *process, int peer)
{
    struct rpi_process *rpi = rpi_process_of(process);
    (void)peer;
    cpu_spend(context, rpi->process->host->config.kernel.system_call, &stage_trap);
    vip_error_callback(rpi->nic, async_error, rpi);
    return PROGRESS_NOTHING;
}

static enum mpi_progress init(struct cpu_context *context, struct mpi_process *process, int peer)
{
    struct rpi_process *rpi = rpi_process_of(process);
    (void)context, (void)peer;
    rpi->ptag = vip_create_ptag(rpi->nic);
    rpi->cq = vip_create_cq(rpi->nic);
    rpi->pins = pin_cache_new(rpi->nic, rpi->ptag, &rpi->config->pins, rpi->process->name);
    rpi->buffer_pages = g_ptr_array_new_with_free_func(g_free);
    return PROGRESS_NOTHING;
}

static bool pin(struct cpu_context *context, struct rpi_process *rpi, int64_t bytes,
                int64_t *address, struct vip_mem_handle *handle)
{
    if (vip_process_register(context, rpi->process, rpi->nic, rpi->ptag, bytes, address, handle))
        return true;
    mpi_fail(rpi->process, "out_of_pinned_memory",
             json_pack("{s:I, s:s}", "pinned_bytes", (json_int_t)vip_pinned_bytes(rpi->nic),
                       "setting", "lam_via.area"),
             " can't pin RDMA area and descriptors for %d peers within %" G_GINT64_FORMAT
             " B; a smaller lam_via.area would fit",
             rpi->process->ranks - 1, vip_pin_limit(rpi->nic));
    return false;
}

static struct vip_descriptor *make_recv_desc(struct vip_vi *vi)
{
    struct rpi_process_peer *peer = vi->owner;
    int64_t rdescs = peer->owner->config->rdescs;
    if (!peer->cp_recv_desc)
        peer->cp_recv_desc = g_new(struct vip_descriptor, rdescs);
    struct vip_descriptor *descriptor = &peer->cp_recv_desc[rdescs - 1 - vi->unmade];
    vip_descriptor_init(descriptor);
    return descriptor;
}

// One peer's part of lsra_addprocs.
static enum mpi_progress add_proc(struct cpu_context *context, struct mpi_process *process,
                                  int rank)
{
    struct rpi_process *rpi = rpi_process_of(process);
    struct rpi_process_peer *peer = rpi_peer_of(rpi, rank);
    const struct rpi_config *config = rpi->config;
    int64_t descriptors;
    struct vip_mem_handle descriptor_handle;
    if (!pin(context, rpi, config->area, &peer->cp_rdma_area, &peer->cp_rdma_area_hand) ||
        !pin(context, rpi, (config->sdescs + config->rdescs) * DESCRIPTOR_BYTES, &descriptors,
             &descriptor_handle))
        return PROGRESS_NOTHING; // the run has failed
    vip_mem_watch(rpi->nic, peer->cp_rdma_area_hand, rpi_area_watch, peer);
    peer->cp_vi_hand = vip_create_vi(context, rpi->nic, rpi->ptag, rpi->cq, rpi->cq);
    peer->cp_vi_hand->owner = peer;
    peer->cp_vi_hand->make = make_recv_desc;
    peer->cp_free_send_desc_cnt = (int)config->sdescs;
    for (int64_t i = 0; i < config->rdescs; i++)
        vip_post_recv_unmade(context, peer->cp_vi_hand);
    peer->prpi_init = true;
    return PROGRESS_NOTHING;
}

// The LAM daemons carry lam_ssi_rpi_via_proc_infos (figure 4.10) between each pair: no process goes
// on before all have sent theirs.
static bool all_added(const struct mpi_process *process)
{
    for (int rank = 0; rank < process->ranks; rank++)
        if (process->peers[rank]->startup.machine.state < RPI_EXCHANGE)
            return false;
    return true;
}

static enum mpi_progress exchange(struct cpu_context *context, struct mpi_process *process,
                                  int peer)
{
    const struct rpi_process *rpi = rpi_process_of(process);
    (void)peer;
    if (rpi->exchanged)
        return PROGRESS_NOTHING;
    if (event_pending(&rpi->exchange) || !all_added(process))
        return PROGRESS_BLOCKED;
    for (int rank = 0; rank < process->ranks; rank++)
        engine_schedule(process->sim->engine, &rpi_process_of(process->peers[rank])->exchange,
                        context->now + rpi->config->daemon_exchange);
    return PROGRESS_BLOCKED;
}

void rpi_exchange_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct rpi_process *rpi = container_of(event, struct rpi_process, exchange);
    const struct mpi_process *process = rpi->process;
    for (int rank = 0; rank < process->ranks; rank++) {
        struct rpi_process_peer *peer = rpi_peer_of(rpi, rank);
        const struct rpi_process_peer *remote =
            rpi_peer_of(rpi_process_of(process->peers[rank]), process->rank);
        peer->cp_remote_rdma_area = remote->cp_rdma_area;
        peer->cp_remote_rdma_area_hand = remote->cp_rdma_area_hand;
    }
    rpi->exchanged = true;
    cpu_wake(&rpi->process->task);
}

static enum mpi_progress request_connection(struct cpu_context *context,
                                            struct mpi_process *process, int peer)
{
    vip_process_connect(context, process, rpi_peer_of(rpi_process_of(process), peer)->cp_vi_hand,
                        peer, rpi_process_of(process->peers[peer])->nic);
    return PROGRESS_NOTHING;
}

static enum mpi_progress wait_connection(struct cpu_context *context, struct mpi_process *process,
                                         int rank)
{
    struct rpi_process_peer *peer = rpi_peer_of(rpi_process_of(process), rank);
    enum mpi_progress progress = vip_process_connected(context, peer->cp_vi_hand);
    peer->prpi_connect = progress == PROGRESS_NOTHING;
    return progress;
}

static const struct machine_state rpi_startup_states[] = {
    [RPI_QUERY] = {"query", .next = MACHINE_TO(RPI_INIT)},
    [RPI_INIT] = {"init", .next = MACHINE_TO(RPI_ADDPROCS)},
    [RPI_ADDPROCS] = {"addprocs", .next = MACHINE_TO(RPI_EXCHANGE)},
    [RPI_EXCHANGE] = {"exchange", .next = MACHINE_TO(RPI_REQUEST)},
    [RPI_REQUEST] = {"connect_request", .next = MACHINE_TO(RPI_CONNECT)},
    [RPI_CONNECT] = {"connect_wait", .next = MACHINE_TO(RPI_UP)},
    [RPI_UP] = {.name = "up"},
};

const struct machine_kind rpi_startup_machine = {
    .name = "rpi",
    .title = "Start-up of LAM's VIA RPI",
    .source = "thesis 000, 4.7.2",
    .states = rpi_startup_states,
    .count = G_N_ELEMENTS(rpi_startup_states),
};

const struct mpi_startup_step rpi_startup[] = {
    [RPI_QUERY] = {.run = query},
    [RPI_INIT] = {.run = init},
    [RPI_ADDPROCS] = {.per_peer = true, .run = add_proc},
    [RPI_EXCHANGE] = {.gate = true, .run = exchange},
    [RPI_REQUEST] = {.per_peer = true, .run = request_connection},
    [RPI_CONNECT] = {.per_peer = true, .run = wait_connection},
    [RPI_UP] = {0},
};
