// SPDX-License-Identifier: GPL-3.0-or-later
// An endpoint's start and end (thesis 003, 4.4.1, figure 4.11).
#include "models/grim/endpoint/endpoint.h"

// The program has not begun: what comes is the library's.
static enum mpi_progress serve(struct cpu_context *context, struct grim_endpoint *endpoint)
{
    return grim_progress(context, endpoint) ? PROGRESS_EVENT : grim_sleep(context, endpoint);
}

// A submission whose message waits for room on the card is tried again when there is some.
static enum mpi_progress start_submit(struct cpu_context *context, struct mpi_process *process,
                                      int peer)
{
    struct grim_endpoint *endpoint = grim_endpoint_of(process);
    (void)peer;
    if (grim_is_server(endpoint)) {
        grim_server_submit(context, endpoint);
        grim_listed_at_start(context, endpoint);
        return PROGRESS_EVENT;
    }
    struct grim_message message = grim_submission(endpoint);
    return grim_call_inject(context, endpoint, &message) ? PROGRESS_NOTHING
                                                         : serve(context, endpoint);
}

// Ends with grim_listed.
static enum mpi_progress start_list(struct cpu_context *context, struct mpi_process *process,
                                    int peer)
{
    (void)peer;
    return serve(context, grim_endpoint_of(process));
}

static enum mpi_progress start_all(struct cpu_context *context, struct mpi_process *process,
                                   int peer)
{
    struct grim_endpoint *endpoint = grim_endpoint_of(process);
    (void)peer;
    return grim_all_listed(endpoint->stack) ? PROGRESS_NOTHING : serve(context, endpoint);
}

static const struct machine_state grim_startup_states[] = {
    [GRIM_START_MEMORY] = {"memory", .next = MACHINE_TO(GRIM_START_SUBMIT)},
    [GRIM_START_SUBMIT] = {"submit", .next = MACHINE_TO(GRIM_START_LIST, GRIM_START_ALL)},
    [GRIM_START_LIST] = {"list", .next = MACHINE_TO(GRIM_START_ALL)},
    [GRIM_START_ALL] = {"all", .next = MACHINE_TO(GRIM_START_UP)},
    [GRIM_START_UP] = {.name = "up"},
};

const struct machine_kind grim_startup_machine = {
    .name = "endpoint",
    .title = "Start of a GRIM endpoint",
    .source = "thesis 003, 4.4.1, figure 4.11",
    .states = grim_startup_states,
    .count = G_N_ELEMENTS(grim_startup_states),
};

const struct mpi_startup_step grim_startup[] = {
    [GRIM_START_MEMORY] = {.run = grim_start_memory},
    [GRIM_START_SUBMIT] = {.run = start_submit},
    [GRIM_START_LIST] = {.run = start_list},
    [GRIM_START_ALL] = {.run = start_all},
    [GRIM_START_UP] = {0},
};

// The library is left when all that it has taken is with the card.
enum mpi_progress grim_end_step(struct cpu_context *context, struct mpi_process *process)
{
    struct grim_endpoint *endpoint = grim_endpoint_of(process);
    if (endpoint->overflow || endpoint->replying || endpoint->injecting.head)
        return serve(context, endpoint);
    endpoint->ended = true;
    return PROGRESS_NOTHING;
}
