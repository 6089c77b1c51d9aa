// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/mpi/startup.h"

// `trace`: NULL if the step leaves none.
static void begin_step(const struct cpu_context *context, struct mpi_process *process, int step,
                       struct trace *trace)
{
    const struct machine_kind *kind = process->ops->startup_machine;
    struct machine *machine = &process->startup.machine;
    process->startup.peer = 0;
    if (kind)
        machine_enter(kind, machine, (unsigned)step, (struct machine_owner){.where = process->name},
                      NULL, trace, cpu_lane(context->cpu), context->now);
    else
        machine->state = (uint8_t)step;
}

void mpi_startup_enter(const struct cpu_context *context, struct mpi_process *process, int step)
{
    begin_step(context, process, step, process->sim->trace);
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
    while (steps && steps[process->startup.machine.state].run) {
        int next = process->startup.machine.state + 1;
        bool gate = steps[next - 1].gate;
        enum mpi_progress progress = run_step(context, process, &steps[next - 1]);
        if (progress != PROGRESS_NOTHING)
            return progress;
        begin_step(context, process, next, gate ? NULL : process->sim->trace);
        if (!gate && !steps[next].gate && steps[next].run)
            return PROGRESS_EVENT;
    }
    return PROGRESS_NOTHING;
}
