// SPDX-License-Identifier: GPL-3.0-or-later
// An endpoint's start and end; registered memory; the registration of handlers with the server
// (thesis 003, 4.4.1, figure 4.11).
#include "models/grim/endpoint/endpoint.h"

#include "models/grim/endpoint/operations.h"

#include <string.h>

static const struct stage registration_stage = {"registration", STAGE_PIN};

// ---- Registered memory ----

static const char *refusal(enum grim_memory_result result)
{
    switch (result) {
    case GRIM_REGISTERED:
        break;
    case GRIM_NO_REGION:
        return "the kernel's manager has no region left (grim_memory.regions)";
    case GRIM_PIN_LIMIT:
        return "a process may not pin that much (host.memory.pin_limit)";
    case GRIM_OVERLAP:
        return "a part of it is registered already";
    }
    return "";
}

static bool register_block(struct cpu_context *context, struct grim_endpoint *endpoint,
                           enum grim_registration kind, int64_t address, int64_t bytes)
{
    const struct mpi_process *process = endpoint->process;
    struct grim_remote *remote = endpoint->stack->remote;
    const struct grim_block *block;
    enum grim_memory_result result =
        grim_memory_register(grim_remote_memory(remote, process->host->index), process->rank, kind,
                             address, bytes, &block);
    if (result != GRIM_REGISTERED) {
        mpi_fail(
            process, "out_of_registered_memory",
            json_pack("{s:I, s:s}", "bytes", (json_int_t)bytes, "setting", "grim_memory.arena"),
            " can't register %" G_GINT64_FORMAT " B at %" G_GINT64_FORMAT ": %s", bytes, address,
            refusal(result));
        return false;
    }
    cpu_spend_time(context,
                   grim_memory_register_cost(process->host, endpoint->stack->memory_config, block),
                   &registration_stage);
    grim_remote_program(context, remote, endpoint->channel, block);
    return true;
}

bool grim_register(struct cpu_context *context, struct mpi_process *process, int64_t address,
                   int64_t size)
{
    struct grim_endpoint *endpoint = grim_endpoint_of(process);
    cpu_spend(context, endpoint->config->call, &grim_stage);
    return register_block(context, endpoint,
                          (enum grim_registration)endpoint->stack->memory_config->registration,
                          address, size);
}

bool grim_deregister(struct cpu_context *context, struct mpi_process *process, int64_t address,
                     int64_t size)
{
    struct grim_endpoint *endpoint = grim_endpoint_of(process);
    struct grim_remote *remote = endpoint->stack->remote;
    struct grim_block block;
    (void)size;
    cpu_spend(context, endpoint->config->call, &grim_stage);
    if (!grim_memory_deregister(grim_remote_memory(remote, process->host->index), process->rank,
                                address, &block))
        return false;
    grim_remote_forget(context, remote, endpoint->channel, &block);
    cpu_spend_time(context, grim_memory_deregister_cost(process->host, &block),
                   &registration_stage);
    return true;
}

// Every endpoint has memory of both kinds from the start, and a page for the word of notification.
// An unregistered page after each stops transfers that run over its end.
static enum mpi_progress start_memory(struct cpu_context *context, struct mpi_process *process,
                                      int peer)
{
    struct grim_endpoint *endpoint = grim_endpoint_of(process);
    int64_t arena = endpoint->stack->memory_config->arena, page = process->host->config.memory.page;
    (void)peer;
    arena = (arena + page - 1) / page * page;
    endpoint->contiguous = mpi_process_allocate(process, arena + 2 * page);
    endpoint->word = endpoint->contiguous + arena;
    endpoint->paged = mpi_process_allocate(process, arena + page);
    if (register_block(context, endpoint, GRIM_CONTIGUOUS, endpoint->contiguous, arena + page))
        register_block(context, endpoint, GRIM_PAGED, endpoint->paged, arena);
    return PROGRESS_NOTHING;
}

// ---- Handlers ----

struct grim_message grim_submission(const struct grim_endpoint *endpoint)
{
    struct grim_message message =
        grim_system_message(endpoint, (int)endpoint->config->server, GRIM_SUBMIT,
                            grim_handlers_bytes(endpoint->handlers), endpoint->handlers);
    message.argument[0] = (uint32_t)grim_handlers_count(endpoint->handlers);
    return message;
}

// The server has its own names in its table by a look into its memory.
void grim_server_submit(struct cpu_context *context, struct grim_endpoint *endpoint)
{
    int64_t count = grim_handlers_count(endpoint->handlers);
    cpu_spend_time(context, time_times(count, cpu_cost(context->cpu, endpoint->config->lookup)),
                   &grim_handlers_stage);
    for (int64_t i = 0; i < count; i++) {
        const char *name = grim_handlers_name(endpoint->handlers, i);
        grim_handlers_learn(endpoint->handlers, name,
                            grim_names_submit(endpoint->stack->names, name));
    }
}

bool grim_is_server(const struct grim_endpoint *endpoint)
{
    return endpoint->config->server == endpoint->process->rank;
}

static bool all_listed(const struct grim_stack *stack)
{
    for (int rank = 0; rank < stack->ranks; rank++)
        if (stack->processes[rank]->startup.machine.state < GRIM_START_ALL)
            return false;
    return true;
}

// Whoever starts the job lets nobody go on before all have come so far.
static void listed_at_start(struct cpu_context *context, struct grim_endpoint *endpoint)
{
    struct grim_stack *stack = endpoint->stack;
    mpi_startup_enter(context, endpoint->process, GRIM_START_ALL);
    if (!all_listed(stack))
        return;
    for (int rank = 0; rank < stack->ranks; rank++) {
        grim_endpoint_of(stack->processes[rank])->asleep = false;
        cpu_post_wake(context, &stack->processes[rank]->task);
    }
}

void grim_listed(struct cpu_context *context, struct grim_endpoint *endpoint)
{
    if (endpoint->process->startup.machine.state == GRIM_START_LIST)
        listed_at_start(context, endpoint);
    for (struct mpi_request *at = endpoint->process->active; at; at = at->active_next)
        if (at->machine.state == GRIM_REQUEST_LIST) {
            mpi_finish(context, at);
            return;
        }
}

void grim_name_answered(struct cpu_context *context, struct grim_endpoint *endpoint,
                        const char *name, int64_t id)
{
    struct mpi_request *request = endpoint->injecting.head;
    g_assert(request && request->machine.state == GRIM_REQUEST_ASKED);
    if (id == GRIM_NO_ID) {
        grim_unknown_name(request, name);
        return;
    }
    grim_handlers_learn(endpoint->handlers, name, id);
    if (grim_is(request, GRIM_OPERATION_MESSAGE)) {
        grim_enter(context, request, GRIM_REQUEST_INJECT);
        return;
    }
    mpi_queue_pop(&endpoint->injecting);
    mpi_finish(context, request);
}

void grim_unknown_name(const struct mpi_request *request, const char *name)
{
    mpi_fail(request->process, "unknown_handler",
             json_pack("{s:s, s:s}", "handler", name, "setting", "grim.handlers"),
             ": no endpoint has registered a handler %s; have all do so (grim.handlers), or "
             "one (call register.%s) before",
             name, name);
}

// ---- Start ----

// The program has not begun: what comes is the library's.
static enum mpi_progress serve(struct cpu_context *context, struct grim_endpoint *endpoint)
{
    return grim_progress(context, endpoint) ? PROGRESS_EVENT : grim_sleep(context, endpoint);
}

// A submission whose message waits for room on the card: it is tried again when there is some.
static enum mpi_progress start_submit(struct cpu_context *context, struct mpi_process *process,
                                      int peer)
{
    struct grim_endpoint *endpoint = grim_endpoint_of(process);
    (void)peer;
    if (grim_is_server(endpoint)) {
        grim_server_submit(context, endpoint);
        listed_at_start(context, endpoint);
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
    return all_listed(endpoint->stack) ? PROGRESS_NOTHING : serve(context, endpoint);
}

static const struct machine_state grim_startup_states[] = {
    [GRIM_START_MEMORY] = {"memory", .next = MACHINE_TO(GRIM_START_SUBMIT)},
    [GRIM_START_SUBMIT] = {"submit",
                           .next = MACHINE_TO(GRIM_START_LIST) | MACHINE_TO(GRIM_START_ALL)},
    [GRIM_START_LIST] = {"list", .next = MACHINE_TO(GRIM_START_ALL)},
    [GRIM_START_ALL] = {"all", .next = MACHINE_TO(GRIM_START_UP)},
    [GRIM_START_UP] = {"up"},
};

const struct machine_kind grim_startup_machine = {
    .name = "endpoint",
    .title = "Start of a GRIM endpoint",
    .source = "thesis 003, 4.4.1, figure 4.11",
    .states = grim_startup_states,
    .count = G_N_ELEMENTS(grim_startup_states),
};

const struct mpi_startup_step grim_startup[] = {
    [GRIM_START_MEMORY] = {.run = start_memory},
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
