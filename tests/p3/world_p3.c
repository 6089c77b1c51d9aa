// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/p3/world_p3.h"

#include "models/intercept/p3/handler_cb.h"
#include "models/intercept/p3/long.h"
#include "tests/support/suite.h"

#include <string.h>

#define PID 5

// ---- What a world has ----

struct vnic {
    struct intercept_nic *nic;
    const struct vnic_ops *ops;
    void *owner;
    void (*room)(void *owner);
    GQueue arrived; // struct intercept_sm *
    int used[2];
    bool refused;
};

// A client's message between VDMA handlers.
struct client_message {
    struct event event;
    struct p3_node *to;
    int from;
    unsigned char body[VDMA_CLIENT_BYTES];
};

// The thread of a VDMA handler, as far as it hands messages to its client.
struct vdma_handler {
    struct p3_node *node;
    struct cpu_task thread;
    GQueue arrived; // struct client_message *
    int messages;   // sent
};

struct intercept_nic {
    struct p3_world *world;
    int node;
    struct vnic vnic;
    struct cpu_task service;
    int packets[2][P3_KINDS];
};

// On its way from card to card.
struct flying {
    struct event event;
    struct intercept_nic *from;
    struct intercept_sm sm;
    int tx;
    bool left;
};

struct job {
    int to, pid, nth;
    int64_t bytes;
    enum portals_kind kind;
};

struct p3_node {
    struct portals_ni ni;
    struct p3_process p3;
    struct host *host;
    struct mpi_process *process;
    struct intercept_nic nic;
    struct vdma_handler handler;
    struct cpu_task caller;
    GQueue jobs; // struct job *
};

struct p3_world {
    struct trace trace;
    struct p3_world_options options;
    struct portals_config library;
    struct random_stream *random;
    struct sim *sim;
    struct host *hosts[P3_WORLD_NODES];
    struct p3_node nodes[P3_WORLD_NODES];
    GArray *told;       // struct p3_told
    GPtrArray *lines;   // transitions
    GPtrArray *flights; // struct flying *
    GPtrArray *transfers;
    GPtrArray *client_messages;
    int starts;
};

static struct p3_node *node_of(const struct portals_ni *ni)
{
    return container_of(ni, struct p3_node, ni);
}

static struct p3_told *told_of(struct p3_node *node, const struct portals_header *header)
{
    return &g_array_index(node->nic.world->told, struct p3_told, header->header_data);
}

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

static void on_flow(struct trace *trace, trace_lane lane, struct message_ref message, char phase,
                    sim_time when)
{
    (void)trace, (void)lane, (void)message, (void)phase, (void)when;
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

static const struct trace_ops trace_ops = {.lane = on_lane,
                                           .span = on_span,
                                           .flow = on_flow,
                                           .transition = on_transition,
                                           .note = on_note};

// ---- The card ----

static void take_off(struct intercept_nic *from, const struct intercept_sm *sm, int tx,
                     struct flying **made)
{
    struct flying *flying = g_new0(struct flying, 1);
    *flying = (struct flying){.from = from, .sm = *sm, .tx = tx};
    flying->sm.from = from->node;
    g_ptr_array_add(from->world->flights, flying);
    *made = flying;
}

static void arrive(struct p3_world *world, const struct intercept_sm *sm)
{
    struct intercept_nic *to = &world->nodes[sm->to].nic;
    struct vnic *vnic = &to->vnic;
    g_queue_push_tail(&vnic->arrived, g_memdup2(sm, sizeof *sm));
    if (vnic->ops->visible)
        vnic->ops->visible(vnic->owner);
    if (sm->marked && vnic->ops->interrupt)
        cpu_wake(&to->service);
}

static void flight_event(struct engine *engine, struct event *event)
{
    struct flying *flying = container_of(event, struct flying, event);
    struct p3_world *world = flying->from->world;
    struct vnic *vnic = &flying->from->vnic;
    if (!flying->left) {
        flying->left = true;
        sim_time jitter =
            (sim_time)random_below(world->random, (uint64_t)world->options.jitter + 1);
        engine_schedule(engine, event, engine_now(engine) + world->options.latency + jitter);
        return;
    }
    vnic->used[flying->tx]--;
    int copies = world->options.copies ? world->options.copies(world, &flying->sm) : 1;
    for (int i = 0; i < copies; i++)
        arrive(world, &flying->sm);
    if (vnic->refused) {
        vnic->refused = false;
        vnic->room(vnic->owner);
    }
}

static enum cpu_next serve(struct cpu_context *context, struct cpu_task *task)
{
    struct vnic *vnic = &container_of(task, struct intercept_nic, service)->vnic;
    vnic->ops->interrupt(context, vnic->owner);
    return CPU_SLEEP;
}

struct vnic *vnic_open(struct intercept_nic *nic, int number, const struct vnic_ops *ops,
                       void *owner)
{
    SUITE_SAME_INTEGER(number, P3_VNIC);
    nic->vnic = (struct vnic){.nic = nic, .ops = ops, .owner = owner};
    g_queue_init(&nic->vnic.arrived);
    return &nic->vnic;
}

bool vnic_send(struct cpu_context *context, struct vnic *vnic, int nth,
               const struct intercept_sm *message)
{
    struct flying *flying;
    CU_ASSERT(message->bytes <= INTERCEPT_SM_BYTES);
    cpu_spend_time(context, 100 * TIME_NS, &stage_driver);
    if (vnic->used[nth] >= vnic->nic->world->options.room) {
        vnic->refused = true;
        return false;
    }
    vnic->used[nth]++;
    vnic->nic->packets[nth][p3_packet_of(message)->kind]++;
    take_off(vnic->nic, message, nth, &flying);
    event_init(&flying->event, flight_event);
    cpu_post(context, &flying->event);
    return true;
}

const struct intercept_sm *vnic_first(const struct vnic *vnic)
{
    return g_queue_peek_head((GQueue *)&vnic->arrived);
}

void vnic_take(struct cpu_context *context, struct vnic *vnic)
{
    cpu_spend_time(context, 300 * TIME_NS, &stage_driver);
    g_free(g_queue_pop_head(&vnic->arrived));
}

void vnic_on_room(struct vnic *vnic, void (*room)(void *owner))
{
    vnic->room = room;
}

// ---- The VDMA handler ----

static void client_message_arrives(struct engine *engine, struct event *event)
{
    struct client_message *message = container_of(event, struct client_message, event);
    (void)engine;
    g_queue_push_tail(&message->to->handler.arrived, message);
    cpu_wake(&message->to->handler.thread);
}

void vdma_post_message(struct cpu_context *context, struct vdma_handler *handler, int peer,
                       const struct vdma_client_message *message)
{
    struct p3_world *world = handler->node->nic.world;
    struct client_message *sent = g_new0(struct client_message, 1);
    CU_ASSERT(message->bytes <= handler->node->p3.handler_room);
    handler->messages++;
    sent->to = &world->nodes[peer];
    sent->from = handler->node->p3.iuca;
    memcpy(sent->body, message->body, sizeof sent->body);
    g_ptr_array_add(world->client_messages, sent);
    event_init(&sent->event, client_message_arrives);
    cpu_post(context, &sent->event);
}

static enum cpu_next handle(struct cpu_context *context, struct cpu_task *task)
{
    struct vdma_handler *handler = container_of(task, struct vdma_handler, thread);
    const struct client_message *message = g_queue_pop_head(&handler->arrived);
    if (!message)
        return CPU_SLEEP;
    cpu_spend_time(context, 1 * TIME_US, &stage_driver);
    p3_cb_message(context, &handler->node->p3, message->from, message->body);
    return CPU_AGAIN;
}

// ---- The library ----

static struct portals_transfer *transfer_new(struct p3_world *world)
{
    struct portals_transfer *transfer = g_new0(struct portals_transfer, 1);
    g_ptr_array_add(world->transfers, transfer);
    return transfer;
}

static struct portals_transfer *target_transfer(struct p3_node *node,
                                                const struct portals_header *header)
{
    int64_t accept = node->nic.world->options.accept;
    struct portals_transfer *transfer = transfer_new(node->nic.world);
    transfer->header = *header;
    transfer->length = header->kind == PORTALS_PUT ? MIN(header->length, accept) : header->length;
    return transfer;
}

static void reply(struct cpu_context *context, struct p3_node *node,
                  const struct portals_header *request)
{
    struct portals_transfer *transfer = transfer_new(node->nic.world);
    transfer->header = *request;
    transfer->header.kind = PORTALS_REPLY;
    transfer->header.to = request->from;
    transfer->header.from = request->to;
    transfer->length = request->length;
    p3_nal.send(context, &node->ni, transfer);
}

void portals_parse(struct cpu_context *context, struct portals_ni *ni,
                   const struct portals_header *header, void *arriving)
{
    struct p3_node *node = node_of(ni);
    struct p3_world *world = node->nic.world;
    struct p3_told *told = told_of(node, header);
    struct portals_header copy = *header;
    bool wanted = copy.kind != PORTALS_GET && world->options.accept != P3_WORLD_NO_MATCH;
    cpu_spend_time(context, 1 * TIME_US, &stage_driver);
    if (copy.kind != PORTALS_REPLY) {
        told->started++;
        told->start_order = ++world->starts;
        ledger_match(world->sim->ledger, copy.message);
    }
    struct portals_transfer *transfer = wanted ? target_transfer(node, &copy) : NULL;
    if (copy.kind != PORTALS_GET) {
        told->mlen = transfer ? transfer->length : 0;
        if (told->mlen < copy.length)
            ledger_decline(world->sim->ledger, copy.message, told->mlen, copy.length - told->mlen,
                           "truncated");
    }
    p3_nal.receive(context, ni, arriving, transfer);
    if (!transfer && copy.kind != PORTALS_GET)
        ledger_complete(world->sim->ledger, copy.message);
    if (copy.kind == PORTALS_GET)
        reply(context, node, &copy);
}

void portals_finalize(struct cpu_context *context, struct portals_ni *ni,
                      struct portals_transfer *transfer, enum portals_status status)
{
    struct p3_node *node = node_of(ni);
    struct p3_told *told = told_of(node, &transfer->header);
    if (transfer->header.from.nid == node->p3.iuca) {
        if (transfer->header.kind != PORTALS_REPLY) {
            told->sent++;
            told->sent_at = context->now;
            told->sent_status = status;
        }
    } else {
        told->ended++;
        told->status = status;
        ledger_complete(node->p3.sim->ledger, transfer->header.message);
    }
}

void portals_transfer_waits(struct portals_transfer *transfer, const struct wait *wait)
{
    CU_ASSERT_PTR_NOT_NULL(transfer);
    CU_ASSERT_PTR_NOT_NULL(wait->text);
}

// The fake handlers are connected.
void p3_long_meet(struct cpu_context *context, struct p3_process *process, int peer)
{
    (void)context;
    (void)process;
    (void)peer;
}

void p3_long_waits(const struct p3_process *process, GPtrArray *waits)
{
    (void)process;
    (void)waits;
}

char *p3_long_send_waits(const struct p3_process *process, const struct portals_transfer *transfer)
{
    (void)process, (void)transfer;
    CU_FAIL("a long message");
    return NULL;
}

enum portals_status p3_long_send(struct cpu_context *context, struct p3_process *process,
                                 struct portals_transfer *transfer)
{
    (void)context, (void)process, (void)transfer;
    CU_FAIL("a long message");
    return PORTALS_FAILED;
}

void p3_long_receive(struct cpu_context *context, struct p3_process *process, void *arriving,
                     struct portals_transfer *transfer)
{
    (void)context, (void)process, (void)arriving, (void)transfer;
    CU_FAIL("a long message");
}

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
    uint64_t flow = (uint64_t)(told->from * P3_WORLD_NODES + told->to);
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
    for (int i = 0; i < P3_WORLD_NODES; i++) {
        char *waits = p3_world_waits(world, i);
        SUITE_SAME_TEXT(waits, "");
        g_free(waits);
    }
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

char *p3_world_transitions(const struct p3_world *world, const char *text)
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
