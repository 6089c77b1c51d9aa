// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/via/stacks.h"

#include "models/via/mvich.h"
#include "models/via/native.h"
#include "models/via/provider.h"
#include "models/via/rpi.h"

const struct scenario_section via_sections[] = {{"mvia", &mvia_table},
                                                {"mvia_native", &native_table},
                                                {"lam_via", &rpi_table},
                                                {"mvich", &mvich_table},
                                                {NULL, NULL}};

// ---- What all stacks need: an agent on each rank's host ----

struct vip_agent **via_agents_new(struct cluster *cluster, const struct scenario_case *test_case,
                                  struct mpi_process *const *processes, int ranks)
{
    const struct mvia_config *config = scenario_section_values(test_case, "mvia");
    struct vip_agent **agents = g_new0(struct vip_agent *, ranks);
    cluster_add_nics(cluster, test_case);
    for (int rank = 0; rank < ranks; rank++)
        agents[rank] =
            vip_agent_new(cluster, cluster_nic(cluster, processes[rank]->host->index, 0), config);
    return agents;
}

void via_agents_free(struct vip_agent **agents, int ranks)
{
    for (int rank = 0; rank < ranks; rank++)
        vip_agent_free(agents[rank]);
    g_free(agents);
}

// ---- LAM over the VIA RPI ----

static void rpi_process_init(struct rpi_stack *stack, struct mpi_process *process,
                             struct vip_agent *agent, const struct mvia_config *mvia)
{
    struct rpi_process *rpi = &stack->processes[process->rank];
    rpi->stack = stack;
    rpi->process = process;
    rpi->config = stack->config;
    rpi->nic = vip_open_nic(agent, mvia, process->name, &process->task);
    rpi->node = process->host->index;
    rpi->procs = g_new0(struct rpi_process_peer, stack->nodes);
    event_init(&rpi->exchange, rpi_exchange_event);
    for (int node = 0; node < stack->nodes; node++)
        rpi->procs[node] = (struct rpi_process_peer){.owner = rpi, .node = node, .rank = -1};
    process->ops = &rpi_ops;
    process->device = rpi;
}

static void *lam_via_build(struct cluster *cluster, const struct scenario_case *test_case,
                           struct mpi_process *const *processes, int ranks)
{
    struct rpi_stack *stack = g_new0(struct rpi_stack, 1);
    stack->cluster = cluster;
    stack->config = scenario_section_values(test_case, "lam_via");
    stack->ranks = ranks;
    stack->nodes = cluster->host_count;
    stack->processes = g_new0(struct rpi_process, ranks);
    stack->agents = via_agents_new(cluster, test_case, processes, ranks);
    for (int rank = 0; rank < ranks; rank++)
        rpi_process_init(stack, processes[rank], stack->agents[rank],
                         scenario_section_values(test_case, "mvia"));
    for (int rank = 0; rank < ranks; rank++)
        for (int peer = 0; peer < ranks; peer++)
            rpi_peer_of(&stack->processes[rank], peer)->rank = peer;
    return stack;
}

static void rpi_process_clear(struct rpi_process *rpi)
{
    for (int node = 0; node < rpi->stack->nodes; node++) {
        struct rpi_process_peer *peer = &rpi->procs[node];
        g_free(peer->cp_send_desc);
        g_free(peer->cp_recv_desc);
        g_free(peer->cp_pending_sends);
        if (peer->extents)
            g_array_free(peer->extents, TRUE);
    }
    if (rpi->buffer_pages)
        rpi_buffers_free(rpi);
    pin_cache_free(rpi->pins);
    vip_close_nic(rpi->nic);
    g_free(rpi->procs);
}

static void lam_via_free(void *state)
{
    struct rpi_stack *stack = state;
    for (int rank = 0; rank < stack->ranks; rank++)
        rpi_process_clear(&stack->processes[rank]);
    via_agents_free(stack->agents, stack->ranks);
    g_free(stack->processes);
    g_free(stack);
}

// Node numbers have to fit into the immediate data.
static void check_nodes(const struct scenario_case *test_case, struct diag_list *diags)
{
    guint nodes = test_case->topology.hosts->len;
    if (nodes > RPI_LARGEST_NODE + 1)
        diag_add(diags, test_case->mark, "hosts", NULL,
                 "%u hosts, but the immediate data of the VIA RPI have room for the numbers of %d",
                 nodes, RPI_LARGEST_NODE + 1);
}

// An eager message goes as one descriptor.
static void lam_via_check(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct mvia_config *mvia = scenario_section_values(test_case, "mvia");
    const struct rpi_config *rpi = scenario_section_values(test_case, "lam_via");
    check_nodes(test_case, diags);
    if (rpi->tiny + rpi->envelope > mvia->largest_transfer)
        scenario_complain(
            test_case, diags, "lam_via", "tiny", NULL,
            "a tiny message of %" G_GINT64_FORMAT " B with its envelope is longer than "
            "what one descriptor transfers (mvia.largest_transfer, %" G_GINT64_FORMAT " B)",
            rpi->tiny, mvia->largest_transfer);
    if (rpi->short_limit > mvia->largest_transfer)
        scenario_complain(test_case, diags, "lam_via", "short", NULL,
                          "a short message of %" G_GINT64_FORMAT " B is longer than what one "
                          "descriptor transfers (mvia.largest_transfer, %" G_GINT64_FORMAT " B)",
                          rpi->short_limit, mvia->largest_transfer);
}

// Each process has a VI with its descriptors and an RDMA area for each other one.
static struct stack_footprint lam_via_footprint(const struct scenario_case *test_case)
{
    const struct rpi_config *rpi = scenario_section_values(test_case, "lam_via");
    return (struct stack_footprint){
        .process = sizeof(struct rpi_process) + sizeof(struct vip_nic) + sizeof(struct vip_agent),
        .pair = (int64_t)sizeof(struct rpi_process_peer) + (int64_t)sizeof(struct vip_region) +
                vip_vi_footprint(rpi->rdescs + rpi->sdescs),
    };
}

const struct stack lam_via_stack = {
    .schema =
        {
            .name = "lam_via",
            .doc = "LAM/MPI 7.1 over M-VIA with the VIA RPI",
            .benchmarks = (const char *const[]){MPI_BENCHMARKS, "program", NULL},
            .sections = (const char *const[]){"mvia", "lam", "lam_via", NULL},
            .one_process_per_host = true,
            .check = lam_via_check,
            .footprint = lam_via_footprint,
        },
    .card = ETHERNET_CARD,
    .build = lam_via_build,
    .free = lam_via_free,
    .frames = &nic_capture_link,
    .library_section = "lam",
};

// ---- Bare M-VIA ----

struct mvia_state {
    struct native_stack *native;
    struct vip_agent **agents;
    int ranks;
};

static void *mvia_build(struct cluster *cluster, const struct scenario_case *test_case,
                        struct mpi_process *const *processes, int ranks)
{
    struct mvia_state *state = g_new0(struct mvia_state, 1);
    state->ranks = ranks;
    state->agents = via_agents_new(cluster, test_case, processes, ranks);
    state->native =
        native_stack_new(scenario_section_values(test_case, "mvia_native"), processes,
                         state->agents, scenario_section_values(test_case, "mvia"), ranks);
    return state;
}

static void mvia_free(void *data)
{
    struct mvia_state *state = data;
    native_stack_free(state->native);
    via_agents_free(state->agents, state->ranks);
    g_free(state);
}

static struct stack_footprint mvia_footprint(const struct scenario_case *test_case)
{
    const struct native_config *native = scenario_section_values(test_case, "mvia_native");
    return (struct stack_footprint){
        .process = sizeof(struct vip_nic) + sizeof(struct vip_agent),
        .pair = vip_vi_footprint(2 * native->descriptors),
    };
}

const struct stack mvia_stack = {
    .schema =
        {
            .name = "mvia",
            .doc = "bare M-VIA, send/receive without a library on top",
            .benchmarks =
                (const char *const[]){"native.pingpong", "native.copy", "native.register", NULL},
            .sections = (const char *const[]){"mvia", "mvia_native", NULL},
            .one_process_per_host = true,
            .footprint = mvia_footprint,
        },
    .card = ETHERNET_CARD,
    .build = mvia_build,
    .free = mvia_free,
    .frames = &nic_capture_link,
};
