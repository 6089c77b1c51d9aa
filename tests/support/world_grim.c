// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/world_grim.h"

#include "sim/core/intern.h"
#include "tests/support/stage_called.h"
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

static struct message_ref open_message(const struct world *world, int from, int to, uint32_t bytes)
{
    uint64_t flow = (uint64_t)from * GRIM_WORLD_MOST + (uint64_t)to;
    return ledger_open(world->sim->ledger, from, to, bytes, flow);
}

static void take(struct cpu_context *context, struct grim_end *end)
{
    struct world *world = end->process.world;
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

static enum cpu_next end_idle(struct cpu_context *context, void *process)
{
    struct grim_end *end = process;
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
    cpu_wake(&end->process.task);
}

// ---- The world ----

struct grim_world_options grim_world_defaults(int hosts, int ends_per_host)
{
    struct grim_world_options options = {
        .hosts = hosts, .ends_per_host = ends_per_host, .seed = 1, .bus_rate = 132000000};
    topology_defaults(&grim_ni_table, &options.ni);
    topology_defaults(&lanai9_table, &options.lanai);
    topology_defaults(&grim_lanai9_table, &options.scan);
    return options;
}

void grim_world_lanai4(struct grim_world_options *options)
{
    topology_defaults(&lanai4_table, &options->lanai);
    topology_defaults(&grim_lanai4_table, &options->scan);
}

// The type of world->state.
struct grim_state {
    struct grim_world_options options;
    struct link_config links[GRIM_WORLD_MOST];
    struct transition_log *log; // NULL: none
    struct grim_fabric *fabric;
};

static struct grim_state *state_of(const struct world *world)
{
    return world->state;
}

static struct link_config link_of(const struct grim_world_options *options, int host)
{
    struct link_config link = world_link(options->corrupt_nth[host]);
    link.bit_error_rate = options->bit_error_rate;
    link.drop_probability = options->drop_probability;
    if (host == 0 && options->pulled.to > 0)
        link.down = (struct param_windows){g_memdup2(&options->pulled, sizeof options->pulled), 1};
    return link;
}

static void add_end(struct world *world, int i)
{
    struct cluster *cluster = world->cluster;
    int at = i % cluster->host_count;
    struct grim_end *end =
        world_process_new(world, cluster->hosts[at]->cores[i / cluster->host_count]);
    char *name = g_strdup_printf("end%d", i);
    end->script = g_array_new(FALSE, FALSE, sizeof(struct grim_message));
    end->replying = g_array_new(FALSE, FALSE, sizeof(struct grim_message));
    end->order = g_string_new(NULL);
    end->channel = grim_channel_open(grim_fabric_ni(grim_fabric(world), at), (uint16_t)i,
                                     intern_text(name), end_notice, end);
    g_free(name);
}

static void build(struct world *world)
{
    struct grim_state *state = state_of(world);
    const struct grim_world_options *options = &state->options;
    struct grim_card *cards = g_new(struct grim_card, options->hosts);
    for (int i = 0; i < options->hosts; i++)
        cards[i] = (struct grim_card){"lanai9", &options->lanai, &options->scan};
    state->fabric = grim_fabric_make(world->cluster, cards, &options->ni);
    g_free(cards);
    for (int i = 0; i < options->hosts * options->ends_per_host; i++)
        add_end(world, i);
}

static void end_close(void *process)
{
    struct grim_end *end = process;
    g_array_unref(end->script);
    g_array_unref(end->replying);
    g_string_free(end->order, TRUE);
}

static void free_state(struct world *world)
{
    struct grim_state *state = state_of(world);
    grim_fabric_free(state->fabric);
    for (int i = 0; i < state->options.hosts; i++)
        world_link_clear(&state->links[i]);
    if (state->log)
        transition_log_free(state->log);
}

const struct world_provider world_grim = {
    .process_bytes = sizeof(struct grim_end),
    .starts_in_run = true,
    .build = build,
    .idle = end_idle,
    .close = end_close,
    .free = free_state,
};

struct world *grim_world_new(const struct grim_world_options *options)
{
    struct grim_state *state = g_new0(struct grim_state, 1);
    struct host_config host = {
        .processor = {.cores = options->ends_per_host, .clock = 1000000000, .cycle_ratio = 1},
        .bus = {.clock = 10000000,
                .rate = options->bus_rate,
                .read_burst = 128,
                .read_setup = 1,
                .write_burst = 128,
                .write_setup = 1},
    };
    state->options = *options;
    for (int i = 0; i < options->hosts; i++)
        state->links[i] = link_of(options, i);
    if (options->machines)
        state->log = transition_log_new(options->machines, options->detail);
    struct world_star star = {
        .hosts = options->hosts,
        .links = state->links,
        .host = &host,
        .seed = options->seed,
        .trace = state->log ? &state->log->sink.trace : options->trace,
        .state = state,
    };
    struct world *world = world_new_star(&world_grim, &star);
    world_keep(world, state);
    return world;
}

struct grim_end *grim_end(const struct world *world, int number)
{
    return world_process(world, number);
}

struct grim_fabric *grim_fabric(const struct world *world)
{
    return state_of(world)->fabric;
}

void grim_world_send(struct world *world, int from, int to, uint32_t bytes, int count)
{
    for (int i = 0; i < count; i++) {
        struct grim_message message = {
            .destination = (uint16_t)to, .bytes = bytes, .length = bytes};
        message.message = open_message(world, from, to, bytes);
        g_array_append_val(grim_end(world, from)->script, message);
    }
}

void grim_world_run(struct world *world)
{
    if (!grim_fabric_start(grim_fabric(world)))
        return;
    for (guint i = 0; i < world->processes->len; i++) {
        struct grim_end *end = grim_end(world, (int)i);
        if (end->polls_from > 0 && end->polls_from < TIME_NEVER)
            world_wake_at(end, end->polls_from);
        if (end->starts > 0)
            world_wake_at(end, end->starts);
    }
    world_run(world);
}

bool grim_world_complete(const struct world *world)
{
    bool complete = world->sim->status == SIM_COMPLETED;
    for (guint i = 0; i < world->processes->len; i++) {
        const struct grim_end *end = grim_end(world, (int)i);
        complete &= !scripted(end) && end->replied == end->replying->len &&
                    end->out_of_order == 0 && grim_channel_queued(end->channel) == 0 &&
                    grim_endpoint_waiting(end->channel) == 0;
    }
    return complete && ledger_balanced(world->sim->ledger);
}

sim_time grim_world_stage(const struct world *world, int host, const char *stage)
{
    return world_stage_time(lanai_cpu(grim_ni_card(grim_fabric_ni(grim_fabric(world), host))),
                            stage);
}

const char *grim_world_log(const struct world *world)
{
    return state_of(world)->log->text->str;
}

int grim_world_count(const struct world *world, const char *part)
{
    int times = 0;
    for (const char *at = grim_world_log(world); (at = strstr(at, part)); at += strlen(part))
        times++;
    return times;
}

char *grim_world_report(const struct world *world, int end, const char *member)
{
    json_t *report = grim_channel_describe(grim_end(world, end)->channel);
    const char *text = json_string_value(json_object_get(report, member));
    char *copy = g_strdup(text ? text : "");
    json_decref(report);
    return copy;
}
