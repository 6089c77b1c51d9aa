// SPDX-License-Identifier: GPL-3.0-or-later
// Registered memory, and the registration of handlers with the server (thesis 003, 4.4.1, figure
// 4.11).
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
enum mpi_progress grim_start_memory(struct cpu_context *context, struct mpi_process *process,
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

// The server enters its own names into its table by searching its memory.
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

bool grim_all_listed(const struct grim_stack *stack)
{
    for (int rank = 0; rank < stack->ranks; rank++)
        if (stack->processes[rank]->startup.machine.state < GRIM_START_ALL)
            return false;
    return true;
}

// The start of the job holds all processes until each has come so far.
void grim_listed_at_start(struct cpu_context *context, struct grim_endpoint *endpoint)
{
    struct grim_stack *stack = endpoint->stack;
    mpi_startup_enter(context, endpoint->process, GRIM_START_ALL);
    if (!grim_all_listed(stack))
        return;
    for (int rank = 0; rank < stack->ranks; rank++) {
        grim_endpoint_of(stack->processes[rank])->asleep = false;
        cpu_post_wake(context, &stack->processes[rank]->task);
    }
}

void grim_listed(struct cpu_context *context, struct grim_endpoint *endpoint)
{
    if (endpoint->process->startup.machine.state == GRIM_START_LIST)
        grim_listed_at_start(context, endpoint);
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
