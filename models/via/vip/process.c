// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/via/vip/process.h"

#include "models/ethernet/nics.h"
#include "models/via/vip/provider.h"
#include "sim/host/stages.h"

struct vip_nic *vip_process_open(const struct job *job, struct mpi_process *process)
{
    const struct mvia_config *config = scenario_section_values(job->test_case, "mvia");
    return vip_open_nic(
        vip_agent_new(
            job->cluster,
            ethernet_nic_at(job->cluster, cluster_station(job->cluster, process->host->index)),
            config),
        config, process->name, &process->task);
}

void vip_process_close(struct vip_nic *nic)
{
    struct vip_agent *agent = vip_nic_agent(nic);
    vip_close_nic(nic);
    vip_agent_free(agent);
}

bool vip_process_register(struct cpu_context *context, struct mpi_process *process,
                          struct vip_nic *nic, uint32_t ptag, int64_t bytes, int64_t *address,
                          struct vip_mem_handle *handle)
{
    *address = mpi_process_allocate(process, bytes);
    return vip_register_mem(context, nic, *address, bytes, ptag, handle);
}

void vip_process_connect(struct cpu_context *context, const struct mpi_process *process,
                         struct vip_vi *vi, int peer, const struct vip_nic *remote)
{
    uint64_t low = (uint64_t)MIN(peer, process->rank), high = (uint64_t)MAX(peer, process->rank);
    vip_connect_peer_request(context, vi, vip_agent_station(vip_nic_agent(remote)),
                             low << 32 | high);
}

enum mpi_progress vip_process_connected(struct cpu_context *context, struct vip_vi *vi)
{
    return vip_connect_peer_wait(context, vi) ? PROGRESS_NOTHING : PROGRESS_BLOCKED;
}

enum mpi_progress vip_process_finalize(struct cpu_context *context, struct mpi_process *process)
{
    cpu_spend(context, process->host->config.kernel.system_call, &stage_trap);
    return PROGRESS_NOTHING;
}
