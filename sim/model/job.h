// SPDX-License-Identifier: GPL-3.0-or-later
// A job: the processes of a case on the hosts of a cluster, and their stack.
#ifndef NETSIM_MODEL_JOB_H
#define NETSIM_MODEL_JOB_H

#include "sim/model/stack.h"

struct job {
    struct sim *sim;
    struct cluster *cluster;
    const struct scenario_case *test_case;
    const struct stack *stack;
    int ranks;
    struct mpi_process **processes; // by rank
    void *state;                    // the stack's state, stack->state_size bytes
};

// Places the processes of a case on their hosts and sets up the stack. `run` is the task function
// of each process. Cluster, case and stack must outlive the job. The caller frees it with job_free,
// before the cluster.
struct job *job_new(struct cluster *cluster, const struct scenario_case *test_case,
                    const struct stack *stack, cpu_task_fn *run);
void job_free(struct job *job);

// Returns the largest number of processes of a case on one host, and the name of the first such
// host: for checks of a host's capacity.
int job_most_on_host(const struct scenario_case *test_case, const char **host);

#endif
