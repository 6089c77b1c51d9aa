// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/via/vip/stack.h"
#include "models/ethernet/nics.h"

#include "models/via/vip/native.h"
#include "models/via/vip/provider.h"

const struct scenario_section via_sections[] = {
    {"mvia", &mvia_table}, {"mvia_native", &native_table}, {NULL, NULL}};

// ---- What all stacks need: an agent on each rank's host ----

struct vip_agent **via_agents_new(struct cluster *cluster, const struct scenario_case *test_case,
                                  struct mpi_process *const *processes, int ranks)
{
    const struct mvia_config *config = scenario_section_values(test_case, "mvia");
    struct vip_agent **agents = g_new0(struct vip_agent *, ranks);
    for (int rank = 0; rank < ranks; rank++)
        agents[rank] =
            vip_agent_new(cluster, ethernet_nic(cluster, processes[rank]->host->index, 0), config);
    return agents;
}

void via_agents_free(struct vip_agent **agents, int ranks)
{
    for (int rank = 0; rank < ranks; rank++)
        vip_agent_free(agents[rank]);
    g_free(agents);
}

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
        .pair = vip_vi_footprint() + 2 * native->descriptors * vip_descriptor_footprint(),
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
