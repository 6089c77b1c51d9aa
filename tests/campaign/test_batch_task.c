// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks of batch systems, by what they leave in the environment: which of how many this process is.
#include "sim/campaign/batch_task.h"
#include "tests/support/suite.h"

#include <string.h>

#define MOST_SETTINGS 8

struct environment {
    const char *settings[MOST_SETTINGS]; // "NAME=VALUE"
    const char *system;                  // NULL: no task of several
    int task, tasks, processors;
    const char *refused; // what the message has; NULL: it is read
};

#define ARRAY(ID, MIN, MAX, STEP, COUNT)                                                           \
    "SLURM_ARRAY_TASK_ID=" ID, "SLURM_ARRAY_TASK_MIN=" MIN, "SLURM_ARRAY_TASK_MAX=" MAX,           \
        "SLURM_ARRAY_TASK_STEP=" STEP, "SLURM_ARRAY_TASK_COUNT=" COUNT
#define SGE(ID, FIRST, LAST, STEP)                                                                 \
    "SGE_TASK_ID=" ID, "SGE_TASK_FIRST=" FIRST, "SGE_TASK_LAST=" LAST, "SGE_TASK_STEPSIZE=" STEP

static const struct environment environments[] = {
    {{NULL}, NULL, 1, 1, 1, NULL},
    // A batch script, before any srun.
    {{"SLURM_PROCID=0", "SLURM_NTASKS=64"}, NULL, 1, 1, 1, NULL},
    {{"SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=1"}, NULL, 1, 1, 1, NULL},
    {{"SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=64"}, "Slurm", 1, 64, 1, NULL},
    {{"SLURM_PROCID=63", "SLURM_STEP_NUM_TASKS=64", "SLURM_CPUS_PER_TASK=4"},
     "Slurm",
     64,
     64,
     4,
     NULL},
    {{"SLURM_PROCID=64", "SLURM_STEP_NUM_TASKS=64"}, NULL, 1, 1, 1, NULL},
    {{"SLURM_PROCID=x", "SLURM_STEP_NUM_TASKS=64"}, NULL, 1, 1, 1, NULL},
    {{ARRAY("0", "0", "15", "1", "16")}, "Slurm", 1, 16, 1, NULL},
    {{ARRAY("7", "3", "7", "2", "3")}, "Slurm", 3, 3, 1, NULL},
    // One task that is submitted again is an array of its own.
    {{ARRAY("5", "5", "5", "1", "1")}, NULL, 1, 1, 1, NULL},
    // A list: 1,3,4.
    {{ARRAY("3", "1", "4", "1", "3")}, NULL, 1, 1, 1, "not numbered evenly"},
    {{ARRAY("4", "3", "7", "2", "3")}, NULL, 1, 1, 1, "not numbered evenly"},
    {{ARRAY("4", "3", "7", "0", "3")}, NULL, 1, 1, 1, "not numbered evenly"},
    // Steps of 4 tasks in the second task of an array of 3.
    {{ARRAY("2", "1", "3", "1", "3"), "SLURM_PROCID=1", "SLURM_STEP_NUM_TASKS=4"},
     "Slurm",
     6,
     12,
     1,
     NULL},
    {{SGE("undefined", "undefined", "undefined", "undefined")}, NULL, 1, 1, 1, NULL},
    {{SGE("3", "1", "8", "1"), "NSLOTS=2"}, "Grid Engine", 3, 8, 2, NULL},
    {{SGE("9", "1", "8", "1")}, NULL, 1, 1, 1, "not numbered evenly"},
    {{"PBS_ARRAY_INDEX=3"}, NULL, 1, 1, 1, "array of PBS, whose number of tasks"},
    {{"PBS_ARRAYID=3"}, NULL, 1, 1, 1, "array of PBS, whose number of tasks"},
};

static void clear_environment(void)
{
    char **names = g_listenv();
    for (char **name = names; *name; name++)
        if (g_str_has_prefix(*name, "SLURM_") || g_str_has_prefix(*name, "SGE_") ||
            g_str_has_prefix(*name, "PBS_") || strcmp(*name, "NSLOTS") == 0)
            g_unsetenv(*name);
    g_strfreev(names);
}

static void test_environments(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(environments); i++) {
        const struct environment *environment = &environments[i];
        clear_environment();
        for (int k = 0; k < MOST_SETTINGS && environment->settings[k]; k++) {
            char **parts = g_strsplit(environment->settings[k], "=", 2);
            g_setenv(parts[0], parts[1], TRUE);
            g_strfreev(parts);
        }
        struct batch_task task;
        GError *error = NULL;
        bool good = batch_task_read(&task, &error);
        CU_ASSERT_EQUAL(good, environment->refused == NULL);
        CU_ASSERT_EQUAL(good, error == NULL);
        if (error && environment->refused)
            SUITE_CONTAINS(error->message, environment->refused);
        g_clear_error(&error);
        SUITE_SAME_TEXT(task.system, environment->system);
        SUITE_SAME_INTEGER(task.task, environment->task);
        SUITE_SAME_INTEGER(task.tasks, environment->tasks);
        if (good)
            SUITE_SAME_INTEGER(task.processors, environment->processors);
    }
    clear_environment();
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"which task of how many", test_environments},
        {0},
    };
    return suite_run("campaign: batch task", cases);
}
