// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/p3/world_p3_beside.inc" // NOLINT(bugprone-suspicious-include)
#include "tests/p3/world_p3_internal.h"

// ---- The trace ----

static struct p3_world *world_of(struct trace *trace)
{
    return container_of(trace, struct p3_world, trace);
}

static trace_lane on_lane(struct trace *trace, const struct trace_lane_info *info)
{
    (void)trace, (void)info;
    return 1;
}

static void on_span(struct trace *trace, trace_lane lane, const struct stage *stage, sim_time from,
                    sim_time to, struct message_ref message)
{
    GArray *all = world_of(trace)->told;
    (void)lane, (void)from;
    for (guint i = 0; stage == &stage_copy && i < all->len; i++) {
        struct p3_told *told = &g_array_index(all, struct p3_told, i);
        if (message_same(told->message, message))
            told->last_copy = MAX(told->last_copy, to);
    }
}

static void on_transition(struct trace *trace, trace_lane lane, sim_time when,
                          const struct trace_transition *transition)
{
    (void)lane, (void)when;
    g_ptr_array_add(world_of(trace)->lines,
                    g_strdup_printf("%s %s[%" G_GINT64_FORMAT "] %s -> %s", transition->where,
                                    transition->machine, transition->subject,
                                    transition->from ? transition->from : "-", transition->to));
}

static void on_note(struct trace *trace, trace_lane lane, const struct trace_note *note)
{
    (void)lane;
    if (note->kind == TRACE_HELD)
        g_ptr_array_add(world_of(trace)->lines,
                        g_strdup_printf("%s held up by %s%s", note->where, note->wait->text,
                                        note->to > note->from ? "" : " for no time"));
}

static const struct trace_ops trace_ops = {
    .lane = on_lane, .span = on_span, .transition = on_transition, .note = on_note};

// ---- Programs ----

static enum cpu_next call(struct cpu_context *context, struct cpu_task *task)
{
    struct p3_node *node = container_of(task, struct p3_node, caller);
    struct job *job = g_queue_pop_head(&node->jobs);
    if (!job)
        return CPU_SLEEP;
    struct p3_told *told = &g_array_index(node->nic.world->told, struct p3_told, job->nth);
    struct portals_transfer *transfer = transfer_new(node->nic.world);
    bool put = job->kind == PORTALS_PUT;
    uint64_t flow = (uint64_t)told->from * P3_WORLD_NODES + (uint64_t)told->to;
    told->message = ledger_open(node->p3.sim->ledger, put ? told->from : told->to,
                                put ? told->to : told->from, job->bytes, flow);
    *transfer = (struct portals_transfer){
        .header = {.kind = (uint8_t)job->kind,
                   .from = node->ni.id,
                   .to = {job->to, job->pid},
                   .length = job->bytes,
                   .header_data = (uint64_t)job->nth,
                   .message = told->message},
        .length = job->bytes,
        .segments = job->bytes > 0,
    };
    cpu_spend_time(context, 2 * TIME_US, &stage_driver);
    g_free(job);
    p3_nal.send(context, &node->ni, transfer);
    return CPU_AGAIN;
}

static void add_job(struct p3_world *world, int from, struct job job)
{
    struct p3_told told = {
        .from = from, .to = job.to, .bytes = job.bytes, .get = job.kind == PORTALS_GET};
    job.nth = (int)world->told->len;
    g_array_append_val(world->told, told);
    g_queue_push_tail(&world->nodes[from].jobs, g_memdup2(&job, sizeof job));
    cpu_wake(&world->nodes[from].caller);
}

void p3_world_put(struct p3_world *world, int from, int to, int64_t bytes)
{
    add_job(world, from, (struct job){.to = to, .pid = PID, .bytes = bytes, .kind = PORTALS_PUT});
}

void p3_world_get(struct p3_world *world, int from, int to, int64_t bytes)
{
    add_job(world, from, (struct job){.to = to, .pid = PID, .bytes = bytes, .kind = PORTALS_GET});
}

void p3_world_put_nobody(struct p3_world *world, int from, int to, int64_t bytes)
{
    add_job(world, from,
            (struct job){.to = to, .pid = PID + 1, .bytes = bytes, .kind = PORTALS_PUT});
}

static void injected(struct engine *engine, struct event *event)
{
    const struct flying *flying = container_of(event, struct flying, event);
    (void)engine;
    arrive(flying->from->world, &flying->sm);
}

void p3_world_inject(struct p3_world *world, const struct intercept_sm *sm, sim_time after)
{
    struct flying *flying;
    take_off(&world->nodes[sm->from].nic, sm, 0, &flying);
    event_init(&flying->event, injected);
    engine_schedule(world->sim->engine, &flying->event, sim_now(world->sim) + after);
}

void p3_world_run(struct p3_world *world)
{
    engine_run(world->sim->engine, TIME_NEVER);
}

// ---- Making one ----

struct p3_world_options p3_world_defaults(void)
{
    return (struct p3_world_options){
        .config = {.version = P3_HYBRID,
                   .abi = P3_I386,
                   .threshold = "all",
                   .grant = 16,
                   .poll_delay = 1 * TIME_US,
                   .poll_look = {.time = 400 * TIME_NS},
                   .send = {.time = 500 * TIME_NS},
                   .record = {.time = 300 * TIME_NS}},
        .latency = 5 * TIME_US,
        .room = 128,
        .accept = INT64_MAX,
        .seed = 1,
    };
}

static struct host_config host_config(void)
{
    return (struct host_config){
        .processor = {.cores = 2, .clock = 1000000000, .cycle_ratio = 1},
        .memory = {.cache = 512 * 1024,
                   .copy_cached = 1000000000,
                   .copy_uncached = 500000000,
                   .page = 4096,
                   .copy_traffic = 3},
        .bus = {.rate = 500000000},
    };
}

static void node_make(struct p3_world *world, int iuca, const struct host_config *config)
{
    struct p3_node *node = &world->nodes[iuca];
    char *name = g_strdup_printf("node%d", iuca);
    node->host = world->hosts[iuca] = host_new(world->sim, iuca, name, config);
    g_free(name);
    node->process = mpi_process_new(world->sim, node->host, 0, iuca, P3_WORLD_NODES, call);
    node->nic = (struct intercept_nic){.world = world, .node = iuca};
    cpu_task_init(&node->nic.service, host_interrupt_core(node->host), CPU_INTERRUPT, serve);
    node->handler.node = node;
    cpu_task_init(&node->handler.thread, host_thread_core(node->host, 1), CPU_KERNEL, handle);
    cpu_task_init(&node->caller, host_process_core(node->host, 0), CPU_USER, call);
    node->ni.id = (struct portals_id){iuca, PID};
    node->ni.config = &world->library;
    node->ni.nal_process = &node->p3;
    node->p3 = (struct p3_process){.ni = &node->ni,
                                   .process = node->process,
                                   .sim = world->sim,
                                   .host = node->host,
                                   .config = &world->options.config,
                                   .handler = &node->handler,
                                   .handler_room = INTERCEPT_SM_BYTES - 32,
                                   .iuca = iuca,
                                   .hosts = P3_WORLD_NODES,
                                   .host_list = world->hosts};
    g_queue_init(&node->jobs);
}

struct p3_world *p3_world_new(const struct p3_world_options *options)
{
    struct p3_world *world = g_new0(struct p3_world, 1);
    struct host_config config = host_config();
    world->trace.ops = &trace_ops;
    world->options = *options;
    world->library.header = 72;
    world->random = random_new(options->seed, "card");
    world->sim = sim_new(1, &world->trace);
    world->told = g_array_new(FALSE, TRUE, sizeof(struct p3_told));
    world->lines = g_ptr_array_new_with_free_func(g_free);
    world->transfers = g_ptr_array_new_with_free_func(g_free);
    world->client_messages = g_ptr_array_new_with_free_func(g_free);
    world->flights = g_ptr_array_new_with_free_func(g_free);
    for (int i = 0; i < P3_WORLD_NODES; i++) {
        node_make(world, i, &config);
        p3_process_init(&world->nodes[i].p3, &world->nodes[i].nic);
    }
    return world;
}

void p3_world_free(struct p3_world *world)
{
    for (int i = 0; i < P3_WORLD_NODES; i++) {
        struct p3_node *node = &world->nodes[i];
        p3_process_clear(&node->p3);
        g_queue_clear_full(&node->jobs, g_free);
        g_queue_clear(&node->handler.arrived);
        g_queue_clear_full(&node->nic.vnic.arrived, g_free);
        mpi_process_free(node->process);
        host_free(node->host);
    }
    sim_free(world->sim);
    random_free(world->random);
    g_array_free(world->told, TRUE);
    g_ptr_array_unref(world->lines);
    g_ptr_array_unref(world->flights);
    g_ptr_array_unref(world->client_messages);
    g_ptr_array_unref(world->transfers);
    g_free(world);
}

// ---- Looking at it ----

struct p3_process *p3_world_process(struct p3_world *world, int node)
{
    return &world->nodes[node].p3;
}

struct sim *p3_world_sim(struct p3_world *world)
{
    return world->sim;
}

struct p3_told *p3_world_told(struct p3_world *world, int nth)
{
    return &g_array_index(world->told, struct p3_told, nth);
}

int p3_world_messages(const struct p3_world *world)
{
    return (int)world->told->len;
}

void p3_world_expect_over(struct p3_world *world)
{
    bool matches = world->options.accept != P3_WORLD_NO_MATCH;
    for (int i = 0; i < p3_world_messages(world); i++) {
        const struct p3_told *told = p3_world_told(world, i);
        SUITE_SAME_INTEGER(told->started, 1);
        SUITE_SAME_INTEGER(told->ended, matches ? 1 : 0);
        SUITE_SAME_INTEGER(told->sent, 1);
        CU_ASSERT(told->get || told->sent_at >= told->last_copy);
    }
    CU_ASSERT_TRUE(ledger_balanced(world->sim->ledger));
    for (int i = 0; i < P3_WORLD_NODES; i++)
        p3_world_expect_waits(world, i, "");
}

int p3_world_packets(const struct p3_world *world, int node, enum p3_kind kind, int tx)
{
    const struct intercept_nic *nic = &world->nodes[node].nic;
    return tx < 0 ? nic->packets[0][kind] + nic->packets[1][kind] : nic->packets[tx][kind];
}

int p3_world_client_messages(const struct p3_world *world, int node)
{
    return world->nodes[node].handler.messages;
}

int64_t p3_world_counter(struct p3_world *world, const char *name)
{
    return *sim_counter(world->sim, name);
}

char *p3_world_lines(const struct p3_world *world, const char *text)
{
    GString *lines = g_string_new(NULL);
    for (guint i = 0; i < world->lines->len; i++) {
        const char *line = g_ptr_array_index(world->lines, i);
        if (strstr(line, text))
            g_string_append_printf(lines, "%s\n", line);
    }
    return g_string_free(lines, FALSE);
}

char *p3_world_waits(struct p3_world *world, int node)
{
    GPtrArray *waits = p3_waits(&world->nodes[node].p3);
    g_ptr_array_add(waits, NULL);
    char *text = g_strjoinv("; ", (char **)waits->pdata);
    g_ptr_array_unref(waits);
    return text;
}

void p3_world_expect_lines(const struct p3_world *world, const char *text, const char *expected)
{
    char *lines = p3_world_lines(world, text);
    SUITE_SAME_TEXT(lines, expected);
    g_free(lines);
}

void p3_world_expect_waits(struct p3_world *world, int node, const char *expected)
{
    char *waits = p3_world_waits(world, node);
    SUITE_SAME_TEXT(waits, expected);
    g_free(waits);
}

struct intercept_sm p3_world_packet(int from, int to, enum p3_kind kind, uint64_t number)
{
    struct intercept_sm sm = {.from = from, .to = to, .marked = true, .bytes = 24};
    *p3_packet(&sm) = (struct p3_packet){.kind = (uint8_t)kind, .len = 24, .number = number};
    return sm;
}
