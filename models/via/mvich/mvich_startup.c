// SPDX-License-Identifier: GPL-3.0-or-later
// Startup of MVICH: the NIC, vbufs, and a VI to every peer, its vbufs posted before any peer can
// send.
#include "models/via/mvich/mvich.h"
#include "models/via/vip/process.h"

// Flow control keeps receive queues from running empty: an error here is a broken rule, or memory
// that M-VIA has unpinned.
static void async_error(void *owner, struct vip_vi *vi, enum vip_error error,
                        struct message_ref message)
{
    const struct mvich_process *mvich = owner;
    const struct mvich_connection *connection = vi->owner;
    bool empty = error == VIP_ERROR_RECEIVE_QUEUE_EMPTY;
    (void)message;
    mpi_fail(mvich->process, empty ? "connection_broken" : "protection_error",
             json_pack("{s:i, s:i}", "peer", connection->rank, "vi", (int)vi->number),
             empty ? ": a packet from rank %d found the receive queue of VI %u empty"
                   : ": a transfer from rank %d on VI %u fails the protection check",
             connection->rank, vi->number);
}

// mvich.spin turns have passed without an event: the process may sleep.
static void spin_over(struct engine *engine, struct event *event)
{
    (void)engine;
    struct mvich_process *mvich = container_of(event, struct mvich_process, spin_over);
    mvich->spun = true;
    cpu_wake(&mvich->process->task);
}

static enum mpi_progress open_nic(struct cpu_context *context, struct mpi_process *process,
                                  int peer)
{
    struct mvich_process *mvich = mvich_process_of(process);
    const struct mvich_config *config = mvich->config;
    (void)peer;
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
    event_init(&mvich->spin_over, spin_over);
    return PROGRESS_NOTHING;
}

static enum mpi_progress first_vbufs(struct cpu_context *context, struct mpi_process *process,
                                     int peer)
{
    struct mvich_process *mvich = mvich_process_of(process);
    const struct mvich_config *config = mvich->config;
    int64_t count = config->vbuf_pool;
    (void)peer;
    if (config->vbuf_most)
        count = MIN(count, config->vbuf_most);
    if (mvich_vbufs_grow(context, mvich, count))
        return PROGRESS_NOTHING;
    mpi_fail(mvich->process, "out_of_pinned_memory",
             json_pack("{s:I, s:s}", "pinned_bytes", (json_int_t)vip_pinned_bytes(mvich->nic),
                       "setting", "mvich.vbuf_pool"),
             " can't pin %" G_GINT64_FORMAT " vbufs of %" G_GINT64_FORMAT
             " B within %" G_GINT64_FORMAT " B; a smaller mvich.vbuf_pool would fit",
             count, config->vbuf, vip_pin_limit(mvich->nic));
    return PROGRESS_NOTHING;
}

static enum mpi_progress add_peer(struct cpu_context *context, struct mpi_process *process,
                                  int peer)
{
    struct mvich_process *mvich = mvich_process_of(process);
    struct mvich_connection *connection = &mvich->connections[peer];
    const struct mvich_config *config = mvich->config;
    connection->vi = vip_create_vi(context, mvich->nic, mvich->ptag, mvich->cq, mvich->cq);
    connection->vi->owner = connection;
    for (int64_t i = 0; i < config->prepost_depth + config->prepost_noop_extra &&
                        mvich->process->sim->status == SIM_COMPLETED;
         i++)
        mvich_prepost_unmade(context, connection);
    connection->local_credit = 0;
    connection->remote_credit = connection->remote_short = config->prepost_depth;
    mvich_credits_tell(context, connection);
    return PROGRESS_NOTHING;
}

static enum mpi_progress request_connection(struct cpu_context *context,
                                            struct mpi_process *process, int peer)
{
    vip_process_connect(context, process, mvich_process_of(process)->connections[peer].vi, peer,
                        mvich_process_of(process->peers[peer])->nic);
    return PROGRESS_NOTHING;
}

static enum mpi_progress wait_connection(struct cpu_context *context, struct mpi_process *process,
                                         int peer)
{
    return vip_process_connected(context, mvich_process_of(process)->connections[peer].vi);
}

static const struct machine_state mvich_startup_states[] = {
    [MVICH_OPEN] = {"open", .next = MACHINE_TO(MVICH_VBUFS)},
    [MVICH_VBUFS] = {"vbufs", .next = MACHINE_TO(MVICH_VIS)},
    [MVICH_VIS] = {"vis", .next = MACHINE_TO(MVICH_REQUEST)},
    [MVICH_REQUEST] = {"connect_request", .next = MACHINE_TO(MVICH_CONNECT)},
    [MVICH_CONNECT] = {"connect_wait", .next = MACHINE_TO(MVICH_UP)},
    [MVICH_UP] = {.name = "up"},
};

const struct machine_kind mvich_startup_machine = {
    .name = "mvich",
    .title = "Start-up of MVICH",
    .source = "MVICH: viainit.c",
    .states = mvich_startup_states,
    .count = G_N_ELEMENTS(mvich_startup_states),
};

const struct mpi_startup_step mvich_startup[] = {
    [MVICH_OPEN] = {.run = open_nic},
    [MVICH_VBUFS] = {.run = first_vbufs},
    [MVICH_VIS] = {.per_peer = true, .run = add_peer},
    [MVICH_REQUEST] = {.per_peer = true, .run = request_connection},
    [MVICH_CONNECT] = {.per_peer = true, .run = wait_connection},
    [MVICH_UP] = {0},
};
