// SPDX-License-Identifier: GPL-3.0-or-later
// Startup of MVICH: the NIC, vbufs, and a VI to every peer, its vbufs posted before anybody can
// send.
#include "models/via/mvich/mvich.h"

static void startup_enter(const struct cpu_context *context, struct mvich_process *mvich,
                          enum mvich_startup next)
{
    static const char *const names[] = {
        [MVICH_OPEN] = "open",
        [MVICH_VBUFS] = "vbufs",
        [MVICH_VIS] = "vis",
        [MVICH_REQUEST] = "connect_request",
        [MVICH_CONNECT] = "connect_wait",
        [MVICH_UP] = "up",
    };
    struct trace_transition transition = {
        .where = mvich->process->name,
        .machine = "mvich",
        .from = names[mvich->startup],
        .to = names[next],
    };
    trace_transition(mvich->process->sim->trace, cpu_lane(context->cpu), context->now, &transition);
    mvich->startup = next;
    mvich->startup_peer = 0;
}

// Flow control keeps receive queues from running empty: an error here is a broken rule, or memory
// that M-VIA has unpinned.
static void async_error(void *owner, struct vip_vi *vi, enum vip_error error,
                        struct message_ref message)
{
    const struct mvich_process *mvich = owner;
    const struct mvich_connection *connection = vi->owner;
    bool empty = error == VIP_ERROR_RECEIVE_QUEUE_EMPTY;
    (void)message;
    sim_fail(mvich->process->sim, SIM_FAILED, empty ? "connection_broken" : "protection_error",
             json_pack("{s:i, s:i, s:i}", "rank", mvich->process->rank, "peer", connection->rank,
                       "vi", (int)vi->number),
             empty ? "rank %d: a packet from rank %d found the receive queue of VI %u empty"
                   : "rank %d: a transfer from rank %d on VI %u fails the protection check",
             mvich->process->rank, connection->rank, vi->number);
}

static void open_nic(struct cpu_context *context, struct mvich_process *mvich)
{
    const struct mvich_config *config = mvich->config;
    cpu_spend(context, mvich->process->host->config.kernel.system_call, &stage_trap);
    vip_error_callback(mvich->nic, async_error, mvich);
    mvich->ptag = vip_create_ptag(mvich->nic);
    if (config->completion_queue)
        mvich->cq = vip_create_cq(mvich->nic);
    mvich->vbuf_regions = g_array_new(FALSE, FALSE, sizeof(struct mvich_vbuf_region));
    pool_init(&mvich->vbuf_pool, sizeof(struct mvich_vbuf));
    mvich->dreg = mvich_dreg_new(mvich->nic, mvich->ptag, config,
                                 mvich->process->host->config.memory.page, mvich->process->name);
    pool_init(&mvich->unexpected, sizeof(struct mvich_unexpected));
    event_init(&mvich->spin_over, mvich_spin_over);
}

static void first_vbufs(struct cpu_context *context, struct mvich_process *mvich)
{
    const struct mvich_config *config = mvich->config;
    int64_t count = config->vbuf_pool;
    if (config->vbuf_most)
        count = MIN(count, config->vbuf_most);
    if (mvich_vbufs_grow(context, mvich, count))
        return;
    sim_fail(mvich->process->sim, SIM_FAILED, "out_of_pinned_memory",
             json_pack("{s:i, s:I, s:s}", "rank", mvich->process->rank, "pinned_bytes",
                       (json_int_t)vip_pinned_bytes(mvich->nic), "setting", "mvich.vbuf_pool"),
             "rank %d can't pin %" G_GINT64_FORMAT " vbufs of %" G_GINT64_FORMAT
             " B within %" G_GINT64_FORMAT " B; a smaller mvich.vbuf_pool would fit",
             mvich->process->rank, count, config->vbuf, vip_pin_limit(mvich->nic));
}

static void add_peer(struct cpu_context *context, struct mvich_connection *connection)
{
    struct mvich_process *mvich = connection->owner;
    const struct mvich_config *config = mvich->config;
    connection->vi = vip_create_vi(context, mvich->nic, mvich->ptag, mvich->cq, mvich->cq);
    connection->vi->owner = connection;
    for (int64_t i = 0; i < config->prepost_depth + config->prepost_noop_extra &&
                        mvich->process->sim->status == SIM_COMPLETED;
         i++)
        mvich_prepost_unmade(context, connection);
    connection->local_credit = 0;
    connection->remote_credit = connection->remote_short = config->prepost_depth;
}

static void request_connection(struct cpu_context *context, struct mvich_connection *connection)
{
    const struct mvich_process *mvich = connection->owner,
                               *remote = &mvich->stack->processes[connection->rank];
    uint64_t low = (uint64_t)MIN(mvich->process->rank, connection->rank),
             high = (uint64_t)MAX(mvich->process->rank, connection->rank);
    vip_connect_peer_request(context, connection->vi, vip_agent_station(vip_nic_agent(remote->nic)),
                             low << 32 | high);
}

// A step for one peer; MPI_PROGRESS_NOTHING once all have had theirs.
static enum mpi_progress peer_step(struct cpu_context *context, struct mvich_process *mvich)
{
    if (mvich->startup_peer == mvich->process->rank)
        mvich->startup_peer++;
    if (mvich->startup_peer >= mvich->stack->ranks)
        return MPI_PROGRESS_NOTHING;
    struct mvich_connection *connection = &mvich->connections[mvich->startup_peer];
    if (mvich->startup == MVICH_VIS)
        add_peer(context, connection);
    else if (mvich->startup == MVICH_REQUEST)
        request_connection(context, connection);
    else if (!vip_connect_peer_wait(context, connection->vi))
        return MPI_PROGRESS_BLOCKED;
    mvich->startup_peer++;
    return MPI_PROGRESS_EVENT;
}

enum mpi_progress mvich_startup_step(struct cpu_context *context, struct mpi_process *process)
{
    struct mvich_process *mvich = mvich_process_of(process);
    switch (mvich->startup) {
    case MVICH_OPEN:
        open_nic(context, mvich);
        break;
    case MVICH_VBUFS:
        first_vbufs(context, mvich);
        break;
    case MVICH_VIS:
    case MVICH_REQUEST:
    case MVICH_CONNECT: {
        enum mpi_progress progress = peer_step(context, mvich);
        if (progress != MPI_PROGRESS_NOTHING)
            return progress;
        break;
    }
    case MVICH_UP:
        return MPI_PROGRESS_NOTHING;
    }
    startup_enter(context, mvich, mvich->startup + 1);
    return mvich->startup == MVICH_UP ? MPI_PROGRESS_NOTHING : MPI_PROGRESS_EVENT;
}

enum mpi_progress mvich_finalize_step(struct cpu_context *context, struct mpi_process *process)
{
    cpu_spend(context, process->host->config.kernel.system_call, &stage_trap);
    return MPI_PROGRESS_NOTHING;
}
