// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/via_world.h"
#include "models/ethernet/nics.h"

struct via_job {
    via_job_fn *run;
    void *argument;
};

struct via_alarm {
    struct event event;
    struct via_node *node;
    struct via_job job;
};

// ---- The process ----

static enum cpu_next node_run(struct cpu_context *context, struct cpu_task *task)
{
    struct via_node *node = container_of(task, struct via_node, task);
    struct via_job *job = g_queue_peek_head(&node->jobs);
    if (!job || !job->run(context, node, job->argument))
        return CPU_SLEEP;
    g_free(g_queue_pop_head(&node->jobs));
    return CPU_AGAIN;
}

void via_do(struct via_node *node, via_job_fn *job, void *argument)
{
    struct via_job *entry = g_new(struct via_job, 1);
    *entry = (struct via_job){job, argument};
    g_queue_push_tail(&node->jobs, entry);
    cpu_wake(&node->task);
}

static void alarm_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct via_alarm *alarm = container_of(event, struct via_alarm, event);
    via_do(alarm->node, alarm->job.run, alarm->job.argument);
}

void via_do_at(struct via_node *node, sim_time when, via_job_fn *job, void *argument)
{
    struct via_alarm *alarm = g_new0(struct via_alarm, 1);
    alarm->node = node;
    alarm->job = (struct via_job){job, argument};
    event_init(&alarm->event, alarm_event);
    g_ptr_array_add(node->world->alarms, alarm);
    engine_schedule(node->world->sim->engine, &alarm->event, when);
}

void via_run(struct via_world *world)
{
    engine_run(world->sim->engine, TIME_NEVER);
}

// ---- Life ----

static void on_error(void *owner, struct vip_vi *vi, enum vip_error error,
                     struct message_ref message)
{
    struct via_node *node = owner;
    struct via_error seen = {vi, error, message};
    g_array_append_val(node->errors, seen);
}

static void on_placement(void *owner, const struct vip_placement *placement)
{
    struct via_node *node = owner;
    struct via_placement seen = {*placement, sim_now(node->world->sim)};
    g_array_append_val(node->placements, seen);
}

static void node_init(struct via_world *world, struct via_node *node, int number)
{
    struct cluster *cluster = world->cluster->cluster;
    const struct mvia_config *config = scenario_section_values(world->cluster->test_case, "mvia");
    node->world = world;
    node->number = number;
    node->host = cluster->hosts[number];
    node->errors = g_array_new(FALSE, FALSE, sizeof(struct via_error));
    node->placements = g_array_new(FALSE, FALSE, sizeof(struct via_placement));
    node->agent = vip_agent_new(cluster, ethernet_nic(cluster, number, 0), config);
    g_queue_init(&node->jobs);
    cpu_task_init(&node->task, host_process_core(node->host, 0), CPU_USER, node_run);
    node->nic = vip_open_nic(node->agent, config, node->host->name, &node->task);
    vip_error_callback(node->nic, on_error, node);
}

struct via_world *via_world_new(const char *text, const char *const *sets, struct trace *trace)
{
    struct via_world *world = g_new0(struct via_world, 1);
    world->cluster = cluster_world_new(text, sets, trace);
    world->sim = world->cluster->sim;
    world->count = world->cluster->cluster->host_count;
    world->nodes = g_new0(struct via_node, world->count);
    world->transfers = g_ptr_array_new_with_free_func(g_free);
    world->alarms = g_ptr_array_new_with_free_func(g_free);
    for (int i = 0; i < world->count; i++)
        node_init(world, &world->nodes[i], i);
    return world;
}

void via_world_free(struct via_world *world)
{
    for (int i = 0; i < world->count; i++) {
        struct via_node *node = &world->nodes[i];
        g_queue_clear_full(&node->jobs, g_free);
        vip_close_nic(node->nic);
        vip_agent_free(node->agent);
        g_array_unref(node->errors);
        g_array_unref(node->placements);
    }
    cluster_world_free(world->cluster);
    g_ptr_array_unref(world->transfers);
    g_ptr_array_unref(world->alarms);
    g_free(world->nodes);
    g_free(world);
}

// ---- Connecting ----

static bool set_up_job(struct cpu_context *context, struct via_node *node, void *queue)
{
    node->ptag = vip_create_ptag(node->nic);
    g_assert(
        vip_register_mem(context, node->nic, VIA_ADDRESS, VIA_BYTES, node->ptag, &node->memory));
    vip_mem_watch(node->nic, node->memory, on_placement, node);
    if (queue)
        node->cq = vip_create_cq(node->nic);
    node->vi = vip_create_vi(context, node->nic, node->ptag, node->cq, node->cq);
    return true;
}

void via_set_up(struct via_node *node, bool queue)
{
    via_do(node, set_up_job, queue ? node : NULL);
}

bool via_request_job(struct cpu_context *context, struct via_node *node, void *argument)
{
    const struct via_node *peer = argument;
    vip_connect_peer_request(context, node->vi, vip_agent_station(peer->agent), VIA_DISCRIMINATOR);
    return true;
}

bool via_wait_job(struct cpu_context *context, struct via_node *node, void *argument)
{
    (void)argument;
    return vip_connect_peer_wait(context, node->vi);
}

bool via_disconnect_job(struct cpu_context *context, struct via_node *node, void *argument)
{
    (void)argument;
    vip_disconnect(context, node->vi);
    return true;
}

void via_connect(struct via_world *world, bool queue)
{
    for (int i = 0; i < 2; i++) {
        via_set_up(&world->nodes[i], queue);
        via_do(&world->nodes[i], via_request_job, &world->nodes[1 - i]);
        via_do(&world->nodes[i], via_wait_job, NULL);
    }
    via_run(world);
    g_assert(world->nodes[0].vi->state == VIP_CONNECTED &&
             world->nodes[1].vi->state == VIP_CONNECTED);
}

// ---- Transfers ----

static struct via_transfer *transfer_new(struct via_node *node, int64_t offset, int64_t length)
{
    struct via_transfer *transfer = g_new0(struct via_transfer, 1);
    g_ptr_array_add(node->world->transfers, transfer);
    vip_descriptor_init(&transfer->descriptor);
    transfer->node = node;
    transfer->descriptor.address = VIA_ADDRESS + offset;
    transfer->descriptor.length = length;
    return transfer;
}

struct via_transfer *via_new_receive(struct via_node *node, int64_t offset, int64_t length)
{
    struct via_transfer *transfer = transfer_new(node, offset, length);
    transfer->descriptor.operation = VIP_RECEIVE;
    transfer->descriptor.handle = node->memory;
    return transfer;
}

struct via_transfer *via_receive(struct via_node *node, int64_t offset, int64_t length)
{
    struct via_transfer *transfer = via_new_receive(node, offset, length);
    via_post(transfer);
    return transfer;
}

static struct via_transfer *new_message(struct via_node *node, int64_t offset, int64_t length)
{
    struct via_transfer *transfer = transfer_new(node, offset, length);
    transfer->descriptor.handle = node->memory;
    transfer->descriptor.final = true;
    transfer->descriptor.message = ledger_open(node->world->sim->ledger, node->number,
                                               1 - node->number, length, (uint64_t)node->number);
    return transfer;
}

struct via_transfer *via_new_send(struct via_node *node, int64_t offset, int64_t length)
{
    struct via_transfer *transfer = new_message(node, offset, length);
    transfer->descriptor.operation = VIP_SEND;
    return transfer;
}

struct via_transfer *via_new_write(struct via_node *node, int64_t offset, int64_t length,
                                   int64_t remote)
{
    struct via_transfer *transfer = new_message(node, offset, length);
    transfer->descriptor.operation = VIP_RDMA_WRITE;
    transfer->descriptor.remote_address = VIA_ADDRESS + remote;
    transfer->descriptor.remote_handle = node->world->nodes[1 - node->number].memory;
    return transfer;
}

static bool post_job(struct cpu_context *context, struct via_node *node, void *argument)
{
    struct via_transfer *transfer = argument;
    struct vip_vi *vi = transfer->vi ? transfer->vi : node->vi;
    transfer->begun = context->now;
    transfer->posted = true;
    if (transfer->descriptor.operation == VIP_RECEIVE)
        vip_post_recv(context, vi, &transfer->descriptor);
    else
        transfer->posted = vip_post_send(context, vi, &transfer->descriptor);
    transfer->end = context->now;
    return true;
}

void via_post(struct via_transfer *transfer)
{
    via_do(transfer->node, post_job, transfer);
}

struct via_transfer *via_send(struct via_node *node, int64_t offset, int64_t length)
{
    struct via_transfer *transfer = via_new_send(node, offset, length);
    via_post(transfer);
    return transfer;
}

struct via_transfer *via_write(struct via_node *node, int64_t offset, int64_t length,
                               int64_t remote)
{
    struct via_transfer *transfer = via_new_write(node, offset, length, remote);
    via_post(transfer);
    return transfer;
}

// ---- Completions ----

static bool receive_done_job(struct cpu_context *context, struct via_node *node, void *argument)
{
    *(struct vip_descriptor **)argument = vip_recv_done(context, node->vi);
    return true;
}

static bool send_done_job(struct cpu_context *context, struct via_node *node, void *argument)
{
    *(struct vip_descriptor **)argument = vip_send_done(context, node->vi);
    return true;
}

void via_close(struct via_world *world, struct message_ref message)
{
    ledger_match(world->sim->ledger, message);
    ledger_complete(world->sim->ledger, message);
}

struct vip_descriptor *via_receive_done(struct via_node *node)
{
    struct vip_descriptor *descriptor = NULL;
    via_run(node->world);
    via_do(node, receive_done_job, &descriptor);
    via_run(node->world);
    if (descriptor && descriptor->message.generation)
        via_close(node->world, descriptor->message);
    return descriptor;
}

struct vip_descriptor *via_send_done(struct via_node *node)
{
    struct vip_descriptor *descriptor = NULL;
    via_run(node->world);
    via_do(node, send_done_job, &descriptor);
    via_run(node->world);
    return descriptor;
}

int64_t via_counter(const struct via_world *world, const char *name)
{
    return *sim_counter(world->sim, name);
}
