// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/grim_world.h"
#include "tests/support/stage_called.h"

#include "sim/core/intern.h"
#include "tests/support/topology.h"

#include <string.h>

// ---- Endpoints ----

static struct grim_message next_message(struct grim_end *end, const struct grim_message *message)
{
    struct grim_message numbered = *message;
    numbered.argument[0] = end->sent_number[message->destination];
    return numbered;
}

static bool inject(struct cpu_context *context, struct grim_end *end,
                   const struct grim_message *message)
{
    struct grim_message numbered = next_message(end, message);
    if (!grim_channel_inject(context, end->channel, &numbered))
        return false;
    end->sent_number[message->destination]++;
    end->last_injection = context->now;
    if (end->inject_cost > 0)
        cpu_spend_time(context, end->inject_cost, stage_called("library", STAGE_LIBRARY));
    return true;
}

static struct message_ref open_message(const struct grim_world *world, int from, int to,
                                       uint32_t bytes)
{
    uint64_t flow = (uint64_t)from * GRIM_WORLD_MOST + (uint64_t)to;
    return ledger_open(world->sim->ledger, from, to, bytes, flow);
}

static void take(struct cpu_context *context, struct grim_end *end)
{
    struct grim_world *world = end->world;
    struct grim_message message = *grim_endpoint_peek(end->channel);
    int source = message.source;
    cpu_spend_time(context, end->poll_cost, stage_called("handler", STAGE_LIBRARY));
    if (message.argument[0] != end->next_number[source])
        end->out_of_order++;
    if (end->taken == 0 || end->next_number[source] == 0)
        end->first_taken[source] = context->now;
    end->next_number[source] = message.argument[0] + 1;
    g_string_append_printf(end->order, "%d:%u ", source, message.argument[0]);
    end->taken++;
    end->last_taken = context->now;
    ledger_match(world->sim->ledger, message.message);
    ledger_deliver(world->sim->ledger, message.message, message.offset, message.length);
    ledger_complete(world->sim->ledger, message.message);
    grim_endpoint_release(context, end->channel);
    if (end->replies) {
        struct grim_message reply = {
            .destination = message.source, .bytes = message.bytes, .length = message.length};
        reply.message =
            open_message(world, (int)grim_channel_endpoint(end->channel), source, reply.length);
        g_array_append_val(end->replying, reply);
    }
}

static bool scripted(const struct grim_end *end)
{
    return end->injected < end->script->len;
}

static enum cpu_next end_run(struct cpu_context *context, struct cpu_task *task)
{
    struct grim_end *end = container_of(task, struct grim_end, task);
    bool polls = context->now >= end->polls_from && !(end->polls_last && scripted(end));
    if (end->replied < end->replying->len &&
        inject(context, end, &g_array_index(end->replying, struct grim_message, end->replied))) {
        end->replied++;
        return CPU_AGAIN;
    }
    if (polls && grim_endpoint_peek(end->channel)) {
        take(context, end);
        return CPU_AGAIN;
    }
    if (scripted(end) && context->now >= end->starts &&
        inject(context, end, &g_array_index(end->script, struct grim_message, end->injected))) {
        end->injected++;
        return CPU_AGAIN;
    }
    return CPU_SLEEP;
}

static void end_notice(void *owner, enum grim_notice notice)
{
    struct grim_end *end = owner;
    (void)notice;
    cpu_wake(&end->task);
}

static void start_event(struct engine *engine, struct event *event)
{
    (void)engine;
    cpu_wake(&container_of(event, struct grim_end, start)->task);
}

static void wake_event(struct engine *engine, struct event *event)
{
    (void)engine;
    cpu_wake(&container_of(event, struct grim_end, wake)->task);
}

// ---- The world ----

static void read_defaults(const struct param_table *table, void *config)
{
    struct diag_list *diags = diag_list_new();
    struct param_values *values = param_read(table, NULL, table->name, diags);
    g_assert(!diag_any(diags));
    memcpy(config, values->values, table->size);
    param_values_free(values);
    diag_list_free(diags);
}

struct grim_world_options grim_world_defaults(int hosts, int ends_per_host)
{
    struct grim_world_options options = {
        .hosts = hosts, .ends_per_host = ends_per_host, .seed = 1, .bus_rate = 132000000};
    read_defaults(&grim_ni_table, &options.ni);
    read_defaults(&lanai9_table, &options.lanai);
    read_defaults(&grim_lanai9_table, &options.scan);
    return options;
}

void grim_world_lanai4(struct grim_world_options *options)
{
    read_defaults(&lanai4_table, &options->lanai);
    read_defaults(&grim_lanai4_table, &options->scan);
}

static void add_host(struct grim_world *world, const struct grim_world_options *options, int i)
{
    struct link_config *link = &world->links[i];
    *link = topology_wormhole_link();
    link->propagation = 50 * TIME_NS;
    link->bit_error_rate = options->bit_error_rate;
    link->drop_probability = options->drop_probability;
    if (i == 0 && options->pulled.to > 0)
        link->down = (struct param_windows){g_memdup2(&options->pulled, sizeof options->pulled), 1};
    if (options->corrupt_nth[i] > 0) {
        link->corrupt_nth = (struct param_counts){
            g_memdup2(&options->corrupt_nth[i], sizeof options->corrupt_nth[i]), 1};
        link->fault_direction = LINK_FAULTS_FORWARD;
    }
    topology_add_link(world->topology, i, options->hosts, link);
}

static void add_end(struct grim_world *world, int i, int hosts)
{
    struct grim_end *end = &world->ends[i];
    char *name = g_strdup_printf("end%d", i);
    end->world = world;
    end->script = g_array_new(FALSE, FALSE, sizeof(struct grim_message));
    end->replying = g_array_new(FALSE, FALSE, sizeof(struct grim_message));
    end->order = g_string_new(NULL);
    end->channel = grim_channel_open(grim_fabric_ni(world->fabric, i % hosts), (uint16_t)i,
                                     intern_text(name), end_notice, end);
    event_init(&end->wake, wake_event);
    event_init(&end->start, start_event);
    struct host *host = world->hosts[i % hosts];
    cpu_task_init(&end->task, host->cores[i / hosts], CPU_USER, end_run);
    g_free(name);
}

struct grim_world *grim_world_new(const struct grim_world_options *options)
{
    struct grim_world *world = g_new0(struct grim_world, 1);
    static const char *const names[GRIM_WORLD_MOST] = {
        "node0", "node1", "node2",  "node3",  "node4",  "node5",  "node6",  "node7",
        "node8", "node9", "node10", "node11", "node12", "node13", "node14", "node15"};
    struct host_config host = {
        .processor = {.cores = options->ends_per_host, .clock = 1000000000, .cycle_ratio = 1},
        .bus = {.clock = 10000000,
                .rate = options->bus_rate,
                .read_burst = 128,
                .read_setup = 1,
                .write_burst = 128,
                .write_setup = 1},
    };
    world->log = options->machines ? transition_log_new(options->machines, options->detail) : NULL;
    world->sim = sim_new(options->seed, world->log ? &world->log->sink.trace : options->trace);
    world->topology = topology_new(options->hosts, 1);
    struct switch_config node = topology_wormhole_switch();
    topology_set_switches(world->topology, &node);
    for (int i = 0; i < options->hosts; i++)
        add_host(world, options, i);
    world->cluster.sim = world->sim;
    world->cluster.host_count = options->hosts;
    world->cluster.hosts = world->hosts;
    world->cluster.network = network_new(world->sim, world->topology);
    for (int i = 0; i < options->hosts; i++)
        world->hosts[i] = host_new(world->sim, i, names[i], &host);
    world->fabric =
        grim_fabric_make(&world->cluster, "lanai9", &options->lanai, &options->ni, &options->scan);
    world->ends_count = options->hosts * options->ends_per_host;
    for (int i = 0; i < world->ends_count; i++)
        add_end(world, i, options->hosts);
    return world;
}

void grim_world_free(struct grim_world *world)
{
    for (int i = 0; i < world->ends_count; i++) {
        g_array_unref(world->ends[i].script);
        g_array_unref(world->ends[i].replying);
        g_string_free(world->ends[i].order, TRUE);
    }
    grim_fabric_free(world->fabric);
    for (int i = 0; i < world->cluster.host_count; i++) {
        host_free(world->hosts[i]);
        g_free(world->links[i].corrupt_nth.values);
        g_free(world->links[i].down.values);
    }
    network_free(world->cluster.network);
    sim_free(world->sim);
    topology_free(world->topology);
    if (world->log)
        transition_log_free(world->log);
    g_free(world);
}

void grim_world_send(struct grim_world *world, int from, int to, uint32_t bytes, int count)
{
    for (int i = 0; i < count; i++) {
        struct grim_message message = {
            .destination = (uint16_t)to, .bytes = bytes, .length = bytes};
        message.message = open_message(world, from, to, bytes);
        g_array_append_val(world->ends[from].script, message);
    }
}

void grim_world_run(struct grim_world *world)
{
    if (!grim_fabric_start(world->fabric))
        return;
    for (int i = 0; i < world->ends_count; i++) {
        struct grim_end *end = &world->ends[i];
        cpu_wake(&end->task);
        if (end->polls_from > 0 && end->polls_from < TIME_NEVER)
            engine_schedule(world->sim->engine, &end->wake, end->polls_from);
        if (end->starts > 0)
            engine_schedule(world->sim->engine, &end->start, end->starts);
    }
    engine_run(world->sim->engine, TIME_NEVER);
}

bool grim_world_complete(const struct grim_world *world)
{
    bool complete = world->sim->status == SIM_COMPLETED;
    for (int i = 0; i < world->ends_count; i++) {
        const struct grim_end *end = &world->ends[i];
        complete &= !scripted(end) && end->replied == end->replying->len &&
                    end->out_of_order == 0 && grim_channel_queued(end->channel) == 0 &&
                    grim_endpoint_waiting(end->channel) == 0;
    }
    return complete && ledger_balanced(world->sim->ledger);
}

int64_t grim_world_counter(const struct grim_world *world, const char *name)
{
    return *sim_counter(world->sim, name);
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

sim_time grim_world_stage(const struct grim_world *world, int host, const char *stage)
{
    struct stage_sum sum = {stage, 0};
    struct lanai *card = grim_ni_card(grim_fabric_ni(world->fabric, host));
    cpu_each_stage(lanai_cpu(card), add_stage, &sum);
    return sum.time;
}

int grim_world_count(const struct grim_world *world, const char *part)
{
    int times = 0;
    for (const char *at = world->log->text->str; (at = strstr(at, part)); at += strlen(part))
        times++;
    return times;
}

char *grim_world_report(const struct grim_world *world, int end, const char *member)
{
    json_t *report = grim_channel_describe(world->ends[end].channel);
    const char *text = json_string_value(json_object_get(report, member));
    char *copy = g_strdup(text ? text : "");
    json_decref(report);
    return copy;
}
