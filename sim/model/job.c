// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/job.h"

#include "sim/scenario/placement.h"

#include <glib.h>

// The processes, each on its host; there they are counted.
static void place_processes(struct job *job, cpu_task_fn *run)
{
    const struct scenario_case *test_case = job->test_case;
    const struct stack *stack = job->stack;
    int *on_host = g_new0(int, job->cluster->host_count);
    for (int rank = 0; rank < job->ranks; rank++) {
        int host = placement_host(test_case->workload.placement, rank);
        struct mpi_process *process = mpi_process_new(job->sim, job->cluster->hosts[host],
                                                      on_host[host]++, rank, job->ranks, run);
        process->peers = job->processes;
        process->ops = stack->device;
        process->device = stack->process_size ? g_malloc0(stack->process_size) : NULL;
        if (stack->library_section)
            process->library = scenario_section_values(test_case, stack->library_section);
        job->processes[rank] = process;
    }
    g_free(on_host);
}

struct job *job_new(struct cluster *cluster, const struct scenario_case *test_case,
                    const struct stack *stack, cpu_task_fn *run)
{
    struct job *job = g_new0(struct job, 1);
    *job = (struct job){
        .sim = cluster->sim,
        .cluster = cluster,
        .test_case = test_case,
        .stack = stack,
        .ranks = test_case->workload.ranks,
        .processes = g_new0(struct mpi_process *, test_case->workload.ranks),
        .state = stack->state_size ? g_malloc0(stack->state_size) : NULL,
    };
    place_processes(job, run);
    if (stack->init)
        stack->init(job);
    for (int rank = 0; stack->process_init && rank < job->ranks; rank++)
        stack->process_init(job, job->processes[rank]);
    if (stack->start)
        stack->start(job);
    return job;
}

void job_free(struct job *job)
{
    const struct stack *stack = job->stack;
    for (int rank = 0; stack->process_clear && rank < job->ranks; rank++)
        stack->process_clear(job, job->processes[rank]);
    if (stack->clear)
        stack->clear(job);
    for (int rank = 0; rank < job->ranks; rank++) {
        g_free(job->processes[rank]->device);
        mpi_process_free(job->processes[rank]);
    }
    g_free(job->state);
    g_free(job->processes);
    g_free(job);
}

int job_most_on_host(const struct scenario_case *test_case, const char **host)
{
    const struct workload *workload = &test_case->workload;
    int most, fullest = placement_fullest(workload->placement, workload->ranks,
                                          (int)test_case->topology.hosts->len, &most);
    *host = topology_node_name(&test_case->topology, fullest);
    return most;
}
