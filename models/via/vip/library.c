// SPDX-License-Identifier: GPL-3.0-or-later
// The VI provider library: queues, completion queues, and polling and waiting for completions.
#include "models/via/vip/provider.h"

const struct stage vip_agent_stage = {"agent", STAGE_KERNEL};
const struct stage vip_provider_stage = {"provider", STAGE_LIBRARY};

static enum cpu_next notify_run(struct cpu_context *context, struct cpu_task *task);

void vip_charge_trap(struct cpu_context *context, const struct vip_nic *nic)
{
    const struct kernel_config *kernel = &nic->host->config.kernel;
    bool fast = nic->config->doorbell == MVIA_DOORBELL_FAST_TRAP;
    cpu_spend(context, fast ? kernel->fast_trap : kernel->system_call, &stage_trap);
}

// ---- Life ----

int64_t vip_vi_footprint(void)
{
    int64_t tables = 8 * (int64_t)sizeof(void *); // two hash tables, half full, and lists
    // Packets, events and timers of requests and answers, all of which are under way together at
    // the start of a mesh; as measured.
    int64_t connecting = 220;
    return (int64_t)sizeof(struct vip_vi) + tables + connecting;
}

int64_t vip_descriptor_footprint(void)
{
    return (int64_t)(sizeof(struct vip_descriptor) + sizeof(struct vip_cq_entry));
}

struct vip_nic *vip_open_nic(struct vip_agent *agent, const struct mvia_config *config,
                             const char *name, struct cpu_task *task)
{
    struct vip_nic *nic = g_new0(struct vip_nic, 1);
    nic->agent = agent;
    nic->sim = agent->sim;
    nic->host = agent->host;
    nic->config = config;
    nic->name = name;
    nic->task = task;
    nic->regions = g_array_new(FALSE, TRUE, sizeof(struct vip_region));
    nic->free_regions = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    nic->cqs = g_ptr_array_new();
    pool_init(&nic->postings, sizeof(struct vip_posting));
    cpu_task_init(&nic->notify_task, task->cpu, CPU_USER, notify_run);
    return nic;
}

void vip_close_nic(struct vip_nic *nic)
{
    if (!nic)
        return;
    for (guint i = 0; i < nic->regions->len; i++) {
        struct vip_region *region = &g_array_index(nic->regions, struct vip_region, i);
        if (region->holes)
            g_array_free(region->holes, TRUE);
    }
    for (guint i = 0; i < nic->cqs->len; i++) {
        struct vip_cq *cq = g_ptr_array_index(nic->cqs, i);
        g_free(cq->entries);
        g_free(cq);
    }
    g_array_free(nic->regions, TRUE);
    g_array_free(nic->free_regions, TRUE);
    g_ptr_array_free(nic->cqs, TRUE);
    pool_clear(&nic->postings);
    g_free(nic);
}

void vip_error_callback(struct vip_nic *nic, vip_error_fn *callback, void *owner)
{
    nic->error = callback;
    nic->error_owner = owner;
}

const struct mvia_config *vip_config(const struct vip_nic *nic)
{
    return nic->config;
}

struct vip_agent *vip_nic_agent(const struct vip_nic *nic)
{
    return nic->agent;
}

struct vip_cq *vip_create_cq(struct vip_nic *nic)
{
    struct vip_cq *cq = g_new0(struct vip_cq, 1);
    cq->nic = nic;
    cq->capacity = 64;
    cq->entries = g_new(struct vip_cq_entry, cq->capacity);
    g_ptr_array_add(nic->cqs, cq);
    return cq;
}

struct vip_vi *vip_create_vi(struct cpu_context *context, struct vip_nic *nic, uint32_t ptag,
                             struct vip_cq *send_cq, struct vip_cq *receive_cq)
{
    struct vip_vi *vi = g_new0(struct vip_vi, 1);
    cpu_spend(context, nic->host->config.kernel.system_call, &stage_trap);
    cpu_spend_for(context, nic->config->send_setup, &vip_agent_stage, MESSAGE_NONE);
    g_ptr_array_add(nic->agent->vis, vi);
    vi->nic = nic;
    vi->number = nic->agent->vis->len;
    vi->ptag = ptag;
    vi->send.cq = send_cq;
    vi->receive.cq = receive_cq;
    vip_connection_init(vi);
    return vi;
}

// ---- Posting ----

static void post_send_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct vip_descriptor *descriptor = container_of(event, struct vip_descriptor, event);
    vip_device_doorbell(descriptor->vi->nic->agent, descriptor);
}

static void post_recv_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct vip_descriptor *descriptor = container_of(event, struct vip_descriptor, event);
    descriptor_queue_push(&descriptor->vi->receive.posted, descriptor);
}

void vip_descriptor_init(struct vip_descriptor *descriptor)
{
    *descriptor = (struct vip_descriptor){0};
    event_init(&descriptor->event, NULL);
    descriptor->last_token = (struct vip_token){descriptor, true};
    descriptor->more_token = (struct vip_token){descriptor, false};
}

// The agent frames a descriptor in the trap. The first frame is the card's as soon as it is built;
// the others are built while it is in transit, and they are ready long before the wire is.
bool vip_post_send(struct cpu_context *context, struct vip_vi *vi,
                   struct vip_descriptor *descriptor)
{
    const struct mvia_config *config = vi->nic->config;
    bool known = descriptor->operation == VIP_SEND || descriptor->operation == VIP_RDMA_WRITE;
    if (!known || vi->machine.state != VIP_CONNECTED ||
        descriptor->length > config->largest_transfer ||
        !vip_vi_mem_valid(vi, descriptor->handle, descriptor->address, descriptor->length))
        return false;
    const struct nic_config *card = nic_config(vi->nic->agent->nic);
    sim_time frame =
        cpu_cost(context->cpu, config->send_frame) + cpu_cost(context->cpu, card->tx_frame);
    int64_t room = config->mtu - config->header;
    int64_t frames = MAX(1, (descriptor->length + room - 1) / room);
    descriptor->vi = vi;
    descriptor->status = VIP_STATUS_POSTED;
    descriptor->framed = 0;
    cpu_spend_for(context, config->post, &vip_provider_stage, descriptor->message);
    vip_charge_trap(context, vi->nic);
    cpu_spend_for(context, config->send_setup, &vip_agent_stage, descriptor->message);
    cpu_spend_message(context, frame, &vip_agent_stage, descriptor->message);
    cpu_spend_for(context, card->doorbell, &stage_driver, descriptor->message);
    descriptor->event.run = post_send_event;
    cpu_post(context, &descriptor->event);
    cpu_spend_message(context, (frames - 1) * frame, &vip_agent_stage, descriptor->message);
    return true;
}

static void charge_post_recv(struct cpu_context *context, const struct vip_vi *vi)
{
    cpu_spend_for(context, vi->nic->config->post, &vip_provider_stage, MESSAGE_NONE);
    vip_charge_trap(context, vi->nic);
}

void vip_post_recv(struct cpu_context *context, struct vip_vi *vi,
                   struct vip_descriptor *descriptor)
{
    descriptor->vi = vi;
    descriptor->operation = VIP_RECEIVE;
    descriptor->status = VIP_STATUS_POSTED;
    charge_post_recv(context, vi);
    descriptor->event.run = post_recv_event;
    cpu_post(context, &descriptor->event);
}

static void post_unmade_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct vip_posting *posting = container_of(event, struct vip_posting, event);
    struct vip_vi *vi = posting->vi;
    g_assert(!vi->receive.posted.head);
    vi->unmade++;
    pool_give(&vi->nic->postings, posting);
}

void vip_post_recv_unmade(struct cpu_context *context, struct vip_vi *vi)
{
    struct vip_posting *posting = pool_take(&vi->nic->postings);
    posting->vi = vi;
    event_init(&posting->event, post_unmade_event);
    charge_post_recv(context, vi);
    cpu_post(context, &posting->event);
}

struct vip_descriptor *vip_take_posted(struct vip_vi *vi)
{
    if (vi->unmade == 0)
        return descriptor_queue_pop(&vi->receive.posted);
    vi->unmade--;
    struct vip_descriptor *descriptor = vi->make(vi);
    descriptor->vi = vi;
    descriptor->operation = VIP_RECEIVE;
    descriptor->status = VIP_STATUS_POSTED;
    return descriptor;
}

// ---- Completion ----

static void cq_append(struct vip_cq *cq, struct vip_vi *vi, bool receive)
{
    if (cq->tail - cq->head == cq->capacity) {
        struct vip_cq_entry *grown = g_new(struct vip_cq_entry, 2 * (size_t)cq->capacity);
        for (guint i = cq->head; i != cq->tail; i++)
            grown[i - cq->head] = cq->entries[i & (cq->capacity - 1)];
        g_free(cq->entries);
        cq->entries = grown;
        cq->tail -= cq->head;
        cq->head = 0;
        cq->capacity *= 2;
    }
    cq->entries[cq->tail++ & (cq->capacity - 1)] = (struct vip_cq_entry){vi, receive};
}

static struct vip_work_queue *work_queue(struct vip_descriptor *descriptor)
{
    return descriptor->operation == VIP_RECEIVE ? &descriptor->vi->receive : &descriptor->vi->send;
}

// Wakes the process if it waits for this completion. A process that polls has not slept: it looks
// again at its next turn.
static void wake_waiter(struct vip_nic *nic, struct vip_cq *cq, struct vip_vi *vi)
{
    bool on_cq = cq && cq->waiting, on_vi = nic->waiting_vi == vi || nic->polls_all;
    if (!on_cq && !on_vi)
        return;
    if (on_cq)
        cq->waiting = false;
    if (on_vi)
        nic->waiting_vi = NULL;
    nic->polls_all = false;
    nic->slept = on_cq || !nic->waiting_polls;
    if (nic->slept) {
        cpu_wake(nic->task);
        return;
    }
    sim_time now = sim_now(nic->sim);
    sim_time turn = time_next_tick(0, nic->poll_turn, now);
    trace_delay(nic->sim->trace, cpu_lane(nic->task->cpu), &stage_poll, now, turn, MESSAGE_NONE);
    engine_reschedule(nic->sim->engine, &nic->task->wake, turn);
}

static void complete_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct vip_descriptor *descriptor = container_of(event, struct vip_descriptor, event);
    struct vip_work_queue *queue = work_queue(descriptor);
    struct vip_nic *nic = descriptor->vi->nic;
    if (queue->notify && !queue->notifying) {
        queue->notifying = true;
        descriptor_queue_push(&nic->notified, descriptor);
        cpu_wake(&nic->notify_task);
        return;
    }
    descriptor_queue_push(&queue->done, descriptor);
    if (queue->cq)
        cq_append(queue->cq, descriptor->vi, descriptor->operation == VIP_RECEIVE);
    wake_waiter(nic, queue->cq, descriptor->vi);
}

void vip_complete(struct cpu_context *context, struct vip_descriptor *descriptor,
                  enum vip_status status)
{
    struct vip_nic *nic = descriptor->vi->nic;
    struct vip_work_queue *queue = work_queue(descriptor);
    bool sleeper = (queue->cq && queue->cq->waiting) ||
                   (nic->waiting_vi == descriptor->vi && !nic->waiting_polls);
    cpu_spend_for(context, nic->config->completion, &vip_agent_stage, descriptor->message);
    if (sleeper)
        cpu_spend_for(context, nic->host->config.kernel.wake_process, &stage_wake_up,
                      descriptor->message);
    descriptor->status = status;
    descriptor->event.run = complete_event;
    cpu_post(context, &descriptor->event);
}

// Charges a process that goes on after it was asleep.
static void charge_wake_up(struct cpu_context *context, struct vip_nic *nic)
{
    if (!nic->slept)
        return;
    nic->slept = false;
    host_switch_in(context, nic->host);
}

bool vip_cq_done(struct cpu_context *context, struct vip_cq *cq, struct vip_cq_entry *entry)
{
    charge_wake_up(context, cq->nic);
    cpu_spend_for(context, cq->nic->config->queue_check, &vip_provider_stage, MESSAGE_NONE);
    if (cq->head == cq->tail)
        return false;
    *entry = cq->entries[cq->head++ & (cq->capacity - 1)];
    return true;
}

bool vip_cq_wait(struct cpu_context *context, struct vip_cq *cq, struct vip_cq_entry *entry)
{
    if (vip_cq_done(context, cq, entry))
        return true;
    cpu_spend(context, cq->nic->host->config.kernel.system_call, &stage_trap);
    cpu_spend(context, cq->nic->host->config.kernel.block_process, &stage_block);
    cq->waiting = true;
    return false;
}

static struct vip_descriptor *take_done(struct cpu_context *context, struct vip_vi *vi,
                                        struct vip_work_queue *queue)
{
    charge_wake_up(context, vi->nic);
    struct vip_descriptor *descriptor = descriptor_queue_pop(&queue->done);
    cpu_spend_for(context, descriptor ? vi->nic->config->dequeue : vi->nic->config->queue_check,
                  &vip_provider_stage, descriptor ? descriptor->message : MESSAGE_NONE);
    return descriptor;
}

struct vip_descriptor *vip_send_done(struct cpu_context *context, struct vip_vi *vi)
{
    return take_done(context, vi, &vi->send);
}

struct vip_descriptor *vip_recv_done(struct cpu_context *context, struct vip_vi *vi)
{
    return take_done(context, vi, &vi->receive);
}

void vip_wait(struct cpu_context *context, struct vip_vi *vi, bool polling)
{
    const struct kernel_config *kernel = &vi->nic->host->config.kernel;
    if (!polling) {
        cpu_spend(context, kernel->system_call, &stage_trap);
        cpu_spend(context, kernel->block_process, &stage_block);
    }
    vi->nic->waiting_vi = vi;
    vi->nic->waiting_polls = polling;
    vi->nic->polls_all = false;
    vi->nic->poll_turn = vi->nic->config->poll_period;
}

void vip_poll_all(struct vip_nic *nic, sim_time turn)
{
    nic->waiting_vi = NULL;
    nic->waiting_polls = true;
    nic->polls_all = true;
    nic->poll_turn = turn;
}

// ---- Notify functions: a thread of the library calls them ----

static enum cpu_next notify_run(struct cpu_context *context, struct cpu_task *task)
{
    struct vip_nic *nic = container_of(task, struct vip_nic, notify_task);
    struct vip_descriptor *descriptor = descriptor_queue_pop(&nic->notified);
    if (!descriptor)
        return CPU_SLEEP;
    struct vip_work_queue *queue = work_queue(descriptor);
    vip_notify_fn *notify = queue->notify;
    queue->notify = NULL;
    queue->notifying = false;
    host_switch_in(context, nic->host);
    cpu_spend_for(context, nic->config->dequeue, &vip_provider_stage, descriptor->message);
    notify(context, queue->notify_owner, descriptor);
    return nic->notified.head ? CPU_AGAIN : CPU_SLEEP;
}

static void ask_notify(struct cpu_context *context, struct vip_vi *vi, struct vip_work_queue *queue,
                       vip_notify_fn *notify, void *owner)
{
    cpu_spend_for(context, vi->nic->config->post, &vip_provider_stage, MESSAGE_NONE);
    queue->notify = notify;
    queue->notify_owner = owner;
    if (queue->notifying || !queue->done.head)
        return;
    // One that is complete already is the next.
    queue->notifying = true;
    descriptor_queue_push(&vi->nic->notified, descriptor_queue_pop(&queue->done));
    cpu_post_wake(context, &vi->nic->notify_task);
}

void vip_recv_notify(struct cpu_context *context, struct vip_vi *vi, vip_notify_fn *notify,
                     void *owner)
{
    ask_notify(context, vi, &vi->receive, notify, owner);
}

void vip_send_notify(struct cpu_context *context, struct vip_vi *vi, vip_notify_fn *notify,
                     void *owner)
{
    ask_notify(context, vi, &vi->send, notify, owner);
}

// ---- Errors ----

static const char *const error_names[] = {
    [VIP_ERROR_RECEIVE_QUEUE_EMPTY] = "receive queue empty",
    [VIP_ERROR_PROTECTION] = "protection",
    [VIP_ERROR_LENGTH] = "length",
};

void vip_raise_error(struct vip_vi *vi, enum vip_error error, struct message_ref message)
{
    vip_enter(vi, VIP_ERROR, sim_now(vi->nic->sim), error_names[error]);
    if (vi->nic->error)
        vi->nic->error(vi->nic->error_owner, vi, error, message);
}
