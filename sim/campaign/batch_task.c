// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/campaign/batch_task.h"

#include "sim/campaign/workers.h"

// An array of tasks, numbered first, first + step, ... last.
struct task_array {
    const char *system, *id, *first, *last, *step, *count; // of the environment; NULL: it has none
};

static const struct task_array task_arrays[] = {
    {"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX",
     "SLURM_ARRAY_TASK_STEP", "SLURM_ARRAY_TASK_COUNT"},
    {"Grid Engine", "SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE", NULL},
    {"PBS", "PBS_ARRAY_INDEX", NULL, NULL, NULL, NULL},
    {"PBS", "PBS_ARRAYID", NULL, NULL, NULL, NULL},
};

// Returns false if it is not set, or holds no number.
static bool number_in_environment(const char *name, gint64 *number)
{
    const char *text = name ? g_getenv(name) : NULL;
    return text && g_ascii_string_to_signed(text, 10, 0, G_MAXINT32, number, NULL);
}

static bool refuse_task(const struct task_array *array, const char *why, GError **error)
{
    g_set_error(error, WORKERS_ERROR, WORKERS_ERROR_SYSTEM, "this is task %s of an array of %s, %s",
                g_getenv(array->id), array->system, why);
    return false;
}

static bool read_task_array(const struct task_array *array, struct batch_task *task, GError **error)
{
    gint64 id, first, last, step = 1, count;
    if (!number_in_environment(array->id, &id))
        return true; // Grid Engine has "undefined" outside of arrays
    if (!number_in_environment(array->first, &first) || !number_in_environment(array->last, &last))
        return refuse_task(array, "whose number of tasks it does not pass on", error);
    number_in_environment(array->step, &step);
    if (step < 1 || id < first || id > last || (id - first) % step != 0 ||
        (last - first) / step >= BATCH_MOST_TASKS ||
        (number_in_environment(array->count, &count) && count != (last - first) / step + 1))
        return refuse_task(array, "whose tasks are not numbered evenly", error);
    if (last - first >= step)
        *task = (struct batch_task){array->system, (int)((id - first) / step) + 1,
                                    (int)((last - first) / step) + 1, 1};
    return true;
}

bool batch_task_read(struct batch_task *task, GError **error)
{
    gint64 process, processes, processors;
    *task = (struct batch_task){NULL, 1, 1, 1};
    for (size_t i = 0; i < G_N_ELEMENTS(task_arrays) && !task->system; i++)
        if (!read_task_array(&task_arrays[i], task, error))
            return false;
    if (number_in_environment("SLURM_PROCID", &process) &&
        number_in_environment("SLURM_STEP_NUM_TASKS", &processes) && processes > 1 &&
        process < processes && processes <= BATCH_MOST_TASKS / task->tasks) {
        task->system = "Slurm";
        task->task = (task->task - 1) * (int)processes + (int)process + 1;
        task->tasks *= (int)processes;
    }
    if ((number_in_environment("SLURM_CPUS_PER_TASK", &processors) ||
         number_in_environment("NSLOTS", &processors)) &&
        processors > 0)
        task->processors = (int)processors;
    return true;
}
