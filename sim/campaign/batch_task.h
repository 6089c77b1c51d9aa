// SPDX-License-Identifier: GPL-3.0-or-later
// One command that a batch system has started as several tasks: which of them this is.
//
//   Slurm, a step of srun    SLURM_PROCID of SLURM_STEP_NUM_TASKS; a batch script alone has no step
//   Slurm, a job array       SLURM_ARRAY_TASK_ID of .._MIN, .._MAX, .._STEP, .._COUNT
//   Grid Engine, an array    SGE_TASK_ID of SGE_TASK_FIRST, _LAST, _STEPSIZE
//   PBS, an array            PBS_ARRAY_INDEX or PBS_ARRAYID; PBS does not say of how many
//
// A step within an array's task has a part of that task's part. Names: man pages of srun and sbatch
// 22.05, qsub of Grid Engine 6.2 and PBS Professional 19.
#ifndef NETSIM_CAMPAIGN_BATCH_TASK_H
#define NETSIM_CAMPAIGN_BATCH_TASK_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

// The most tasks.
#define BATCH_MOST_TASKS 1000000

struct batch_task {
    const char *system; // "Slurm", ...; NULL: this is no task of several
    int task, tasks;    // task is 1 .. tasks
    int processors;     // that it was given: SLURM_CPUS_PER_TASK, NSLOTS; else 1
};

// Reads the environment. Returns false and sets *error if there are several tasks and their number
// or that of this one is not known.
bool batch_task_read(struct batch_task *task, GError **error);

#endif
