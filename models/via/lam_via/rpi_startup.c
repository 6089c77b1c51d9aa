// SPDX-License-Identifier: GPL-3.0-or-later
// Startup of the VIA RPI (thesis 000, 4.7.2): lsra_query, lsra_init, lsra_addprocs.
#include "models/via/lam_via/rpi.h"

#define DESCRIPTOR_BYTES 64 // in memory, with control, address and data segment

static void startup_enter(const struct cpu_context *context, struct rpi_process *rpi,
                          enum rpi_startup next)
{
    static const char *const names[] = {
        [RPI_QUERY] = "query",
        [RPI_INIT] = "init",
        [RPI_ADDPROCS] = "addprocs",
        [RPI_EXCHANGE] = "exchange",
        [RPI_REQUEST] = "connect_request",
        [RPI_CONNECT] = "connect_wait",
        [RPI_UP] = "up",
    };
    struct trace_transition transition = {
        .where = rpi->process->name,
        .machine = "rpi",
        .from = names[rpi->startup],
        .to = names[next],
    };
    trace_transition(rpi->process->sim->trace, cpu_lane(context->cpu), context->now, &transition);
    rpi->startup = next;
    rpi->startup_peer = 0;
}

// The asynchronous error handler that lsra_query registers. An empty receive queue costs the
// connection, and with it the program.
static void async_error(void *owner, struct vip_vi *vi, enum vip_error error,
                        struct message_ref message)
{
    struct rpi_process *rpi = owner;
    const struct rpi_process_peer *peer = vi->owner;
    int rank = rpi->process->rank;
    (void)message;
    if (error != VIP_ERROR_RECEIVE_QUEUE_EMPTY) {
        sim_fail(
            rpi->process->sim, SIM_FAILED, "protection_error",
            json_pack("{s:i, s:i, s:i}", "rank", rank, "peer", peer->rank, "vi", (int)vi->number),
            "rank %d: a transfer from rank %d on VI %u fails the protection check", rank,
            peer->rank, vi->number);
        return;
    }
    sim_fail(rpi->process->sim, SIM_FAILED, "connection_broken",
             json_pack("{s:i, s:i, s:i, s:s, s:I}", "rank", rank, "peer", peer->rank, "vi",
                       (int)vi->number, "setting", "lam_via.rdescs", "value",
                       (json_int_t)rpi->config->rdescs),
             "rank %d fell behind: a message from rank %d found the receive queue of VI %u empty, "
             "which breaks the "
             "connection; more than %" G_GINT64_FORMAT
             " receive descriptors (lam_via.rdescs) would have held it",
             rank, peer->rank, vi->number, rpi->config->rdescs);
}

static void query(struct cpu_context *context, struct rpi_process *rpi)
{
    cpu_spend(context, rpi->process->host->config.kernel.system_call, &stage_trap);
    vip_error_callback(rpi->nic, async_error, rpi);
}

static void init(struct cpu_context *context, struct rpi_process *rpi)
{
    (void)context;
    rpi->ptag = vip_create_ptag(rpi->nic);
    rpi->cq = vip_create_cq(rpi->nic);
    rpi->pins = pin_cache_new(rpi->nic, rpi->ptag, &rpi->config->pins, rpi->process->name);
    rpi->buffer_pages = g_ptr_array_new_with_free_func(g_free);
}

static bool pin(struct cpu_context *context, struct rpi_process *rpi, int64_t bytes,
                int64_t *address, struct vip_mem_handle *handle)
{
    *address = mpi_process_allocate(rpi->process, bytes);
    if (vip_register_mem(context, rpi->nic, *address, bytes, rpi->ptag, handle))
        return true;
    sim_fail(rpi->process->sim, SIM_FAILED, "out_of_pinned_memory",
             json_pack("{s:i, s:I, s:s}", "rank", rpi->process->rank, "pinned_bytes",
                       (json_int_t)vip_pinned_bytes(rpi->nic), "setting", "lam_via.area"),
             "rank %d can't pin RDMA area and descriptors for %d peers within %" G_GINT64_FORMAT
             " B; a smaller lam_via.area would fit",
             rpi->process->rank, rpi->process->ranks - 1, vip_pin_limit(rpi->nic));
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
static void add_proc(struct cpu_context *context, struct rpi_process *rpi,
                     struct rpi_process_peer *peer)
{
    const struct rpi_config *config = rpi->config;
    int64_t descriptors;
    struct vip_mem_handle descriptor_handle;
    if (!pin(context, rpi, config->area, &peer->cp_rdma_area, &peer->cp_rdma_area_hand) ||
        !pin(context, rpi, (config->sdescs + config->rdescs) * DESCRIPTOR_BYTES, &descriptors,
             &descriptor_handle))
        return;
    vip_mem_watch(rpi->nic, peer->cp_rdma_area_hand, rpi_area_watch, peer);
    peer->cp_vi_hand = vip_create_vi(context, rpi->nic, rpi->ptag, rpi->cq, rpi->cq);
    peer->cp_vi_hand->owner = peer;
    peer->cp_vi_hand->make = make_recv_desc;
    peer->cp_free_send_desc_cnt = (int)config->sdescs;
    for (int64_t i = 0; i < config->rdescs; i++)
        vip_post_recv_unmade(context, peer->cp_vi_hand);
    peer->prpi_init = true;
}

// The LAM daemons carry lam_ssi_rpi_via_proc_infos (figure 4.10) between each pair: nobody goes on
// before all have sent theirs.
static bool all_added(const struct rpi_stack *stack)
{
    for (int rank = 0; rank < stack->ranks; rank++)
        if (stack->processes[rank].startup < RPI_EXCHANGE)
            return false;
    return true;
}

static void begin_exchange(struct cpu_context *context, struct rpi_process *rpi)
{
    struct rpi_stack *stack = rpi->stack;
    startup_enter(context, rpi, RPI_EXCHANGE);
    if (!all_added(stack))
        return;
    for (int rank = 0; rank < stack->ranks; rank++)
        engine_schedule(rpi->process->sim->engine, &stack->processes[rank].exchange,
                        context->now + rpi->config->daemon_exchange);
}

void rpi_exchange_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct rpi_process *rpi = container_of(event, struct rpi_process, exchange);
    for (int rank = 0; rank < rpi->stack->ranks; rank++) {
        struct rpi_process_peer *peer = rpi_peer_of(rpi, rank);
        const struct rpi_process_peer *remote = &rpi->stack->processes[rank].procs[rpi->node];
        peer->cp_remote_rdma_area = remote->cp_rdma_area;
        peer->cp_remote_rdma_area_hand = remote->cp_rdma_area_hand;
    }
    rpi->startup = RPI_REQUEST;
    rpi->startup_peer = 0;
    cpu_wake(&rpi->process->task);
}

static uint64_t connection_discriminator(const struct rpi_process *rpi, int node)
{
    uint64_t low = (uint64_t)MIN(rpi->node, node), high = (uint64_t)MAX(rpi->node, node);
    return low << 32 | high;
}

static void request_connection(struct cpu_context *context, struct rpi_process *rpi,
                               struct rpi_process_peer *peer)
{
    const struct rpi_process *remote = &rpi->stack->processes[peer->rank];
    vip_connect_peer_request(context, peer->cp_vi_hand,
                             vip_agent_station(vip_nic_agent(remote->nic)),
                             connection_discriminator(rpi, peer->node));
}

// The peer of this step, in the order of ranks; NULL once all have had theirs.
static struct rpi_process_peer *step_peer(struct rpi_process *rpi)
{
    if (rpi->startup_peer == rpi->process->rank)
        rpi->startup_peer++;
    return rpi->startup_peer < rpi->stack->ranks ? rpi_peer_of(rpi, rpi->startup_peer) : NULL;
}

static enum mpi_progress startup_peers(struct cpu_context *context, struct rpi_process *rpi)
{
    struct rpi_process_peer *peer = step_peer(rpi);
    switch (rpi->startup) {
    case RPI_ADDPROCS:
        if (!peer) {
            begin_exchange(context, rpi);
            return MPI_PROGRESS_BLOCKED;
        }
        add_proc(context, rpi, peer);
        break;
    case RPI_REQUEST:
        if (!peer) {
            startup_enter(context, rpi, RPI_CONNECT);
            return MPI_PROGRESS_EVENT;
        }
        request_connection(context, rpi, peer);
        break;
    case RPI_CONNECT:
        if (!peer) {
            startup_enter(context, rpi, RPI_UP);
            return MPI_PROGRESS_NOTHING;
        }
        if (!vip_connect_peer_wait(context, peer->cp_vi_hand))
            return MPI_PROGRESS_BLOCKED;
        peer->prpi_connect = true;
        break;
    case RPI_QUERY:
    case RPI_INIT:
    case RPI_EXCHANGE:
    case RPI_UP:
        g_assert_not_reached();
    }
    rpi->startup_peer++;
    return MPI_PROGRESS_EVENT;
}

enum mpi_progress rpi_startup_step(struct cpu_context *context, struct mpi_process *process)
{
    struct rpi_process *rpi = rpi_process_of(process);
    switch (rpi->startup) {
    case RPI_QUERY:
        query(context, rpi);
        startup_enter(context, rpi, RPI_INIT);
        return MPI_PROGRESS_EVENT;
    case RPI_INIT:
        init(context, rpi);
        startup_enter(context, rpi, RPI_ADDPROCS);
        return MPI_PROGRESS_EVENT;
    case RPI_ADDPROCS:
    case RPI_REQUEST:
    case RPI_CONNECT:
        return startup_peers(context, rpi);
    case RPI_EXCHANGE:
        return MPI_PROGRESS_BLOCKED;
    case RPI_UP:
        return MPI_PROGRESS_NOTHING;
    }
    return MPI_PROGRESS_NOTHING;
}

// lsra_finalize is called after all communication has finished; the connections end with the job.
enum mpi_progress rpi_finalize_step(struct cpu_context *context, struct mpi_process *process)
{
    cpu_spend(context, process->host->config.kernel.system_call, &stage_trap);
    return MPI_PROGRESS_NOTHING;
}
