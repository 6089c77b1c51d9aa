// SPDX-License-Identifier: GPL-3.0-or-later
// MPI_Init: each process listens and publishes its addresses; once all have, the daemons bring them
// to all (the modex). No connection is made. MPI_Finalize: each process makes progress until all
// have entered it, by a barrier of the daemons (out of band), and then closes its connections.
#include "models/openmpi/openmpi.h"
#include "models/openmpi/port.h"
#include "sim/model/job.h"

static void wake_all(const struct openmpi_job *job)
{
    for (int rank = 0; rank < job->job->ranks; rank++)
        cpu_wake(&job->job->processes[rank]->task);
}

static void modex_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct openmpi_job *job = container_of(event, struct openmpi_job, modex);
    job->addresses_known = true;
    wake_all(job);
}

static void barrier_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct openmpi_job *job = container_of(event, struct openmpi_job, barrier);
    job->finalized = true;
    wake_all(job);
}

void openmpi_job_events(struct openmpi_job *job)
{
    event_init(&job->modex, modex_event);
    event_init(&job->barrier, barrier_event);
}

// Returns true for the last process that comes to an exchange of the daemons.
static bool is_last(const struct mpi_process *process, int *come)
{
    return ++*come == process->ranks;
}

static enum mpi_progress listen_step(struct cpu_context *context, struct mpi_process *process,
                                     int peer)
{
    struct openmpi_process *ompi = openmpi_of(process);
    const struct openmpi_config *config = ompi->config;
    struct tcp_options options = {config->send_buffer, config->receive_buffer, config->no_delay};
    (void)peer;
    ompi->listener =
        tcp_listen(context, ompi->host, openmpi_port(process->rank), &options, &process->task);
    tcp_listener_inet(ompi->listener)->process->by_poll = true;
    if (is_last(process, &ompi->job->published))
        engine_schedule(process->sim->engine, &ompi->job->modex, context->now + config->daemon);
    return PROGRESS_NOTHING;
}

static enum mpi_progress modex_step(struct cpu_context *context, struct mpi_process *process,
                                    int peer)
{
    (void)context, (void)peer;
    return openmpi_of(process)->job->addresses_known ? PROGRESS_NOTHING : PROGRESS_BLOCKED;
}

const struct mpi_startup_step openmpi_startup[] = {
    {.run = listen_step},
    {.run = modex_step},
    {0},
};

// ---- The end ----

// Closes one connection. Returns false if there is none left.
static bool close_next(struct cpu_context *context, struct openmpi_process *ompi)
{
    if (ompi->open->len > 0) {
        btl_close(context, g_ptr_array_index(ompi->open, ompi->open->len - 1), "MPI_Finalize");
        return true;
    }
    if (ompi->callers->len > 0) {
        struct btl_caller *caller = g_ptr_array_index(ompi->callers, ompi->callers->len - 1);
        tcp_close(context, caller->socket);
        g_ptr_array_remove(ompi->callers, caller);
        return true;
    }
    if (ompi->listener)
        tcp_listener_close(context, ompi->listener);
    ompi->listener = NULL;
    return false;
}

enum mpi_progress openmpi_finalize(struct cpu_context *context, struct mpi_process *process)
{
    struct openmpi_process *ompi = openmpi_of(process);
    struct openmpi_job *job = ompi->job;
    if (!ompi->leaving) {
        ompi->leaving = true;
        if (is_last(process, &job->leaving))
            engine_schedule(process->sim->engine, &job->barrier,
                            context->now + ompi->config->daemon);
    }
    if (!job->finalized)
        return mpi_progress(context, process, true);
    return close_next(context, ompi) ? PROGRESS_EVENT : PROGRESS_NOTHING;
}
