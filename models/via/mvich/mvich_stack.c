// SPDX-License-Identifier: GPL-3.0-or-later
// The stack: MPICH over MVICH on M-VIA.
#include "models/via/mvich/mvich.h"
#include "models/via/vip/stack.h"

static void process_init(struct mvich_stack *stack, struct mpi_process *process,
                         const struct mvia_config *mvia)
{
    struct mvich_process *mvich = &stack->processes[process->rank];
    mvich->stack = stack;
    mvich->process = process;
    mvich->config = stack->config;
    mvich->nic = vip_open_nic(stack->agents[process->rank], mvia, process->name, &process->task);
    mvich->connections = g_new0(struct mvich_connection, stack->ranks);
    for (int rank = 0; rank < stack->ranks; rank++) {
        mvich->connections[rank].owner = mvich;
        mvich->connections[rank].rank = rank;
    }
    process->ops = &mvich_ops;
    process->device = mvich;
}

static void *mvich_build(struct cluster *cluster, const struct scenario_case *test_case,
                         struct mpi_process *const *processes, int ranks)
{
    struct mvich_stack *stack = g_new0(struct mvich_stack, 1);
    stack->config = scenario_section_values(test_case, "mvich");
    stack->ranks = ranks;
    stack->processes = g_new0(struct mvich_process, ranks);
    stack->agents = via_agents_new(cluster, test_case, processes, ranks);
    for (int rank = 0; rank < ranks; rank++)
        process_init(stack, processes[rank], scenario_section_values(test_case, "mvia"));
    return stack;
}

static void process_clear(struct mvich_process *mvich)
{
    if (mvich->vbuf_regions)
        g_array_free(mvich->vbuf_regions, TRUE);
    pool_clear(&mvich->vbuf_pool);
    pool_clear(&mvich->unexpected);
    mvich_dreg_free(mvich->dreg);
    vip_close_nic(mvich->nic);
    g_free(mvich->connections);
}

static void mvich_free(void *state)
{
    struct mvich_stack *stack = state;
    for (int rank = 0; rank < stack->ranks; rank++)
        process_clear(&stack->processes[rank]);
    via_agents_free(stack->agents, stack->ranks);
    g_free(stack->processes);
    g_free(stack);
}

static void mvich_check(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct mvia_config *mvia = scenario_section_values(test_case, "mvia");
    const struct mvich_config *mvich = scenario_section_values(test_case, "mvich");
    if (mvich->vbuf > mvia->largest_transfer)
        scenario_complain(test_case, diags, "mvich", "vbuf", NULL,
                          "a vbuf of %" G_GINT64_FORMAT " B is longer than what one descriptor "
                          "transfers (mvia.largest_transfer, %" G_GINT64_FORMAT " B)",
                          mvich->vbuf, mvia->largest_transfer);
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

const struct stack mvich_stack = {
    .schema =
        {
            .name = "mvich",
            .doc = "MPICH 1.2.2.3 over M-VIA with MVICH",
            .benchmarks = (const char *const[]){MPI_BENCHMARKS, "program", NULL},
            .sections = (const char *const[]){"mvia", "mpich_1_2_2", "mvich", NULL},
            .one_process_per_host = true,
            .check = mvich_check,
            .footprint = mvich_footprint,
        },
    .card = ETHERNET_CARD,
    .build = mvich_build,
    .free = mvich_free,
    .frames = &nic_capture_link,
    .library_section = "mpich_1_2_2",
};
