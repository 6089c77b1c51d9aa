// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/mpi/startup.h"

static void begin(struct mpi_process *process, int step)
{
    process->startup.step = step;
    process->startup.peer = 0;
}

void mpi_startup_enter(const struct cpu_context *context, struct mpi_process *process, int step)
{
    const struct mpi_device_ops *ops = process->ops;
    struct trace_transition transition = {
        .where = process->name,
        .machine = ops->startup_machine,
        .from = ops->startup[process->startup.step].name,
        .to = ops->startup[step].name,
    };
    if (ops->startup_machine)
        trace_transition(process->sim->trace, cpu_lane(context->cpu), context->now, &transition);
    begin(process, step);
}

static enum mpi_progress run_step(struct cpu_context *context, struct mpi_process *process,
                                  const struct mpi_startup_step *step)
{
    int *peer = &process->startup.peer;
    if (!step->per_peer)
        return step->run(context, process, RANK_ANY);
    if (*peer == process->rank)
        ++*peer;
    if (*peer >= process->ranks)
        return PROGRESS_NOTHING;
    enum mpi_progress progress = step->run(context, process, *peer);
    if (progress != PROGRESS_NOTHING)
        return progress;
    ++*peer;
    return PROGRESS_EVENT;
}

enum mpi_progress mpi_startup(struct cpu_context *context, struct mpi_process *process)
{
    const struct mpi_startup_step *steps = process->ops->startup;
    while (steps && steps[process->startup.step].run) {
        int next = process->startup.step + 1;
        bool gate = steps[next - 1].gate;
        enum mpi_progress progress = run_step(context, process, &steps[next - 1]);
        if (progress != PROGRESS_NOTHING)
            return progress;
        if (gate)
            begin(process, next);
        else
            mpi_startup_enter(context, process, next);
        if (!gate && !steps[next].gate && steps[next].run)
            return PROGRESS_EVENT;
    }
    return PROGRESS_NOTHING;
}
