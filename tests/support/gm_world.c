// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/gm_world.h"
#include "tests/support/stage_called.h"

#include "sim/workload/stack.h"
#include "tests/support/suite.h"

#include <string.h>

const char gm_pair[] =
    "schema: 1\n"
    "name: t\n"
    "stack: gm\n"
    "nic: lanai7\n"
    "host:\n"
    "  processor: {cores: 2, clock: 1 GHz}\n"
    "  memory: {page: 4 KiB, pin_page: 509 ns, unpin_page: 307 ns, pin_limit: 1 MiB}\n"
    "  bus: {clock: 1 GHz, rate: 100 MB/s, read_setup: 200, write_setup: 200}\n"
    "  kernel: {system_call: 521 ns, interrupt_entry: 2003 ns, interrupt_exit: 1009 ns,\n"
    "           wake_process: 1013 ns, switch_process: 4001 ns, block_process: 2011 ns,\n"
    "           interrupt_latency: 1507 ns, interrupt_ack: 307 ns, interrupt_unmask: 211 ns,\n"
    "           wake_other: 1103 ns}\n"
    "lanai7: {clock: 50 MHz, sram: 1 MiB, dispatch: 0 ns, idle_turn: 0 ns, timer_tick: 0 ns,\n"
    "         read_setup: 700 ns, write_setup: 300 ns, bus_hold: 1 KiB, send_latency: 130 ns,\n"
    "         receive_latency: 170 ns, write_word: 110 ns}\n"
    "gm: {send: 401 ns, provide: 203 ns, receive_check: 31 ns, receive_event: 149 ns,\n"
    "     callback: 61 ns, register_call: 2017 ns, interrupt: 1501 ns,\n"
    "     timer: 61 cycles, finish_rdma: 51 cycles, finish_recv: 151 cycles,\n"
    "     finish_sdma: 41 cycles, finish_send: 31 cycles, start_send: 59 cycles,\n"
    "     start_sdma: 121 cycles, start_rdma: 79 cycles, poll: 83 cycles,\n"
    "     free_record: 13 cycles, resend_record: 17 cycles}\n"
    "gm_native: {buffer: 1 B, receive_buffers: 1, poll_turn: 1 ns}\n"
    "hosts: [{name: node, count: 2}]\n"
    "switches: [{name: switch}]\n"
    "link: {rate: 2000 Mb/s, propagation: 50 ns, preamble: 0 B, gap: 0 B, least_frame: 0 B}\n"
    "links: [{from: node, to: switch}]\n"
    "switch: {discipline: cut_through, latency: 150 ns, header: 1 B, route_bytes: 1 B}\n"
    "workload: {benchmark: native.pingpong, sizes: [1 B], repetitions: 10}\n";

// ---- The world ----

struct gm_world *gm_world_new(const char *text, const char *const *sets, struct trace *trace)
{
    struct gm_world *world = g_new0(struct gm_world, 1);
    world->compiled = compiled_new(text, sets);
    world->test_case = world->compiled.test_case;
    world->sim = sim_new(world->compiled.scenario->seed, trace);
    world->cluster = cluster_new(world->sim, world->test_case);
    world->fabric = gm_fabric_new(world->cluster, world->test_case);
    world->ends = g_ptr_array_new();
    world->tickets = g_ptr_array_new_with_free_func(g_free);
    return world;
}

static void end_free(struct gm_end *end)
{
    g_queue_clear_full(&end->jobs, g_free);
    g_array_free(end->received, TRUE);
    g_array_free(end->returned, TRUE);
    g_array_free(end->written, TRUE);
    g_free(end);
}

void gm_world_free(struct gm_world *world)
{
    for (guint i = 0; i < world->ends->len; i++)
        end_free(g_ptr_array_index(world->ends, i));
    g_ptr_array_unref(world->ends);
    g_ptr_array_unref(world->tickets);
    gm_fabric_free(world->fabric);
    cluster_free(world->cluster);
    sim_free(world->sim);
    compiled_free(&world->compiled);
    g_free(world);
}

void gm_world_run(struct gm_world *world)
{
    for (guint i = 0; i < world->ends->len; i++)
        cpu_wake(&((struct gm_end *)g_ptr_array_index(world->ends, i))->task);
    engine_run(world->sim->engine, TIME_NEVER);
}

int64_t gm_world_counter(const struct gm_world *world, const char *name)
{
    return *sim_counter(world->sim, name);
}

void gm_world_check(const struct gm_world *world)
{
    struct ledger_totals totals = ledger_totals(world->sim->ledger);
    CU_ASSERT_EQUAL(world->sim->status, SIM_COMPLETED);
    CU_ASSERT(ledger_balanced(world->sim->ledger));
    SUITE_SAME_INTEGER((long long)totals.delivered, (long long)totals.messages);
    CU_ASSERT_EQUAL(totals.lost + totals.open + totals.duplicated + totals.misordered, 0);
}

// ---- Jobs ----

struct job;
// True: done.
typedef bool job_fn(struct cpu_context *context, struct gm_end *end, struct job *job);

struct job {
    job_fn *run;
    sim_time at;
    struct gm_send_job send;
    int size;
    gm_job_fn *custom;
    void *argument;
};

static struct job *job_add(struct gm_end *end, job_fn *run, sim_time at)
{
    struct job *job = g_new0(struct job, 1);
    job->run = run;
    job->at = at;
    g_queue_push_tail(&end->jobs, job);
    return job;
}

// Of one send.
struct ticket {
    struct gm_end *end;
    int64_t number;
};

static void sent_callback(struct cpu_context *context, struct gm_port *port, void *callback_context,
                          enum gm_status status)
{
    struct ticket *ticket = callback_context;
    struct gm_returned returned = {status, ticket->number, context->now};
    CU_ASSERT_PTR_EQUAL(port, ticket->end->port);
    g_array_append_val(ticket->end->returned, returned);
}

// Messages of a port to a port with one priority stay in order.
static uint64_t flow_of(const struct gm_end *from, const struct gm_send_job *send)
{
    uint64_t ends = (uint64_t)(from->host * 64 + from->number) << 32 |
                    (uint64_t)(send->to->host * 64 + send->to->number) << 2;
    return ends | (uint64_t)send->priority << 1 | (uint64_t)send->directed;
}

static bool send_run(struct cpu_context *context, struct gm_end *end, struct job *job)
{
    const struct gm_send_job *send = &job->send;
    if (gm_send_tokens(end->port) == 0)
        return false;
    struct ticket *ticket = g_new0(struct ticket, 1);
    ticket->end = end;
    ticket->number = end->sends++;
    g_ptr_array_add(end->world->tickets, ticket);
    struct gm_message message = {
        .address = send->address ? send->address : GM_WORLD_MEMORY,
        .length = send->header + send->bytes,
        .header = send->header,
        .size = send->size >= 0 ? send->size : gm_min_size_for_length(send->header + send->bytes),
        .priority = send->priority,
        .target_host = send->to->host,
        .target_port = send->to->number,
        .message = ledger_open(end->world->sim->ledger, end->host, send->to->host, send->bytes,
                               flow_of(end, send)),
        .callback = sent_callback,
        .callback_context = ticket,
    };
    int64_t remote = send->remote ? send->remote : GM_WORLD_MEMORY;
    if (send->directed)
        gm_directed_send_with_callback(context, end->port, &message, remote);
    else
        gm_send_with_callback(context, end->port, &message);
    return true;
}

void gm_end_send(struct gm_end *end, const struct gm_send_job *send)
{
    job_add(end, send_run, send->at)->send = *send;
}

void gm_end_send_to(struct gm_end *end, struct gm_end *to, int64_t bytes, int count)
{
    for (int i = 0; i < count; i++)
        gm_end_send(end, &(struct gm_send_job){.to = to, .bytes = bytes, .size = -1});
}

static bool provide_run(struct cpu_context *context, struct gm_end *end, struct job *job)
{
    return gm_provide_receive_buffer(context, end->port, GM_WORLD_MEMORY, job->size,
                                     job->send.priority);
}

void gm_end_provide(struct gm_end *end, int size, int count, sim_time at)
{
    for (int i = 0; i < count; i++)
        job_add(end, provide_run, at)->size = size;
}

static bool custom_run(struct cpu_context *context, struct gm_end *end, struct job *job)
{
    job->custom(context, end, job->argument);
    return true;
}

void gm_end_do(struct gm_end *end, sim_time at, gm_job_fn *custom, void *argument)
{
    struct job *job = job_add(end, custom_run, at);
    job->custom = custom;
    job->argument = argument;
}

// ---- The process ----

static void take_message(struct cpu_context *context, struct gm_end *end, struct gm_event *event)
{
    struct ledger *ledger = end->world->sim->ledger;
    struct gm_received received = {*event, context->now};
    g_array_append_val(end->received, received);
    ledger_match(ledger, event->message);
    ledger_deliver(ledger, event->message, event->offset, event->length - event->header);
    ledger_complete(ledger, event->message);
    cpu_spend_time(context, end->work, stage_called("work", STAGE_LIBRARY));
    if (!end->keeps)
        gm_provide_receive_buffer(context, end->port, event->buffer, event->size, 0);
}

static enum cpu_next listen(struct cpu_context *context, struct gm_end *end)
{
    struct gm_event event;
    if (end->deaf)
        return CPU_SLEEP;
    switch (gm_receive(context, end->port, &event)) {
    case GM_NO_EVENT:
        if (end->blocks)
            gm_block(context, end->port);
        else
            gm_poll(context, end->port, end->poll_turn);
        return CPU_SLEEP;
    case GM_RECV_EVENT:
    case GM_FAST_RECV_EVENT:
        take_message(context, end, &event);
        break;
    case GM_SENT_EVENT:
    case GM_ALARM_EVENT:
        gm_unknown(context, end->port, &event);
        break;
    }
    return CPU_AGAIN;
}

static void alarm_event(struct engine *engine, struct event *event)
{
    (void)engine;
    cpu_wake(&container_of(event, struct gm_end, alarm)->task);
}

static enum cpu_next end_run(struct cpu_context *context, struct cpu_task *task)
{
    struct gm_end *end = container_of(task, struct gm_end, task);
    struct engine *engine = end->world->sim->engine;
    struct job *job = g_queue_peek_head(&end->jobs);
    if (job && job->at <= context->now) {
        if (job->run(context, end, job)) {
            g_free(g_queue_pop_head(&end->jobs));
            return CPU_AGAIN;
        }
    } else if (job && !event_pending(&end->alarm)) {
        engine_schedule(engine, &end->alarm, job->at);
    }
    return listen(context, end);
}

static void written(void *owner, const struct gm_write *write)
{
    struct gm_end *end = owner;
    struct ledger *ledger = end->world->sim->ledger;
    struct gm_written_note note = {*write, sim_now(end->world->sim)};
    g_array_append_val(end->written, note);
    ledger_match(ledger, write->message);
    ledger_deliver(ledger, write->message, write->offset, write->length - write->header);
    ledger_complete(ledger, write->message);
}

struct gm_end *gm_end_new(struct gm_world *world, int host, int number)
{
    struct gm_end *end = g_new0(struct gm_end, 1);
    struct host *machine = world->cluster->hosts[host];
    end->world = world;
    end->host = host;
    end->number = number;
    end->poll_turn = 100 * TIME_NS;
    end->received = g_array_new(FALSE, FALSE, sizeof(struct gm_received));
    end->returned = g_array_new(FALSE, FALSE, sizeof(struct gm_returned));
    end->written = g_array_new(FALSE, FALSE, sizeof(struct gm_written_note));
    g_queue_init(&end->jobs);
    event_init(&end->alarm, alarm_event);
    cpu_task_init(&end->task, host_process_core(machine, 0), CPU_USER, end_run);
    end->port = gm_open(world->fabric, host, number, "process", &end->task);
    g_assert(end->port);
    gm_dma_memory(end->port, GM_WORLD_MEMORY, GM_WORLD_BYTES - GM_WORLD_OUTSIDE);
    gm_on_write(end->port, written, end);
    g_ptr_array_add(world->ends, end);
    return end;
}

// ---- What has come of it ----

struct gm_received *gm_end_received(struct gm_end *end, guint i)
{
    g_assert(i < end->received->len);
    return &g_array_index(end->received, struct gm_received, i);
}

struct gm_returned *gm_end_returned(struct gm_end *end, guint i)
{
    g_assert(i < end->returned->len);
    return &g_array_index(end->returned, struct gm_returned, i);
}

int gm_end_count(const struct gm_end *end, enum gm_status status)
{
    int count = 0;
    for (guint i = 0; i < end->returned->len; i++)
        count += g_array_index(end->returned, struct gm_returned, i).status == status;
    return count;
}

const struct gm_connection *gm_world_connection(const struct gm_card *card, int host)
{
    const struct gm_connection *const *slot = sparse_peek(&card->connections, host);
    return slot ? *slot : NULL;
}
