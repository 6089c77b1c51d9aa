// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/inet/socket.h"

#include "models/ethernet/nic.h"

// ---- Processes ----

struct inet_process *inet_process_of(struct inet_host *host, struct cpu_task *task)
{
    for (guint i = 0; i < host->processes->len; i++) {
        struct inet_process *known = g_ptr_array_index(host->processes, i);
        if (known->task == task)
            return known;
    }
    struct inet_process *process = g_new0(struct inet_process, 1);
    process->task = task;
    process->host = host->host;
    process->epoch = 1;
    g_ptr_array_add(host->processes, process);
    return process;
}

void inet_enter(struct cpu_context *context, struct inet_process *process)
{
    bool in_call = process->in_call;
    if (process->switch_due)
        host_switch_in(context, process->host);
    if (!in_call)
        cpu_spend(context, process->host->config.kernel.system_call, &stage_trap);
    process->asleep = process->switch_due = process->in_call = false;
}

void inet_sleep(struct cpu_context *context, struct inet_process *process, bool in_call)
{
    cpu_spend(context, process->host->config.kernel.block_process, &stage_block);
    process->asleep = true;
    process->asleep_since = context->now;
    process->in_call = in_call;
}

void inet_wake(struct cpu_context *context, struct inet_process *process)
{
    if (!process->asleep)
        return;
    process->asleep = false;
    process->epoch++;
    if (context->now >= process->asleep_since) {
        process->switch_due = true;
        cpu_spend(context, process->host->config.kernel.wake_process, &stage_wake_up);
    }
    cpu_post_wake(context, process->task);
}

// ---- Waiting ----

void inet_notify(struct cpu_context *context, struct inet_socket *socket)
{
    struct inet_process *process = socket->process;
    if (!process || !process->asleep || socket->epoch != process->epoch)
        return;
    if (socket->wanted & socket->ops->ready(socket))
        inet_wake(context, process);
}

static void await(struct inet_socket *socket, int readiness)
{
    socket->epoch = socket->process->epoch;
    socket->wanted = readiness;
    if (socket->ops->awaited)
        socket->ops->awaited(socket, readiness);
}

bool inet_wait(struct cpu_context *context, struct inet_socket *socket,
               enum inet_readiness readiness)
{
    bool now = socket->ops->goes_on ? socket->ops->goes_on(socket, readiness)
                                    : (socket->ops->ready(socket) & (int)readiness) != 0;
    if (now)
        return true;
    await(socket, (int)readiness);
    inet_sleep(context, socket->process, true);
    return false;
}

int inet_select(struct cpu_context *context, struct inet_selected *selected, int count, bool block)
{
    int found = 0;
    g_assert(count > 0);
    const struct inet_config *config = selected[0].socket->host->config;
    const struct stage *stage = selected[0].socket->ops->stage;
    struct inet_process *process = selected[0].socket->process;
    inet_enter(context, process);
    cpu_spend(context, config->select_call, stage);
    cpu_spend_time(context, time_times(count, cpu_cost(context->cpu, config->select_socket)),
                   stage);
    for (int i = 0; i < count; i++) {
        struct inet_socket *socket = selected[i].socket;
        int ready = socket->ops->ready(socket) & (int)selected[i].wanted;
        selected[i].ready = (enum inet_readiness)ready;
        found += ready != 0;
    }
    if (found > 0 || !block)
        return found;
    for (int i = 0; i < count; i++)
        await(selected[i].socket, (int)selected[i].wanted);
    inet_sleep(context, process, true);
    return 0;
}

// ---- Buffers ----

void inet_buffer_init(struct inet_buffer *buffer, const struct inet_config *config, int64_t asked,
                      int64_t fallback, int64_t least)
{
    int64_t given = MIN(asked, config->buffer_limit);
    *buffer = (struct inet_buffer){.size = fallback, .locked = asked > 0};
    if (asked > 0)
        buffer->size = MAX(config->buffer_doubling ? 2 * given : given, least);
}

int64_t inet_truesize(const struct inet_interface *interface, int64_t bytes)
{
    const struct inet_config *config = interface->host->config;
    int64_t frame = ETHERNET_HEADER + bytes;
    if (frame > config->rx_copybreak)
        frame = ETHERNET_HEADER + interface->mtu;
    return frame + config->skb_overhead;
}
