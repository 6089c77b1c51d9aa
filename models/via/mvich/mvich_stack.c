// SPDX-License-Identifier: GPL-3.0-or-later
// The stack: MPICH over MVICH on M-VIA.
#include "models/ethernet/nics.h"
#include "models/via/mvich/mvich.h"
#include "models/via/vip/process.h"
#include "models/via/vip/stack.h"

static void process_init(struct job *job, struct mpi_process *process)
{
    struct mvich_process *mvich = process->device;
    mvich->process = process;
    mvich->config = scenario_section_values(job->test_case, "mvich");
    mvich->nic = vip_process_open(job, process);
    mvich->connections = g_new0(struct mvich_connection, job->ranks);
    for (int rank = 0; rank < job->ranks; rank++) {
        mvich->connections[rank].owner = mvich;
        mvich->connections[rank].rank = rank;
    }
}

static void process_clear(struct job *job, struct mpi_process *process)
{
    struct mvich_process *mvich = process->device;
    (void)job;
    if (mvich->vbuf_regions)
        g_array_free(mvich->vbuf_regions, TRUE);
    pool_clear(&mvich->vbuf_pool);
    pool_clear(&mvich->unexpected);
    mvich_dreg_free(mvich->dreg);
    vip_process_close(mvich->nic);
    g_free(mvich->connections);
}

static void mvich_check_stack(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct mvia_config *mvia = scenario_section_values(test_case, "mvia");
    ethernet_check_mtu(test_case, "mvia", mvia->mtu, diags);
}

#define TAKEN 4 // vbufs that the packets to and from a peer take, about

static struct stack_footprint mvich_footprint(const struct scenario_case *test_case)
{
    const struct mvich_config *mvich = scenario_section_values(test_case, "mvich");
    int64_t vbuf = sizeof(struct mvich_vbuf);
    return (struct stack_footprint){
        .process =
            (int64_t)sizeof(struct mvich_process) + mvich->dreg_buckets * (int64_t)sizeof(void *),
        .pair = (int64_t)sizeof(struct mvich_connection) + vip_vi_footprint(),
        .peer = TAKEN * vbuf,
    };
}

static struct eager_limit mvich_eager_limit(const struct scenario_case *test_case)
{
    const struct mvich_config *config = scenario_section_values(test_case, "mvich");
    int64_t vbufs = config->prepost_depth - config->credit_preserve;
    return (struct eager_limit){
        .value = config->rendezvous_threshold,
        .longest = config->rendezvous_threshold - 1,
        .most = mvich_vbuf_room(config, MVICH_EAGER_START) +
                (vbufs - 1) * mvich_vbuf_room(config, MVICH_EAGER_NEXT),
    };
}

static const struct stack_eager mvich_eager = {
    .setting = "mvich.rendezvous_threshold",
    .also = "mvich.prepost_depth",
    .limit = mvich_eager_limit,
};

const struct stack mvich_stack = {
    .schema =
        {
            .name = "mvich",
            .doc = "MPICH 1.2.2.3 over M-VIA with MVICH",
            .benchmarks = (const char *const[]){LIBRARY_BENCHMARKS, "program", NULL},
            .sections = (const char *const[]){"mvia", "mpich_1_2_2", "mvich", NULL},
            .one_process_per_host = true,
            .check = mvich_check_stack,
            .footprint = mvich_footprint,
        },
    .card = ETHERNET_PCI_CARD,
    .device = &mvich_ops,
    .process_size = sizeof(struct mvich_process),
    .process_init = process_init,
    .process_clear = process_clear,
    .frames = &nic_capture_link,
    .eager = &mvich_eager,
    .library_section = "mpich_1_2_2",
};
