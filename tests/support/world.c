// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/world.h"

#include "models/ethernet/nics.h"
#include "sim/core/intern.h"
#include "tests/support/topology.h"

#include <string.h>

#define WORLD_COSTS                                                                                \
    "schema: 1\n"                                                                                  \
    "name: t\n"                                                                                    \
    "stack: mvia\n"                                                                                \
    "nic: eepro100\n"                                                                              \
    "host:\n"                                                                                      \
    "  processor: {cores: 2, clock: 1 GHz}\n"                                                      \
    "  memory: {cache: 256 KiB, copy_cached: 1000 MB/s, copy_uncached: 500 MB/s, page: 4 KiB,\n"   \
    "           copy_setup: 103 ns, pin_page: 509 ns, unpin_page: 307 ns, pin_limit: 1 MiB}\n"     \
    "  bus: {clock: 1 GHz, rate: 100 MB/s, read_setup: 241, write_setup: 137}\n"                   \
    "  kernel: {system_call: 521 ns, fast_trap: 311 ns, interrupt_entry: 2003 ns,\n"               \
    "           interrupt_exit: 1009 ns, wake_process: 1013 ns, switch_process: 4001 ns,\n"        \
    "           process_set: 0 B,\n"                                                               \
    "           block_process: 2011 ns, interrupt_latency: 1507 ns, interrupt_ack: 307 ns,\n"      \
    "           interrupt_unmask: 211 ns, wake_other: 1103 ns}\n"                                  \
    "eepro100: {tx_ring: 64, rx_ring: 64, descriptor: 16 B, tx_start: 601 ns,\n"                   \
    "           tx_threshold: 512 B, tx_fifo: 2 KiB, rx_residue: 128 B, rx_status: 303 ns,\n"      \
    "           interrupt_delay: 499 ns, doorbell: 211 ns, status_read: 907 ns,\n"                 \
    "           tx_frame: 491 ns, tx_done: 397 ns, rx_frame: 701 ns}\n"                            \
    "mvia: {doorbell: fast_trap, post: 313 ns, send_setup: 1201 ns, send_frame: 607 ns,\n"         \
    "       receive_frame: 1019 ns, completion: 503 ns, queue_check: 151 ns, dequeue: 199 ns,\n"   \
    "       register_call: 2017 ns, largest_transfer: 32 KiB, header: 32 B, mtu: 1500 B,\n"        \
    "       poll_period: 1 ns, connect_retry: 100 ms}\n"                                           \
    "mvia_native: {buffer: 64 KiB}\n"                                                              \
    "link: {rate: 100 Mb/s, propagation: 53 ns}\n"                                                 \
    "switch: {latency: 5003 ns}\n"                                                                 \
    "workload: {benchmark: native.pingpong, sizes: [1 B], repetitions: 10}\n"                      \
    "hosts: [{name: node, count: 2}]\n"

const char world_pair[] = WORLD_COSTS "switches: [{name: switch}]\n"
                                      "links: [{from: node, to: switch}]\n";

const char world_cable[] = WORLD_COSTS "links: [{from: node0, to: node1}]\n";

// ---- Life ----

static void build_cards(struct world *world)
{
    ethernet_add_nics(world->cluster, world->test_case);
}

const struct world_provider world_cards = {.build = build_cards};

static struct world *world_empty(const struct world_provider *provider)
{
    struct world *world = g_new0(struct world, 1);
    world->provider = provider;
    world->processes = g_ptr_array_new_with_free_func(g_free);
    world->kept = g_ptr_array_new_with_free_func(g_free);
    return world;
}

struct world *world_new(const struct world_provider *provider, const char *text,
                        const char *const *sets, struct trace *trace)
{
    return world_new_compiled(provider, compiled_new(text, sets), trace);
}

struct world *world_new_compiled(const struct world_provider *provider, struct compiled compiled,
                                 struct trace *trace)
{
    struct world *world = world_empty(provider);
    world->compiled = compiled;
    world->test_case = world->compiled.test_case;
    world->sim = sim_new(world->compiled.scenario->seed, trace);
    if (provider->prepare)
        provider->prepare(world);
    world->cluster = cluster_new(world->sim, world->test_case);
    provider->build(world);
    return world;
}

struct world *world_new_star(const struct world_provider *provider, const struct world_star *star)
{
    struct world *world = world_empty(provider);
    struct switch_config node = topology_wormhole_switch();
    world->sim = sim_new(star->seed, star->trace);
    world->topology = topology_new(star->hosts, star->cable ? 0 : 1);
    topology_set_switches(world->topology, &node);
    for (int i = 0; i < (star->cable ? 1 : star->hosts); i++)
        topology_add_link(world->topology, i, star->cable ? 1 : star->hosts, &star->links[i]);
    world->cluster = g_new0(struct cluster, 1);
    *world->cluster = (struct cluster){.sim = world->sim, .host_count = star->hosts};
    world->cluster->network = network_new(world->sim, world->topology);
    world->cluster->hosts = g_new0(struct host *, star->hosts);
    for (int i = 0; i < star->hosts; i++) {
        char *name = g_strdup_printf("node%d", i);
        world->cluster->hosts[i] = host_new(world->sim, i, intern_text(name), star->host);
        g_free(name);
    }
    world->state = star->state;
    provider->build(world);
    return world;
}

struct link_config world_link(int64_t corrupt_nth)
{
    struct link_config link = topology_wormhole_link();
    link.propagation = 50 * TIME_NS;
    if (corrupt_nth > 0) {
        link.corrupt_nth = (struct param_counts){g_memdup2(&corrupt_nth, sizeof corrupt_nth), 1};
        link.fault_direction = LINK_FAULTS_FORWARD;
    }
    return link;
}

void world_link_clear(struct link_config *link)
{
    g_free(link->corrupt_nth.values);
    g_free(link->down.values);
}

static void free_star(struct world *world)
{
    for (int i = 0; i < world->cluster->host_count; i++)
        host_free(world->cluster->hosts[i]);
    network_free(world->cluster->network);
    g_free(world->cluster->hosts);
    g_free(world->cluster);
}

void world_free(struct world *world)
{
    network_release(world->cluster->network); // packets under way may refer to the stacks
    for (guint i = 0; i < world->processes->len; i++) {
        struct world_process *process = g_ptr_array_index(world->processes, i);
        g_queue_clear_full(&process->jobs, g_free);
        if (world->provider->close)
            world->provider->close(process);
    }
    if (world->provider->free)
        world->provider->free(world);
    if (world->topology)
        free_star(world);
    else
        cluster_free(world->cluster);
    sim_free(world->sim);
    if (world->topology)
        topology_free(world->topology);
    else
        compiled_free(&world->compiled);
    g_ptr_array_unref(world->processes);
    g_ptr_array_unref(world->kept);
    g_free(world);
}

void *world_keep(struct world *world, void *pointer)
{
    g_ptr_array_add(world->kept, pointer);
    return pointer;
}

void world_run(struct world *world)
{
    for (guint i = 0; world->provider->starts_in_run && i < world->processes->len; i++)
        cpu_wake(&((struct world_process *)g_ptr_array_index(world->processes, i))->task);
    engine_run(world->sim->engine, TIME_NEVER);
}

// ---- Processes ----

struct world_job {
    world_job_fn *run;
    void *argument;
};

static enum cpu_next process_run(struct cpu_context *context, struct cpu_task *task)
{
    struct world_process *process = container_of(task, struct world_process, task);
    const struct world_provider *provider = process->world->provider;
    struct world_job *job = g_queue_peek_head(&process->jobs);
    if (!job || !job->run(context, process, job->argument))
        return provider->idle ? provider->idle(context, process) : CPU_SLEEP;
    process->job_end = context->now;
    g_free(g_queue_pop_head(&process->jobs));
    return CPU_AGAIN;
}

void *world_process_new(struct world *world, struct cpu *core)
{
    struct world_process *process = g_malloc0(world->provider->process_bytes);
    process->world = world;
    process->number = (int)world->processes->len;
    g_queue_init(&process->jobs);
    cpu_task_init(&process->task, core, CPU_USER, process_run);
    g_ptr_array_add(world->processes, process);
    return process;
}

void *world_process(const struct world *world, int number)
{
    return g_ptr_array_index(world->processes, (guint)number);
}

void world_do(void *owner, world_job_fn *job, void *argument)
{
    struct world_process *process = owner;
    struct world_job *entry = g_new(struct world_job, 1);
    *entry = (struct world_job){job, argument};
    g_queue_push_tail(&process->jobs, entry);
    if (!process->world->provider->starts_in_run)
        cpu_wake(&process->task);
}

struct world_alarm {
    struct event event;
    struct world_process *process;
    struct world_job job; // run: NULL: none
};

static void alarm_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct world_alarm *alarm = container_of(event, struct world_alarm, event);
    if (alarm->job.run)
        world_do(alarm->process, alarm->job.run, alarm->job.argument);
    cpu_wake(&alarm->process->task);
}

void world_do_at(void *owner, sim_time when, world_job_fn *job, void *argument)
{
    struct world_process *process = owner;
    if (when == 0) {
        world_do(process, job, argument);
        return;
    }
    struct world_alarm *alarm = world_keep(process->world, g_new0(struct world_alarm, 1));
    alarm->process = process;
    alarm->job = (struct world_job){job, argument};
    event_init(&alarm->event, alarm_event);
    engine_schedule(process->world->sim->engine, &alarm->event, when);
}

void world_wake_at(void *process, sim_time when)
{
    world_do_at(process, when, NULL, NULL);
}

// ---- What has come of it ----

int64_t world_counter(const struct world *world, const char *name)
{
    return *sim_counter(world->sim, name);
}

char *world_ledger_line(const struct world *world)
{
    GPtrArray *lines = ledger_report(world->sim->ledger, 1);
    char *line = g_strdup(lines->len > 0 ? g_ptr_array_index(lines, 0) : "");
    g_ptr_array_unref(lines);
    return line;
}

void world_close_message(struct world *world, struct message_ref message)
{
    ledger_match(world->sim->ledger, message);
    ledger_complete(world->sim->ledger, message);
}

struct stage_sum {
    const char *stage;
    sim_time time;
};

static void add_stage(void *owner, const char *stage, sim_time time)
{
    struct stage_sum *sum = owner;
    if (strcmp(stage, sum->stage) == 0)
        sum->time += time;
}

sim_time world_stage_time(const struct cpu *cpu, const char *stage)
{
    struct stage_sum sum = {stage, 0};
    cpu_each_stage(cpu, add_stage, &sum);
    return sum.time;
}

sim_time world_wire_time(const struct world *world, int64_t wire_bytes)
{
    const struct topology *topology = &world->test_case->topology;
    const struct topology_link *item = g_ptr_array_index(topology->links, 0);
    const struct link_config *link = item->values->values;
    int64_t bytes = link->preamble + MAX(link->least_frame, wire_bytes);
    sim_time hop = time_of_bytes(bytes, link->rate) + link->propagation;
    if (topology->switches->len == 0)
        return hop;
    const struct topology_switch *node = g_ptr_array_index(topology->switches, 0);
    return 2 * hop + ((const struct switch_config *)node->values->values)->latency;
}
