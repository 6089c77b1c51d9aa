// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/grim/endpoint/stack.h"

#include "models/grim/endpoint/endpoint.h"
#include "sim/model/job.h"
#include "sim/program/program.h"

#define ENDPOINT_BYTES                                                                             \
    20000 // its channel, tables of handlers, regions and flow to the server, about

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

static void init(struct job *job)
{
    struct grim_stack *stack = job->state;
    stack->config = scenario_section_values(job->test_case, "grim");
    stack->memory_config = scenario_section_values(job->test_case, "grim_memory");
    stack->fabric = grim_fabric_new(job->cluster, job->test_case);
    stack->remote = grim_remote_new(job->cluster, stack->fabric, stack->memory_config,
                                    grim_endpoint_notified, stack);
    grim_fabric_on_stalled(stack->fabric, grim_report_stalled, stack);
    stack->names = grim_names_new();
    stack->ranks = job->ranks;
    stack->processes = job->processes;
}

static void process_init(struct job *job, struct mpi_process *process)
{
    grim_endpoint_init(process->device, job->state, process);
}

static void stack_start(struct job *job)
{
    const struct grim_stack *stack = job->state;
    grim_fabric_start(stack->fabric);
}

static char *blocked(const struct job *job)
{
    const struct grim_stack *stack = job->state;
    return grim_fabric_circle(stack->fabric);
}

static void process_clear(struct job *job, struct mpi_process *process)
{
    (void)job;
    grim_endpoint_clear(process->device);
}

static void clear(struct job *job)
{
    struct grim_stack *stack = job->state;
    grim_names_free(stack->names);
    grim_remote_free(stack->remote);
    grim_fabric_free(stack->fabric);
}

static const char *const stack_operations[] = {OPERATIONS_OF_MPI, "put",        "get",
                                               "active_message",  "poll",       "call",
                                               "register",        "deregister", NULL};

// An endpoint keeps nothing for those that it has not heard of.
static struct stack_footprint grim_footprint(const struct scenario_case *test_case)
{
    (void)test_case;
    return (struct stack_footprint){.process =
                                        (int64_t)sizeof(struct grim_endpoint) + ENDPOINT_BYTES,
                                    .message_events = 40,
                                    .packet_events = 20};
}

const struct stack grim_stack = {
    .schema =
        {
            .name = "grim",
            .doc = "GRIM: active messages and remote memory over Myrinet (LANai 4, LANai 9)",
            .benchmarks = (const char *const[]){"grim.inject", "grim.scan", "grim.latency",
                                                "grim.remote", LIBRARY_BENCHMARKS, "program", NULL},
            .sections = (const char *const[]){"grim", "grim_memory", "grim_ni", "grim_lanai4",
                                              "grim_lanai9", NULL},
            .operations = stack_operations,
            .check = check_case,
            .footprint = grim_footprint,
        },
    .card = GRIM_CARD,
    .device = &grim_ops,
    .state_size = sizeof(struct grim_stack),
    .process_size = sizeof(struct grim_endpoint),
    .init = init,
    .process_init = process_init,
    .start = stack_start,
    .process_clear = process_clear,
    .clear = clear,
    .frames = &grim_capture_link,
    .blocked = blocked,
};
