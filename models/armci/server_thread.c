// SPDX-License-Identifier: GPL-3.0-or-later
// The data server's thread: its start, what it does next, and what wakes it.
#include "models/armci/server.h"

#include "sim/core/intern.h"

static void server_tick_event(struct engine *engine, struct event *event)
{
    struct armci_server *server = container_of(event, struct armci_server, tick);
    (void)engine;
    cpu_wake(&server->task);
}

static void set_flag(struct armci_server *server, const struct armci_flag *flag)
{
    struct armci_ready *ready = sparse_at(&server->ready, flag->client);
    if (ready->number != flag->number)
        *ready = (struct armci_ready){.number = flag->number};
    if (flag->kind == ARMCI_FLAG_READY)
        ready->free = flag->value;
    else
        ready->registration = flag->kind;
}

static void server_area_written(void *owner, const struct gm_write *write)
{
    struct armci_server *server = owner;
    const struct armci_flag *flag = write->content;
    struct sim *sim = server->job->sim;
    if (flag && flag->kind == ARMCI_FLAG_DIRECT)
        ledger_deliver(sim->ledger, write->message, write->offset, write->length - write->header);
    else if (flag)
        set_flag(server, flag);
    armci_flag_seen(server->job, flag);
    if (server->watching && !event_pending(&server->tick))
        engine_schedule(sim->engine, &server->tick,
                        time_next_tick(server->watching_since,
                                       MAX(1, cpu_cost(server->task.cpu, server->config->look)),
                                       sim_now(sim)));
}

static enum cpu_next idle(struct cpu_context *context, struct armci_server *server)
{
    if (!server->first && !armci_server_take_local(server)) {
        enum cpu_next next = armci_server_wait(context, server);
        if (!server->first)
            return next;
    }
    armci_server_serve(context, server);
    return CPU_AGAIN;
}

static enum cpu_next run(struct cpu_context *context, struct cpu_task *task)
{
    struct armci_server *server = container_of(task, struct armci_server, task);
    if (server->blocked && gm_waiting(server->requests) > 0)
        ++*server->interrupts;
    server->blocked = server->watching = false;
    engine_cancel(server->job->sim->engine, &server->tick);
    switch ((enum armci_server_state)server->machine.state) {
    case ARMCI_SERVER_STARTS:
        armci_server_provide(context, server);
        armci_server_enter(context, server, ARMCI_SERVER_IDLE);
        return CPU_AGAIN;
    case ARMCI_SERVER_IDLE:
        return idle(context, server);
    case ARMCI_SERVER_SENDS:
    case ARMCI_SERVER_READY:
    case ARMCI_SERVER_SENT:
        return armci_get_slice(context, server);
    case ARMCI_SERVER_ANSWER:
        if (!armci_server_answer(context, server, server->answer_client, &server->answer))
            return armci_server_look(context, server);
        armci_server_done(context, server);
        return CPU_AGAIN;
    }
    return CPU_SLEEP;
}

// ---- Create and free ----

json_t *armci_server_describe(const struct armci_server *server)
{
    const struct wait *wait = machine_wait(&armci_server_machine, &server->machine);
    int stored = 0;
    for (const struct armci_received *at = server->first; at; at = at->next)
        stored++;
    return json_pack("{s:s, s:s, s:s, s:i}", "name", server->name, "state",
                     machine_state_name(&armci_server_machine, &server->machine), "waits_for",
                     server->held_up ? "the callback of its own send, in front of which another "
                                       "client's request stands (armci.server_ports)"
                                     : wait->text,
                     "stored", stored);
}

struct armci_server *armci_server_new(struct armci_job *job, struct host *host, int first_rank,
                                      int nth)
{
    struct armci_server *server = g_new0(struct armci_server, 1);
    const struct armci_config *config = job->config;
    struct sim *sim = job->sim;
    char *name = g_strdup_printf("data server %s", host->name);
    server->job = job;
    server->config = config;
    server->host = host;
    server->first_rank = first_rank;
    server->name = intern_text(name);
    server->heap_end = host->config.memory.page;
    server->small = (struct armci_receive_buffers){gm_min_size_for_length(config->small),
                                                   config->small_buffers, 0};
    server->large = (struct armci_receive_buffers){
        gm_min_size_for_length(armci_buffer_bytes(config)), config->large_buffers, 0};
    sparse_init(&server->mutexes, job->ranks, sizeof(struct armci_mutex));
    sparse_init(&server->ready, job->ranks, sizeof(struct armci_ready));
    server->flags = g_new0(struct armci_flag, config->get_buffers + 1);
    server->interrupts = sim_counter(sim, "ARMCI: interrupts of data servers");
    server->received_count = sim_counter(sim, "ARMCI: messages received by data servers");
    server->sends = sim_counter(sim, "ARMCI: sends of data servers");
    server->stored = sim_counter(sim, "ARMCI: requests stored while a data server was busy");
    pool_init(&server->received, sizeof(struct armci_received));
    pool_init(&server->waiters, sizeof(struct armci_waiter));
    pool_init(&server->answers, sizeof(struct armci_answer));
    event_init(&server->tick, server_tick_event);
    // A thread of highest priority: what the node's processes compute waits for it (thesis 001,
    // 2.2).
    cpu_task_init(&server->task, host_process_core(host, nth), CPU_KERNEL, run);
    g_free(name);
    return server;
}

void armci_server_open(struct armci_server *server, struct gm_port *requests,
                       struct gm_port *responses)
{
    const struct armci_config *config = server->config;
    // A single one where nothing overlaps (thesis 001, 2.3.2).
    int count = armci_get_variants[config->get].each_piece ? 1 : (int)config->get_buffers;
    int64_t bytes = count * armci_buffer_bytes(config);
    server->requests = requests;
    server->responses = responses;
    server->answer_address = armci_server_memory(server, MAX(config->flag, config->header));
    armci_buffers_init(&server->buffers, &armci_buffer_schemes[ARMCI_BUFFERS_FIXED],
                       server->job->sim, armci_server_memory(server, bytes), bytes, count);
    gm_on_write(requests, server_area_written, server);
    cpu_wake(&server->task);
}

void armci_server_free(struct armci_server *server)
{
    if (!server)
        return;
    armci_buffers_clear(&server->buffers);
    pool_clear(&server->received);
    pool_clear(&server->waiters);
    pool_clear(&server->answers);
    sparse_clear(&server->mutexes);
    sparse_clear(&server->ready);
    g_free(server->flags);
    g_free(server);
}
