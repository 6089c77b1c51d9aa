// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/grim/endpoint/stack.h"

#include "models/grim/endpoint/endpoint.h"
#include "sim/program/program.h"

#define ENDPOINT_BYTES                                                                             \
    6000 // its channel, tables of handlers, regions and flow to the server, about

const struct scenario_section grim_sections[] = {
    {"grim", &grim_table},
    {0},
};

// The server must be one of the ranks.
static void check_case(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct grim_config *config = scenario_section_values(test_case, "grim");
    if (config->server < test_case->workload.ranks)
        return;
    scenario_complain(test_case, diags, "grim", "server", "ranks count from 0",
                      "rank %" G_GINT64_FORMAT " registers handlers, but there are %d ranks",
                      config->server, test_case->workload.ranks);
}

static void *build(struct cluster *cluster, const struct scenario_case *test_case,
                   struct mpi_process *const *processes, int ranks)
{
    struct grim_stack *stack = g_new0(struct grim_stack, 1);
    stack->cluster = cluster;
    stack->config = scenario_section_values(test_case, "grim");
    stack->memory_config = scenario_section_values(test_case, "grim_memory");
    stack->fabric = grim_fabric_new(cluster, test_case);
    stack->remote = grim_remote_new(cluster, stack->fabric, stack->memory_config,
                                    grim_endpoint_notified, stack);
    grim_fabric_on_stalled(stack->fabric, grim_report_stalled, stack);
    stack->names = grim_names_new();
    stack->ranks = ranks;
    stack->processes = processes;
    stack->endpoints = g_new0(struct grim_endpoint, ranks);
    for (int rank = 0; rank < ranks; rank++)
        grim_endpoint_init(&stack->endpoints[rank], stack, processes[rank]);
    grim_fabric_start(stack->fabric);
    return stack;
}

static char *blocked(void *state)
{
    const struct grim_stack *stack = state;
    return grim_fabric_circle(stack->fabric);
}

static void free_stack(void *state)
{
    struct grim_stack *stack = state;
    for (int rank = 0; rank < stack->ranks; rank++)
        grim_endpoint_clear(&stack->endpoints[rank]);
    grim_names_free(stack->names);
    grim_remote_free(stack->remote);
    grim_fabric_free(stack->fabric);
    g_free(stack->endpoints);
    g_free(stack);
}

static const char *const operations[] = {
    OP_LIBRARY_MPI, "put", "get", "active_message", "poll", "call", "register", "deregister", NULL};

// An endpoint keeps nothing for those that it has not heard of.
static struct stack_footprint grim_footprint(const struct scenario_case *test_case)
{
    (void)test_case;
    return (struct stack_footprint){.process =
                                        (int64_t)sizeof(struct grim_endpoint) + ENDPOINT_BYTES};
}

const struct stack grim_stack = {
    .schema =
        {
            .name = "grim",
            .doc = "GRIM: active messages and remote memory over Myrinet (LANai 4, LANai 9)",
            .benchmarks = (const char *const[]){"grim.inject", "grim.scan", "grim.latency",
                                                "grim.remote", MPI_BENCHMARKS, "program", NULL},
            .sections = (const char *const[]){"grim", "grim_memory", "grim_ni", "grim_lanai4",
                                              "grim_lanai9", NULL},
            .operations = operations,
            .check = check_case,
            .footprint = grim_footprint,
        },
    .card = GRIM_CARD,
    .build = build,
    .free = free_stack,
    .frames = &grim_capture_link,
    .blocked = blocked,
};
