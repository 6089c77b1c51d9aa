// SPDX-License-Identifier: GPL-3.0-or-later
// A job: the processes of a case on the hosts of a cluster, with a stack under them.
#ifndef NETSIM_WORKLOAD_JOB_H
#define NETSIM_WORKLOAD_JOB_H

#include "sim/workload/stack.h"

struct job {
    struct sim *sim;
    struct cluster *cluster;
    const struct scenario_case *test_case;
    const struct stack *stack;
    int ranks;
    struct mpi_process **processes; // by rank, each on the host where it is placed
    void *state;                    // the stack's own, stack->state_size bytes
};

// Places the processes of a case, whose program `run` runs, and puts the stack under them. Cluster,
// case and stack must outlive the job. Free with job_free, before the cluster.
struct job *job_new(struct cluster *cluster, const struct scenario_case *test_case,
                    const struct stack *stack, cpu_task_fn *run);
void job_free(struct job *job);

// The most processes of a case that are on one host, and the name of the first such host: for
// checks of what a host can hold.
int job_most_on_host(const struct scenario_case *test_case, const char **host);

#endif
