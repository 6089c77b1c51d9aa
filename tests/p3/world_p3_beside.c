// SPDX-License-Identifier: GPL-3.0-or-later
// The rooms beside the NAL, made up: card, VDMA handler and library.
#include "tests/p3/world_p3_internal.h"

static struct p3_node *node_of(const struct portals_ni *ni)
{
    return container_of(ni, struct p3_node, ni);
}

static struct p3_told *told_of(struct p3_node *node, const struct portals_header *header)
{
    return &g_array_index(node->nic.world->told, struct p3_told, header->header_data);
}

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
