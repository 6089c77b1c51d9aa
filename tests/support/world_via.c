// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/world_via.h"

#include "models/ethernet/nics.h"
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
    struct via_placement seen = {*placement, sim_now(node->process.world->sim)};
    g_array_append_val(node->placements, seen);
}

static void node_init(struct world *world, int number)
{
    struct cluster *cluster = world->cluster;
    const struct mvia_config *config = scenario_section_values(world->test_case, "mvia");
    struct host *host = cluster->hosts[number];
    struct via_node *node = world_process_new(world, host_process_core(host, 0));
    node->host = host;
    node->errors = g_array_new(FALSE, FALSE, sizeof(struct via_error));
    node->placements = g_array_new(FALSE, FALSE, sizeof(struct via_placement));
    node->agent = vip_agent_new(cluster, ethernet_nic(cluster, number, 0), config);
    node->nic = vip_open_nic(node->agent, config, host->name, &node->process.task);
    vip_error_callback(node->nic, on_error, node);
}

static void build(struct world *world)
{
    ethernet_add_nics(world->cluster, world->test_case);
    for (int i = 0; i < world->cluster->host_count; i++)
        node_init(world, i);
}

static void node_close(void *process)
{
    struct via_node *node = process;
    vip_close_nic(node->nic);
    vip_agent_free(node->agent);
    g_array_unref(node->errors);
    g_array_unref(node->placements);
}

const struct world_provider world_via = {
    .process_bytes = sizeof(struct via_node), .build = build, .close = node_close};

struct via_node *via_node(const struct world *world, int number)
{
    return world_process(world, number);
}

// ---- Connecting ----

static bool set_up_job(struct cpu_context *context, void *process, void *queue)
{
    struct via_node *node = process;
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
    world_do(node, set_up_job, queue ? node : NULL);
}

bool via_request_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    const struct via_node *peer = argument;
    vip_connect_peer_request(context, node->vi, vip_agent_station(peer->agent), VIA_DISCRIMINATOR);
    return true;
}

bool via_wait_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    (void)argument;
    return vip_connect_peer_wait(context, node->vi);
}

bool via_disconnect_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    (void)argument;
    vip_disconnect(context, node->vi);
    return true;
}

void via_connect(struct world *world, bool queue)
{
    for (int i = 0; i < 2; i++) {
        struct via_node *node = via_node(world, i);
        via_set_up(node, queue);
        world_do(node, via_request_job, via_node(world, 1 - i));
        world_do(node, via_wait_job, NULL);
    }
    world_run(world);
    g_assert(via_node(world, 0)->vi->machine.state == VIP_CONNECTED &&
             via_node(world, 1)->vi->machine.state == VIP_CONNECTED);
}

// ---- Transfers ----

static struct via_transfer *transfer_new(struct via_node *node, int64_t offset, int64_t length)
{
    struct via_transfer *transfer = world_keep(node->process.world, g_new0(struct via_transfer, 1));
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
    int number = node->process.number;
    transfer->descriptor.handle = node->memory;
    transfer->descriptor.final = true;
    transfer->descriptor.message =
        ledger_open(node->process.world->sim->ledger, number, 1 - number, length, (uint64_t)number);
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
    transfer->descriptor.remote_handle =
        via_node(node->process.world, 1 - node->process.number)->memory;
    return transfer;
}

static bool post_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
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
    world_do(transfer->node, post_job, transfer);
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

static bool receive_done_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    *(struct vip_descriptor **)argument = vip_recv_done(context, node->vi);
    return true;
}

static bool send_done_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    *(struct vip_descriptor **)argument = vip_send_done(context, node->vi);
    return true;
}

struct vip_descriptor *via_receive_done(struct via_node *node)
{
    struct vip_descriptor *descriptor = NULL;
    world_run(node->process.world);
    world_do(node, receive_done_job, &descriptor);
    world_run(node->process.world);
    if (descriptor && descriptor->message.generation)
        world_close_message(node->process.world, descriptor->message);
    return descriptor;
}

struct vip_descriptor *via_send_done(struct via_node *node)
{
    struct vip_descriptor *descriptor = NULL;
    world_run(node->process.world);
    world_do(node, send_done_job, &descriptor);
    world_run(node->process.world);
    return descriptor;
}
