// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/world_intercept.h"

#include "sim/model/model.h"

#include <string.h>

// ---- A stack that is nothing but cards ----

static const struct stack cards_stack = {
    .schema = {.name = "cards",
               .doc = "Intercept cards without software",
               .benchmarks = (const char *const[]){"program", NULL},
               .sections = (const char *const[]){"intercept", NULL},
               .cards = STACK_CARDS_ALL,
               .check = intercept_check_planes},
    .card = INTERCEPT_CARD,
};

static const struct model cards_model = {
    .name = "cards",
    .stacks = (const struct stack *const[]){&cards_stack, NULL},
};

extern const struct model intercept_nic_model;
static const struct registry registry = {
    (const struct model *const[]){&intercept_nic_model, &cards_model, NULL}};

// ---- The world ----

static void build(struct world *world)
{
    intercept_add_nics(world->cluster, world->test_case);
    for (int host = 0; host < world->cluster->host_count; host++) {
        struct host *of = world->cluster->hosts[host];
        struct icpt_process *process = world_process_new(world, host_process_core(of, 0));
        process->nic = intercept_nic(world->cluster, host);
        process->host = of;
    }
}

static const struct world_provider provider = {.process_bytes = sizeof(struct icpt_process),
                                               .build = build};

struct world *icpt_world_new(const char *text, const char *const *sets, struct trace *trace)
{
    return world_new_compiled(&provider, compiled_new_in(&registry, text, sets), trace);
}

bool icpt_refused(const char *text, const char *const *sets, const char *complaint)
{
    struct diag_list *diags = diag_list_new();
    struct compiled compiled = compiled_try_in(&registry, text, sets, diags);
    bool found = false;
    for (guint i = 0; i < diags->items->len && !compiled.scenario; i++) {
        const struct diag *diag = g_ptr_array_index(diags->items, i);
        char *said = g_strdup_printf("%s:%d:%d: %s", diag->mark.file, diag->mark.line,
                                     diag->mark.column, diag->message);
        found |= strstr(said, complaint) != NULL;
        if (!found)
            fprintf(stderr, "%s\n", said);
        g_free(said);
    }
    compiled_free(&compiled);
    diag_list_free(diags);
    return found;
}

struct icpt_process *icpt_process(const struct world *world, int host)
{
    return world_process(world, host);
}

// ---- Short messages ----

static bool take_all(struct cpu_context *context, void *process, void *argument)
{
    (void)process;
    struct icpt_receiver *receiver = argument;
    const struct intercept_sm *message;
    while ((message = vnic_first(receiver->vnic))) {
        g_assert(receiver->taken < ICPT_SEEN);
        memcpy(&receiver->numbers[receiver->taken], message->body, sizeof(int));
        receiver->senders[receiver->taken++] = message->from;
        vnic_take(context, receiver->vnic);
    }
    return true;
}

static void visible(void *owner)
{
    struct icpt_receiver *receiver = owner;
    receiver->last = sim_now(receiver->process->host->sim);
    receiver->count++;
    if (!receiver->keeps)
        world_do(receiver->process, take_all, receiver);
}

static void interrupt(struct cpu_context *context, void *owner)
{
    struct icpt_receiver *receiver = owner;
    receiver->interrupts++;
    receiver->interrupted = context->now;
}

struct icpt_receiver *icpt_receiver_new(struct world *world, int host, bool interrupts)
{
    static const struct vnic_ops polled = {.visible = visible};
    static const struct vnic_ops interrupted = {.visible = visible, .interrupt = interrupt};
    struct icpt_receiver *receiver = world_keep(world, g_new0(struct icpt_receiver, 1));
    receiver->process = icpt_process(world, host);
    receiver->vnic =
        vnic_open(receiver->process->nic, ICPT_VNIC, interrupts ? &interrupted : &polled, receiver);
    return receiver;
}

void icpt_receiver_take_at(struct icpt_receiver *receiver, sim_time when)
{
    world_do_at(receiver->process, when, take_all, receiver);
}

static bool send_burst(struct cpu_context *context, void *process, void *argument)
{
    (void)process;
    struct icpt_burst *burst = argument;
    while (burst->sent + burst->refused < burst->count) {
        memcpy(burst->message.body, &burst->sent, sizeof burst->sent);
        if (vnic_send(context, burst->vnic, burst->nth, &burst->message)) {
            burst->sent++;
            continue;
        }
        if (burst->again)
            break;
        burst->refused++;
    }
    return true;
}

static void room(void *owner)
{
    struct icpt_burst *burst = owner;
    burst->rooms++;
    burst->room_at = sim_now(burst->process->host->sim);
    if (burst->again)
        world_do(burst->process, send_burst, burst);
}

struct icpt_burst *icpt_burst_new(struct world *world, int from, int to, int count, uint16_t bytes)
{
    static const struct vnic_ops none = {0};
    struct icpt_burst *burst = world_keep(world, g_new0(struct icpt_burst, 1));
    burst->process = icpt_process(world, from);
    burst->vnic = vnic_open(burst->process->nic, burst->process->bursts++, &none, burst);
    burst->count = count;
    burst->message = (struct intercept_sm){.to = to, .vnic = ICPT_VNIC, .bytes = bytes};
    vnic_on_room(burst->vnic, room);
    return burst;
}

void icpt_burst_start(struct icpt_burst *burst)
{
    world_do(burst->process, send_burst, burst);
}

void icpt_burst_start_at(struct icpt_burst *burst, sim_time when)
{
    world_do_at(burst->process, when, send_burst, burst);
}
